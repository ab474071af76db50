#!/usr/bin/env bash
# out_of_memory.sh HEDDLE PRELOADED TIMING STEP PROGRAM - runs a program again and again. In each
# run one allocation of Heddle's fails, the n-th, for every STEP-th n (common/memory.h). PRELOADED
# is the library of tests/support/failing_malloc.c.
#
# Each run must succeed, end with an error of Heddle (125), or end with an error that a CUDA call
# returned: never by a signal or a hang. The only exceptions are libraries that end the process with
# a message of their own: GLib's slices and locks abort, and glibc exits when it has no memory for
# thread-local data.
set -uo pipefail
heddle=$1 preloaded=$2 timing=$3 step=$4
shift 4
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
ends=(0 0 0 0)

# one_run N PROGRAM: leaves the run's exit status in $status.
one_run() {
    local n=$1
    shift
    HEDDLE_TEST_FAIL_AT=$n HEDDLE_TEST_COUNT=$out/count LD_PRELOAD=$preloaded \
        timeout 60 "$heddle" run --timing "$timing" --out "$out/report" -- "$@" \
        >"$out/stdout" 2>"$out/stderr" </dev/null
    status=$?
}

one_run 0 "$@"
blocks=$(cat "$out/count" 2>/dev/null || echo 0)
if [ $status -ne 0 ] || [ "$blocks" -lt 100 ]; then
    echo "with all memory: status $status, $blocks blocks"
    cat "$out/stderr"
    exit 1
fi
wrong=0
for ((n = 1; n <= blocks; n += step)); do
    one_run "$n" "$@"
    case $status in
        0) ends[0]=$((ends[0] + 1)) && continue ;;
        125) grep -q '^heddle: error: ' "$out/stderr" && ends[1]=$((ends[1] + 1)) && continue ;;
        134) grep -qE 'GSlice: failed to allocate|gthread-posix' "$out/stderr" &&
            ends[3]=$((ends[3] + 1)) && continue ;;
        127) grep -q 'cannot allocate memory for thread-local data' "$out/stderr" &&
            ends[3]=$((ends[3] + 1)) && continue ;;
        *) [ $status -lt 124 ] &&
            grep -qE 'out of (host )?memory|MemoryAllocation|returned 2,' "$out"/std{out,err} &&
            ends[2]=$((ends[2] + 1)) && continue ;;
    esac
    echo "block $n of $blocks: status $status"
    cat "$out/stderr"
    wrong=$((wrong + 1))
done
echo "${ends[0]} ended well, ${ends[1]} with an error of Heddle's, ${ends[2]} with one of the" \
    "program's, ${ends[3]} in a library, $wrong wrongly"
[ $wrong -eq 0 ] && [ "${ends[1]}" -gt 0 ]
