#!/usr/bin/env bash
# outside.sh HEDDLE PROGRAM OUT - runs outside.cu on two V100s and compares the times of its
# accesses to memory outside the GPU with the parameters of the link (docs/timing-model.md, rule
# 16).
set -euo pipefail
heddle=$1 program=$2 out=$3
wrong=0
sets=(--set sm.count=16 --set peer.bandwidth=100 --set peer.latency=150)
said=$("$heddle" run --gpu v100 --devices 2 "${sets[@]}" --out "$out" -- "$program") || {
    echo "$said"
    exit 1
}
config=$("$heddle" config --gpu v100 "${sets[@]}")

value() { awk -v key="$1" '$1 == key { print $3 }' <<<"$config"; }
figure() { sed -n "s/^$1 \([0-9.]*\).*/\1/p" <<<"$said"; }

# check NAME FIGURE EXPECTED TOLERANCE
check() {
    awk -v got="$2" -v want="$3" -v off="$4" \
        'BEGIN { d = got - want; exit !(got != "" && (d < 0 ? -d : d) <= off) }' || {
        echo "$1: $2, expected $3 +- $4"
        wrong=1
    }
}
calculate() { awk "BEGIN { printf \"%.4f\", $1 }"; }

mhz=$(value clock.core)
bandwidth=$(value link.bandwidth)
ask=$(value link.request_header)
answer=$(value link.answer_header)
payload=$(value link.payload)
way=$(value link.access_latency)

# A load that L2 has takes its latency and a flit's cycle less the way outside.
l2=$(calculate "$(figure 'own load') - $(value l2.latency)")
ns="2 * $way + $(value host.memory_latency) + ($ask + 32 + $answer) / $bandwidth"
check "host load, cycles" "$(figure 'host load')" "$(calculate "$l2 + ($ns) * $mhz / 1000")" 4
ns="2 * $(value peer.latency) + (2 * 16 + 32) / 100"
cycles="$(value network.request_latency) + $(value l2.latency) + $(value network.reply_latency)"
check "peer load, cycles" "$(figure 'peer load')" \
    "$(calculate "$l2 + ($ns) * $mhz / 1000 + $cycles")" 4

# A line of 128 bytes in each packet; beside a copy, one of the copy for each. The first and the
# last accesses wait for nobody, which costs about a percent.
check_rate() {
    check "$1, GB/s" "$(figure "$1")" "$(calculate "0.99 * ($2)")" "$(calculate "0.01 * ($2)")"
}
check_rate read "$bandwidth * 128 / (128 + $answer)"
check_rate write "$bandwidth * 128 / (128 + $ask)"
check_rate "read beside a copy" "$bandwidth * 128 / (128 + $answer + $payload)"
# The copy lasts longer by what the reads took; the events around it take their time as well.
bytes=$((8 << 20)) read=$((1 << 20))
check "copy beside reads, ns" "$(figure 'copy beside reads')" \
    "$(calculate "($bytes + $read / 128 * (128 + $answer)) / $bandwidth")" 3000

# Two streams of 1 MiB, chases of 64 and 128 sectors, the flag, the sum and the polls behind it, and
# an atomic of each of 256 threads on three words.
statistic() { awk -F, -v name="$1" '$1 == name { print $3; exit }' "$out/statistics.csv"; }
polls=$(figure polls)
check "bytes read" "$(statistic host_read_bytes)" \
    $((2 * read + 3 * 64 * 32 + 64 * 32 + polls * 32 + 3 * 256 * 4)) 0
check "bytes written" "$(statistic host_write_bytes)" $((read + (64 + 1 + 2) * 32 + 3 * 256 * 4)) 0
check "bytes of the peer read" "$(statistic peer_read_bytes)" $((3 * 64 * 32 + 3 * 256 * 4)) 0
[ "$polls" -gt 3 ] || {
    echo "polls: $polls, a flag that far away is looked at more often"
    wrong=1
}
exit $wrong
