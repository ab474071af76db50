#!/usr/bin/env bash
# verilator.sh BUILD_DIRECTORY - the RTL passes verilator --lint-only -Wall, in both forms (the one
# for the emulation and the one that is synthesised).
. "$(dirname "$0")/common.sh"
need verilator "package verilator"
build=${1:-build}
[ -f "$build/generated/heddle_gen.svh" ] || skip "$build/generated/heddle_gen.svh is not built"
mapfile -t sources < <(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|')
for form in BLOCKING NBA; do
    # SYMRSVDWORD: Vitis wants the kernel's port to be called `interrupt`.
    verilator --lint-only -Wall -Wno-SYMRSVDWORD "+define+HEDDLE_$form" --top-module heddle_kernel \
        -Irtl -Irtl/sm -Irtl/l2 -Irtl/top -I"$build/generated" "${sources[@]}" ||
        wrong "verilator --lint-only -Wall, +define+HEDDLE_$form: see above"
done
finish "Mend it, or waive it in the source for that line, with the reason."
