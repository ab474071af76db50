/* server_options.h - the options that `heddle run` passes to the CUDA server: GPUs, their address
 * space, the compiler, callbacks. */
#ifndef HEDDLE_CUDA_BASE_SERVER_OPTIONS_H
#define HEDDLE_CUDA_BASE_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config.h"
#include "common/error.h"
#include "cuda/base/address_space.h"
#include "mir/mir.h"
#include "sched/gpu.h"

struct shmem_pes; /* shmem/shmem_pe.h */

/* A PTX text. */
struct server_ptx {
    const char *text; /* NUL-terminated */
    size_t bytes;     /* without the NUL */
};
/* Compiles `n` PTX texts into MIR and, if there are several, links them; kernels may have no code
 * until mir_module_compile(). `name` stands for the module in messages. Called on the server's
 * thread when a module is first used. On success the caller owns *out; *diag: why it failed. */
typedef heddle_err (*server_compile_fn)(const struct config *config, struct mir_module **out,
                                        const struct server_ptx *ptx, unsigned n, const char *name,
                                        struct heddle_diag *diag);

/* A message of a node's CPU, to memory of another node. */
struct server_message {
    uint32_t source, target;
    uint64_t from, to; /* device memory there; 0: host memory, `data` and `into` */
    uint64_t bytes, at_ps;
    uint32_t number;     /* the server's */
    const uint8_t *data; /* borrowed until it has been sent */
    uint8_t *into;       /* borrowed until it has arrived */
};

/* Messages of MPI: what they cost in target time, and how they cross the network. */
struct server_mpi {
    uint64_t call_ps;       /* host time of a call of MPI; not 0 */
    uint64_t send_ps;       /* and of handing a message to the NIC */
    uint64_t receive_ps;    /* and of noticing that one has come, or has been sent */
    uint64_t eager, header; /* bytes: longest message without a request; what is around one */
    double copy_ps;         /* host time of copying a byte */
    /* NULL: messages take no time. Posts a message; takes the next event of one: `arrived`, else
     * sent. */
    heddle_err (*post)(void *user, const struct server_message *m, struct heddle_diag *diag);
    bool (*take)(void *user, uint32_t *number, bool *arrived, uint64_t *at_ps);
    void *user;
};

/* A call of a host thread that was answered. Texts are borrowed during the call; programs and
 * threads are numbered from 1, times are ps of target time. */
struct server_call {
    const char *name, *result, *program_name;
    int program;
    unsigned thread;
    uint64_t begin_ps, end_ps;
    uint64_t local; /* > 0: no name, but so many calls that the library answered in the program */
};

/* How to create a server. Its callbacks run inside calls that it serves. */
struct server_options {
    const struct config *config; /* borrowed */
    struct address_space *space; /* borrowed */
    struct gpu *gpu;             /* borrowed: device 0 */
    struct gpu *const *more;     /* borrowed: devices 1.. */
    unsigned num_more;
    unsigned nodes; /* --nodes: they share the GPUs evenly, in order; 0: not given */
    /* With nodes: the least time that anything of a CPU takes to reach a GPU or a NIC. */
    uint64_t look_ahead_ps;
    struct shmem_pes *pes; /* borrowed: PEs (object/symmetric_heap.h), which the server fills in */
    /* A PE has begun or left. */
    void (*pe_changed)(void *user, unsigned pe);
    /* True: a kernel of PE *pe has made a command that is wrong, as diag says. */
    bool (*pe_refused)(void *user, unsigned *pe, struct heddle_diag *diag);
    /* Whether no message of kernels or CPUs is under way; *sent: a number that grows with each.
     * NULL: there is no network. Text about message `i` of a PE that is under way, the oldest
     * first; false: there are no more. */
    bool (*network_rests)(void *user, uint64_t *sent);
    bool (*network_story)(void *user, unsigned pe, unsigned i, char *text, size_t size);
    /* The run is at a standstill (server/standstill.h): ends it. */
    void (*give_up)(void *user);
    void *pe_user;
    bool queues_at_host;    /* of PEs: in pinned memory */
    const char *no_service; /* the design if kernels have no network (--design), or NULL */
    /* How long the CPU takes for work, ps (node/node_work.h); UINT64_MAX: more than can be counted.
     * NULL: nobody knows. */
    uint64_t (*host_work)(void *user, uint64_t operations, uint64_t bytes, uint64_t touched);
    struct server_mpi mpi;
    server_compile_fn compile;
    /* Hears of each call, in the order of service, on the server's thread. NULL: nobody does. */
    void (*called)(void *user, const struct server_call *call);
    void *called_user;
    /* True for launches to time (NULL: all). The kernel's readable name and its name in PTX; the
     * number of the launch, from 0. Called once for each launch, on the server's thread. */
    bool (*times)(void *user, const char *title, const char *name, uint64_t launch);
    void *times_user;
    /* Sees the bytes that a program is about to get through the staging memory (payload.h), without
     * device output and results; may replace them (NULL: unused). Called on the server's thread, or
     * on the simulation's thread that performs a copy while that one waits. */
    void (*answer)(void *user, void *bytes, uint32_t count);
    void *answer_user;
    bool leaks;         /* tell what a program has not freed when it ends */
    bool strict_target; /* refuse PTX for a newer compute capability than the GPU's */
    bool quiet;         /* no notices on standard error; errors always */
};

#endif
