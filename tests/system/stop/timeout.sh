#!/usr/bin/env bash
# timeout.sh HEDDLE DEVICE_CODE PTX DIRECTORY - endless kernels under --timeout and
# --timeout-target: how the run ends, and what the report says of their warps.
set -u
heddle=$1 device_code=$2 ptx=$3 here=$4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "timeout.sh: $*"; cat log; failures=$((failures + 1)); }

run() { # STATUS OPTIONS ... -- PROGRAM ...
    local expected=$1
    shift
    rm -rf out
    timeout 60 "$heddle" run --out out "$@" >log 2>&1
    local status=$?
    what=$*
    [ $status = "$expected" ] || wrong "$what: status $status, not $expected"
    [ "$(tail -c 1 out/report.json 2>/dev/null)" = "}" ] || wrong "$what: no report"
}
says() { grep -q -- "$1" log || wrong "$what: does not say $1"; }

loops='  CTA (0,0,0), warp 0 could run, instruction [0-4] ([A-Z0-9]*), PTX line 3[56]$'
waits='  CTA (0,0,0), warp 1 waits at CTA barrier 0, where 1 of 2 warps have arrived, instruction'
given_up='^Interrupted: kernel [a-z]*, launch 0, after 0 of [0-9]* CTAs, .* instructions; '
limit='kernel barrier has run for longer than 5 us of target time (--timeout-target)'
polled='its loop reads the 4 bytes at 0x7e8000000000 (PTX line 22), which are 0x0$'

run 124 --timing none --timeout 0.3 -- "$device_code" "$ptx" barrier 1 64
says '^heddle: the run has taken 0.3 s (--timeout): the program is asked to stop$'
says "${given_up}2 warps of 1 CTAs were resident:$"
says "$loops"
says "$waits"
run 124 --timeout 1500ms -- "$device_code" "$ptx" polls 3000 64
says '^heddle: the run has taken 1.5 s (--timeout): the program is asked to stop$'
says "${given_up}[0-9]* warps of [0-9]* CTAs were resident, [0-9]* CTAs waited for a place:$"
says "$polled"
run 124 --timing none --timeout 0.3 --threads 2 -- \
    sh -c "trap '' TERM; exec '$device_code' '$ptx' polls"
says '^heddle: it has not stopped: the program is killed; the report follows$'
says "$polled"

# in target time, the same for any placement
for placement in "" "--sm-groups 2 --threads 2"; do
    # shellcheck disable=SC2086
    run 1 --timeout-target 5us $placement -- "$device_code" "$ptx" barrier 1 64
    says "^heddle: error: $limit$"
    says '^launch: cudaSuccess, wait: cudaErrorLaunchTimeout, after: cudaErrorLaunchTimeout$'
    says "$waits"
    grep '"cycles": [0-9]' out/report.json | sort | uniq | paste -s >>cycles
done
[ "$(sort -u cycles | wc -l)" = 1 ] || wrong "another time with two SM groups: $(cat cycles)"
run 0 --timeout 60 --timeout-target 1ms -- "$device_code" "$ptx" returns
! grep -q "Interrupted\|timeout" log || wrong "$what: a kernel that ends in time"

[ $failures = 0 ] && echo "timeout: ok"
exit $((failures > 0))
