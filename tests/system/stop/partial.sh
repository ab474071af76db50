#!/usr/bin/env bash
# partial.sh HEDDLE DEVICE_CODE PTX DIRECTORY - kernels that fail, or are stopped, behind their
# hundredth CTA: the table, report.json and kernels.csv have what they did until then, and the other
# commands take the report. So they do when the report's directory takes no more: it is written
# among the temporary files.
set -um # -m: commands in the background do not ignore SIGINT
heddle=$1 device_code=$2 ptx=$3 here=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
ulimit -c 0
rm -rf "$here"
mkdir -p "$here/tmp"
cd "$here" || exit 1
export TMPDIR=$here/tmp
failures=0
wrong() { echo "partial.sh: $what: $*"; cat log; failures=$((failures + 1)); }
expect() { # WHAT COMMAND ...
    local said=$1
    shift
    "$@" >out.txt 2>&1 || { wrong "$said"; cat out.txt; }
}

# is_partial DIRECTORY KERNEL: what its files say of the kernel, which did not end.
is_partial() {
    expect "the table" grep -E "^Launch 0, $2: stopped at CTA [0-9]+ of 200\$" log
    expect "the table's line" grep -E "^0 +$2 +200 +1 " log
    # of the CTAs behind the hundredth, none has ended
    expect "report.json" jq -e --arg name "$2" '.kernels[0] | .name == $name and .stopped
        and .ctas_done > 0 and .ctas_done <= 100 and .warp_instructions >= 5 * .ctas_done' \
        "$1/report.json"
    expect "the sums" jq -e '.kernel_groups[0] | .stopped and .launches == 1' "$1/report.json"
    expect "kernels.csv" grep -E "^0,\"$2\",.*,1,[0-9]+\$" "$1/kernels.csv"
    [ "$timing" = none ] ||
        expect "cycles" jq -e '.kernels[0] |
            .cycles > 0 and ([.cpi_stack[]] | add) == .sub_core_cycles' "$1/report.json"
    expect "heddle report" "$heddle" report "$1"
    expect "heddle compare" "$heddle" compare "$1" "$1"
    cp out.txt compared
    expect "its kernel" grep -E "^$2  200 x 1, stopped " compared
    [ "$timing" = none ] && return
    expect "heddle annotate" "$heddle" annotate "$1" "$2"
    cp out.txt annotated
    expect "what it says" grep -E "stopped before the end, at CTA [0-9]+ of 200\$" annotated
}

for timing in rtl reference none; do
    options=(--out out --timing "$timing" --threads 1 --set sm.count=2)
    what="a kernel that fails, $timing"
    rm -rf out
    "$heddle" run "${options[@]}" -- "$device_code" "$ptx" fails_late 200 1 >log 2>&1
    is_partial out fails_late
    for signal in INT TERM HUP; do
        what="$signal, $timing"
        rm -rf out
        "$heddle" run "${options[@]}" -- "$device_code" "$ptx" spins_late 200 1 >log 2>&1 &
        run=$!
        for _ in $(seq 100); do
            grep -q "go to the simulator" log && break
            sleep 0.05
        done
        sleep 0.5
        kill -s $signal -- -$run
        wait $run
        is_partial out spins_late
        [ "$timing" = none ] || expect "CTAs" jq -e '.kernels[0].ctas_done == 100' out/report.json
    done
done

what="a report that cannot be written" timing=none
rm -rf out
"$heddle" run "${options[@]}" -- sh -c \
    "mkdir out/report.json; '$device_code' '$ptx' fails_late 200 1" >log 2>&1
status=$?
[ $status = 125 ] || wrong "status $status"
expect "the cause" grep '^heddle: error: cannot write out/report.json: Is a directory$' log
other=$(sed -n 's/^heddle: the report is in \(.*\) instead$/\1/p' log)
[ -n "$other" ] || wrong "no other directory"
[ -z "$other" ] || is_partial "$other" fails_late

[ $failures = 0 ] && echo "partial: ok"
exit $((failures > 0))
