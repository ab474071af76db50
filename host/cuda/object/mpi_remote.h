/* mpi_remote.h - windows of MPI: memory of one PE that others read and write without its help.
 *
 * A window is named by the context of its communicator. Each PE has a part of it: device memory,
 * memory that the server shares with the program, or other memory of the program, which its helper
 * thread reads and writes. Reads, writes and updates take effect one after the other, in the order
 * in which calls are served. A lock of a part is exclusive or shared. Server's thread. */
#ifndef HEDDLE_CUDA_OBJECT_MPI_REMOTE_H
#define HEDDLE_CUDA_OBJECT_MPI_REMOTE_H

#include "cuda/base/context.h"
#include "cuda/protocol/mpi_reduce.h"
#include "cuda/protocol/wire_mpi.h"

/* The calling program's part of a window, and its end. */
int mpi_remote_open(struct call *call, uint64_t window, uint64_t base, uint64_t bytes);
void mpi_remote_close(struct call *call, uint64_t window);
/* A program has ended: its parts and locks end. */
void mpi_remote_leave(struct server *s, const struct program *p);
void mpi_remote_drop(struct server *s); /* frees everything, at the end of the server */

/* Reads or writes a part, at most as far as it goes. @return WIRE_MPI_DONE, RANGE, or ENDED. */
enum wire_mpi_state mpi_remote_read(struct call *call, uint64_t window, uint64_t target,
                                    uint64_t offset, void *out, uint64_t bytes);
enum wire_mpi_state mpi_remote_write(struct call *call, uint64_t window, uint64_t target,
                                     uint64_t offset, const void *in, uint64_t bytes);
/* Takes or gives back a lock. @return WIRE_MPI_PENDING: it is another's. */
enum wire_mpi_state mpi_remote_lock(struct call *call, uint64_t window, uint64_t target,
                                    bool exclusive);
enum wire_mpi_state mpi_remote_unlock(struct call *call, uint64_t window, uint64_t target);

#endif
