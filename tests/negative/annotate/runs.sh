#!/usr/bin/env bash
# runs.sh HEDDLE APPS - `heddle annotate` of runs that have nothing to show, or not what is asked
# for: exact messages on standard error, nothing on standard output, status 125.
set -euo pipefail
heddle=$1 apps=$2
. "$(dirname "$0")/../../support/need.sh"
need jq jq
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# refuses TEXT ARGUMENT...
refuses() {
    local text=$1 status=0
    shift
    "$heddle" annotate "$@" >out 2>err || status=$?
    printf 'heddle: error: %s\n' "$text" >expected
    if [ "$status" != 125 ] || [ -s out ] || ! cmp -s err expected; then
        echo "heddle annotate $*: status $status"
        diff expected err || true
        cat out
        exit 1
    fi
}

"$heddle" run -q --timing none --out untimed -- "$apps/vector_add" -n 1000 >/dev/null 2>&1
refuses "untimed: the run was not timed (--timing none): nothing of its instructions is known" \
    untimed
"$heddle" run -q --no-instruction-counts --out bare -- "$apps/vector_add" -n 1000 >/dev/null 2>&1
refuses "bare: the run counted no instructions: it had --no-instruction-counts or checkpoints, or \
timed no kernel" bare

"$heddle" run -q --out run -- "$apps/vector_add" -n 1000 >/dev/null 2>&1
refuses "run has no kernel 'subtract'; it has
    0  100.0 %  vector_add (_Z10vector_addPKfS0_Pfi)" run subtract
refuses "run has no kernel '1'; it has
    0  100.0 %  vector_add (_Z10vector_addPKfS0_Pfi)" run 1

# files of two runs in one directory; a byte that has changed
"$heddle" run -q --out other -- "$apps/reduce" -n 1000 >/dev/null 2>&1
sum() { jq -r ".$2.crc32c" "$1/report.json"; }
cp -r run mixed && cp other/code.txt.zst mixed/
refuses "mixed/code.txt.zst is not the file that report.json refers to (CRC-32C $(
    sum other code_file), not $(sum run code_file)): it is of another run" mixed
cp run/code.txt.zst mixed/ && cp other/instructions.csv mixed/
refuses "mixed/instructions.csv is not the file that report.json refers to (CRC-32C $(
    sum other instructions_file), not $(sum run instructions_file)): it is damaged, or of another \
run" mixed
cp run/instructions.csv mixed/ && truncate -s -10 mixed/code.txt.zst
refuses "mixed/code.txt.zst, line 1: the file is cut short; run the program again" mixed
