/* mpi_link.h - the messages to the simulator: one for each function (tables/cuda_calls.def).
 *
 * All return false when the simulator has gone or refuses: then a line on standard error says why.
 * Each carries the MPI calls counted since the last one. Calling thread's connection. */
#ifndef HEDDLE_MPI_MPI_LINK_H
#define HEDDLE_MPI_MPI_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/protocol/wire_mpi.h"

/* Connects the process; and ends its part. */
bool mpi_link_begin(int *rank, int *size);
void mpi_link_end(void);
/* The program has made a call of MPI that takes host time; `call`: its __func__. */
void mpi_link_count(const char *call);
/* One that takes none: the name alone, for messages of the simulator. */
void mpi_link_name(const char *call);

/* What a message says, or a receive accepts: numbers of PEs, WIRE_MPI_ANY. */
struct mpi_link_envelope {
    uint64_t peer, context, tag;
};

/* Whether the address is the device's: the simulator reaches it, and the program does not. */
bool mpi_link_is_device(const void *address);
/* *request: 0: the send has ended. */
bool mpi_link_send(const struct mpi_link_envelope *to, enum wire_mpi_mode mode, const void *data,
                   size_t bytes, uint64_t *request);
/* `data`: device memory, or anything else. `message`: one that mpi_link_probe() has taken, or 0. */
bool mpi_link_receive(const struct mpi_link_envelope *from, void *data, size_t bytes,
                      uint64_t message, uint64_t *request);
/* The end of a request; the bytes go to `data`, `room` bytes of host memory. */
struct mpi_link_end {
    enum wire_mpi_state state;
    uint64_t source, tag, bytes;
};
bool mpi_link_finish(uint64_t request, bool wait, void *data, size_t room,
                     struct mpi_link_end *end);
/* *index: of a request that has ended, or WIRE_MPI_NONE. `wait`: there is one. */
bool mpi_link_wait_any(const uint64_t *request, size_t count, bool wait, uint64_t *index);
bool mpi_link_probe(const struct mpi_link_envelope *from, unsigned flags, struct mpi_link_end *end,
                    uint64_t *message);
bool mpi_link_cancel(uint64_t request, bool *cancelled);
/* ---- windows (object/mpi_remote.h), each of this process's part or that of a PE; *state: an enum
 * wire_mpi_state */

/* Opens this process's part. Memory that is not the device's is reached by the helper thread. */
bool mpi_link_window(uint64_t window, void *base, size_t bytes);
bool mpi_link_window_end(uint64_t window);
bool mpi_link_put(uint64_t window, int pe, uint64_t offset, const void *data, size_t bytes,
                  uint64_t *state);
bool mpi_link_get(uint64_t window, int pe, uint64_t offset, void *data, size_t bytes,
                  uint64_t *state);
/* `operation`: enum mpi_op_kind, or WIRE_MPI_COMPARE_AND_SWAP, with two operands for a value. */
bool mpi_link_update(uint64_t window, int pe, uint64_t offset, uint64_t operation, int basic,
                     size_t count, const void *operands, void *old, uint64_t *state);
bool mpi_link_flush(uint64_t window, uint64_t *state);
bool mpi_link_lock(uint64_t window, int pe, bool exclusive, uint64_t *state);
bool mpi_link_unlock(uint64_t window, int pe, uint64_t *state);

/* Target time in ps. */
bool mpi_link_clock(uint64_t *ps);

/* Copies rows between any memory: from or to the device's as cudaMemcpy2D() does. */
bool mpi_link_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height);

#endif
