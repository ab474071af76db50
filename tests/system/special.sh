#!/usr/bin/env bash
# special.sh HEDDLE PROGRAM PTX - checks how often special operations ran, by the numbers that
# special.ptx states, with timing and without, and what of them arrives in a projection. 3 CTAs of
# 40 threads that work. By tables/sass_expansions.def, compute capability 9.0 has fewer
# instructions than 7.5: one for each div.rn.f32, sqrt.rn.f32 and div.rn.f64, three for a slow
# div.rn.f32. A slow execution of a warp counts by its share of lanes: 3 of 120.
set -euo pipefail
heddle=$1 program=$2 ptx=$3
. "$(dirname "$0")/../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

want='cvt.rn.f32.u32 6 120 0
cvt.f64.f32 6 120 0
div.rn.f32 6 120 3
div.rn.f64 3 24 0
div.u64 12 120 60
sin.approx.f32 6 120 0
sqrt.rn.f32 24 480 0'
for timing in none rtl; do
    "$heddle" run -q --timing $timing --out "$out" -- "$program" "$ptx" special 3 64 \
        >"$out/said" 2>&1 </dev/null
    is=$(jq -r '.kernels[0].special[] | "\(.form) \(.warps) \(.threads) \(.slow_threads)"' \
        "$out/report.json" | sort)
    [ "$is" = "$(sort <<<"$want")" ] || { echo "--timing $timing: $is"; failed=1; }
done

# fewer TARGET OPTIONS...: thread and warp instructions that the target executes fewer.
fewer() {
    "$heddle" project --to "$1" "${@:2}" --json "$out" >"$out/projection.json"
    jq -r --slurpfile run "$out/report.json" --arg gpu "$1" '$run[0].kernels[0] as $k
        | .kernels[0].targets[$gpu]
        | "\($k.thread_instructions - .thread_instructions | round)" +
          " \(($k.warp_instructions - .warp_instructions) * 100 | round)"' "$out/projection.json"
}
expect() {
    local is
    is=$(fewer "${@:2}")
    [ "$is" = "$1" ] || { echo "${*:2}: $is instructions fewer, not $1"; failed=1; }
}
expect "$((117 + 3 * 3 + 480 + 24)) 3330" h200
expect "$((117 + 3 * 3 + 480 + 24)) 3330" h200 --model paper
expect "0 0" h200 --without isa
expect "0 0" t4
exit $failed
