#!/usr/bin/env bash
# sweep.sh HEDDLE PROGRAM - checks that a sweep has the results of single runs, continues after kill
# -9 with the same bytes, names the points that fail, and does not use points of another sweep.
set -euo pipefail
heddle=$1 program=$2
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"

sweep() { # DIR [JOBS]: six points, one after another unless JOBS says otherwise
    "$heddle" sweep --out "$1" -j "${2:-1}" \
        --set clock.core:network.clock=690MHz:600MHz,1.38GHz:1200MHz \
        --set sm.count=2,4,8 --set core.look_ahead=64 -- "$program" -n 60000
}

# ---- a complete sweep, two points at a time
sweep whole 2 >table 2>said || wrong "a sweep failed: $(cat said)"
[ "$(wc -l <whole/sweep.csv)" = 7 ] || wrong "sweep.csv has not a head and six points"
grep -q '^clock.core=1.38GHz, network.clock=1200MHz, sm.count=8 ' table ||
    wrong "table: $(cat table)"
[ "$(grep -c '<rect.*<title>' whole/sweep.svg)" = 6 ] || wrong "sweep.svg has not six bars"

# ---- compared with a single run
"$heddle" run -q --out single --set clock.core=690 --set network.clock=600 --set sm.count=4 \
    --set core.look_ahead=64 -- "$program" -n 60000 >said 2>&1
jq -e --slurpfile one single/report.json '.points[1] as $p | $one[0].kernels | $p.done and
    $p.values["sm.count"] == "4" and $p.values["clock.core"] == "690MHz" and
    ([.[].cycles] | add) == $p.results.cycles and $p.results.cycles > 0 and
    ([.[] | .end_ps - .start_ps] | add) == $p.results.kernel_time' whole/sweep.json >/dev/null ||
    wrong "a point is not what a single run gives"

# ---- around the first values: one at a time moves
"$heddle" sweep --out around --around --timing none --set sm.count=8,4 --set l1.ways=8,4,2 \
    --set core.look_ahead=64 -- "$program" -n 1000 >table 2>said || wrong "around: $(cat said)"
[ "$(cut -d, -f1,2 around/sweep.csv | paste -sd' ')" = \
    "sm.count,l1.ways 8,8 4,8 8,4 8,2" ] || wrong "around: $(cat around/sweep.csv)"
[ -f around/points/base/point.json ] && [ -f around/points/l1.ways=2/point.json ] ||
    wrong "around: $(ls around/points)"
grep -q '^base ' table || wrong "around: no base in $(cat table)"

# ---- ranges and named columns; JSON in the place of the table; a column of points that are done
"$heddle" sweep --out columns --set sm.count=2..8*2 --set core.look_ahead=64 --column ipc \
    --column host_calls -- "$program" -n 6000 >table 2>said || wrong "columns: $(cat said)"
head -1 table | grep -q '^point .* kernel_time  *cycles  *ipc  *host_calls  *ratio$' ||
    wrong "columns: $(cat table)"
head -1 columns/sweep.csv | grep -q ',dram_write_bytes,ipc,host_calls,ratio$' ||
    wrong "columns: $(head -1 columns/sweep.csv)"
"$heddle" sweep --out columns --json --set sm.count=2..8*2 --set core.look_ahead=64 --plot ipc \
    --column branches -- "$program" -n 6000 >table.json 2>said || wrong "json: $(cat said)"
grep -q '^heddle: 3 of 3 points were done before$' said || wrong "points ran again: $(cat said)"
jq -e --slurpfile r columns/points/sm.count=4/report.json '.points[1] as $p |
    ([.points[].values["sm.count"]] == ["2", "4", "8"]) and
    ($r[0].kernels[0] | .warp_instructions / (.cycles - .launch_cycles) - $p.results.ipc |
        fabs < 1e-6) and $p.results.branches == $r[0].kernels[0].branches and
    $p.results.ipc > 0 and .points[2].results.ipc > $p.results.ipc' table.json >/dev/null ||
    wrong "json: $(cat table.json)"
cmp -s table.json columns/sweep.json || wrong "--json is not sweep.json"
grep -q 'warp instructions per cycle' columns/sweep.svg || wrong "ipc is not drawn"

# ---- killed in the middle by kill -9, and continued
sweep killed >said 2>&1 &
sweeper=$!
for _ in $(seq 600); do
    [ "$(find killed -name point.json 2>/dev/null | wc -l)" -ge 2 ] && break
    sleep 0.05
done
kill -9 "$(pgrep -P "$sweeper" -x heddle || echo "$sweeper")" 2>/dev/null || true
wait "$sweeper" 2>/dev/null || true
done_before=$(find killed -name point.json | wc -l)
[ "$done_before" -ge 2 ] && [ "$done_before" -lt 6 ] ||
    wrong "killed late: $done_before points"
[ ! -e killed/sweep.csv ] || wrong "a sweep that was killed has a result"
for _ in $(seq 100); do # the sweep's runs end with it
    pgrep -f "out=killed/points" >/dev/null || break
    sleep 0.05
done
pgrep -f "out=killed/points" && wrong "a point runs on after its sweep was killed"
sweep killed >/dev/null 2>said || wrong "the sweep did not go on: $(cat said)"
grep -q "^heddle: $done_before of 6 points were done before" said ||
    wrong "not resumed: $(cat said)"
for f in sweep.csv sweep.json sweep.svg; do
    cmp "whole/$f" "killed/$f" || wrong "$f differs after an interruption"
done

# ---- points that fail are named, with status and log; the others are complete
status=0
"$heddle" sweep --out fails --timing none --set dram.size=1MiB,1GiB -- "$program" -n 2000000 \
    >table 2>said || status=$?
[ "$status" = 1 ] || wrong "exit status $status of a sweep with a failed point"
grep -q 'error: point dram.size=1MiB failed, exit status 1: fails/points/dram.size=1MiB/log.txt' \
    said || wrong "the failed point is not named: $(cat said)"
grep -q cudaErrorMemoryAllocation fails/points/dram.size=1MiB/log.txt || wrong "no reason"
grep -q '^1MiB,failed,1,' fails/sweep.csv || wrong "not in sweep.csv: $(cat fails/sweep.csv)"
grep -q '^1GiB,done,0,1,' fails/sweep.csv || wrong "the good point is missing"
grep -q 'no picture: no point has a value to draw' said || wrong "no word about the picture"

# ---- another sweep in the same directory
status=0
"$heddle" sweep --out fails --timing none --set dram.size=1MiB,1GiB -- "$program" -n 1000 \
    >/dev/null 2>said || status=$?
[ "$status" = 125 ] && grep -q "error: fails/points/dram.size=1GiB/point.json is of another sweep, \
'arguments' is not the same: remove it, or choose another directory with --out" said ||
    wrong "another sweep's points were taken: $(cat said)"

# ---- a program that changes while the sweep runs
mkdir slow
printf '#!/bin/sh\ntouch "$0"\nexec "%s" -n 1000\n' "$program" >slow/program
chmod +x slow/program
status=0
"$heddle" sweep --out changes -j 1 --timing none --set sm.count=2,3 -- slow/program \
    >/dev/null 2>said || status=$?
[ "$status" = 1 ] && grep -q 'slow/program has changed while the sweep ran' said ||
    wrong "a program that changed: $status, $(cat said)"

# ---- interrupted from the terminal
sweep stopped >/dev/null 2>said &
sweeper=$!
for _ in $(seq 600); do
    [ -n "$(find stopped -name point.json 2>/dev/null)" ] && break
    sleep 0.05
done
kill -TERM "$(pgrep -P "$sweeper" -x heddle || echo "$sweeper")"
status=0
wait "$sweeper" || status=$?
[ "$status" = 143 ] || wrong "exit status $status of an interrupted sweep"
grep -q 'interrupted by signal 15 after [1-5] of 6 points; the same command goes on' said ||
    wrong "not said: $(cat said)"
exit $failed
