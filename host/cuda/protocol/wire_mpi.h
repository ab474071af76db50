/* wire_mpi.h - numbers of the messages between PEs that libmpi (host/mpi) and the server share. */
#ifndef HEDDLE_CUDA_PROTOCOL_WIRE_MPI_H
#define HEDDLE_CUDA_PROTOCOL_WIRE_MPI_H

#define WIRE_MPI_ANY UINT64_C(0xffffffffffffffff) /* source or tag of a receive: any */
#define WIRE_MPI_NONE WIRE_MPI_ANY                /* index: no request has ended */

/* What has become of a send, a receive or a look for a message. */
enum wire_mpi_state {
    WIRE_MPI_PENDING,
    WIRE_MPI_DONE,
    WIRE_MPI_TRUNCATED, /* the message was longer than the receive's memory, which is full */
    WIRE_MPI_ENDED,     /* the PE that it needs has ended */
    WIRE_MPI_CANCELLED,
    WIRE_MPI_RANGE, /* the memory is not in the window */
    WIRE_MPI_WRONG, /* unlock without a lock, or a lock that the PE has already */
};

/* Operations at a window beside those of mpi_reduce.h: compare with the first value, and replace by
 * the second one if they are equal. */
enum { WIRE_MPI_COMPARE_AND_SWAP = 0x100 };

/* How a send ends: when its bytes may be written again, when it is received, at once. */
enum wire_mpi_mode { WIRE_MPI_STANDARD, WIRE_MPI_SYNCHRONOUS, WIRE_MPI_BUFFERED };

/* Flags of a look for a message (__heddleMpiProbe). */
enum {
    WIRE_MPI_WAIT = 1,
    WIRE_MPI_TAKE = 2 /* the message is kept for one receive that names it */
};

#endif
