#!/usr/bin/env bash
# verilator.sh BUILD_DIRECTORY - the RTL passes verilator --lint-only -Wall; exceptions, each with
# its
# reason, are in rtl/*.vlt.
. "$(dirname "$0")/common.sh"
need verilator "package verilator"
build=${1:-build}
[ -f rtl/heddle.f ] || skip "rtl/heddle.f does not exist yet"
[ -f "$build/generated/heddle_gen.svh" ] || skip "$build/generated/heddle_gen.svh is not built"
