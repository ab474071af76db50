#!/usr/bin/env bash
# timeline.sh HEDDLE APPS DEVICES LAUNCHES DEVICE_CODE PTX - trace.json of `heddle run --timeline`
# is JSON and says what the report says: launches, copies, calls, CTAs and counts; of several GPUs
# (program DEVICES) and nodes; what has no room is left out and told of (program LAUNCHES); a run
# that is interrupted (program DEVICE_CODE with the endless kernel of PTX) leaves a whole file.
set -euo pipefail
heddle=$(realpath "$1") apps=$(realpath "$2") devices=$(realpath "$3") launches=$(realpath "$4")
device_code=$(realpath "$5") ptx=$(realpath "$6")
root=$(realpath "$(dirname "$0")/../../..")
. "$root/tests/support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
failed=0
wrong() { echo "$*"; failed=1; }

# run NAME OPTIONS... -- PROGRAM
run() {
    local name=$1
    shift
    "$heddle" run -q --timeline --out "$name" "$@" >said 2>&1 </dev/null ||
        { cat said; exit 1; }
    is_whole "$name"
}
# is_whole NAME: every event has what its kind needs, no two of a track overlap
is_whole() {
    jq -e '.traceEvents | length > 1 and all(.[];
        (.ph == "X" and .ts >= 0 and .dur >= 0 and (.name | length > 0) and .pid > 0 and .args) or
        (.ph == "C" and .ts >= 0 and (.args | length == 1 and all(.[]; . >= 0))) or
        (.ph == "M" and .args) or (.ph == "i" and .ts >= 0))' "$1/trace.json" >/dev/null ||
        wrong "$1: an event that is none"
    jq -e '[.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid]) |
        all(.[]; sort_by(.ts) | . as $e | all(range(1; length);
            $e[.].ts + 0.000002 >= $e[. - 1].ts + $e[. - 1].dur))' "$1/trace.json" >/dev/null ||
        wrong "$1: events of a track overlap"
    [ -z "$(find "$1" -name '.trace*')" ] || wrong "$1: other files are left"
}
# same NAME FILTER VALUE: the filter, of the trace $t and the report, has the value
same() {
    local found
    found=$(jq -n --slurpfile t "$1/trace.json" --slurpfile r "$1/report.json" \
        '$t[0].traceEvents as $t | $r[0] as $r |
         def tracks($kind): [$t[] | select(.name == "process_name" and
             (.args.name | endswith($kind))) | .pid];
         def spans($kind): tracks($kind) as $p | [$t[] | select(.ph == "X" and
             ([.pid] | inside($p)))];
         '"$2")
    [ "$found" = "$3" ] || [ "$(jq -c . <<<"$found")" = "$3" ] || wrong "$1: $2 is $found, not $3"
}

run lu -- "$apps/lu_decomposition" -n 64
# within a picosecond of rounding
same lu '[spans(": kernels"), $r.kernels] | transpose | all(.[]; . as [$s, $k] |
    $s.name == $k.name and $s.args.cycles == $k.cycles and $s.args.launch == $k.launch and
    (($s.ts * 1e6 - $k.start_ps) | fabs) < 2 and
    ((($s.ts + $s.dur) * 1e6 - $k.end_ps) | fabs) < 2)' true
same lu '[spans(": copies")[] | .args.bytes] == [$r.copies[].bytes]' true
same lu '[spans(": CTAs by SM")[]] | length ==
    ([$r.kernels[].grid | .[0] * .[1] * .[2]] | add)' true
same lu '[spans(": CTAs by SM")[] | [.args.launch, .args.cta]] | length == (unique | length)' true
same lu '[$r.kernels[] | {key: (.launch | tostring), value: .}] | from_entries as $k |
    all(spans(": CTAs by SM")[]; $k[.args.launch | tostring] as $l |
        .ts * 1e6 > $l.start_ps and (.ts + .dur) * 1e6 < $l.end_ps + 2)' true
same lu '[$r.cuda_calls[] | select(.name | startswith("cuda")) | .name as $n |
    select(.count != ([$t[] | select(.ph == "X" and .name == $n)] | length)) | $n]' '[]'
same lu '[$t[] | select(.name == "answered in the program") | .args.calls] | add' 5
# counts over time, in intervals of 500 ns, add up to those of the report
same lu '([$t[] | select(.name == "IPC") | .args[]] | add) *
    500 * (($r.parameters[] | select(.name == "clock.core") | .value) / 1000) |
    . / ([$r.kernels[].cpi_stack.issued] | add) | . > 0.998 and . < 1.002' true
same lu '[$t[] | select(.name == "L2") | .args[] * 500] | add |
    . / ([$r.kernels[].l2_accesses] | add * 32) | . > 0.998 and . < 1.002' true

run fixed --timeline-interval 100 --set sm.count=4 -- "$apps/vector_add" -n 4000
same fixed '[$t[] | select(.ph == "C") | (.ts * 10) | select(. != round)] | length' 0

run devices --devices 2 -- "$devices"
same devices '[spans(": kernels")[].pid] | unique | length' 2
same devices '[$t[] | select(.name == "process_name") | .args.name | select(startswith("GPU 1"))] |
    length' 4

run nodes --nodes 2 --set sm.count=8 -- "$apps/ping_pong"
same nodes '[$t[] | select(.name == "NIC packets" and .args["per us"] > 0) | .pid] |
    unique | length' 2
same nodes '[range(2) as $n | [$t[] | select(.name == "NIC sends" and .pid == 700 + $n) |
    .args[] * 500] | add | round] == [$r.nodes.list[].nic.bytes_sent]' true

# ---- docs/timeline.md has all counters
sed -nE 's/^TIMELINE_(NODE_)?COUNTER\("([^"]*)".*/\2/p' "$root/host/tables/timeline_counters.def" \
    >counters
[ "$(wc -l <counters)" -ge 12 ] || wrong 'counters of the table are missing'
while read -r name; do
    grep -qE "^\| ([^|]*, )?$name(,[^|]*)? \|" "$root/docs/timeline.md" ||
        wrong "docs/timeline.md lacks $name"
done <counters

# ---- the limit
"$heddle" run -q --timeline --timeline-limit 1 --set sm.count=4 --out many -- "$launches" 2300 100 \
    >said 2>&1 </dev/null || cat said
is_whole many
[ "$(wc -c <many/trace.json)" -le 1100000 ] || wrong "many: $(wc -c <many/trace.json) bytes"
line='^heddle: trace.json has reached its limit (--timeline-limit) and leaves out: '
grep -q "$line[0-9]* calls from" said || wrong "many: says $(cat said)"
same many '[$r.run.notes[] | select(startswith("trace.json has reached its limit"))] | length' 1
same many '[$t[] | select(.ph == "i" and (.name | startswith("truncated: calls")))] | length' 1

# ---- an interrupted run; Ctrl-C goes to the process group
set -m
"$heddle" run -q --timeline --out stopped -- "$device_code" "$ptx" plain >said 2>&1 &
run=$!
for _ in $(seq 200); do
    grep -q 'go to the simulator' said && break
    sleep 0.05
done
sleep 1
kill -s INT -- -$run
status=0
wait $run || status=$?
[ "$status" = 130 ] || wrong "stopped: status $status: $(cat said)"
is_whole stopped
same stopped '[spans(": kernels")[] | .args.given_up]' '["yes"]'

# ---- a run without a timeline removes the file of one with it
"$heddle" run -q --timing none --out fixed -- "$apps/vector_add" -n 4000 >said 2>&1 </dev/null
[ ! -e fixed/trace.json ] || wrong "an old trace.json is left"
exit $failed
