#!/usr/bin/env bash
# out_of_memory.sh PROGRAM PRELOAD PTX OUT - lets a sample of the allocations of a program with a
# simulated GPU fail, one per run. The library returns an error, which the program prints; it never
# ends the process itself. The one exception is Verilator's run time, which ends it where it cannot
# stop the thread of a model (in heddle_gpu_destroy()). PRELOAD is the library of
# tests/support/failing_malloc.c.
set -euo pipefail
program=$1 preload=$2 ptx=$3 out=$4
samples=60
rm -rf "$out"
mkdir -p "$out"
cp "$program" "$out/heddle" # the name whose allocations fail
run() {
    LD_PRELOAD=$preload timeout 60 "$out/heddle" "$ptx" 300 2 v100 >"$out/said" 2>&1
}
HEDDLE_TEST_COUNT=$out/count run
calls=$(cat "$out/count")
[ "$calls" -gt 500 ] || { echo "only $calls allocations" && exit 1; }
errors=0 ended=0
for ((i = 1; i <= samples; i++)); do
    at=$((i <= 20 ? i * 3 : calls * (i - 20) / (samples - 20)))
    status=0
    HEDDLE_TEST_FAIL_AT=$at run || status=$?
    case $status in
        0) ;; # something that can do without
        1) grep -qi memory "$out/said" || { cat "$out/said" && exit 1; }
            ((++errors)) ;;
        134)
            grep -q 'std::bad_alloc' "$out/said" || { cat "$out/said" && exit 1; }
            ((++ended)) ;;
        *) echo "allocation $at of $calls: status $status: $(head -3 "$out/said")" && exit 1 ;;
    esac
done
[ $ended -le 1 ] || { echo "$ended runs were aborted" && exit 1; }
echo "$samples of $calls allocations failed: $errors errors"
[ $errors -ge $((samples / 4)) ]
