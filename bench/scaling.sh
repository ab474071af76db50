#!/usr/bin/env bash
# scaling.sh - prints wall seconds of whole programs for 1, 2 and 4 SM groups on 1 and 2 threads,
# and the speed-up over one group on one thread. Fails when placements give different results: each
# field of each kernel except wall time, each statistic of the simulated GPU and each count of calls
# must be equal. The first publication on SST's GPU model reached a speed-up of 1.05 with two
# groups, for vectorAdd repeated 2,000 times; vector_accumulate is similar.
#
#   bench/scaling.sh [REPETITIONS] [PROGRAM ARGUMENTS ...] [-- heddle run OPTIONS ...]
#
# Default programs: vector_accumulate, and sgemm_tiled -n 256. The best repetition counts.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v jq >/dev/null || { echo "bench/scaling.sh needs jq (apt-get install jq)" >&2; exit 2; }
repeat=2
if [[ ${1:-} =~ ^[0-9]+$ ]]; then repeat=$1; shift; fi
program=() options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do program+=("$1"); shift; done
if [ $# -gt 0 ]; then shift; fi
options=("$@")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
published=1.05

# Prints the part of a report that must be equal for all placements.
plain() { # REPORT
    jq -S '{exit: .run.exit_status, instructions: .run.warp_instructions,
            kernels: [.kernels[] | del(.wall_s)], calls: .cuda_calls,
            statistics: [.statistics[] | select(.scope != "simulation") | {name, value}]}' "$1"
}

measure() { # GROUPS THREADS PROGRAM...: sets best; leaves the report in $out
    local groups=$1 threads=$2 start wall
    shift 2
    best=
    for _ in $(seq "$repeat"); do
        start=$(date +%s.%N)
        build/bin/heddle run -q --out "$out" --sm-groups "$groups" --threads "$threads" \
            "${options[@]}" -- "build/apps/$1" "${@:2}" >"$out/log" 2>&1 ||
            { echo "$* failed:"; tail -5 "$out/log"; exit 1; }
        wall=$(echo "$(date +%s.%N) - $start" | bc -l)
        if [ -z "$best" ] || [ "$(echo "$wall < $best" | bc -l)" = 1 ]; then best=$wall; fi
    done
}

wrong=0
scale() { # PROGRAM...
    local one= groups threads cycles
    for groups in 1 2 4; do
        for threads in 1 2; do
            measure $groups $threads "$@"
            plain "$out/report.json" >"$out/$groups.$threads"
            cycles=$(jq '[.kernels[].cycles] | add' "$out/report.json")
            : "${one:=$best}"
            printf '%-30s %6d %7d %9.2f %9.2f %12s\n' "$*" $groups $threads "$best" \
                "$(echo "$one / $best" | bc -l)" "$cycles"
            cmp -s "$out/1.1" "$out/$groups.$threads" && continue
            echo "$*: $groups groups on $threads threads give another result:"
            diff "$out/1.1" "$out/$groups.$threads" | head -8 || true
            wrong=1
        done
    done
}

printf '%-30s %6s %7s %9s %9s %12s\n' program groups threads "wall s" speed-up cycles
if [ ${#program[@]} -gt 0 ]; then
    scale "${program[@]}"
else
    scale vector_accumulate
    scale sgemm_tiled -n 256
fi
[ $wrong = 0 ] || exit 1
echo "Published: $published with two SM groups."
echo "Cycles and statistics of all placements are the same."
echo "Processors here: $(nproc), load $(cut -d' ' -f1 /proc/loadavg)."
