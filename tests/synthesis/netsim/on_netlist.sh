#!/usr/bin/env bash
# on_netlist.sh FILE PROGRAM ARGUMENTS... - runs a bench that was built for the netlist FILE.
. "$(dirname "$0")/../../lint/common.sh"
need yosys "package yosys"
[ -f "$1" ] || {
    echo "$1 is not there: run synthesis.$(basename "$1" .blif) first"
    exit 1
}
exec "${@:2}"
