#!/usr/bin/env bash
# same_cycles.sh HEDDLE PROGRAM LIBRARY_PROGRAM PTX OUT - the same launches by `heddle run` and by
# the library: the same figures, but for the times at which they began.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/need.sh"
need jq jq
heddle=$1 program=$2 library=$3 ptx=$4 out=$5
rm -rf "$out"
mkdir -p "$out"
cd "$out"
# As of other times and addresses: the times, the hash of all issues, and what only reports have.
strip='map(del(.start_ps, .end_ps, .issue_hash, .wall_s, .diagnosis))'
for gpu in v100 a100-40; do
    for n in 5000 40000; do
        "$heddle" run -q --gpu $gpu --set sm.count=8 --out run -- \
            "$program" "$ptx" $n 3 >said 2>&1 || { cat said && exit 1; }
        jq -S ".kernels | $strip" run/report.json >by_run
        "$library" "$ptx" $n 3 $gpu | jq -S -s "$strip" >by_library
        [ "$(jq 'length' by_run)" = 3 ] || { echo "launches: $(jq length by_run)" && exit 1; }
        jq -e 'all(.cycles > 1000)' by_run >/dev/null
        diff by_run by_library || { echo "$gpu, $n elements: < heddle run, > library" && exit 1; }
    done
done
