#!/usr/bin/env bash
# on_netlist.sh BUILD_DIRECTORY ENGINE NETLIST run|recorded PROGRAM ARGUMENTS... - runs a bench that
# was built for the netlist of ENGINE. `recorded`: a pass on record for the same inputs is enough
# (../inputs.sh). NETLIST: as synthesise.sh, which makes the netlist where it is missing.
. "$(dirname "$0")/../../lint/common.sh"
. tests/synthesis/inputs.sh
need yosys yosys
build=$1 engine=$2 netlist=$3 run=$4
if [ "$run" = recorded ] &&
    on_record "$engine" netlist "$(inputs_hash "$build" "$engine" netlist)" >/dev/null; then
    echo "passed with the same netlist, bench and reference model: $record"
    exit 0
fi
tests/synthesis/synthesise.sh "$build" "$engine" "$netlist" run
exec "${@:5}"
