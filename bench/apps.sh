#!/usr/bin/env bash
# apps.sh - prints a table of the wall seconds and rates of whole programs on the V100 model, and of
# the wall seconds that GPGPU-Sim 4.2 took for the same binaries when docs/speed.md was written.
# Figures are medians. There is no pass or fail. Heddle runs on one thread, as GPGPU-Sim does, if
# HEDDLE_PROCESSORS says nothing else.
#
#   bench/apps.sh [REPETITIONS] [heddle run OPTIONS ...]
set -euo pipefail
cd "$(dirname "$0")/.."
export HEDDLE_PROCESSORS=${HEDDLE_PROCESSORS:-1}
repeat=${1:-3}
shift || true
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
json() { # FILE EXPRESSION: prints a number of a report
    jq -r "$2" "$1"
}
command -v jq >/dev/null || { echo "bench/apps.sh needs jq (apt-get install jq)" >&2; exit 2; }
printf '%-20s %9s %9s %8s %12s %12s %10s %9s\n' program "wall s" "gpgpusim" ratio "ptx winst" \
    "ptx winst/s" cycles "rss MB"
# program, wall seconds of GPGPU-Sim (median)
while read -r name peer; do
    walls=()
    for _ in $(seq "$repeat"); do
        start=$(date +%s.%N)
        build/bin/heddle run --out "$out" "$@" -- "build/apps/$name" >"$out/log" 2>&1 ||
            { echo "$name failed:"; tail -5 "$out/log"; continue 2; }
        wall=$(echo "$(date +%s.%N) - $start" | bc -l)
        walls+=("$wall")
    done
    median=$(printf '%s\n' "${walls[@]}" | sort -n | sed -n "$(((repeat + 1) / 2))p")
    report=$out/report.json
    insts=$(json "$report" .run.ptx_warp_instructions)
    cycles=$(json "$report" '[.kernels[].cycles] | add')
    rss=$(json "$report" '.run.peak_rss_bytes / 1048576 | floor')
    ratio=-
    [ "$peer" = - ] || ratio=$(echo "scale=1; $peer / $median" | bc -l)
    printf '%-20s %9.3f %9s %8s %12s %12.0f %10s %9s\n' "$name" "$median" "$peer" "$ratio" \
        "$insts" "$(echo "$insts / $median" | bc -l)" "$cycles" "$rss"
done <<'EOF'
vector_add 9.9
vector_accumulate 171
sgemm_tiled 123
reduce 38.5
atomics 6.9
lu_decomposition 177
histogram -
divergence -
transport -
docking -
EOF
