#!/usr/bin/env bash
# same.sh HEDDLE PROGRAMS DIRECTORY none|rtl - runs the program race
# on different numbers of simulating threads and with pauses of random length: what the
# processes see, the times of their ends and what NICs and network have done must be the same bytes.
set -euo pipefail
heddle=$1 programs=$2 out=$3 timing=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
rm -rf "$out"
mkdir -p "$out"
first=
for place in "1 0" "4 1" "2 2" "1 3"; do
    read -r threads seed <<<"$place"
    here=$out/$threads-$seed
    timeout 300 "$heddle" run -q --timing "$timing" --nodes 4 --threads "$threads" --out "$here" \
        -- "$programs/race" "$seed" >"$here.said" 2>"$here.log" || {
        echo "--threads $threads, seed $seed failed:"
        tail -5 "$here.log"
        exit 1
    }
    jq '{nodes, network, end: .run.target_ns}' "$here/report.json" >"$here.all"
    sort "$here.said" >>"$here.all"
    grep -q '^PE 3: .*, sum 0x1.* us$' "$here.all" || { echo "PE 3 has said nothing"; exit 1; }
    [ -n "$first" ] || first=$here
    cmp "$first.all" "$here.all" || {
        echo "--threads $threads, seed $seed differ from the first run"
        diff "$first.all" "$here.all" | head -12
        exit 1
    }
done
echo "mpi: the same for all"
