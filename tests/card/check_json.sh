#!/usr/bin/env bash
# check_json.sh HEDDLE - what `heddle card check --json` prints: of the emulation, and of a card
# that is not there.
set -u
heddle=$1
. "$(dirname "$0")/../support/need.sh"
need jq jq
failures=0
wrong() { echo "check_json.sh: $*"; failures=$((failures + 1)); }
"$heddle" card check --emulation --json | jq -e 'length == 1 and (.[0] | .card == 0 and .ok
    and [.steps[].step] == ["identity", "memory", "streams", "clock", "rate"]
    and all(.steps[]; .ok and (.text | length) > 0))' >/dev/null || wrong "the emulation"
json=$("$heddle" card check --backend /nonexistent.so --json)
status=$?
[ $status = 125 ] || wrong "no library: status $status"
jq -e '.[0] | (.ok | not) and .steps[-1].ok == false' <<<"$json" >/dev/null ||
    wrong "no library: $json"
exit $((failures > 0))
