#!/usr/bin/env bash
# gates.sh BUILD_DIRECTORY ENGINE ARGUMENT... -- FLAG... -- LINKED... - the netlist that
# synthesise.sh has left, under Verilator: a bench of C++ sources and libraries (LINKED), compiled
# with FLAGs, in which V<ENGINE>.h is the netlist, runs with ARGUMENTs.
. "$(dirname "$0")/../lint/common.sh"
need yosys "package yosys"
need verilator "package verilator"
build=$1 engine=$2
shift 2
arguments=() flags=()
while [ "$1" != -- ]; do arguments+=("$1"); shift; done
shift
while [ "$1" != -- ]; do flags+=("$1"); shift; done
shift
out=$build/synthesis
[ -f "$out/$engine.v" ] || skip "no $out/$engine.v: synthesise.sh $engine has not run"
cells=$(dirname "$(command -v yosys)")/../share/yosys/xilinx/cells_sim.v
rm -rf "$out/$engine.gates"
# Many small cells: what the compiler could still win takes it longer than the run.
verilator --cc --exe --build -j 2 -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal \
    -Wno-lint --output-split 20000 --top-module "$engine" --Mdir "$out/$engine.gates" \
    -MAKEFLAGS "OPT_FAST=-O1 OPT_SLOW=-O0" -CFLAGS "${flags[*]} -w" -o bench "$@" \
    "$cells" "$out/$engine.v" >"$out/$engine.verilator.log" 2>&1 || {
    tail -5 "$out/$engine.verilator.log"
    echo "the netlist's model is not built: $out/$engine.verilator.log"
    exit 1
}
"$out/$engine.gates/bench" "${arguments[@]}"
