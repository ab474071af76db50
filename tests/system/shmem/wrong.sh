#!/usr/bin/env bash
# wrong.sh HEDDLE PROGRAM DIRECTORY LIBRARIES - SHMEM used wrongly (setup.cu with NVSHMEM's names):
# the exit status, and the exact message of PE 0.
set -u
heddle=$1 program=$2 here=$3 libraries=$4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "wrong.sh: $*"; failures=$((failures + 1)); }

# check WHAT STATUS MESSAGE: a line of the output, as it is but for addresses.
check() {
    timeout -k 5 60 "$heddle" run -q --timing none --out out --nodes 2 -- "$program" "$1" \
        >log 2>&1
    local got=$?
    [ $got = "$2" ] || { wrong "$1: status $got, not $2"; cat log; }
    sed -E 's/0x7[0-9a-f]{11}/ADDRESS/' log | grep -qxF -- "$3" ||
        { wrong "$1: no message '$3'"; cat log; }
}
put="put of 4 bytes to PE"
check early 1 "nvshmem_my_pe: called before the initialization of SHMEM"
check twice 1 "nvshmem_init: called twice: this program is PE 0 already"
check outside 1 "heddle: error: PE 0: $put 1, remote address ADDRESS: not in the symmetric heap"
check pe 1 "heddle: error: PE 0: $put 2, remote address ADDRESS: there is no such PE"
check negative_pe 1 \
    "heddle: error: PE 0: $put 4294967295, remote address ADDRESS: there is no such PE"
check team 1 "PE 0: a call of SHMEM for team 17, which is none"
check host_team 1 "nvshmem_team_n_pes: there is no team 17"
check world 1 "nvshmem_team_destroy: team 0 is there for good"
check free 1 "__heddleShmemFree: invalid argument"
check mask 1 "nvshmem_team_split_strided: there are no contexts, so a team's configuration has none"
check mismatch 1 "heddle: error: PE 0 makes a barrier (0, 0), while others wait for it in an \
allocation (256, 128): all PEs must make the same collective calls"
check large 1 "nvshmemx_collective_launch: 100000 CTAs, of which 1600 fit on the GPU at once: CTAs \
that wait for one another would never all run"
begin=nvshmemx_init_attr:
check mpi 1 "$begin NVSHMEMX_INIT_WITH_MPI_COMM, but the program has no MPI"
check openshmem 1 "$begin NVSHMEMX_INIT_WITH_SHMEM is not supported: there is no OpenSHMEM for \
hosts under \`heddle run\`"
check threads 1 "$begin NVSHMEMX_INIT_THREAD_PES is not supported: a PE is a program"
check flags 1 "$begin unknown flags 0x40"
check number 1 "$begin NVSHMEMX_INIT_WITH_UNIQUEID without a number of nvshmemx_get_uniqueid()"
check rank 1 "$begin rank 1 of 2 with the unique number, but PE 0 of 2: all PEs begin together, in \
the order of their nodes"
check symmetric 1 "nvshmemx_buffer_register_symmetric: not supported: memory for other PEs comes \
from nvshmem_malloc()"

# without `heddle run`
LD_LIBRARY_PATH=$libraries "$program" twice >log 2>&1
[ $? = 1 ] || wrong "without heddle run: not status 1"
grep -qx "heddle: libcudart.so.[0-9]* of Heddle is loaded, but not by \`heddle run\`: .*" log ||
    { wrong "without heddle run: no message"; cat log; }
grep -qxF "__heddleShmemInit: no CUDA-capable device is detected" log ||
    { wrong "without heddle run: no message of the call"; cat log; }
[ $failures = 0 ] && echo "wrong.sh: ok"
exit $failures
