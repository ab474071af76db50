#!/usr/bin/env bash
# same.sh HEDDLE PROGRAM DIRECTORY - runs a program whose kernels send each other messages, with
# timing on, in each design (dgpu also with queues in the host's memory) on different numbers of
# simulating threads and SM groups: kernels, and what service threads, NICs and network have done,
# must be the same bytes.
set -euo pipefail
heddle=$1 program=$2 out=$3
. "$(dirname "$0")/../../support/need.sh"
need jq jq
rm -rf "$out"
mkdir -p "$out"
first= last=
for place in "compnet 0 1 1" "compnet 0 2 1" "compnet 0 4 2" "compnet 0 1 2" "apu 0 1 1" \
    "apu 0 4 2" "dgpu 0 1 1" "dgpu 0 4 2" "dgpu 1 1 1" "dgpu 1 4 2"; do
    read -r design queues threads groups <<<"$place"
    here=$out/$design-$queues-$threads-$groups
    [ "$design $queues" = "$last" ] || first=
    last="$design $queues"
    timeout 300 "$heddle" run -q --nodes 3 --design "$design" --set-node "cpu.queues=$queues" \
        --threads "$threads" --sm-groups "$groups" --out "$here" -- "$program" \
        >"$here.said" 2>"$here.log" || {
        echo "--design $design --threads $threads --sm-groups $groups failed:"
        tail -5 "$here.log"
        exit 1
    }
    jq '{nodes, cp, network}' "$here/report.json" >"$here.all"
    cat "$here/kernels.csv" >>"$here.all"
    sort "$here.said" >>"$here.all"
    [ -n "$first" ] || first=$here
    cmp "$first.all" "$here.all" || {
        echo "--design $design --threads $threads --sm-groups $groups differ from the first run"
        diff "$first.all" "$here.all" | head -12
        exit 1
    }
done
[ "$(jq '.cp.commands' "$first/report.json")" -gt 0 ] || {
    echo "no command of a kernel was carried out"
    exit 1
}
echo "shmem: the same for all"
