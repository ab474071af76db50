#!/usr/bin/env bash
# matrix.sh HEDDLE ENDLESS PTX DIRECTORY some|all - ends runs of endless kernels and copies, in all
# ways that there are, or in some: each ends at once, with a report or with an error that says why
# there is none, and leaves no process, socket, shared memory or part of a file behind.
#
# Ways: signals to Heddle (TERM, HUP, INT, QUIT); `program`: kill -9 of the programs; `heddle`: kill
# -9 of Heddle; `pipe`: nobody reads its output any more, then TERM; `limit`: files may not grow any
# more, then TERM. All of them for kernels that spin, poll memory and wait at a barrier, and for
# copies; with timing and without, for one thread and two, one program and two. `some`: each way
# with each kind of work, in settings that take turns.
set -um # -m: commands in the background do not ignore SIGINT
heddle=$1 endless=$2 ptx=$3 here=$4 which=$5
. "$(dirname "$0")/../../support/need.sh"
need jq jq
[ -r /proc/net/unix ] || { echo "skipped: no /proc/net/unix"; exit 77; }
ulimit -c 0
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0 runs=0 slowest=0 run=
trap 'kill -KILL $run; exit 1' TERM INT # its program then ends by itself
mark= # in the environment of the processes of one run
wrong() { echo "matrix.sh: $what: $*"; cat log; failures=$((failures + 1)); }
now() { date +%s%3N; }

# marked: the processes of the run.
marked() {
    grep -lszx "HEDDLE_TEST_MARK=$mark" /proc/[0-9]*/environ | tr -dc '0-9\n'
}

# until_ms LIMIT COMMAND ...: waits until it succeeds. Returns 1 if it never does.
until_ms() {
    local limit=$(($(now) + $1))
    shift
    while ! "$@"; do
        [ "$(now)" -lt $limit ] || return 1
        sleep 0.02
    done
}
are_running() { [ "$(grep -s '^running' log | wc -l)" -ge "$programs" ]; }
none_left() { [ -z "$(marked)" ]; }

# start: begins the run in the background, and waits until the programs are at work.
start() {
    rm -rf out log said
    mark=$$-$RANDOM-$runs
    mkfifo said
    cat said >log &
    reader=$!
    HEDDLE_TEST_MARK=$mark "$heddle" run --out out --timing "$timing" --threads "$threads" -- \
        "$endless" "$ptx" "$work" "$programs" >said 2>&1 &
    run=$!
    until_ms 10000 are_running || wrong "the programs do not run"
    sleep 0.03
}

# expect WHAT COMMAND ...
expect() {
    local said=$1
    shift
    "$@" >/dev/null || wrong "$said"
}

# one: the run of $timing, $threads, $programs, $work, which ends in the $way.
one() {
    local expected=143 from took status reader
    what="$timing, $threads threads, $programs programs, $work, $way"
    runs=$((runs + 1))
    start
    from=$(now)
    case $way in
        HUP) expected=129 ;;&
        INT) expected=130 ;;&
        QUIT) expected=131 ;;&
        TERM | HUP | INT | QUIT) kill -s "$way" $run ;;
        program)
            expected=137
            # shellcheck disable=SC2046
            kill -KILL $(marked | grep -vx "$run")
            ;;
        heddle)
            expected=137
            kill -KILL $run
            ;;
        pipe)
            kill $reader
            wait $reader 2>/dev/null
            kill -TERM $run
            ;;
        limit)
            expected=125
            prlimit --pid $run --fsize=100
            kill -TERM $run
            ;;
    esac
    wait $run 2>/dev/null
    status=$?
    took=$(($(now) - from))
    until_ms 2000 none_left || wrong "left: $(ps -fp "$(marked | paste -sd,)")"
    [ "$way" = heddle ] || [ $took -lt 2000 ] || wrong "took $took ms"
    [ "$way" = heddle ] || [ $took -le $slowest ] || slowest=$took
    wait $reader 2>/dev/null
    [ $status = $expected ] || wrong "status $status, not $expected"
    ! grep "@heddle-$run-" /proc/net/unix || wrong "a socket is left"
    ! ls /dev/shm | grep -i "heddle.*[^0-9]$run" || wrong "shared memory is left"
    case $way in
        heddle) return ;;
        limit)
            expect "no cause" grep '^heddle: error: cannot write out/.*: File too large' log
            expect "a report is there" [ ! -e out/report.json ]
            ;;
        *)
            expect "the report" jq -e --argjson status $expected \
                '.run.exit_status == $status and (.run.notes | type == "array")' out/report.json
            [ "$work" = copies ] ||
                expect "what was given up" jq -e \
                    --arg note "kernel $work was given up after 0 of 300 CTAs" \
                    '.run.notes | index($note)' out/report.json
            ;;
    esac
    [ -z "$(find out -name '*.part')" ] || wrong "$(find out -name '*.part') is left"
}

ways=(TERM HUP INT QUIT program heddle pipe limit)
works=(plain polls barrier copies)
if ! command -v prlimit >/dev/null; then unset 'ways[7]'; fi
setting() { # NUMBER: one of eight
    timing=rtl threads=$((1 + ($1 >> 1 & 1))) programs=$((1 + ($1 & 1)))
    [ $(($1 >> 2)) = 0 ] || timing=none
}
turn=0
for way in "${ways[@]}"; do
    for work in "${works[@]}"; do
        if [ "$which" = all ]; then
            for number in {0..7}; do
                setting "$number"
                one
            done
        else
            setting $(((turn * 3 + turn / 8) % 8))
            one
        fi
        turn=$((turn + 1))
    done
done
echo "$runs runs, the slowest took $slowest ms to end, $failures failures"
exit $((failures > 0))
