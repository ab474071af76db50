/* mpi_window_access.h - accesses of a PE to parts of windows: puts, gets, updates, locks.
 *
 * With timing off they take effect when their calls are served. With timing on they cross the
 * network (mpi_transfer.h): a put goes on its own, and a flush waits for all; everything else asks
 * the target's NIC and waits for its answer. Updates of a part take effect one after the other, in
 * the order in which they arrive; locks are given in that order. A PE's accesses to its own part
 * take no time. Server's thread. */
#ifndef HEDDLE_CUDA_OBJECT_MPI_WINDOW_ACCESS_H
#define HEDDLE_CUDA_OBJECT_MPI_WINDOW_ACCESS_H

#include "cuda/object/mpi_remote.h"
#include "cuda/object/mpi_transfer.h"

enum mpi_access_kind { ACCESS_PUT, ACCESS_GET, ACCESS_UPDATE, ACCESS_LOCK };

struct mpi_access {
    enum mpi_access_kind kind;
    uint64_t window, target, offset;
    uint64_t bytes;                   /* of the target's memory */
    uint64_t operation, basic, count; /* of an update; operation of a lock: 1: exclusive */
    uint8_t *data; /* owned: what a put writes, or the operands; at the end what a get or an update
                    * returns */
    uint64_t data_bytes;
};

/* Makes an access of the calling PE, which takes *a over, with its data, at the first time; a call
 * that was suspended makes it again, with the same *a but for its data. @return WIRE_MPI_PENDING:
 * suspend the call; otherwise its end, and *out has the bytes that it returns, which the caller
 * frees (NULL: none). */
enum wire_mpi_state mpi_access_make(struct call *call, const struct mpi_access *a, uint8_t **out);
/* @return WIRE_MPI_PENDING: puts of the calling PE are under way. */
enum wire_mpi_state mpi_access_flush(struct call *call, uint64_t window);
enum wire_mpi_state mpi_access_unlock(struct call *call, uint64_t window, uint64_t target);
/* An end of a transfer for a window. */
void mpi_access_hear(struct server *s, const struct mpi_transfer *t, bool arrived, bool last,
                     uint64_t at_ps);
void mpi_accesses_drop(struct server *s); /* frees everything, at the end of the server */

#endif
