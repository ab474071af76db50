# inputs.sh - sourced: what a synthesis and a run on its netlist depend on, and what is on record.
#
# Synthesis takes minutes and gives the same netlist whenever its inputs are the same. recorded.txt
# holds, for each engine and check, the SHA-256 of the inputs with which it last passed, and the
# figures. Tests look there first and do the work only when the inputs have changed; with --full
# they always do it. record.sh writes the file.
record=tests/synthesis/recorded.txt

# inputs_hash BUILD_DIRECTORY ENGINE CHECK: for synthesis, the engine's text as yosys has it behind
# its preprocessor (assertions and the other engine are no part of it), its scripts and yosys
# itself; for netlist, the benches and their reference model as well.
inputs_hash() {
    local build=$1 engine=$2 check=$3 files=()
    local list=(rtl/syn/coarse.ys rtl/syn/map.ys "rtl/syn/$engine.ys")
    list+=(tests/synthesis/synthesise.sh tests/synthesis/netlist.c 'tests/synthesis/blif.*'
        tests/synthesis/cells.def)
    if [ "$check" = netlist ]; then
        for folder in tests/rtl/compare tests/rtl/reference tests/rtl/net reference; do
            list+=("$folder/*.cpp" "$folder/*.h" "$folder/*.def")
        done
        list+=('tests/synthesis/netsim/*' 'sw_emu/rising_edge.h' 'tests/synthesis/CMakeLists.txt')
    fi
    mapfile -t files < <(tracked "${list[@]}" | LC_ALL=C sort)
    {
        echo "$engine $check"
        yosys -V | cut -d' ' -f1,2
        sha256sum "${files[@]}"
        engine_text "$build" "$engine"
    } | sha256sum | cut -d' ' -f1
}

# engine_text BUILD_DIRECTORY ENGINE: the preprocessed text, without comments, empty lines and names
# of files.
engine_text() {
    yosys -p "$(sed -nE "s|build/generated|$1/generated|; s/^read_verilog /&-ppdump /p" \
        "rtl/syn/$2.ys")" | sed -n '/^-- Verilog code after/,/^-- END OF DUMP/p' |
        sed -E 's:/\*([^*]|\*+[^*/])*\*+/::g; s/ +$//' | grep -vE '^`file_|^--|^$'
}

# on_record ENGINE CHECK HASH: prints the figures (NAME=VALUE ...); false: not with these inputs.
on_record() {
    awk -v e="$1" -v c="$2" -v h="$3" '
        $1 == e && $2 == c && $3 == h { $1 = $2 = $3 = ""; print; found = 1 }
        END { exit !found }' "$record" 2>/dev/null
}
