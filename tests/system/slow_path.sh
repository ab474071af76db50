#!/usr/bin/env bash
# slow_path.sh HEDDLE PROGRAM PTX - checks that a division 0 / b counts as the 33 instructions of
# ptxas's subroutine per warp, with timing and without, and that a division 1 / b does not.
set -euo pipefail
heddle=$1 program=$2 ptx=$3 warps=2 more=33
. "$(dirname "$0")/../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# run CTAS TIMING: sets `counted` to the warp instructions per CTA, `issued` to those that the core
# issued
run() {
    "$heddle" run -q --timing "$2" --out "$out" -- "$program" "$ptx" divide "$1" $((32 * warps)) \
        >"$out/said" 2>&1 </dev/null
    read -r counted issued < <(jq -r --argjson ctas "$1" '.kernels[0]
        | "\(.warp_instructions / $ctas) \((.cpi_stack.issued // 0) / $ctas)"' "$out/report.json")
}
for timing in none rtl; do
    run 2 $timing
    fast=$counted fast_issued=$issued
    run 1 $timing
    echo "$timing: $fast instructions, with the slow path $counted; issued $fast_issued, $issued"
    [ $((counted - fast)) -eq $((more * warps)) ] || failed=1
    [ $timing = none ] || [ $((issued - fast_issued)) -eq $((more * warps)) ] || failed=1
done
exit $failed
