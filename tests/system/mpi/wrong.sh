#!/usr/bin/env bash
# wrong.sh HEDDLE PROGRAMS DIRECTORY LIBRARIES REFUSED - MPI used wrongly (wrong.c): the exit status
# and the exact message; every refused call of the list REFUSED names itself.
set -u
heddle=$1 programs=$2 here=$3 libraries=$4 refused=$5
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "wrong.sh: $*"; failures=$((failures + 1)); }

# Before the first call of MPI there is no program for `heddle run` (status 125).
# check WHAT STATUS MESSAGE: a line of the output.
check() {
    timeout -k 5 60 "$heddle" run -q --timing none --out out --nodes 2 -- "$programs/wrong" "$1" \
        >log 2>&1
    local got=$?
    [ $got = "$2" ] || { wrong "$1: status $got, not $2"; cat log; }
    grep -qxF -- "$3" log || { wrong "$1: no message '$3'"; cat log; }
}
error="heddle: error: PE 0:"
check early 125 "$error MPI_Barrier(): it is called before MPI_Init() (MPI_ERR_OTHER)"
check late 16 "$error MPI_Barrier(): it is called after MPI_Finalize() (MPI_ERR_OTHER)"
check twice 16 "$error MPI_Init(): MPI has been initialized already (MPI_ERR_OTHER)"
check spawn 52 "heddle: error: not supported: MPI_Comm_spawn() (docs/mpi.md lists what is)"
check file 0 "heddle: not supported: MPI_File_open() (docs/mpi.md lists what is)"
check truncate 15 "$error MPI_Recv(): a message of 16 bytes from rank 1 with tag 5 does not fit \
into 4 bytes (MPI_ERR_TRUNCATE)"
check rank 6 "$error MPI_Send(): rank 2 is none of the communicator, which has 2 (MPI_ERR_RANK)"
check type 3 "$error MPI_Bcast(): the datatype MPI_DATATYPE_NULL is none that is supported \
(MPI_ERR_TYPE)"
check committed 3 "$error MPI_Send(): the datatype pair is not committed (MPI_ERR_TYPE)"
check op 10 "$error MPI_Allreduce(): MPI_BAND does not take the datatype MPI_FLOAT (MPI_ERR_OP)"
check request 7 "$error MPI_Start(): the request is not persistent, or it is active \
(MPI_ERR_REQUEST)"
check abort 17 "heddle: error: PE 1: MPI_Abort() with error code 17"
error="heddle: error: PE 1:"
check dead 16 "$error MPI_Recv(): rank 0 has ended: its message cannot come (MPI_ERR_OTHER)"
check dead_any 16 "$error MPI_Recv(): all others have ended: no message can come (MPI_ERR_OTHER)"
check dead_send 16 "$error MPI_Ssend(): rank 0 has ended: it does not receive the message \
(MPI_ERR_OTHER)"

# every call that is not supported, by both of its names
timeout -k 5 60 "$heddle" run -q --timing none --out out -- "$programs/refused" "$refused" \
    >log 2>&1 || { wrong "refused: status $?"; cat log; }
while read -r name; do
    grep -qxF "heddle: not supported: $name() (docs/mpi.md lists what is)" log ||
        wrong "refused: $name has not named itself"
done <"$refused"

# without `heddle run`
LD_LIBRARY_PATH=$libraries "$programs/wrong" twice >log 2>&1
[ $? = 16 ] || wrong "without heddle run: not status 16"
grep -qxF "heddle: error: libmpi.so.40 of Heddle is loaded, but not by \`heddle run\`: start the \
program as \`heddle run --nodes N -- wrong\`" log ||
    { wrong "without heddle run: no message"; cat log; }
[ $failures = 0 ] && echo "wrong.sh: ok"
exit $failures
