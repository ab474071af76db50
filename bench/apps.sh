#!/usr/bin/env bash
# apps.sh - wall seconds of whole programs on the V100 model, beside GPGPU-Sim 4.2's on a machine of
# this class (2 cores), with rates. Prints a table; nothing here is a pass or a fail.
#
#   bench/apps.sh [REPETITIONS] [heddle run OPTIONS ...]
set -euo pipefail
cd "$(dirname "$0")/.."
repeat=${1:-3}
shift || true
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
json() { # FILE EXPRESSION: a number out of a report
    jq -r "$2" "$1"
}
command -v jq >/dev/null || { echo "bench/apps.sh needs jq (apt-get install jq)" >&2; exit 2; }
printf '%-20s %9s %9s %8s %12s %12s %10s %9s\n' program "wall s" "gpgpusim" ratio "ptx winst" \
    "ptx winst/s" cycles "rss MB"
# program, wall seconds of GPGPU-Sim
while read -r name peer; do
    best=
    for _ in $(seq "$repeat"); do
        start=$(date +%s.%N)
        build/bin/heddle run --out "$out" "$@" -- "build/apps/$name" >"$out/log" 2>&1 ||
            { echo "$name failed:"; tail -5 "$out/log"; continue 2; }
        wall=$(echo "$(date +%s.%N) - $start" | bc -l)
        if [ -z "$best" ] || [ "$(echo "$wall < $best" | bc -l)" = 1 ]; then best=$wall; fi
    done
    report=$out/report.json
    insts=$(json "$report" .run.ptx_warp_instructions)
    cycles=$(json "$report" '[.kernels[].cycles] | add')
    rss=$(json "$report" '.run.peak_rss_bytes / 1048576 | floor')
    ratio=-
    [ "$peer" = - ] || ratio=$(echo "scale=1; $peer / $best" | bc -l)
    printf '%-20s %9.2f %9s %8s %12s %12.0f %10s %9s\n' "$name" "$best" "$peer" "$ratio" "$insts" \
        "$(echo "$insts / $best" | bc -l)" "$cycles" "$rss"
done <<'EOF'
vector_add 5.6
vector_accumulate 92.8
sgemm_tiled 66.6
reduce 23.8
atomics 5.5
lu_decomposition 166.0
histogram -
divergence -
EOF
