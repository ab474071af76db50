/* mpi_world.h - messages between PEs: what is sent, what is received, and which belong together.
 *
 * libmpi (host/mpi) makes all of MPI of four things: a send, a receive, the end of either, and a
 * look for a message. A message belongs to the oldest receive of its target that names its context,
 * and its source and tag or any; a receive gets the oldest such message. Messages of one source
 * come in the order in which they were sent.
 *
 * A PE takes part from mpi_world_begin() to mpi_world_leave(). Sends and receives are numbered from
 * 1 for each PE. Bytes in the program's own memory travel with the call that sends them and with
 * the one that asks for the end of the receive; bytes in device memory are read and written where
 * they lie.
 *
 * With timing off a message is there when it is sent: a receive ends when both it and its message
 * are there, a synchronous send when its message is received. With timing on messages cross the
 * network (mpi_transfer.h), as Open MPI's do:
 *
 *   short, from host memory   the sender copies it to a buffer, and its send has ended; it arrives
 *                             in a buffer of the target, and is copied when its receive is there
 *   all others                a request goes to the target, its answer comes back when the receive
 *                             is there, then the bytes go from memory to memory
 *
 * A request is answered while the target computes, as a NIC that matches messages does. A PE's
 * messages to itself are copies. Server's thread. */
#ifndef HEDDLE_CUDA_OBJECT_MPI_WORLD_H
#define HEDDLE_CUDA_OBJECT_MPI_WORLD_H

#include "cuda/base/context.h"
#include "cuda/protocol/wire_mpi.h"

/* What a receive accepts, or a message says. */
struct mpi_envelope {
    uint64_t peer;    /* the other PE; WIRE_MPI_ANY: any source */
    uint64_t context; /* of the communicator: messages of different ones never meet */
    uint64_t tag;     /* WIRE_MPI_ANY: any */
};

/* A send or a receive that a program can ask about. */
struct mpi_request {
    struct mpi_envelope asked;
    bool is_receive;
    enum wire_mpi_state state;
    uint64_t at_ps;               /* when it ends; before that is known, when it was posted */
    uint64_t address, room;       /* receive: of device memory, or 0; bytes there */
    uint8_t *data;                /* receive: the message's bytes, owned, until they are taken */
    struct mpi_envelope envelope; /* receive: of its message */
    uint64_t bytes;               /* of it; those that did not find room included */
    struct mpi_message *message;  /* no receive yet: a message that was taken for one */
};

/* The calling program takes part, as PE *rank of *size. @return AlreadyMapped: another program of
 * its node does. */
int mpi_world_begin(struct call *call, uint64_t *rank, uint64_t *size);
/* A program has ended, or takes part no longer: what waits for it ends with WIRE_MPI_ENDED, unless
 * it was killed. */
void mpi_world_leave(struct server *s, const struct program *p);
void mpi_world_drop(struct server *s); /* frees everything, at the end of the server */

/* Takes `data`, the bytes of a message (device address 0), or reads them from device memory, and
 * sends them at the thread's clock, which moves by what that takes. *number: of the request that
 * ends as `mode` says; 0: it has ended. @return cudaError_t; InvalidValue: no such PE. */
int mpi_world_send(struct call *call, const struct mpi_envelope *to, enum wire_mpi_mode mode,
                   uint64_t address, uint64_t bytes, uint8_t *data, uint64_t *number);
/* Posts a receive; *number: its request. `taken`: of a message that mpi_world_look() has taken. */
int mpi_world_receive(struct call *call, const struct mpi_envelope *from, uint64_t address,
                      uint64_t bytes, uint64_t taken, uint64_t *number);
/* The oldest message that is there for such a receive: *out and *bytes. `flags`: of wire_mpi.h.
 * WIRE_MPI_TAKE: no other receive gets it, and *number names it. @return WIRE_MPI_PENDING: there is
 * none yet. */
enum wire_mpi_state mpi_world_look(struct call *call, const struct mpi_envelope *from,
                                   unsigned flags, struct mpi_envelope *out, uint64_t *bytes,
                                   uint64_t *number);
/* The calling PE's request of that number, or NULL; and its end. */
struct mpi_request *mpi_world_request(const struct call *call, uint64_t number);
/* The same of another program's PE. */
const struct mpi_request *mpi_world_asked(const struct server *s, const struct program *p,
                                          uint64_t number);
void mpi_world_forget(struct call *call, uint64_t number);
/* Whether the request has ended, for a call that waits for it, or by the thread's clock. */
bool mpi_world_has_ended(const struct call *call, const struct mpi_request *r, bool waits);
/* With timing on: acts on what has happened in the network. @return whether anything has. */
bool mpi_world_hear(struct server *s);
/* Withdraws a receive that has no message yet. @return false: it is too late. */
bool mpi_world_cancel(struct call *call, uint64_t number);

/* What a suspended call of MPI waits for, in words that follow "waits" (mpi_story.c). */
void mpi_story(const struct server *s, const struct program *p, const struct wire_request *r,
               char *text, size_t size);

#endif
