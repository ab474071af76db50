#!/usr/bin/env bash
# sources.sh - checks what xclbin/flatten.awk hands to Vivado: the sources without `include pass
# Verilator and yosys without any folder of headers, are the model that rtl/ is, have the same
# headers from tables as the build, and the parameters asked for. Errors of flatten.awk have the
# expected text.
. "$(dirname "$0")/common.sh"
need verilator verilator
need yosys yosys
src=$out/u55c-hw/src
make_xclbin "$src/sources.f" GROUPS=2 MAX_SMS=20 NODE_BITS=10 ROW_BITS=8 ||
    finish "The sources for Vivado could not be made."
mapfile -t sources < <(sed "s|^|$src/|" "$src/sources.f")
grep -n '`include' "${sources[@]}" && wrong "an include is left"
for pair in GROUPS=2 SUB_BITS=2 MAX_SMS=20 TIME_BITS=16 NODE_BITS=10 ROW_BITS=8; do
    grep -E "^ *parameter ${pair%=*} " "$src/heddle_kernel.v" | grep -vE "= ${pair#*=}\b" |
        sed "s/^/$pair: /" >"$out/other" || true
    [ ! -s "$out/other" ] || wrong "$(cat "$out/other")"
done
if [ -n "${1:-}" ]; then
    for header in heddle_gen.svh heddle_regs.svh; do
        cmp "$out/generated/$header" "$1/generated/$header" || wrong "$header is another one"
    done
fi

# The model that Verilator makes of them is that of rtl/ with the same parameters, in the pipelined
# form; but for comments, names of sources, and hashes in names of variables. lint.verilator has the
# text pass -Wall. SYMRSVDWORD: the port's name is Vitis'. VARHIDDEN: as tests/lint/verilator.sh
# says.
verilated() { # FOLDER ARGUMENT...: the model into the folder, a finding for each warning
    local to=$1 line
    shift
    while read -r line; do wrong "$line"; done < <(
        verilator -Wno-fatal -Wno-SYMRSVDWORD -Wno-VARHIDDEN --top-module heddle_kernel \
            --Mdir "$to" "$@" 2>&1 | grep -E '^%(Warning|Error)' || true)
}
verilated "$out/synthesis" --lint-only -DSYNTHESIS "${sources[@]}"
verilated "$out/flat" --cc "${sources[@]}"
mapfile -t originals < <(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|')
verilated "$out/rtl" --cc +define+HEDDLE_NBA -GGROUPS=2 -GMAX_SMS=20 -GTIME_BITS=16 -GNODE_BITS=10 \
    -GROW_BITS=8 -I"$out/generated" -Irtl -Irtl/sm -Irtl/l2 "${originals[@]}"
plain() { sed -E 's|//.*||; s/_h[0-9a-f]{8}__/_h__/g; s/"[^"]*[.]v", [0-9]+/FILE/' "$1"; }
compared=0
for file in "$out"/rtl/*.cpp "$out"/rtl/*.h; do
    compared=$((compared + 1))
    cmp -s <(plain "$file") <(plain "$out/flat/${file##*/}") ||
        wrong "another model than that of rtl/: ${file##*/}"
done
[ $compared -gt 5 ] || wrong "Verilator made $compared files"
yosys -q -p "read_verilog -sv -defer -DSYNTHESIS ${sources[*]}
    hierarchy -check -top heddle_kernel" >"$out/said" 2>&1 ||
    wrong "yosys: $(grep ERROR "$out/said" | cut -c1-300)"

# errors of flatten.awk, on a small tree
mkdir -p "$out/tree/a" "$out/small"
flatten() { # [set]
    awk -v out="$out/small" -v folders="$out/tree" -v set="${1:-}" -f xclbin/flatten.awk \
        "$out/tree/tree.f"
}
one() { # TEXT: a tree with one source
    echo "one.sv" >"$out/tree/tree.f"
    printf '%s\n' "$1" >"$out/tree/one.sv"
}
one '`include "none.svh"'
fails "a missing header" "flatten.awk: $out/tree/one.sv:1: no file none.svh in $out/tree" flatten
one '`include "one.sv"'
fails "a circle" "flatten.awk: $out/tree/one.sv:1: one.sv includes itself" flatten
one 'wire a; `include "b.svh"'
fails "an include behind text" "flatten.awk: $out/tree/one.sv:1: an \`include that does not stand \
alone" flatten
one '  parameter GROUPS = 1, // pairs'
fails "an unknown parameter" "flatten.awk: heddle_kernel has no parameter SMS" flatten "SMS=1"
flatten "GROUPS=4" || wrong "a parameter that is there is refused"
grep -qx '  parameter GROUPS = 4, // pairs' "$out/small/one.sv" || wrong "GROUPS is not 4"
echo "two.sv" >>"$out/tree/tree.f"
fails "a missing source" "flatten.awk: no file $out/tree/two.sv, which" flatten
cp "$out/tree/one.sv" "$out/tree/a/one.sv"
printf '%s\n' one.sv a/one.sv >"$out/tree/tree.f"
fails "two files of a name" "flatten.awk: two files are called one.sv" flatten
finish "Mend the text, xclbin/flatten.awk or the list of parameters in xclbin/Makefile."
