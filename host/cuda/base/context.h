/* context.h - the state of the CUDA server: the server itself, the programs and host threads that
 * make calls, and the call being served. Plain data. Objects (streams, modules, graphs ...) hang
 * from a program and are defined in headers of their own.
 *
 * Threads: the server's thread alone handles calls. While a call of it waits for a GPU, a worker
 * thread of the simulation may perform operations (stream_op.h), one at a time; the server's thread
 * touches nothing here meanwhile. So no field has a lock. Each host thread of a program is a
 * connection. */
#ifndef HEDDLE_CUDA_BASE_CONTEXT_H
#define HEDDLE_CUDA_BASE_CONTEXT_H

#include <glib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/protocol/cuda_error.h"
#include "cuda/base/findings.h"
#include "cuda/base/server_options.h"
#include "cuda/protocol/wire.h"
#include "exec/texture/texture.h"

struct capture;
struct copy;
struct graphs;
struct host_function;
struct mpi_accesses;
struct mpi_remote;
struct mpi_transfers;
struct mpi_world;
struct shared_event;
struct shmem;
struct standstill;
struct stream;
struct stream_op;
struct trace;
struct value_wait;

/* Bytes of a device that graphs have allocated now (used), and these plus the bytes that they keep
 * for the next launch (kept), each with its high-water mark; see graph_memory_usage.h. */
struct graph_memory_counts {
    uint64_t used, used_high, kept, kept_high;
};

enum { PROGRAM_MAX_DEVICES = 16 }; /* GPUs of a node: what a program sees, numbered from 0 */

/* Per-device settings of a program. */
struct program_device {
    gpu_ticket last_legacy; /* newest operation of the legacy stream */
    uint32_t flags;         /* cudaSetDeviceFlags: kept only */
    uint32_t cache_config;  /* cudaDeviceSetCacheConfig: preference of launches */
    uint32_t peers;         /* devices whose memory it may use: a bit each */
    uint64_t pool;          /* current memory pool, 0: the default one */
    struct graph_memory_counts graph_memory;
    uint64_t limit[8]; /* by cudaLimit, where limit_set */
    bool limit_set[8];
};

/* A program image: what CUDA calls the primary context. program_lifetime.h creates and frees it
 * with its lists. Only the header named beside a list may change it. */
struct program {
    struct program *next;
    struct address_space *space; /* where its memory lies; NULL: collected (program_memory.h) */
    uint64_t token;              /* wire_hello.token: the same for all its threads */
    int pid, number;             /* number: 1 for the first of the run */
    char name[WIRE_NAME_BYTES];
    uint32_t cudart_version; /* 11, 12 or 13 */
    unsigned
        newer_code; /* compute capability (80 for 8.0) of PTX for newer GPUs, the least; or 0 */
    unsigned threads_now, threads_ever; /* connections; `ever` without the helper's */
    unsigned threads_numbered;          /* several nodes: threads that have made a call */
    bool goodbye, gone;                 /* it ended in the ordinary way; its last thread has gone */
    bool cancelled;                     /* it died: what it has on the GPUs is cancelled */
    unsigned life;    /* grows when all is lost that it has issued: after a fault, at its death */
    uint64_t dropped; /* launches that were cancelled */
    uint64_t now_ps;  /* latest target time of its threads */
    int sticky;       /* error that every call returns, or 0 */
    struct wire_control *control; /* counts, shared with a program that lives; NULL without space */
    int control_fd;
    unsigned node;         /* with --nodes: its PE; else 0 */
    unsigned first_device; /* the GPU of the server that is its device 0 */
    struct program_device device[PROGRAM_MAX_DEVICES];
    GPtrArray *modules, *functions, *symbols; /* module.h, by id - 1 */
    GPtrArray *streams, *events;              /* stream.h, event.h, by handle_index() */
    GPtrArray *arrays;                        /* array.h; NULL: a free place */
    GPtrArray *textures;                      /* texture_object.h; NULL: a free place */
    GArray *pools;                            /* pool.h, the devices' default ones first */
    GArray *imported;           /* uint64_t addresses of opened memory of other programs (ipc.h) */
    struct capture *captures;   /* in progress (capture.h) */
    struct graphs *graphs;      /* graph.h, created on first use */
    struct host_thread *helper; /* runs its host functions, or NULL */
    struct host_thread *next_turn; /* the thread that is served in the server's round `turn` */
    uint64_t turn;
    struct host_function *host_due; /* not yet run, in order of issue (host_function.h) */
};

/* A message of a program, as it comes. */
union session_message {
    struct wire_hello hello;
    struct wire_request request;
    uint32_t kind;
};

struct call;

/* What the order of service knows of a thread; times of the wall in seconds. */
struct order_thread {
    double asleep_since; /* it sleeps outside of calls since; 0: it does not */
    uint64_t runs;       /* how often it had run by then */
    bool away;           /* it sleeps, and the others do not wait for it */
    bool numbered;       /* host_thread.number is final */
    bool rests;          /* a helper that does only what the server asks for */
};

/* What a call that is suspended in the middle has issued: its retry only waits for that. */
struct issued {
    bool any;
    struct gpu *gpu;
    gpu_ticket ticket;
    struct copy
        *copy;   /* which moves bytes of the waiting program; NULL: it has ended, or another */
    bool failed; /* the program did not answer it */
};

/* A host thread of a program: one connection. */
struct host_thread {
    struct host_thread *next;
    struct program *program; /* NULL before its hello */
    int socket, staging_fd;
    unsigned number;               /* 1 for the program's first */
    uint64_t turn;                 /* the server's round in which it was last served */
    int peer_pid;                  /* from the kernel */
    int tid;                       /* as its hello says */
    uint8_t *staging;              /* WIRE_STAGING_BYTES, shared with the program */
    uint64_t now_ps;               /* its clock in target time */
    bool dead;                     /* the connection broke */
    union session_message message; /* received and not yet served */
    uint32_t message_bytes;        /* of it; 0: there is none */
    bool is_suspended;             /* its call is suspended, to be retried (value_wait.h) */
    struct wire_request suspended; /* then: the call */
    struct call *call;             /* the call, while it is served or suspended; owned */
    struct issued issued;          /* by a suspended call */
    struct order_thread order;     /* where several nodes run (pe_order.h) */
    uint64_t begin_ps;             /* target time at which its call began */
    unsigned device;               /* cudaSetDevice: the current device */
    int capture_mode;              /* cudaThreadExchangeStreamCaptureMode */
    struct stream *own[PROGRAM_MAX_DEVICES]; /* per-thread default streams, created on first use */
};

/* A row of tables/cuda_calls.def. */
struct call_row {
    const char *name;
    int (*handler)(struct call *call); /* NULL: answered in the program */
    /* 1: the call reaches the GPU's scheduler; the SM groups; waits for work of the GPU; is refused
     * with cudaErrorNotSupported. */
    uint8_t scheduler, sm, waits, refused;
    bool costs;       /* it costs cpu.api_cost; the handlers of the others charge what they cost */
    const char *wire; /* its arguments and results, as in the table */
};

/* A call being served. */
struct call {
    struct server *server;
    struct host_thread *thread;
    struct program *program;
    const struct call_row *row;
    uint64_t in[WIRE_MAX_ARGS], out[WIRE_MAX_RESULTS];
    uint64_t payload_bytes; /* payload.h */
    uint32_t inline_bytes;  /* of the payload, still in the staging memory */
    bool repeatable;        /* the handler only waits: it may be suspended and retried */
    bool leaving;           /* the program is leaving: it does not wait for values in memory */
    bool per_thread;        /* made through a _ptsz or _ptds name: stream 0 is the thread's own */
    uint64_t push_offset, push_bytes; /* a last push that travels with the reply */
    bool pushes_why;                  /* the last push goes with an error, too */
};

enum { CALL_SUSPENDED = -1 }; /* in place of a cudaError_t: retry the call later */

/* The server: one for each `heddle run`. */
struct server {
    struct server_options o;
    struct trace *trace;         /* or NULL */
    char address[128];           /* name of its abstract socket, ',' and the secret */
    const char *secret;          /* in `address`: WIRE_SECRET_BYTES */
    int listener;                /* that socket */
    int reserve;                 /* a descriptor for when no other is free; -1: none */
    bool refused;                /* a program could not be connected; reported */
    struct program *programs;    /* all of the run, in order of their first connection */
    struct host_thread *threads; /* all connections, the newest first */
    /* Held to change that list, and by server_signal(), which another thread calls. */
    pthread_mutex_t threads_lock;
    struct host_thread *serving; /* whose call is being carried out, or NULL */
    struct call *now_serving;    /* the call of `serving` */
    uint64_t dropped, ended_abruptly, num_programs, end_ps; /* as in struct server_summary */
    uint64_t ended_calls[CUDA_NUM_CALLS]; /* counts of programs that have no `control` any more */
    struct stream_op *ops;                /* issued and not yet performed (stream_op.h) */
    pthread_mutex_t performing;           /* held while one of them is performed */
    struct value_wait *value_waits;       /* of streams, the newest first (value_wait.h) */
    bool in_order; /* several nodes: calls are served in the order of target time (pe_order.h) */
    uint64_t ended_at_retry; /* then: gpu_num_ended() of all GPUs when waits were last retried */
    bool looks;              /* then: calls that wait only look whether their wait has ended */
    struct standstill *standstill; /* then: the watch for one (standstill.h) */
    bool stands_still;             /* without timing: it has found that the run is at one */
    uint64_t turns_for_nothing;    /* without timing: of kernels, while a served call waits */
    double quiet_since;            /* wall time of the last progress, 0: just now */
    bool quiet_reported;           /* the notice about a long silence has been written */
    unsigned stalls;               /* programs that did not answer while others waited */
    uint64_t round;                /* how often connections were served (server.c) */
    uint64_t newcomers_at;         /* us: when a newcomer is served again (server.c) */
    uint64_t pause_at; /* us: when a waiting call yields to others; UINT64_MAX: not asked yet */
    uint64_t launches; /* kernels issued */
    GHashTable *code;  /* of modules, that programs share (shared_code.h) */
    struct shared_event *shared_events;           /* interprocess events (event.h) */
    uint64_t num_shared;                          /* created so far */
    uint64_t launched[ADDRESS_SPACE_MAX_DEVICES]; /* by device: kernels issued */
    uint64_t captures;                            /* begun so far */
    struct shmem *shmem;                          /* PEs (symmetric_heap.h), created on first use */
    struct mpi_remote *remote;       /* windows of MPI (mpi_remote.h), created on first use */
    struct mpi_accesses *accesses;   /* to them (mpi_window_access.h), likewise */
    struct mpi_transfers *transfers; /* of MPI in target time (mpi_transfer.h), likewise */
    struct mpi_world *mpi;           /* messages between PEs (mpi_world.h), created on first use */
    bool met; /* calls that wait may end now: of a collective call, for a message */
    struct texture_table textures;         /* of all programs; the GPUs' memory points to it */
    bool fault_reported, managed_reported; /* the message has been written */
    bool simulator_failed;                 /* server_summary says what */
    GPtrArray *interruptions;              /* struct gpu_interruption, owned, for the report */
    GPtrArray *waits;                      /* texts, owned, for the report (server_waits()) */
    struct findings findings;              /* of all kernels (findings.h) */
    char notes[8][200];                    /* notices for the report (server_notice()) */
    unsigned num_notes;
};

/* ---- devices */

static inline unsigned server_devices(const struct server *s) {
    return 1 + s->o.num_more;
}
static inline struct gpu *server_gpu(const struct server *s, unsigned device) {
    return device == 0 ? s->o.gpu : s->o.more[device - 1];
}
/* gpu_num_ended() of all. */
static inline uint64_t server_num_ended(const struct server *s) {
    uint64_t ended = 0;
    for (unsigned i = 0; i < server_devices(s); i++) ended += gpu_num_ended(server_gpu(s, i));
    return ended;
}
/* The GPUs of a node, which are all that its programs see. */
static inline unsigned server_node_devices(const struct server *s) {
    return s->o.nodes ? server_devices(s) / s->o.nodes : server_devices(s);
}
static inline unsigned call_devices(const struct call *call) {
    return server_node_devices(call->server);
}
/* A GPU of the calling program, by the number that the program knows. */
static inline struct gpu *call_gpu_of(const struct call *call, unsigned device) {
    return server_gpu(call->server, call->program->first_device + device);
}
/* Of the calling thread's current device. */
static inline struct gpu *call_gpu(const struct call *call) {
    return call_gpu_of(call, call->thread->device);
}
/* The memory of a program's device, and the device of such a region. */
static inline memory_region program_region(const struct program *p, unsigned device) {
    return (memory_region)(REGION_DEVICE + p->first_device + device);
}
static inline unsigned program_device_of(const struct program *p, memory_region region) {
    return (unsigned)(region - REGION_DEVICE) - p->first_device;
}

#endif
