#!/usr/bin/env bash
# checkpoint.sh HEDDLE APPS - checks that a run which is killed (kill -9) and resumed has the
# results of an uninterrupted run, bit for bit. So must a run that is resumed twice, a run resumed
# from the image before a damaged one, and a program that measures time. A damaged file and a run
# that differs must be refused by name.
set -euo pipefail
heddle=$1 apps=$2
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"

hydro=("$apps/hydro3d" -s 5 -i 24) # some 30 launches per step; the host reads sums of doubles
run() { # OUT OPTIONS... -- PROGRAM...
    local to=$1
    shift
    "$heddle" run -q --set sm.count=16 --out "$to" "$@" >"${said:-$to.txt}" 2>&1
}
# same A B: the reports are equal except for wall time and the simulator's own statistics, and so is
# the program's output.
same() { # A B
    cmp -s "$1/kernels.csv" "$2/kernels.csv" || wrong "$2: kernels.csv is not that of $1"
    diff <(grep -v ',simulation,' "$1/statistics.csv") \
        <(grep -v ',simulation,' "$2/statistics.csv") || wrong "$2: another statistic than $1"
    diff <(grep -v '^heddle:' "$1.txt") <(grep -v '^heddle:' "$2.txt") ||
        wrong "$2: the program says something else than in $1"
    jq -e --slurpfile a "$1/report.json" '(.cuda_calls == $a[0].cuda_calls) and
        ([.kernels[] | del(.wall_s)] == [$a[0].kernels[] | del(.wall_s)])' "$2/report.json" \
        >/dev/null || wrong "$2: report.json is not that of $1"
}

run whole --checkpoint c0 --every 60 -- "${hydro[@]}" || wrong "whole: $(cat whole.txt)"
[ "$(find c0 -name 'image-*' | wc -l)" = 2 ] || wrong "not the last two images are kept: $(ls c0)"

# ---- killed at the first checkpoint, and again after later ones
kill_behind() { # CHECKPOINTS IMAGE OUT OPTIONS... -- PROGRAM...: the newest image there is enough
    # A separate file for its output: the program runs on until it notices that heddle is gone, and
    # its last lines would get into the output of the next run of the same name.
    local dir=$1 image=$2 said=killed.txt
    shift 2
    run "$@" &
    local pid=$!
    for _ in $(seq 3000); do
        kill -0 $pid 2>/dev/null || break
        for i in "$dir"/image-*[0-9]; do
            [ -e "$i" ] && [ "${i##*-}" -ge "$image" ] && break 2
        done
        sleep 0.01
    done
    # heddle and its program are children of the background shell.
    pkill -9 -P $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
}
kill_behind c1 60 killed --checkpoint c1 --every 60 -- "${hydro[@]}"
[ ! -e killed/report.json ] || echo "the run was over before it could be killed"
kill_behind c1 240 resumed --resume c1 -- "${hydro[@]}"
run resumed --resume c1 -- "${hydro[@]}" || wrong "resumed: $(cat resumed.txt)"
same whole resumed

# ---- resumed from the last checkpoint of a run that has ended
run again --resume c0 -- "${hydro[@]}" || wrong "again: $(cat again.txt)"
same whole again
# ---- the run's own figures: waits for checkpoints are simulation, replayed launches are not
jq -e '.run.simulate_s > 0.5 * ([.kernels[].wall_s] | add)' whole/report.json >/dev/null ||
    wrong "whole: simulate_s is $(jq .run.simulate_s whole/report.json)"
last=$(find c0 -name 'image-*' | sed 's/.*-//' | sort -n | tail -1)
jq -e --argjson last "$last" '([.kernels[] | select(.launch >= $last) | .warp_instructions] | add)
    as $own | (.run.warp_instructions_per_s * .run.wall_s - $own) | fabs < 1e-3 * $own' \
    again/report.json >/dev/null || wrong "again: the rate counts replayed launches"
newest=$(find c0 -name 'image-*' -printf '%f\n' | sort -V | tail -1)
before=$(find c0 -name 'image-*' -printf '%f\n' | sort -V | head -1)
refused() { # WHAT TEXT OPTIONS...
    local what=$1 text=$2
    shift 2
    run refused "$@" && wrong "$what: not refused"
    grep -qF "$text" refused.txt || wrong "$what: $(cat refused.txt)"
}
# ---- a file is damaged: the run does not resume, and says what to do
flip() { # FILE PLACE: flips a bit; twice: as before
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\x$(printf %x $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
for place in launches:1000 answers:100 "$newest:5000" "$newest:20"; do
    file=${place%:*}
    flip "c0/$file" "${place#*:}"
    refused "$place" "error: c0/$file" --resume c0 -- "${hydro[@]}"
    refused "$place" "damaged (checksum); remove c0/$newest to resume from the checkpoint before \
it, $before" --resume c0 -- "${hydro[@]}"
    flip "c0/$file" "${place#*:}"
done
cp c0/answers answers
truncate -s 200 c0/answers
refused "short answers" "is cut short; remove c0/$newest" --resume c0 -- "${hydro[@]}"
cp answers c0/answers
flip c0/identity.json 60
refused identity "error: c0/identity.json is damaged: its checksum is wrong; remove c0 and begin \
again with --checkpoint" --resume c0 -- "${hydro[@]}"
flip c0/identity.json 60
mkdir mixed
cp c0/* mixed
cp "c1/$newest" mixed
refused mixed "error: mixed/$newest: it belongs to another run, or to checkpoints of other inputs; \
remove mixed/$newest to resume" --resume mixed -- "${hydro[@]}"
# ---- the newest image is gone: the run resumes from the one before it, here in two SM groups
rm "c0/$newest"
run damaged --resume c0 --sm-groups 2 --threads 2 -- "${hydro[@]}" ||
    wrong "damaged: $(cat damaged.txt)"
same whole damaged
jq -e --arg n "${newest#image-}" '[.run.notes[] | select(test("resumed behind launch"))] |
    length == 1 and (.[0] | test("launch " + ($n | tonumber - 1 | tostring)) | not)' \
    damaged/report.json >/dev/null || wrong "the removed image was used"

# ---- calls return the data of the first run: clock values, which functional execution cannot
# produce
chase=("$apps/pointer_chase" -l 64)
run clocks --checkpoint c2 --every 1 -- "${chase[@]}" || wrong "clocks: $(cat clocks.txt)"
run clocks_again --resume c2 -- "${chase[@]}" || wrong "clocks_again: $(cat clocks_again.txt)"
same clocks clocks_again
run early --checkpoint c4 --every 1000 -- "${chase[@]}" || wrong "early: $(cat early.txt)"
run early_again --resume c4 -- "${chase[@]}" || wrong "early_again: $(cat early_again.txt)"
grep -q "^heddle: --resume c4: there is no checkpoint in it yet: the run begins from its start$" \
    early_again.txt || wrong "a run from its start is not told: $(cat early_again.txt)"

# ---- runs that differ, and wrong directories
refused arguments "error: --resume c0: that is of another run, 'arguments' is not the same" \
    --resume c0 -- "$apps/hydro3d" -s 5 -i 25
refused parameter "error: --resume c0: that is of another run, 'l1.ways' is not the same" \
    --resume c0 --set l1.ways=4 -- "${hydro[@]}"
refused again "error: --checkpoint c0: the directory is not empty: go on with --resume c0, or" \
    --checkpoint c0 -- "${hydro[@]}"
refused nothing "error: --resume none: no checkpoints there: there is no none/identity.json" \
    --resume none -- "${hydro[@]}"

# ---- a program that behaves differently: it reads its size from a file that is no part of the
# run's identity
cat >other.sh <<END
#!/bin/sh
exec $apps/hydro3d -s \$(cat size) -i 24
END
chmod +x other.sh
echo 5 >size
run first --checkpoint c3 --every 60 -- ./other.sh || wrong "first: $(cat first.txt)"
echo 6 >size
refused other "the program does not do what it did" --resume c3 -- ./other.sh
exit $failed
