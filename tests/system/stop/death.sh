#!/usr/bin/env bash
# death.sh HEDDLE DEVICE_CODE PTX DIRECTORY - kills one of two programs of a run while its endless
# kernel runs, before the other begins or while the other waits for it: the other goes on at once,
# and the report says what was given up.
set -u
heddle=$1 device_code=$2 ptx=$3 here=$4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "death.sh: $*"; cat log; failures=$((failures + 1)); }
now() { date +%s%N | cut -c1-13; } # ms

# $1: the kernel that dies; $2: seconds from the second program's start to the kill
cat >two.sh <<'END'
"$device_code" "$ptx" "$1" 300 64 >first 2>&1 &
first=$!
sleep 0.3
"$device_code" "$ptx" returns >second &
second=$!
sleep "$2"
kill -KILL $first
date +%s%N | cut -c1-13 >killed
wait $second
END
export device_code ptx

dies() { # KERNEL SECONDS OPTIONS ...
    local kernel=$1 after=$2 what="$*"
    shift 2
    rm -rf out
    timeout 30 "$heddle" run --out out "$@" -- sh two.sh "$kernel" "$after" >log 2>&1
    local status=$?
    local took=$(($(now) - $(cat killed)))
    [ $status = 0 ] || wrong "$what: status $status"
    [ $took -lt 2000 ] || wrong "$what: the other program took $took ms"
    grep -q "^launch: cudaSuccess, wait: cudaSuccess, after: cudaSuccess$" second ||
        wrong "$what: $(cat second)"
    grep -q "\"kernel $kernel was given up after 0 of 300 CTAs\"" out/report.json ||
        wrong "$what: the report does not say what was given up"
    grep -q "not carried out to the end: 1 kernel, 0 copies or fills" out/report.json ||
        wrong "$what: the report does not say how the program ended"
    grep -q '"returns"' out/kernels.csv || wrong "$what: no record"
    grep -q "\"$kernel\".*,1,0\$" out/kernels.csv || wrong "$what: no record of $kernel, stopped"
}
for kernel in plain polls barrier; do
    dies $kernel 0.2 --timing none
    dies $kernel 0.2 --timing none --threads 2
    dies $kernel 0.2 --timing rtl
    dies $kernel 0.2 --timing rtl --threads 2 --sm-groups 2
done
# a wait for the other program's kernel is under way
dies polls 3.5 --timing none
dies polls 3.5 --timing rtl

# one of them fails, with the other's launch behind it: the fault is its own
cat >fails.sh <<'END'
"$device_code" "$ptx" traps 1 1 >first 2>&1 &
first=$!
sleep 0.2
"$device_code" "$ptx" returns >second
status=$?
wait $first
exit $status
END
for timing in none rtl; do
    rm -rf out
    timeout 30 "$heddle" run --out out --timing $timing -- sh fails.sh >log 2>&1 ||
        wrong "$timing, a fault: status $?"
    grep -q "^launch: cudaSuccess, wait: cudaSuccess, after: cudaSuccess$" second ||
        wrong "$timing, a fault: the other program got $(cat second)"
    grep -q "wait: cudaErrorLaunchFailure, after: cudaErrorLaunchFailure$" first ||
        wrong "$timing, a fault: the program got $(cat first)"
    [ "$(grep -c "^heddle: error: trap instruction executed in kernel traps" log)" = 1 ] ||
        wrong "$timing, a fault: the message"
done

[ $failures = 0 ] && echo "death: ok"
exit $((failures > 0))
