#!/usr/bin/env bash
# nodes.sh HEDDLE PROGRAMS DIRECTORY [rtl|none] - runs the program nodes on several nodes, with one
# and more host threads, with pauses of random length in them, on different numbers of simulating
# threads, several times, and the program late in the same way: what each PE prints, the report and
# the trace of all calls must always be the same.
set -euo pipefail
heddle=$1 program=$2/nodes late=$2/late out=$3 timing=${4:-rtl}
. "$(dirname "$0")/../../support/need.sh"
need jq jq
. "$(dirname "$0")/../../support/report.sh"
rm -rf "$out"
mkdir -p "$out"
failed=0 runs=0
# simulating threads, and the seed of pauses
places=("1 0" "4 1" "2 2")
[ "$timing" = rtl ] || places+=("1 0" "2 0" "2 1" "4 2" "1 3" "2 4")

# all_of DIR LOG: what must not depend on the run
all_of() {
    grep '^PE' "$2" | sort
    plain_report "$1" | grep -v '^run.notes'
    cat "$1/kernels.csv"
    # but for addresses of the program's own memory, which the system chooses
    sed -E '/^# [0-9]+ calls/d; s/0x(5|7e[c-f]|7f)[0-9a-f]{9,11}/OWN/g' "$1/api.txt"
    zstdcat "$1/kernels.csv.zst" "$1/copies.csv.zst" 2>/dev/null || true
}

# same NAME OPTIONS -- ARGUMENTS: with those of the program, and with seeds and threads that must
# not matter
same() {
    local name=$1 first="" place seed
    shift
    local options=() arguments
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    arguments=("$@")
    for place in "${places[@]}"; do
        read -r threads seed <<<"$place"
        local here=$out/$name-$runs placement=(--threads "$threads")
        if ! timeout 300 "$heddle" run -q --timing "$timing" --trace-api --out "$here" \
            "${placement[@]}" "${options[@]}" -- "$program" "${arguments[@]}" "$seed" \
            >"$here.log" 2>&1; then
            echo "$name: the run with --threads $threads and seed $seed failed:"
            tail -5 "$here.log"
            failed=1
            return
        fi
        runs=$((runs + 1))
        all_of "$here" "$here.log" >"$here.all"
        [ -n "$first" ] || first=$here
        cmp -s "$first.all" "$here.all" && continue
        echo "$name: --threads $threads and seed $seed differ from the first run:"
        diff "$first.all" "$here.all" | head -12 || true
        failed=1
    done
    # each PE has said which it is, and how many GPUs it sees
    local pe nodes=$(jq '.nodes.count // 0' "$first/report.json" 2>/dev/null || echo 0)
    for ((pe = 0; pe < nodes; pe++)); do
        grep -q "^PE $pe of $nodes: devices " "$first.log" || {
            echo "$name: PE $pe has not said that it is one of $nodes"
            failed=1
        }
    done
}

same two --nodes 2 -- 1
same three --nodes 3 -- 1
same four --nodes 4 -- 1
same threads --nodes 2 -- 2
same more_threads --nodes 2 -- 3
same devices --nodes 2 --devices 2 -- 1
grep -q "^PE 1 of 2: devices 2, peers 1, .*beyond: cudaErrorInvalidDevice" "$out"/devices-*.log || {
    echo "devices: PE 1 does not see two GPUs that are peers"
    failed=1
}
program=$late
same late --nodes 2 -- threads
same late_children --nodes 2 -- children
program=${late%late}nodes
# memory and events of another node's programs are not there
timeout 100 "$heddle" run -q --timing none --nodes 2 --out "$out/strangers" -- \
    "$program" 1 0 "$out/handle" >"$out/strangers.log" 2>&1 &&
    grep -q "^PE 1: memory of PE 0: cudaErrorInvalidResourceHandle" "$out/strangers.log" || {
    echo "strangers: PE 1 was not refused the memory of PE 0:"
    tail -3 "$out/strangers.log"
    failed=1
}
echo "$runs runs"
exit $failed
