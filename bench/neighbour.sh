#!/usr/bin/env bash
# neighbour.sh - what a hostile program costs another one of the same run and user: the wall time of
# a program's calls beside a hostile one, divided by that beside one that sleeps. The hostile
# program has a processor of its own, the last one, so that what counts is the server's time;
# `spins` shows whether that is so.
#
#   bench/neighbour.sh [REPETITIONS] [heddle run OPTIONS ...]
#
# The victim is a program (VICTIM), whose wall seconds count, or, without VICTIM, one that does
# nothing but call. Two programs that do nothing but call have half of the server each: there, 2 is
# the bar.
#
# Hostile: calls without end in four threads, allocations of up to 2 GiB, connections, garbage on
# the socket, calls whose bytes never come (docs/errors.md says how long others wait).
# `spins` makes no call; `kernels` takes the simulated GPU's time, as it would on a GPU. The best
# repetition counts. The bar is 1.1 beyond these two.
#
#   VICTIM=build/apps/sgemm_tiled bench/neighbour.sh 3 --threads 1 --sm-groups 1
#
# Variables: VICTIM, HEDDLE (default: build/bin/heddle), HOWS, ROUNDS of the victim that calls.
set -euo pipefail
cd "$(dirname "$0")/.."
repeat=3
if [[ ${1:-} =~ ^[0-9]+$ ]]; then repeat=$1; shift; fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
program=build/tests/system/system_neighbour ptx=tests/system/ptx/store.ptx
export VICTIM=${VICTIM:-}
rounds=${ROUNDS:-1000} heddle=${HEDDLE:-build/bin/heddle}
last=$(($(nproc --all) - 1)) rest=0-$((last - 1))
[ "$last" -gt 0 ] || { echo "neighbour.sh: one processor is too few" >&2; exit 2; }
hows=${HOWS:-sleeps spins calls memory connections garbage stalls kernels}

# once HOW OPTIONS ...: prints the victim's seconds beside that program.
once() {
    local how=$1
    shift
    timeout 300 taskset -c "$rest" "$heddle" run -q --out "$out/run" "$@" -- bash -c '
        taskset -c "$5" "$1" "$2" "$3" & other=$!
        sleep 0.3
        begin=$(date +%s.%N)
        if [ -n "$VICTIM" ]; then
            $VICTIM >/dev/null
            echo "victim $(echo "$(date +%s.%N) - $begin" | bc -l)"
        else
            "$1" victim "$3" "$4"
        fi
        kill -KILL $other' one "$program" "$how" "$ptx" "$rounds" "$last" \
        >"$out/said" 2>"$out/log" || true
    sed -n 's/^victim //p' "$out/said" | grep . || { cat "$out/log" >&2; echo nan; }
}

printf '%-14s %10s %8s\n' neighbour seconds ratio
for how in $hows; do
    best=
    for ((i = 0; i < repeat; i++)); do
        s=$(once $how "$@")
        best=$(awk -v a="$s" -v b="${best:-$s}" 'BEGIN { print a < b ? a : b }')
    done
    [ $how != sleeps ] || alone=$best
    awk -v how=$how -v s="$best" -v alone="$alone" \
        'BEGIN { printf "%-14s %10.4f %8.2f\n", how, s, s / alone }'
done
