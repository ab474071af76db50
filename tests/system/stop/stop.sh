#!/usr/bin/env bash
# stop.sh HEDDLE DEVICE_CODE PTX DIRECTORY - asks runs of endless kernels to stop before there is a
# program, through a shell, as a terminal does, and twice: each ends at once, with a report, and
# leaves no process behind. Then closed pipes and limits of the system. All signals and kinds of
# work: matrix.sh.
set -um # -m: commands in the background do not ignore SIGINT
heddle=$1 device_code=$2 ptx=$3 here=$4
ulimit -c 0
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "stop.sh: $*"; failures=$((failures + 1)); }
now() { date +%s%N | cut -c1-13; } # ms
export HEDDLE_TEST_MARK=$$-$RANDOM # in the environment of every process of these runs

begin() { # OPTIONS ... -- PROGRAM ...; waits until the kernel runs
    rm -rf out log
    "$heddle" run --out out "$@" >log 2>&1 &
    run=$!
    for _ in $(seq 100); do
        grep -q "go to the simulator" log && break
        sleep 0.05
    done
    sleep 0.15
}

ends() { # WHAT STATUS; after a signal
    local from
    from=$(now)
    wait "$run"
    local status=$?
    [ $(($(now) - from)) -lt 2000 ] || wrong "$1: took $(($(now) - from)) ms"
    [ $status = "$2" ] || { wrong "$1: status $status, not $2"; cat log; }
    [ "$(tail -c 1 out/report.json 2>/dev/null)" = "}" ] || { wrong "$1: no report"; cat log; }
    local left file
    left=$(grep -lszx "HEDDLE_TEST_MARK=$HEDDLE_TEST_MARK" /proc/[0-9]*/environ |
        while read -r file; do
            tr '\0' ' ' <"${file%environ}cmdline" | grep -F "$device_code $ptx"
        done 2>/dev/null)
    [ -z "$left" ] || wrong "$1: the program is still there: $left"
}

# before there is a program
for after in 0 0.01 0.03; do
    "$heddle" run --out out -- "$device_code" "$ptx" plain >log 2>&1 &
    run=$!
    sleep $after
    kill -s INT -- -$run
    wait $run
    status=$?
    [ $status = 130 ] || { wrong "asked after $after s: status $status"; cat log; }
done
for timing in rtl none; do
    # a program of the program's
    begin --timing $timing -- sh -c "'$device_code' '$ptx' plain; true"
    kill -s TERM $run
    ends "$timing, a program in a shell" 143
    # Ctrl-C: the terminal sends it to the process group
    begin --timing $timing -- "$device_code" "$ptx" plain
    kill -s INT -- -$run
    ends "$timing, the process group" 130
    # a program that does not end when it is asked to
    begin --timing $timing -- sh -c "trap '' INT; exec '$device_code' '$ptx' plain"
    kill -s INT $run
    sleep 0.7
    kill -0 $run 2>/dev/null || wrong "$timing: killed when asked for the first time"
    kill -s INT $run
    ends "$timing, asked twice" 137
    grep -q "^heddle: asked to stop again: the program is killed; the report follows$" log ||
        wrong "$timing: asked twice, without a message"
done

# nobody reads what Heddle says
rm -rf out
"$heddle" run --out out --timing none -- "$device_code" "$ptx" returns 2>&1 >/dev/null | true
status=${PIPESTATUS[0]}
[ "$status" = 0 ] || wrong "a closed pipe: status $status"
[ -s out/report.json ] || wrong "a closed pipe: no report"

says() { # LIMIT TEXT: the first line of heddle's under `ulimit LIMIT`
    # shellcheck disable=SC2086
    (ulimit $1 && exec "$heddle" run --out out --timing none -- "$device_code" "$ptx" returns) \
        >log 2>&1
    status=$?
    [ $status = 125 ] || wrong "ulimit $1: status $status"
    grep -q "^heddle: error: .*$2" log || { wrong "ulimit $1: another message"; cat log; }
}
says "-f 1" "File too large; raise the limit of files (ulimit -f)"
says "-v 4000000" "Cannot allocate memory; raise the limit of the address space (ulimit -v)"
for fd in {3..40}; do eval "exec $fd>&-"; done # whoever started this may have left some open
# how far it gets depends on its parts, the cause does not
for files in 8 9 10 11 12; do
    (ulimit -n $files && exec "$heddle" run --out out --timing none -- "$device_code" "$ptx" \
        returns) >log 2>&1 || grep -q "^heddle: error: .*Too many open files" log ||
        { wrong "ulimit -n $files: another message"; cat log; }
done

[ $failures = 0 ] && echo "stop: ok"
exit $((failures > 0))
