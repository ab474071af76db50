/* mpi_remote.h - windows of MPI: memory of one PE that others read and write without its help.
 *
 * A window is named by the context of its communicator. Each PE has a part of it: device memory,
 * memory that the server shares with the program, or other memory of the program, which its helper
 * thread reads and writes. A lock of a part is exclusive or shared. mpi_window_access.h has the
 * accesses. Server's thread. */
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

/* Whether PE `pe` has a part with the range: WIRE_MPI_DONE, RANGE, or ENDED. *device: its address
 * there, if it is device memory, else 0. */
enum wire_mpi_state mpi_remote_check(const struct server *s, uint64_t window, uint64_t pe,
                                     uint64_t offset, uint64_t bytes, uint64_t *device);
/* Reads or writes a part. @return as mpi_remote_check(). */
enum wire_mpi_state mpi_remote_read(struct server *s, uint64_t window, uint64_t pe, uint64_t offset,
                                    void *out, uint64_t bytes);
enum wire_mpi_state mpi_remote_write(struct server *s, uint64_t window, uint64_t pe,
                                     uint64_t offset, const void *in, uint64_t bytes);
/* Whether there is such an update. `operation`: an enum mpi_op_kind, or WIRE_MPI_COMPARE_AND_SWAP,
 * which takes one value. */
bool mpi_remote_takes(uint64_t operation, uint64_t basic, uint64_t count);
/* The new values of an update that there is, in place of the old ones. */
void mpi_remote_combine(uint64_t operation, uint64_t basic, const uint8_t *operand, uint8_t *values,
                        uint64_t count);
/* PE `by` takes or gives back the lock of a part. @return WIRE_MPI_PENDING: another has it; WRONG:
 * it has it already, or has not. */
enum wire_mpi_state mpi_remote_lock(struct server *s, uint64_t window, uint64_t pe, uint64_t by,
                                    bool exclusive);
enum wire_mpi_state mpi_remote_unlock(struct server *s, uint64_t window, uint64_t pe, uint64_t by);
bool mpi_remote_holds(const struct server *s, uint64_t window, uint64_t pe, uint64_t by);

#endif
