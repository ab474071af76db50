#!/usr/bin/env bash
# scheduler.sh HEDDLE PRIORITIES CHAIN EMPTY - checks the scheduler of the GPU: CTAs of kernels on
# high-priority streams are dispatched before waiting CTAs of others; CTAs of several kernels share
# the GPU; placement; the cost of a launch, behind another one and alone.
set -euo pipefail
heddle=$1 program=$2 chain=$3 empty=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"

run() { # OUT ARGUMENT OPTIONS...
    local to=$1 argument=$2
    shift 2
    "$heddle" run -q --set sm.count=2 --out "$to" "$@" -- "$program" "$argument" >"$to.txt" 2>&1 ||
        wrong "$to: $(cat "$to.txt")"
}
run equal none
run ranked priorities
grep -q '^order: first second third$' equal.txt || wrong "equal priorities: $(cat equal.txt)"
# The third kernel is launched last, but the remaining CTAs of the others wait for it.
grep -q '^order: third first second$' ranked.txt || wrong "ranked: $(cat ranked.txt)"
# The last CTAs of one kernel run beside the first ones of the next, without a gap.
jq -e '[.kernels[] | {name, start_ps, end_ps}] | sort_by(.end_ps) | .[1].start_ps < .[0].end_ps' \
    equal/report.json >/dev/null || wrong "kernels of several streams do not overlap"
# With sched.placement=depth one SM is full before the other gets a CTA; the order of kernels is the
# same.
run depth none --set sched.placement=depth
grep -q '^order: first second third$' depth.txt || wrong "depth: $(cat depth.txt)"
# 64 CTAs lie on 64 SMs, or on eight.
lasts() { # PLACEMENT
    "$heddle" run -q --set sched.placement="$1" --out place -- "$chain" >place.txt 2>&1 ||
        wrong "$1: $(cat place.txt)"
    jq '[.kernels[].sm_active_cycles] | add' place/report.json
}
broad=$(lasts breadth) deep=$(lasts depth)
[ "$broad" -gt $((3 * deep)) ] || wrong "SMs are busy for $broad cycles, by depth for $deep"

# A small kernel behind another one: gpu-benches measured 2.62 us in a stream and 1.34 us in a graph
# on an A100, 2.43 and 1.26 us on an H200. launch.graph is fitted to the graph's figure; the
# stream's includes host time.
costs() { # GPU STREAM_LEAST STREAM_MOST GRAPH_LEAST GRAPH_MOST
    "$heddle" run -q --gpu "$1" --out chain -- "$chain" >chain.txt 2>&1 ||
        wrong "$1: $(cat chain.txt)"
    awk -v sl="$2" -v sm="$3" -v gl="$4" -v gm="$5" '
        $1 == "stream:" { good += $2 >= sl && $2 <= sm }
        $1 == "graph:" { good += $2 >= gl && $2 <= gm }
        END { exit good != 2 }' chain.txt || wrong "$1: $(cat chain.txt)"
}
costs a100-80 2.1 2.7 1.27 1.41
costs h200 1.8 2.5 1.19 1.33

# An empty kernel takes constant + CTAs * (alpha * threads^2 + beta * threads + gamma) cycles, which
# is how the parameters were measured: no CTA's time counts both as overhead and as execution.
for gpu in v100 a100-40; do
    "$heddle" run -q --gpu "$gpu" --out empty -- "$empty" >empty.txt 2>&1 ||
        wrong "$gpu: $(cat empty.txt)"
    "$heddle" config --gpu "$gpu" >config.txt
    jq -r '.kernels[] | "\(.grid[0]) \(.block[0]) \(.cycles)"' empty/report.json | awk '
        FNR == NR { if ($1 ~ /^launch\./) p[$1] = $3; next }
        { cta = p["launch.alpha"] * $2 * $2 + p["launch.beta"] * $2 + p["launch.gamma"]
          fit = p["launch.constant"] + $1 * cta
          if ($3 < fit - 8 || $3 > fit + 16) {
              printf "%d CTAs of %d threads: %d cycles, measured %.0f\n", $1, $2, $3, fit; bad = 1 }
          rows++ }
        END { exit bad || rows != 5 }' config.txt - || wrong "$gpu: an empty kernel"
done

# l2.kernel_flush also empties instruction caches before each launch: every launch waits for code.
fetches() {
    "$heddle" run -q --gpu gv100-ncu "$@" --out cold -- "$chain" >cold.txt 2>&1 ||
        wrong "cold: $(cat cold.txt)"
    jq '[.kernels[2:][].cpi_stack.fetch] | min, max' cold/report.json | tr '\n' ' '
}
read -r least _ <<<"$(fetches)"
read -r _ most <<<"$(fetches --set l2.kernel_flush=0)"
[ "$least" -gt 0 ] && [ "$most" -eq 0 ] ||
    wrong "cycles without code: at least $least with empty caches, at most $most without"
exit $failed
