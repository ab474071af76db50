#!/usr/bin/env bash
# short_programs.sh HEDDLE DEVICE_CODE PTX OUT - a thousand short programs in one run, one after
# another, then sixteen at once: none fails, the server keeps no descriptor and next to no memory of
# them, and nothing is left when it has ended.
set -u
heddle=$1 device_code=$2 ptx=$3 here=$4
[ -r /proc/net/unix ] || { echo "skipped: no /proc/net/unix"; exit 77; }
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
export device_code ptx
HEDDLE_TEST_MARK=$$-$RANDOM # in the environment of every process of this run

# The server is the parent of this one.
cat >many.sh <<'END_OF_MANY'
one() { "$device_code" "$ptx" store 1 1 || echo "status $?"; }
files() { ls /proc/$PPID/fd | wc -l; }
state() { # descriptors, KiB of memory, mappings; the server may not have seen yet who has gone
    for i in $(seq 50); do
        [ ! -s before ] || [ "$(files)" -le "$(cut -d' ' -f1 before)" ] || sleep 0.1
    done
    echo "$(files) $(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' \
        /proc/$PPID/status) $(wc -l </proc/$PPID/maps)"
}
echo $PPID >server
for i in $(seq 50); do one; done
sleep 0.1
state >before
for i in $(seq 950); do one; done
state >after
for i in $(seq 16); do one & done
wait
for i in $(seq 16); do one & done
wait
state >together
END_OF_MANY
HEDDLE_TEST_MARK=$HEDDLE_TEST_MARK timeout 200 "$heddle" run -q --timing none --out out -- \
    sh many.sh >said 2>log
status=$?
failed=0
wrong() { echo "short_programs.sh: $*"; failed=1; }
[ $status = 0 ] || wrong "status $status: $(tail -3 log)"
[ "$(grep -c '^launch: cudaSuccess, wait: cudaSuccess, after: cudaSuccess$' said)" = 1032 ] ||
    wrong "not every program succeeded: $(sort said | uniq -c)"
[ "$(grep -c 'go to the simulator$' log)" = 1032 ] || wrong "not every program has its line"
read -r files memory maps <before
read -r files_after memory_after maps_after <after
read -r files_together memory_together maps_together <together
echo "descriptors $files, $files_after, $files_together; KiB $memory, $memory_after," \
    "$memory_together; mappings $maps, $maps_after, $maps_together"
[ "$files_after" -le "$files" ] && [ "$files_together" -le "$files" ] ||
    wrong "descriptors are left"
# of each program the server keeps its counts of calls for the report
[ $((memory_after - memory)) -lt 8192 ] || wrong "memory of programs is left"
[ $((maps_after - maps)) -lt 20 ] || wrong "mappings are left"
for p in /proc/[0-9]*; do
    { tr '\0' '\n' <"$p/environ" | grep -qx "HEDDLE_TEST_MARK=$HEDDLE_TEST_MARK"; } 2>/dev/null &&
        wrong "process ${p#/proc/} is left: $(tr '\0' ' ' <"$p/cmdline")"
done
! grep "@heddle-$(cat server)-" /proc/net/unix || wrong "a socket is left"
! ls /dev/shm | grep -i "heddle.*[^0-9]$(cat server)" || wrong "shared memory is left"
[ $failed = 0 ] && echo "short_programs: ok"
exit $failed
