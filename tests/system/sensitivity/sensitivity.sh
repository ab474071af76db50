#!/usr/bin/env bash
# sensitivity.sh HEDDLE APPS - checks bench/sensitivity.sh with two programs and two parameters: the
# elasticity of the launch overhead is its share of the cycles, that of an unused parameter is 0; a
# step that the GPU cannot have and a program that fails are named; nothing runs twice.
set -euo pipefail
export HEDDLE=$1
apps=$2
bench=$(cd "$(dirname "$0")/../../../bench" && pwd)
. "$(dirname "$0")/../../support/need.sh"
need python3 python3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"
cat >parameters.csv <<'P'
# keys,up,down,why
launch.constant,1.25,0.75,in every launch
pipe.fp64.latency+pipe.fp64.interval,=16,=2,no kernel here has any
icache.ways,=9,=2,the first is more than there can be
P
cat >list <<P
# name folder command
add $apps ./vector_add -n 20000
sum $apps --kernels=reduce ./reduce -n 20000
P

sensitivity() { # DIR OPTIONS...
    local dir=$1
    shift
    "$bench/sensitivity.sh" --parameters parameters.csv --jobs 2 --set sm.count=8 \
        --set dram.pause=0 "$@" list "$dir" >table 2>said
}
sensitivity both || wrong "failed: $(cat said both/*.log)"
grep -q '^left out: --set: icache.ways = 9 is out of range' said ||
    wrong "the impossible step is not named: $(cat said)"
grep -q '^2 of 2: sum' said || wrong "no progress: $(cat said)"
python3 - <<'P' || wrong "$(cat both/sensitivity.csv)"
import csv
kernels = {k['kernel']: k for k in csv.DictReader(open('both/kernels.csv'))}
rows = list(csv.DictReader(open('both/sensitivity.csv')))
assert set(kernels) == {'vector_add', 'reduce'}, kernels
assert len(rows) == 6, len(rows)
for r in rows:
    e, k = float(r['elasticity']), kernels[r['kernel']]
    if r['parameter'] == 'launch.constant':
        assert r['up'] == '3397' and r['status'] == 'fitted', r
        assert abs(e - float(r['value']) / int(k['cycles'])) < 0.03, (r, k)
    elif r['parameter'].startswith('pipe.fp64'):
        assert e == 0 and r['up'] == '16' and r['down'] == '2', r
    else:
        assert r['up'] == '' and r['down'] == '2' and r['down_cycles'], r
P
[ "$(grep -c '<rect.*<title>' both/sensitivity.svg)" = 6 ] || wrong "the heat map has not 6 cells"
grep -q '^| `launch.constant` | fitted |' both/sensitivity.md || wrong "$(cat both/sensitivity.md)"

# ---- again: nothing runs, the same bytes; only the steps up; a program that fails
cp both/sensitivity.csv before.csv
sensitivity both || wrong "failed when repeated: $(cat said)"
grep -q '6 of 6 points were done before' both/add.log || wrong "ran again: $(cat both/add.log)"
cmp before.csv both/sensitivity.csv || wrong "another result when repeated"
echo "gone . ./does-not-exist" >>list
status=0
sensitivity up --sides up || status=$?
[ $status = 1 ] || wrong "exit status $status with a program that fails"
grep -q 'error: cannot run ./does-not-exist' said && grep -q '^gone: no results' said ||
    wrong "not named: $(cat said)"
[ "$(grep -c ',launch.constant,' up/sensitivity.csv)" = 2 ] || wrong "$(cat up/sensitivity.csv)"
grep -q ',16,[0-9]*,,,' up/sensitivity.csv || wrong "a step down: $(cat up/sensitivity.csv)"
exit $failed
