#!/usr/bin/env bash
# kernel.sh BUILD_DIRECTORY NETLIST HEDDLE CARD EMULATION OUT PROGRAM ARGUMENTS... - runs a program
# with the netlist of the whole kernel as the timing core (library CARD), and with the Verilated
# kernel that users run (library EMULATION). The program's output and all parts of the reports must
# be equal that do not depend on where the core runs. NETLIST: as synthesise.sh.
#
# The core's own clocks are no such part: where in its round of visits the pipelined form stands
# when a run begins follows from how often the host has read registers in between.
. "$(dirname "$0")/../../lint/common.sh"
. tests/support/report.sh
need yosys yosys
need jq jq
build=$1 netlist=$2 heddle=$3 out=$6 program=$7
declare -A library=([netlist]=$4 [emulation]=$5)
tests/synthesis/synthesise.sh "$build" kernel "$netlist" run
# as many SMs and sets of L2 as rtl/syn/kernel.ys has
gpu=(--set sm.count=4 --set l2.slices=4 --set l2.size=512KiB)

# run NAME ARGUMENTS...: leaves in $out/NAME the report and, in `plain`, what must be equal.
run() {
    local dir=$out/$1
    rm -rf "$dir"
    mkdir -p "$dir"
    "$heddle" run --timing rtl --threads 1 --sm-groups 1 "${gpu[@]}" --backend "${library[$1]}" \
        --out "$dir" -- "$program" "${@:2}" >"$dir/said" 2>"$dir/errors" </dev/null || {
        wrong "exit status $? with ${library[$1]}"
        tail -n 5 "$dir/said" "$dir/errors"
        finish "$out has what was said."
    }
    {
        grep "^$(basename "$program"): " "$dir/said"
        plain_report "$dir"
    } >"$dir/plain"
}

run netlist "${@:8}"
grep 'clocks per second' "$out/netlist/errors" || wrong "the netlist does not say what it has done"
run emulation "${@:8}"
diff "$out/emulation/plain" "$out/netlist/plain" >"$out/diff" || {
    wrong "another result than with ${library[emulation]}:"
    head -20 "$out/diff"
}
echo "$(grep -c . "$out/netlist/plain") values"
grep -E '^kernels\.[0-9]+\.(name|cycles) ' "$out/netlist/plain"
finish "$out has the reports; tests/synthesis/netsim/kernel.h is what ran."
