/* wire.h - the messages between the program under test (the shim) and the server.
 *
 * Each thread of the program has one connection: a SOCK_SEQPACKET UNIX socket, so that a message is
 * read whole or not at all, and a staging memory of WIRE_STAGING_BYTES that both sides map. The
 * shim sends a request and then answers the server's messages until a reply says WIRE_DONE:
 *
 *   shim                              server
 *   WIRE_CALL (arguments) ----------->
 *                        <----------- WIRE_PULL (offset, bytes)   fill the staging memory
 *   WIRE_READY ---------------------->
 *                        <----------- WIRE_PUSH (offset, bytes)   take it from there
 *   WIRE_READY ---------------------->
 *                        <----------- WIRE_PRINT (bytes)          write device output
 *   WIRE_READY ---------------------->
 *                        <----------- WIRE_DONE (error, results, perhaps a last push)
 *
 * A call's payload (bytes to copy, a name, a fat binary) has offsets from 0. A small one, of at
 * most WIRE_INLINE_BYTES, is in the staging memory when the request arrives (`inline_bytes`) and
 * costs no extra round trip. Both ends check WIRE_MAGIC, which includes the hash of the call table.
 */
#ifndef HEDDLE_CUDA_PROTOCOL_WIRE_H
#define HEDDLE_CUDA_PROTOCOL_WIRE_H

#include <stdint.h>

#include "cuda_call_ids.h"

#define WIRE_MAGIC (CUDA_CALL_TABLE_HASH ^ 0x686564646c650003ull)
/* NAME,SECRET: the abstract socket, without the leading NUL, and what a hello must know. All users
 * of the machine can read the name (/proc/net/unix), and none but the run's own its environment. */
#define WIRE_ENVIRONMENT "HEDDLE_SOCKET"
enum { WIRE_SECRET_BYTES = 33 }; /* hexadecimal digits and a NUL */
/* Of each program of a run of several nodes: the number of its PE, from 0, and how many there
 * are. */
#define WIRE_PE_ENVIRONMENT "HEDDLE_PE"
#define WIRE_NODES_ENVIRONMENT "HEDDLE_NODES"
#define WIRE_DESIGN_ENVIRONMENT "HEDDLE_DESIGN" /* --design */
#define WIRE_NO_PE UINT32_MAX /* in a hello: the environment has none, or no number */

enum {
    WIRE_WHY_BYTES = 1023, /* of a message that explains a failure */
    WIRE_STAGING_BYTES = 1 << 20,
    WIRE_INLINE_BYTES = 64 << 10, /* a larger payload travels only when the server asks for it,
                                   * after it has checked that its size is plausible */
    WIRE_MAX_ARGS = 12,
    WIRE_MAX_RESULTS = 6,
    WIRE_NAME_BYTES = 64,
    WIRE_PER_THREAD = 1,   /* flag of a request: stream 0 is the thread's own default stream */
    WIRE_LOCAL_CALLS = 32, /* local calls that a request can name */
    /* Wall time for which either end polls for the next message before it sleeps: a sleep and a
     * wake-up cost more than most calls. */
    WIRE_SPIN_US = 80,
};

/* Who sends the message, and its meaning. */
enum wire_kind {
    WIRE_HELLO = 1, /* shim: first message of a connection (struct wire_hello) */
    WIRE_CALL,      /* shim: a CUDA call */
    WIRE_READY,     /* shim: the staging memory has been filled or taken */
    /* shim: asks for the parameter layout of function arg[0], which the server pushes; results:
     * count, bytes */
    WIRE_PARAMETERS,
    WIRE_GOODBYE, /* shim: the program ends in the ordinary way; answered by WIRE_DONE */
    /* shim: this connection's thread runs host functions; answered by WIRE_DONE, then WIRE_RUNs,
     * WIRE_PULL_ATs and WIRE_PUSH_ATs */
    WIRE_HELPER,
    WIRE_WELCOME, /* server: answer to WIRE_HELLO, with file descriptors */
    WIRE_PULL,    /* server: fill the staging memory from `offset` of the payload */
    WIRE_PUSH,    /* server: take bytes from the staging memory to `offset` of the results */
    WIRE_PULL_AT, /* the same two, but the offset is an address of the program */
    WIRE_PUSH_AT,
    /* server to a helper: run a host function (struct wire_reply: error the status, offset the
     * function, bytes its argument, result[0] 1: a stream callback, result[1] the stream's handle);
     * answered by WIRE_READY */
    WIRE_RUN,
    WIRE_DONE, /* server: the call has ended */
    /* server: `bytes` of the staging memory are device output; offset 1: for standard error, 0: for
     * standard output */
    WIRE_PRINT,
    /* shim: only local calls; answered by WIRE_DONE. Sent when a request cannot name them all and
     * the welcome says that they are traced */
    WIRE_LOCALS,
    /* shim: the program has touched managed memory; the payload, sent inline, is a list of struct
     * wire_touched; answered by WIRE_DONE */
    WIRE_TOUCHED,
    WIRE_REFUSED, /* server: the connection is not accepted; `text` of the welcome says why */
};

/* The program introduces a thread. */
struct wire_hello {
    uint32_t kind;
    uint32_t cudart_version; /* 11, 12, 13 */
    uint64_t magic;
    uint64_t token; /* the same for all threads of one program image */
    uint32_t pid, tid;
    uint32_t pe; /* WIRE_PE_ENVIRONMENT, or WIRE_NO_PE; runs without nodes ignore it */
    uint32_t pad;
    char program[WIRE_NAME_BYTES]; /* last part of its path */
    char secret[WIRE_SECRET_BYTES];
};

/* File descriptors that travel with the welcome, in this order. */
enum { WIRE_FD_STAGING, WIRE_FD_PINNED, WIRE_FD_MANAGED, WIRE_FD_CONTROL, WIRE_NUM_FDS };

/* The server's answer to a hello. */
struct wire_welcome {
    uint32_t kind;
    uint32_t traced; /* 1: requests name all local calls, for the trace */
    uint64_t magic;
    uint64_t device_base, device_bytes; /* all devices; reserved in the program without access */
    /* The same, but allocations are mapped from WIRE_FD_PINNED and WIRE_FD_MANAGED. */
    uint64_t pinned_base, pinned_bytes;
    uint64_t managed_base, managed_bytes;
    uint64_t tracks; /* 1: the shim is to tell which managed memory the program touches */
    char text[256];  /* WIRE_REFUSED: why */
};

/* Blocks of 64 KiB of managed memory that the program has touched. */
struct wire_touched {
    uint64_t first, mask; /* the first of 64, a multiple of that; which of them */
};

/* A message of the shim, with the calls that it answered in the program since the last one. */
struct wire_request {
    uint32_t kind;
    uint32_t call;         /* enum cuda_call_id */
    uint32_t local_calls;  /* number of those calls: each costs host time */
    uint32_t inline_bytes; /* of the payload, already in the staging memory: all or none */
    uint32_t flags;        /* WIRE_PER_THREAD */
    uint32_t part_calls;   /* of the local calls: parts of a launch, which cost no host time */
    uint16_t local_call[WIRE_LOCAL_CALLS]; /* the first of them, in order */
    uint64_t payload_bytes;                /* all of it */
    uint64_t arg[WIRE_MAX_ARGS];
};

/* A message of the server. */
struct wire_reply {
    uint32_t kind;
    int32_t error;          /* cudaError_t, with WIRE_DONE */
    uint64_t offset, bytes; /* PULL, PUSH; with DONE and bytes > 0: a last push */
    uint64_t result[WIRE_MAX_RESULTS];
};

/* Shared by all threads of a process and the server (WIRE_FD_CONTROL). The program's threads add to
 * the counts atomically, and the counts survive its death; the server writes `sticky`. libmpi
 * writes the name of the call that it makes, for messages. */
enum { WIRE_MPI_CALL_BYTES = 40 };
struct wire_control {
    uint64_t count[CUDA_NUM_CALLS]; /* calls made, by number */
    int32_t sticky;                 /* the context's sticky error, or 0 */
    char mpi_call[WIRE_MPI_CALL_BYTES];
};

#endif
