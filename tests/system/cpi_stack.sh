#!/usr/bin/env bash
# cpi_stack.sh HEDDLE APPS - checks that the parts of the CPI stack add up to all cycles of all
# sub-cores, in kernels that wait for different things, and that the largest part is the one that
# the program was written for. Checks that the parts of the instruction mix add up to 32 lanes per
# warp instruction.
set -euo pipefail
heddle=$1 apps=$2
. "$(dirname "$0")/../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# largest PART PROGRAM ARGS: PART is the largest part besides `issued` and `no_warp`.
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

largest drain slow_same_address # a warp ends when L2 has taken its reductions
largest memory pointer_chase -l 64
largest barrier litmus grid_barrier
largest sleep litmus sleep
exit $failed
