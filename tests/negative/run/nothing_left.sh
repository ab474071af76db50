#!/usr/bin/env bash
# nothing_left.sh program|heddle|ended HEDDLE TIMING OUT DEVICE_CODE PTX - kills the program, or
# Heddle itself, during a kernel, or asks Heddle to end (SIGTERM), and checks that no process, no
# socket and no shared memory of the run is left.
set -euo pipefail
who=$1 heddle=$2 timing=$3 out=$4 device_code=$5 ptx=$6
[ -r /proc/net/unix ] || { echo "skipped: no /proc/net/unix"; exit 77; }
mark=HEDDLE_TEST_MARK=$$-$RANDOM # in the environment of every process of this run

marked() {
    local p
    for p in /proc/[0-9]*; do
        [ "${p#/proc/}" != $$ ] && [ "${p#/proc/}" != $BASHPID ] || continue
        { tr '\0' '\n' <"$p/environ" | grep -qx "$mark"; } 2>/dev/null && echo "${p#/proc/}" || true
    done
}
fail() {
    echo "$*"
    cat "$out.stderr"
    exit 1
}

# in_shm: lists the run's entries of /dev/shm only, since other runs and programs use it too.
in_shm() {
    ls /dev/shm 2>/dev/null | grep -E "(^|[^0-9])$pid([^0-9]|$)" || true
}

rm -rf "$out"
if [ "$who" = program ]; then how=kill; else how=wait; fi
env "$mark" "$heddle" run --quiet --timing "$timing" --out "$out" -- \
    "$device_code" "$ptx" endless 1 32 "$how" >"$out.stdout" 2>"$out.stderr" &
pid=$!
expected=137
if [ "$who" != program ]; then
    sleep 0.7
    grep -q "@heddle-$pid-" /proc/net/unix || fail "the run has no socket, so the test sees nothing"
    [ "$(marked | wc -l)" -ge 2 ] || fail "the run's processes cannot be found"
    if [ "$who" = heddle ]; then
        kill -KILL "$pid"
    else
        expected=143
        kill -TERM "$pid"
    fi
fi
status=0
wait "$pid" || status=$?
[ "$status" = $expected ] || fail "exit status $status, expected $expected"

# The program notices that the simulator is gone, and ends by itself.
for _ in $(seq 50); do
    left=$(marked)
    [ -n "$left" ] || break
    sleep 0.1
done
[ -z "$left" ] || fail "processes left: $left"
! grep "@heddle-$pid-" /proc/net/unix || fail "a socket is left"
[ -z "$(in_shm)" ] || fail "shared memory is left in /dev/shm: $(in_shm)"
if [ "$who" != heddle ]; then
    [ -s "$out/report.json" ] || fail "no report was written"
    grep -q '"kernel endless was given up after 0 of 1 CTAs"' "$out/report.json" ||
        fail "the report does not say what was given up"
    grep -q "\"exit_status\": $expected" "$out/report.json" ||
        fail "the report has another exit status"
else
    grep -q "error: the simulator has gone" "$out.stderr" || fail "the program was not told"
    grep -q "wait: cudaErrorDevicesUnavailable" "$out.stdout" || fail "$(cat "$out.stdout")"
fi
