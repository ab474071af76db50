#!/usr/bin/env bash
# status.sh HEDDLE DEVICE_CODE PTX DIRECTORY - a run of an endless kernel tells in status.json how
# far it is, and takes the file away when it has been stopped and its report is there.
set -um
heddle=$1 device_code=$2 ptx=$3 here=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
rm -rf "$here"
mkdir -p "$here/out"
cd "$here" || exit 1
failures=0
wrong() { echo "status.sh: $*"; failures=$((failures + 1)); }
for timing in rtl none; do
    echo stale >out/status.json
    "$heddle" run -q --timing $timing --out out -- "$device_code" "$ptx" plain >log 2>&1 &
    run=$!
    for _ in $(seq 600); do
        grep -q running out/status.json 2>/dev/null && break
        sleep 0.1
    done
    jq -e --argjson pid $run '.state == "running" and .pid == $pid and .wall_s >= 5 and
        (.kernel | .name and .ctas > .ctas_done and .launch == 0 and .wall_s > 0 and
        has("left_s"))' out/status.json >/dev/null || { wrong "$timing"; cat out/status.json log; }
    kill -s INT -- -$run
    wait $run
    status=$?
    [ $status = 130 ] || wrong "$timing: status $status"
    [ ! -e out/status.json ] || wrong "$timing: status.json is left"
    [ -s out/report.json ] || wrong "$timing: no report"
done
[ $failures = 0 ] && echo "status: ok"
exit $((failures > 0))
