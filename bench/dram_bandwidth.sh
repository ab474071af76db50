#!/usr/bin/env bash
# dram_bandwidth.sh - prints, for each memory model and a V100 (gpu-benches, V100 PCIe), the GB/s of
# init, read, scale and triad on arrays larger than L2, and the latency of a load from memory.
#
#   bench/dram_bandwidth.sh [ELEMENTS] [heddle run OPTIONS ...]
#
# Each kernel is launched twice, and the second launch counts: it finds L2 as the first left it.
# Bytes are those that the kernel's loads and stores access, as in the hardware figures; time is the
# kernel's execution, without launch overhead. There is no pass or fail.
set -euo pipefail
cd "$(dirname "$0")/.."
elements=${1:-2097152}
shift || true
command -v jq >/dev/null || {
    echo "bench/dram_bandwidth.sh needs jq (apt-get install jq)" >&2
    exit 2
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '%-12s %8s %8s %8s %8s %10s %8s\n' model init read scale triad "cyc/load" "wall s"
printf '%-12s %8s %8s %8s %8s %10s\n' "V100" 895 866 802 814 425-437
for model in simple simple_dram timing_dram hbm; do
    run() { build/bin/heddle run --out "$out" --set dram.model=$model "$@" 2>&1; }
    start=$(date +%s.%N)
    run "${@}" -- build/apps/stream -n "$elements" -r 2 >"$out/log" || {
        tail -5 "$out/log"
        exit 1
    }
    wall=$(echo "$(date +%s.%N) - $start" | bc -l)
    khz=$(build/bin/heddle config "${@}" | awk '$1 == "clock.core" {print $3 * 1000}')
    # bytes per element in each kernel
    rates=$(jq -r --argjson n "$elements" --argjson khz "$khz" '
        [[.kernels[1, 3, 5, 7]], [24, 24, 24, 24]] | transpose[] |
        (.[1] * $n / ((.[0].cycles - .[0].launch_cycles) / $khz * 1e6) * 10 | round / 10)' \
        "$out/report.json" | tr '\n' ' ')
    load=$(run -- build/apps/pointer_chase | sed -n 's/.*DRAM [0-9]* bytes \([0-9.]*\) cyc.*/\1/p')
    # shellcheck disable=SC2086
    printf '%-12s %8s %8s %8s %8s %10s %8.1f\n' "$model" $rates "$load" "$wall"
done
