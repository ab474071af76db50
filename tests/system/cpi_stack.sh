#!/usr/bin/env bash
# cpi_stack.sh HEDDLE APPS - the parts of the CPI stack add up to every cycle of every sub-core, in
# kernels that wait for different things, alone and at the same time, and the parts are what the
# programs were written for. Of the instruction mix, that its parts are 32 lanes an instruction.
set -euo pipefail
heddle=$1 apps=$2
. "$(dirname "$0")/../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# PART PROGRAM ARGS: the part is the largest of those in which a warp was there, and there is one.
largest() {
    local part=$1 found
    shift
    "$heddle" run -q --out "$out" -- "$apps/$1" "${@:2}" >"$out/said" 2>&1 </dev/null
    jq -e '[.kernels[] | .sub_core_cycles > 0 and .sub_core_cycles == ([.cpi_stack[]] | add)
            and ([.cpi_stack[]] | min) >= 0 and .cpi_stack.issued >= .warp_instructions
            and ([.instruction_mix[]] | add) == 32 * .warp_instructions] | all' \
        "$out/report.json" >/dev/null || { echo "$*: the parts do not add up"; failed=1; }
    found=$(jq -r '[.kernels[].cpi_stack | to_entries[]] | group_by(.key)
        | map({key: .[0].key, value: map(.value) | add})
        | map(select(.key != "no_warp" and .key != "issued")) | max_by(.value).key' \
        "$out/report.json")
    [ "$found" = "$part" ] || { echo "$*: most cycles went to $found, not to $part"; failed=1; }
}

largest membar vector_add -n 20000 # few warps: each ends when its stores are answered
largest memory pointer_chase -l 64
largest barrier litmus grid_barrier
largest sleep litmus sleep
exit $failed
