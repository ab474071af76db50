#!/usr/bin/env bash
# managed.sh HEDDLE PROGRAM NO_PAGEMAP OUT - runs managed.cu and looks at the page faults of its
# launches (docs/timing-model.md, rule 17): which have some, how long one takes, that a launch
# without any takes as long as on device memory, and what the parameters change.
set -euo pipefail
heddle=$1 program=$2 no_pagemap=$3 out=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
. "$(dirname "$0")/../../support/report.sh"
wrong=0
run() { # NAME OPTIONS
    local name=$1 said
    shift
    said=$("$heddle" run --gpu v100 --set sm.count=16 --out "$out/$name" "$@" -- "$program" 2>&1) ||
        {
            echo "$said"
            exit 1
        }
    echo "$said" >"$out/$name.said"
    grep -q '^managed: ok$' <<<"$said" || {
        echo "$name: $said"
        wrong=1
    }
}
launch() { jq ".kernels[$2].$3" "$out/$1/report.json"; }
statistic() { awk -F, -v name="$2" '$1 == name { print $3; exit }' "$out/$1/statistics.csv"; }

# is NAME GOT CONDITION: the condition of awk on x
is() {
    awk -v x="$2" "BEGIN { exit !(x != \"\" && ($3)) }" || {
        echo "$1: $2, expected $3"
        wrong=1
    }
}
config=$("$heddle" config --gpu v100)
value() { awk -v key="$1" '$1 == key { print $3 }' <<<"$config"; }

run usual
block=65536
is "faults of the first launch" "$(launch usual 0 page_faults)" "x > 16 && x < 50"
is "batches of the first launch" "$(launch usual 0 fault_batches)" "x >= 2"
# a and b come from the host with all of their blocks, of which c has a part of one
is "bytes of the first launch" "$(launch usual 0 migrated_in_bytes)" \
    "x >= 32 * $block && x <= 34 * $block"
is "zeros of the first launch" "$(launch usual 0 zeroed_bytes)" \
    "x >= 15 * $block && x <= 17 * $block"
is "time of its faults" "$(launch usual 0 fault_cycles)" "x > $(launch usual 0 cycles) / 2"
for i in 1 3 5 7; do
    is "faults of launch $i, which finds all" "$(launch usual $i page_faults)" "x == 0"
    is "cycles with faults of launch $i" "$(launch usual $i fault_cycles)" "x == 0"
done
is "faults behind one touch of the host" "$(launch usual 2 page_faults)" "x == 1"
is "bytes behind one touch of the host" "$(launch usual 2 migrated_in_bytes)" "x == $block"
ns="$(value managed.fault_latency) + $(value managed.batch_time) + $(value managed.block_time)"
ns="$ns + $block / $(value link.bandwidth) + $(value link.latency) / 1000"
is "cycles of one fault" "$(launch usual 2 fault_cycles)" \
    "(x - ($ns) * $(value clock.core) / 1000) ^ 2 < 300 ^ 2"
is "faults behind a prefetch to the host" "$(launch usual 4 page_faults)" "x > 4"
is "faults on new memory" "$(launch usual 6 page_faults)" "x > 0"
is "zeros of new memory" "$(launch usual 6 zeroed_bytes)" "x >= 15 * $block"
is "faults of all launches" "$(statistic usual page_faults)" \
    "x == $(jq '[.kernels[].page_faults] | add' "$out/usual/report.json")"
is "bytes to the host" "$(statistic usual migrated_out_bytes)" "x > 48 * $block"

run off --set managed.migrate=0
is "faults without migration" "$(statistic off page_faults)" "x == 0"
is "host's time without migration" "$(statistic off host_time)" "x < $(statistic usual host_time)"
for i in 1 3 5 7; do
    is "cycles of launch $i, which finds all" "$(launch usual $i cycles)" \
        "x > 0.97 * $(launch off $i cycles) && x < 1.03 * $(launch off $i cycles)"
done

run alone --set managed.prefetch_threshold=0
is "faults without the driver's prefetches" "$(launch alone 0 page_faults)" "x >= 48"
is "bytes without them" "$(launch alone 0 migrated_in_bytes)" \
    "x == $(launch usual 0 migrated_in_bytes)"
run single --set managed.batch_faults=1
is "batches of one fault" "$(launch single 0 fault_batches)" "x == $(launch single 0 page_faults)"

# The same bytes of the report on four SM groups.
run one --sm-groups 1
run four --sm-groups 4
diff <(plain_report "$out/one") <(plain_report "$out/four") || wrong=1

# Another GPU takes blocks over the link of peers, and loses them again.
run two --devices 2 --set peer.bandwidth=100
for i in 8 10; do
    is "faults of launch $i of two GPUs" "$(launch two $i page_faults)" "x > 8"
    is "faults of launch $((i + 1)), which finds all" "$(launch two $((i + 1)) page_faults)" \
        "x == 0"
done
is "bytes from the other GPU" "$(launch two 10 migrated_in_bytes)" "x >= 48 * $block"
diff <(jq '[.kernels[:8][].page_faults]' "$out/two/report.json") \
    <(jq '[.kernels[:8][].page_faults]' "$out/usual/report.json") || wrong=1

# Where page tables cannot be read, a message says so once, and the host's touches are not seen.
LD_PRELOAD=$no_pagemap run blind
blind=$(grep -c 'cannot read /proc/self/pagemap (Permission denied)' "$out/blind.said") || true
is "messages about page tables" "$blind" "x == 1"
is "faults of a launch behind an unseen touch" "$(launch blind 2 page_faults)" "x == 0"

run none --timing none
exit $wrong
