#!/usr/bin/env bash
# failing_calls.sh disk|memory HEDDLE PRELOADED STEP CASE [WORD ...] - runs a command again and
# again. In each run one call of Heddle's fails, the n-th, for every STEP-th n. PRELOADED is the
# library of tests/support/failing_disk.c or failing_malloc.c.
#
# `disk`: calls that change a file or directory: alone, with all later ones, or as a short write.
# With STEP 1 each n is tried in each of the three ways, else they take turns. `memory`:
# allocations.
#
# Each run must end well, with the files that it writes otherwise, or with an error that says why,
# for a disk also of which file. It must then leave no part of a file under the file's name, and on
# a full disk nothing that has another name. (Out of memory, Heddle ends where it stands.) As in
# out_of_memory.sh, some libraries end the process themselves.
set -uo pipefail
kind=$1 heddle=$2 preloaded=$3 step=$4 case=$5
shift 5
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
mkdir elsewhere
export TMPDIR=$here/elsewhere # a report that cannot be written goes there
ends=(0 0)
if [ "$kind" = disk ]; then
    error='^heddle: error: .*out.*: (No space left on device|Input/output error)'
    ways=(once full short)
else
    # GLib has messages of its own for files and encodings
    error='^heddle: error: .*(out of (host )?memory|Cannot allocate memory)'
    error+='|^heddle: error: Could not (allocate|open converter)'
    ways=(once)
fi
failed_status=125 # of a command that could not do all of its work

# ---- the commands. Files of theirs lie in `out`; what is in `before` is there when they begin.
resumes= # a command that must succeed after a failure
case $case in
    run) command=("$heddle" run -q --timing none --trace-api --out out -- "$@") ;;
    timed)
        command=("$heddle" run -q --set sm.count=4 --topology out/places.svg --sample --timeline
            --out out/run -- "$@")
        mkdir before
        ;;
    checkpoint | resume)
        options=(run -q --set sm.count=4 --out out/run)
        mkdir before
        command=("$heddle" "${options[@]}" --checkpoint out/checkpoint --every 1 -- "$@")
        resumes=("$heddle" "${options[@]}" --resume out/checkpoint -- "$@")
        if [ "$case" = resume ]; then
            cp -r before out
            "${command[@]}" >stdout 2>stderr || { echo "no checkpoint: $(cat stderr)"; exit 1; }
            rm -rf before
            mv out before
            rm -r before/run
            # the newest is gone: the resumed run writes it again
            rm "$(find before/checkpoint -name 'image-*' | sort -V | tail -1)"
            command=("${resumes[@]}")
        fi
        ;;
    sweep)
        command=("$heddle" sweep -j 1 --timing none --set sm.count=2,4 --out out -- "$@")
        failed_status=1 # also if a point fails
        ;;
    project)
        mkdir before
        "$heddle" run -q --set sm.count=4 --out before/run -- "$@" >stdout 2>stderr ||
            { echo "no run: $(cat stderr)"; exit 1; }
        command=("$heddle" project --to t4,a100-40 --csv out/rows.csv --plot out/pictures out/run)
        ;;
    measure)
        mkdir before
        command=("$heddle" project --measure --native --gpu v100-pcie --out out/board.ini --
            /usr/bin/printf '%s\n' 'micro_capability: NAME Board'
            'micro_capability: VALUE fp32.fma_max 13.5 TFLOP/s chains' 'micro_capability: PASS all')
        ;;
    dram)
        mkdir before
        for ((i = 0; i < 400; i++)); do echo "- R $((i * 4096))"; done >trace
        command=("$heddle" dram --json out/all.json --csv out/channels.csv
            --commands out/commands.txt trace)
        ;;
    command) command=("$heddle" "$@") ;;
    *) echo "no case $case" && exit 1 ;;
esac

# one_run N HOW: leaves the exit status in $status, and files without what differs from run to run.
one_run() {
    rm -rf out
    [ ! -d before ] || cp -r before out
    HEDDLE_TEST_FAIL_AT=$1 HEDDLE_TEST_FAIL_HOW=$2 HEDDLE_TEST_COUNT=$here/count \
        LD_PRELOAD=$preloaded timeout 60 "${command[@]}" >stdout 2>stderr </dev/null
    status=$?
}

# plain DIRECTORY: takes wall times, the simulator's own statistics and the programs' numbers out.
plain() {
    local file
    while read -r file; do
        case $file in
            */report.json) sed -i -E '/"(wall_s|startup_s|simulate_s|peak_rss_bytes|value|notes)"/d
                /"(warp_instructions_per_s|core_clocks|date)"|a checkpoint every/d
                /"--(checkpoint|every|resume)=/d' "$file" ;;
            */statistics.csv) sed -i '/,simulation,/d' "$file" ;;
            */point.json) sed -i '/"checksum"/d' "$file" ;;
            */api.txt | */api.json) # addresses of the host, and a checksum of them
                sed -i -E 's/0x(5|7f)[0-9a-f]{8,}/host/g; s/crc32c [0-9a-f]{8}/sum/' "$file" ;;
            */log.txt | */board.ini.log) rm "$file" ;;
        esac
    done < <(find "$1" -type f)
    # logs of a checkpoint have parts behind its last image, and each run has a number
    rm -rf "$1/checkpoint"
}

# differences: how the files of a run are not those of the sound one. Without a file that is still
# what it was before, and after a failure, without what is missing.
differences() {
    local line
    # a sweep with points that failed says so in its files
    if [ "$case" = sweep ] && grep -qs ',failed,' out/sweep.csv; then
        [ "$(wc -l <out/sweep.csv)" = 3 ] || echo "out/sweep.csv is not whole"
        [ ! -e out/sweep.json ] || [ "$(tail -1 out/sweep.json)" = "}" ] ||
            echo "out/sweep.json is not whole"
        rm -f out/sweep.{csv,json,svg}
    fi
    diff -rq good out | while read -r line; do
        case $line in
            "Only in good"*) [ $status -ne 0 ] || echo "$line" ;;
            "Files good/"*)
                line=${line#* and out/}
                line=${line% differ}
                [ $status -ne 0 ] && cmp -s "before/$line" "out/$line" || echo "out/$line differs"
                ;;
            *) echo "$line" ;;
        esac
    done
}

# explained: whether an error says why, here or in the log of a point.
explained() {
    grep -qE "$error" stderr && return
    [ "$case" = sweep ] && grep -q 'error: point .* failed' stderr &&
        grep -qE "$error" out/points/*/log.txt
}

one_run 0 once
calls=$(sort -n count 2>/dev/null | tail -1)
if [ $status -ne 0 ] || [ "${calls:-0}" -lt 4 ]; then
    echo "without a failure: status $status, ${calls:-no} calls"
    cat stderr
    exit 1
fi
mkdir -p out
plain out
mv out good
mv stdout good.stdout
# ended_by_library: whether a library ended the process for want of memory.
ended_by_library() {
    [ "$kind" = memory ] || return
    case $status in
        134) grep -qE 'GSlice: failed to allocate|gthread-posix' stderr ;;
        127) grep -q 'cannot allocate memory for thread-local data' stderr ;;
        *) false ;;
    esac
}
wrong=0
try() { # N HOW
    local what="call $1 of $calls, $2" other
    one_run "$1" "$2"
    [ "$2" != short ] || [ $status = 0 ] || { bad "$what" "status $status"; return; }
    if [ "$kind" = memory ] && [ $status -lt 124 ] && grep -q 'out of memory' stdout; then
        ends[1]=$((ends[1] + 1)) # an error that the program got
        return
    fi
    case $status in
        0) cmp -s stdout good.stdout || [ "$case" = run ] || [ "$case" = timed ] ||
            { bad "$what" "another output"; return; } ;;
        125 | "$failed_status") explained || { bad "$what" "no cause is named"; return; } ;;
        *) ended_by_library || { bad "$what" "status $status"; return; } ;;
    esac
    if [ "$kind" = memory ] && [ -d out ]; then find out -name '*.part' -delete; fi
    [ ! -d out ] || [ -z "$(find out -name '*.part' -o -name '.heddle-*')" ] ||
        { bad "$what" "$(find out -name '*.part' -o -name '.heddle-*') is left"; return; }
    if [ -n "$resumes" ] && [ -e out/checkpoint/identity.json ]; then
        local before=$status
        timeout 60 "${resumes[@]}" >stdout 2>stderr
        status=$?
        [ $status = 0 ] || { bad "$what, then resumed" "status $status"; return; }
        plain out
        other=$(differences)
        [ -z "$other" ] || { bad "$what, then resumed" "$other"; return; }
        status=$before
    else
        [ ! -d out ] || plain out
        mkdir -p out
        other=$(differences)
        [ -z "$other" ] || { bad "$what" "$other"; return; }
    fi
    ends[status > 0]=$((ends[status > 0] + 1))
}
bad() {
    echo "$1: $2"
    cat stderr
    wrong=$((wrong + 1))
}
for ((n = 1, turn = 0; n <= calls; n += step, turn++)); do
    if [ "$step" = 1 ]; then
        for way in "${ways[@]}"; do try $n "$way"; done
    else
        try $n "${ways[turn % ${#ways[@]}]}"
    fi
done
echo "$calls calls: ${ends[0]} ended well, ${ends[1]} with an error, $wrong wrongly"
[ $wrong -eq 0 ] && [ "${ends[1]}" -gt 0 ]
