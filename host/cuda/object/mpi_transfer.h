/* mpi_transfer.h - what crosses the network for MPI, in target time: messages of CPUs that the
 * server posts (server_options.mpi) and that have two ends.
 *
 * Server's thread. */
#ifndef HEDDLE_CUDA_OBJECT_MPI_TRANSFER_H
#define HEDDLE_CUDA_OBJECT_MPI_TRANSFER_H

#include "cuda/base/context.h"

enum mpi_transfer_kind {
    TRANSFER_EAGER,    /* a message with its bytes */
    TRANSFER_REQUEST,  /* a long one announces itself */
    TRANSFER_CLEAR,    /* its receive is there: the bytes may come */
    TRANSFER_BYTES,    /* they do */
    TRANSFER_RECEIVED, /* a synchronous message has been received */
    TRANSFER_PUT,      /* bytes for a window (mpi_window_access.h: `what` is an access) */
    TRANSFER_ASK,      /* what an access asks of a window, with its operands */
    TRANSFER_ANSWER,   /* what it gets */
    TRANSFER_UNLOCK,   /* the lock of a part is given back */
};

/* Something under way. `what`: its message, for whoever has posted it. */
struct mpi_transfer {
    enum mpi_transfer_kind kind;
    void *what;
    uint32_t source, target; /* nodes */
    uint64_t from, to;       /* device memory; 0: host memory, which `data` and `into` are */
    uint64_t bytes;
    const uint8_t *data; /* bytes, which stay until the source has sent them; NULL: none matter */
    uint8_t *into;       /* owned, until it arrives */
    unsigned events;     /* that have come */
};

/* Whether messages take time: several nodes and timing. */
bool mpi_transfers_timed(const struct server *s);
/* Posts a transfer, which is copied, at a target time. A failure is the simulator's: it is
 * reported, and nothing comes of the transfer. */
void mpi_transfers_post(struct server *s, const struct mpi_transfer *t, uint64_t at_ps);
/* The next end of a transfer: *t, whether it is the arrival, and when. *last: its other end has
 * come before. @return false: there is none yet. */
bool mpi_transfers_take(struct server *s, struct mpi_transfer *t, bool *arrived, bool *last,
                        uint64_t *at_ps);
/* Whether any are under way. */
bool mpi_transfers_any(const struct server *s);
void mpi_transfers_drop(struct server *s); /* frees everything, at the end of the server */

#endif
