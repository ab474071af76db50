#!/usr/bin/env bash
# shmem.sh HEDDLE PROGRAM DIRECTORY none|rtl NODES... - runs a test of SHMEM with each number of
# nodes: every PE must say that it is ok.
set -u
heddle=$1 program=$2 here=$3 timing=$4
shift 4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
name=$(basename "$program")
name=${name%_*}
failures=0
[ "$timing" = none ] || export TEST_IS_TIMED=1 # fewer rounds
for nodes in "$@"; do
    timeout -k 5 500 "$heddle" run -q --timing "$timing" --out out --nodes "$nodes" -- "$program" \
        >log 2>&1
    status=$?
    for ((pe = 0; pe < nodes; pe++)); do
        grep -qx "PE $pe: $name: ok" log || status="$status, and PE $pe is not ok"
    done
    [ "$status" = 0 ] && continue
    echo "shmem.sh: $nodes nodes: status $status"
    tail -20 log
    failures=$((failures + 1))
done
[ $failures = 0 ] && echo "shmem.sh: ok"
exit $failures
