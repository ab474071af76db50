#!/usr/bin/env bash
# answers.sh HEDDLE APPS ENDLESS PTX DIRECTORY - what the monitor answers of a kernel that does not
# end: with timing, with the reference model, on several GPUs and nodes, without timing; and what it
# refuses.
set -u
. "$(dirname "$0")/monitored.sh"

# code STATUS CURL-ARGUMENTS ...: the request gets this status
code() {
    local expected=$1 got
    shift
    got=$(curl -sS -m 10 -o /dev/null -w '%{http_code}' "$@")
    [ "$got" = "$expected" ] || wrong "status $got, expected $expected: $*"
}

monitored rtl -- "$endless" "$ptx" plain 1
until_is status.json '.gpus[0].kernels[0].ctas_resident > 0'
until_is status.json '.gpus[0].cpi.stall > 0'
get status.json | jq -e --argjson pid $run '.state == "running" and .pid == $pid and
    (.gpus[0] | .timed and .cycle > 0 and .launches >= 1 and (.cpi | add) > 0 and
        .streams[0].operations >= 1)' >/dev/null || wrong "rtl: $(get status.json)"
get sms.json '.gpus[0] | (.ctas | length) == 80 and ([.ipc[] | select(. > 0)] | length) > 0 and
    (.warps | add) > 0' | grep -qx true || wrong "rtl: $(get sms.json)"
busy=$(get sms.json '.gpus[0].warps | to_entries | max_by(.value).key')
get "warps.json?sm=$busy" '.warps | length > 0 and all(.stands | test("PTX line [0-9]+")) and
    any(.executed > 0) and any(.waited_for != null)' | grep -qx true ||
    wrong "rtl: $(get "warps.json?sm=$busy")"

# ---- refused: another token, host, method, site, resource, SM
port=${address#http://127.0.0.1:} port=${port%%/*}
token=${address#*"$port/"} token=${token%/}
[ ${#token} = 32 ] || wrong "the token: $token"
code 200 "$address"
code 404 "http://127.0.0.1:$port/"
code 404 "http://127.0.0.1:$port/${token%?}x/status.json"
code 404 "http://127.0.0.1:$port/$token"
code 404 "${address}nothing"
code 403 -H 'Host: example.org' "${address}status.json"
code 403 -H "Host: example.org:$port" "${address}status.json"
code 200 -H "Host: localhost:$port" "${address}status.json"
code 403 -X POST -H 'Origin: http://example.org' "${address}pause"
code 400 "${address}warps.json"
code 400 "${address}warps.json?sm=80"
code 400 "${address}warps.json?sm=0&gpu=1"
code 405 -X POST "${address}status.json"
for name in pause continue step snapshot; do code 405 "$address$name"; done
get status.json '.state == "running"' | grep -qx true ||
    wrong "a refused request has paused the run"
other=$(hostname -I 2>/dev/null | cut -d' ' -f1)
[ -z "$other" ] || ! curl -s -m 2 -o /dev/null "http://$other:$port/" ||
    wrong "it listens at $other"
kill -TERM $run
ended
[ $status = 143 ] || wrong "rtl: status $status"

monitored reference --timing reference -- "$endless" "$ptx" plain 1
until_is sms.json '.gpus[0].warps // [] | add > 0'
kill -TERM $run
ended

monitored none --timing none -- "$endless" "$ptx" plain 1
until_is status.json '.kernel.name == "plain"'
get sms.json '.why' | grep -q 'timing none' || wrong "none: $(get sms.json)"
get 'warps.json?sm=0' '.why' | grep -q 'timing none' || wrong "none: $(get 'warps.json?sm=0')"
kill -TERM $run
ended

monitored devices --devices 2 --set sm.count=8 -- "$endless" "$ptx" plain 1
until_is status.json '(.gpus | length) == 2 and .gpus[0].kernels[0].name == "plain"'
kill -TERM $run
ended

monitored nodes --nodes 2 --set sm.count=8 -- "$endless" "$ptx" plain 1
until_is status.json '[.gpus[].node] == [0, 1] and all(.gpus[]; .kernels[0].name == "plain")'
until_is sms.json 'all(.gpus[]; .warps | add > 0)'
kill -TERM $run
ended
finish
