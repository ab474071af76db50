#!/usr/bin/env bash
# dramsim3.sh - runs the same traces on the memory models and on DRAMsim3 (built by the user).
#
#   bench/dramsim3.sh DIRECTORY_OF_DRAMSIM3 [REQUESTS]
#
# The device is that of DRAMsim3's configs/HBM2_8Gb_x128.ini with one channel (128 bits, bursts of
# 64 bytes, one command clock of 1 ns, a refresh of all banks every 3,900 ns), described to Heddle
# by --set. Traces: 32-byte reads at random addresses as fast as possible; the same with a third
# writes; one read every 200 ns; sequential 64-byte reads. Prints requests per microsecond (for the
# third trace the mean latency) of both simulators and their ratio. There is no pass or fail.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${1:?"usage: bench/dramsim3.sh DIRECTORY_OF_DRAMSIM3 [REQUESTS]"}
count=${2:-200000}
[ -x "$tool/dramsim3main.out" ] || { echo "$tool/dramsim3main.out: not built" >&2; exit 2; }
command -v jq >/dev/null || { echo "bench/dramsim3.sh needs jq (apt-get install jq)" >&2; exit 2; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
sed -e 's/^channels = 8/channels = 1/' -e 's/^channel_size = 1024/channel_size = 512/' \
    "$tool/configs/HBM2_8Gb_x128.ini" >"$out/device.ini"
# Writes a trace of one kind over 512 MB for each simulator.
trace() { # KIND: $out/KIND.ours (Heddle) and .theirs (DRAMsim3)
    awk -v kind="$1" -v n="$count" -v ours="$out/$1.ours" -v theirs="$out/$1.theirs" 'BEGIN {
        srand(2)
        if (kind == "slow") n /= 10
        for (i = 0; i < n; i++) {
            address = kind == "row" ? i * 64 : int(rand() * 16777216) * 32
            write = kind == "mixed" && rand() < 1 / 3
            time = kind == "slow" ? i * 200 : "-"
            printf "0x%x %s %d\n", address, write ? "WRITE" : "READ", time >theirs
            printf "%s %s 0x%x %d\n", time, write ? "W" : "R", address,
                kind == "row" ? 64 : 32 >ours
        }
    }'
}
device=(--mapping row --refresh all_bank --outstanding 160)
for s in channels=1 pseudo_channels=1 atom=64 rows=32768 tcl=14 tcwl=4 trcdrd=14 trcdwr=14 trp=14 \
    tras=34 trc=48 trtp=6 twr=16 tccds=1 tccdl=2 trrds=4 trrdl=6 tfaw=30 twtrs=6 twtrl=8 tact=1 \
    trfc=260; do device+=(--set "hbm.$s"); done
for s in refresh_postpone=0 read_queue=128 write_queue=128 write_high=100 write_low=20 \
    row_idle=1000000; do device+=(--set "dram.$s"); done
printf '%-8s %-22s %10s %12s %8s %10s %8s\n' trace "" DRAMsim3 timing_dram ratio hbm ratio
for kind in random mixed slow row; do
    trace $kind
    clocks=$((count * 5)) what="requests/us"
    [ $kind = row ] && clocks=$((count * 19 / 10))
    [ $kind = slow ] && clocks=$((count / 10 * 195)) what="mean read latency, ns"
    rm -rf "$out/theirs" && mkdir "$out/theirs"
    "$tool/dramsim3main.out" "$out/device.ini" -c "$clocks" -o "$out/theirs" \
        -t "$out/$kind.theirs" >"$out/log" 2>&1 || { tail -3 "$out/log"; exit 1; }
    theirs=$(jq --arg kind $kind '."0" | if $kind == "slow" then .average_read_latency
        else (.num_reads_done + .num_writes_done) / .num_cycles * 1000 end' \
        "$out/theirs/dramsim3.json")
    for model in timing_dram hbm; do
        build/bin/heddle dram --model $model "${device[@]}" --json "$out/$model.json" \
            "$out/$kind.ours" >"$out/log" || { cat "$out/log"; exit 1; }
    done
    ours=$(for model in timing_dram hbm; do jq --arg kind $kind --argjson theirs "$theirs" '
        (if $kind == "slow" then .read_latency_ps.mean / 1000
         else (.total.reads + .total.writes) / .time_ps * 1e6 end) | ., . / $theirs' \
        "$out/$model.json"; done)
    # shellcheck disable=SC2086
    printf '%-8s %-22s %10.2f %12.2f %8.4f %10.2f %8.4f\n' $kind "$what" "$theirs" $ours
done
