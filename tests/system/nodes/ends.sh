#!/usr/bin/env bash
# ends.sh HEDDLE PROGRAM DIRECTORY - PEs that end, fail, are killed or sleep, and runs that are
# asked to stop or are killed: the exit status, the message, how long it takes, and that nothing is
# left.
set -um # -m: commands in the background do not ignore SIGINT
heddle=$1 program=$2 here=$3
ulimit -c 0
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "ends.sh: $*"; failures=$((failures + 1)); }
now() { date +%s%N | cut -c1-13; } # ms
export HEDDLE_TEST_MARK=$$-$RANDOM # in the environment of every process of these runs

nothing_left() { # WHAT
    local left
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        left=$(grep -lszx "HEDDLE_TEST_MARK=$HEDDLE_TEST_MARK" /proc/[0-9]*/environ |
            while read -r file; do
                tr '\0' ' ' <"${file%environ}cmdline" | grep -E "^($program|sleep|$heddle)"
            done 2>/dev/null)
        [ -z "$left" ] && return
        sleep 0.1
    done
    wrong "$1: there is still: $left"
}

# run WHAT STATUS MESSAGE OPTIONS ... -- PROGRAM ...
run() {
    local what=$1 status=$2 message=$3 begin
    shift 3
    begin=$(now)
    timeout -s KILL 60 "$heddle" run -q --timing none --out out "$@" >log 2>&1
    local got=$?
    [ $got = "$status" ] || { wrong "$what: status $got, not $status"; tail -5 log; }
    grep -Eqe "$message" log || { wrong "$what: no message like '$message'"; tail -5 log; }
    [ $(($(now) - begin)) -lt 5000 ] || wrong "$what: took $(($(now) - begin)) ms"
    nothing_left "$what"
}

name=$(basename "$program")
run exit 3 "heddle: error: PE 1 .process [0-9]+, $name. ended with exit status 3: the run ends" \
    --nodes 3 -- "$program" exit
run leave 7 "heddle: error: PE 1 .process [0-9]+, $name. ended with exit status 7: the run ends" \
    --nodes 3 -- "$program" leave
run kill 137 "heddle: error: PE 1 .process [0-9]+, $name. was killed by signal 9 .Killed.: the run \
ends" --nodes 3 -- "$program" kill
run crash 139 "PE 1 .process [0-9]+, $name. was killed by signal 11 .Segmentation fault.: the run" \
    --nodes 3 -- "$program" crash
run zero 0 "go to the simulator" --nodes 3 -- "$program" zero 100
run deaf 137 "heddle: error: PE 1 .process [0-9]+, sh. was killed by signal 9" \
    --nodes 3 -- sh -c 'trap "" TERM; [ $HEDDLE_PE = 1 ] && exec "$0" kill
"$0" nothing & sleep 100' "$program"
run sleep 0 "heddle: PE 1 .$name. sleeps outside of CUDA calls while all others wait: they go on \
without it, and the order of calls depends on the machine from here on" \
    --nodes 3 -- "$program" sleep 100
run timeout 124 "heddle: the run has taken 1 s .--timeout.: the program is asked to stop" \
    --nodes 3 --timeout 1 -- "$program" nothing
run one 0 "go to the simulator" --nodes 1 -- "$program" nothing 20
run pe 125 "the simulator refused this program: HEDDLE_PE of its environment is 7, and the run has \
the nodes 0 to 1" --nodes 2 -- env HEDDLE_PE=7 "$program" nothing 20
run no_pe 125 "the simulator refused this program: HEDDLE_PE of its environment is missing or no \
number, and the run has the nodes 0 to 1" --nodes 2 -- env HEDDLE_PE=x "$program" nothing 20

for signal in TERM INT KILL; do
    "$heddle" run -q --timing none --out out --nodes 3 -- "$program" nothing >log 2>&1 &
    run=$!
    for _ in $(seq 100); do
        [ "$(grep -c "go to the simulator" log)" = 3 ] && break
        sleep 0.05
    done
    sleep 0.2
    if [ $signal = INT ]; then # as the terminal does
        kill -s INT -- -$run
    else
        kill -s $signal $run
    fi
    wait $run 2>/dev/null
    status=$?
    nothing_left $signal
    if [ $signal != KILL ]; then
        want=143
        [ $signal = INT ] && want=130
        [ $status = $want ] || { wrong "$signal: status $status"; tail -5 log; }
        [ "$(tail -c 1 out/report.json 2>/dev/null)" = "}" ] || wrong "$signal: no report"
        grep -q "the run ends" log && { wrong "$signal: a PE is blamed"; tail -5 log; }
    else
        grep -q "heddle: error: .heddle run. was killed: PE 0 (process [0-9]*, $name), PE 1" log ||
            { wrong "KILL: no message"; tail -5 log; }
    fi
done
[ $failures = 0 ] && echo "ends.sh: ok"
exit $failures
