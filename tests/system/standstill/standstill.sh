#!/usr/bin/env bash
# standstill.sh HEDDLE PROGRAM DIRECTORY TIMING - runs in which no PE can go on (PROGRAM is kernels
# or messages): the exit status and all messages; and runs that only take long.
set -u
heddle=$1 program=$2 here=$3 timing=$4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "standstill.sh: $*"; failures=$((failures + 1)); }
export HEDDLE_SHMEM_SIZE=1M
name=$(basename "$program")

# run WHAT NODES STATUS: the messages of the standstill are in the file `told`. What depends on the
# compiler or on how far a warp has come is left out: addresses, instructions, lines of PTX.
run() {
    timeout -k 2 120 "$heddle" run --timing "$timing" --nodes "$2" --set sm.count=2 --out out -- \
        "$program" "$1" >log 2>&1
    local got=$?
    [ $got = "$3" ] || { wrong "$1: status $got, not $3"; cat log; }
    grep '^heddle: error: ' log | sed -E 's/^heddle: error: //
        s/0x7e[0-9a-f]{10}/ADDRESS/g; s/, instruction [0-9]+ \([A-Z0-9]+\)//
        s/PTX line [0-9]+/PTX/g
        s/\/[^ ]*\/([a-z_]+\.[a-z]+):[0-9]+/\1/
        s/warp ([0-9]+) (could run|waits for the result of a memory operation)/warp \1 runs/' >told
}
# says WHAT: the messages are those of standard input.
says() {
    diff - told >different || { wrong "$1: other messages (expected, then got):"; cat different; }
}
first="standstill: no PE can go on, and no message is under way; the run ends"

if [ "$name" = messages ]; then
    run receive 3 124
    says receive <<END
$first
PE 0 (messages) waits in MPI_Recv() for a message of PE 1 with tag 5
PE 1 (messages) waits in MPI_Recv() for a message of PE 2 with tag 6
PE 2 (messages) waits in MPI_Recv() for a message of PE 0 with tag 7
END
    grep -q '"PE 2 (messages) waited in MPI_Recv() for a message of PE 0 with tag 7"' \
        out/report.json || wrong "receive: not in the report"
    run send 2 124
    says send <<END
$first
PE 0 (messages) waits in MPI_Ssend() for PE 1 to receive a message with tag 5
PE 1 (messages) waits in MPI_Ssend() for PE 0 to receive a message with tag 5
END
    run barrier 3 124
    says barrier <<END
$first
PE 0 (messages) waits in MPI_Probe() for a message of any PE with any tag
PE 1 (messages) waits in MPI_Barrier() for a message of PE 0
PE 2 (messages) waits in MPI_Barrier() for a message of PE 0
END
    run any 2 124
    says any <<END
$first
PE 0 (messages) waits in MPI_Waitany() for one of 2 requests
PE 1 (messages) waits in MPI_Waitany() for one of 2 requests
END
    run nap 3 0
    says nap </dev/null
else
    run signal 2 124
    word="the 8 bytes at ADDRESS (PTX), which are 0x0"
    stands="warp 1 waits at CTA barrier 0, where 1 of 2 warps have arrived, PTX, kernels.cu"
    {
        echo "$first"
        for pe in 0 1; do
            echo "PE $pe (kernels) waits in cudaDeviceSynchronize()"
            at="PE $pe, kernel wait_signal, launch 0:"
            heap="of the 128 bytes at 0x210000 of the symmetric heap of PE $pe"
            echo "$at CTA (0,0,0), warp 0 runs, PTX; its loop reads $word: byte 0 $heap"
            echo "$at 2 warps like CTA (0,0,0), $stands"
            echo "$at CTA (1,0,0), warp 0 runs, PTX; its loop reads $word: byte 8 $heap"
        done
    } | sed 's/runs, PTX;/runs;/' >expected
    sed -i -E 's/warp ([0-9]+) runs[^;]*;/warp \1 runs;/' told
    says signal <expected
    grep -q 'its loop reads .*: byte 8 of the 128 bytes at 0x210000 of the symmetric heap of PE 1' \
        out/report.json || wrong "signal: not in the report"
    run any 2 124
    grep -c "its loop reads $word: byte \(0\|16\) of the 128 bytes" told | grep -qx 4 ||
        { wrong "any: not the words of four CTAs"; cat told; }
    run barrier 4 124
    sed -i -E 's/warp ([0-9]+) runs[^;]*;/warp \1 runs;/' told
    loop="CTA (0,0,0), warp 0 runs; its loop reads the 8 bytes at ADDRESS (PTX), which are"
    sync="of a barrier or sync of team 0, to which PE 3 has not come"
    says barrier <<END
$first
PE 0 (kernels) waits in cudaDeviceSynchronize()
PE 0, kernel barrier, launch 0: $loop 0x0: round 0 $sync
PE 1 (kernels) waits in cudaDeviceSynchronize()
PE 1, kernel barrier, launch 0: $loop 0x0: round 1 $sync
PE 2 (kernels) waits in a finalization of SHMEM without PE 0, 1
PE 3 (kernels) waits in a finalization of SHMEM without PE 0, 1
END
    run host_barrier 4 124
    says host_barrier <<END
$first
PE 0 has ended
PE 1 has ended
PE 2 (kernels) waits in a barrier of SHMEM without PE 0, 1
PE 3 (kernels) waits in a barrier of SHMEM without PE 0, 1
END
    for what in slow clock; do
        run $what 3 0
        says $what </dev/null
    done
fi
[ $failures = 0 ] && echo "standstill.sh: ok"
exit $failures
