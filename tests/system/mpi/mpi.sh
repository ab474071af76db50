#!/usr/bin/env bash
# mpi.sh HEDDLE PROGRAM DIRECTORY none|rtl NODES... - runs a program with MPI with each number of
# nodes: it checks its own results, and says that it has passed.
set -u
heddle=$1 program=$2 here=$3 timing=$4
shift 4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
for nodes in "$@"; do
    timeout -k 5 500 "$heddle" run -q --timing "$timing" --out out --nodes "$nodes" -- "$program" \
        >log 2>&1
    status=$?
    grep -qx "passed on $nodes" log || status="$status, and it has not passed"
    [ "$status" = 0 ] && continue
    echo "mpi.sh: $nodes nodes: status $status"
    tail -20 log
    failures=$((failures + 1))
done
[ $failures = 0 ] && echo "mpi.sh: ok"
exit $failures
