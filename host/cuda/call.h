/* call.h - inside the CUDA layer: a call being carried out, and the programs and threads that make
 * calls. Handlers (calls_*.c) return a cudaError_t. */
#ifndef HEDDLE_CUDA_CALL_H
#define HEDDLE_CUDA_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/cuda_error.h"
#include "cuda/server.h"
#include "cuda/wire.h"
#include "exec/texture/texture.h"

struct array;
struct object;
struct module;
struct function;
struct symbol;

struct capture;
struct graphs;
struct host_function;

/* A stream, as a program sees it. Handles are addresses of nothing: index * 16 + 4096. */
struct stream {
    bool live;
    unsigned device;
    uint32_t gpu_stream;
    uint32_t flags;
    int priority;
    gpu_ticket last;         /* newest operation */
    struct capture *capture; /* into which its operations go, or NULL (capture.h) */
    uint64_t *node;          /* then: what the next operation depends on */
    size_t num_nodes;
    uint32_t attribute_bits; /* cudaStreamSetAttribute: which have been set */
    uint64_t attribute[4];   /* of those that are numbers */
};

/* Where an operation goes. Valid until streams are created or destroyed. */
struct stream_ref {
    unsigned device;
    struct gpu *gpu;
    uint32_t gpu_stream;
    gpu_ticket *last;        /* of the stream, to be kept up to date */
    struct stream *stream;   /* NULL: the legacy default stream */
    struct capture *capture; /* NULL: operations are carried out */
};

struct event {
    bool live;
    struct shared_event *shared; /* of several processes: has the ticket; else NULL (calls_ipc.c) */
    uint32_t flags;
    unsigned device;
    gpu_ticket ticket;       /* 0: not recorded yet */
    struct capture *capture; /* recorded in a captured stream, or NULL */
    uint64_t *node;          /* then: the nodes that it stands for */
    size_t num_nodes;
};

/* Bytes of a device that graphs have allocated (graph_memory.h), and high-water marks. */
struct graph_memory_counts {
    uint64_t used, used_high, kept, kept_high;
};

/* What a program has set for a device. */
struct program_device {
    gpu_ticket last_legacy; /* newest operation of the legacy stream */
    uint32_t flags, cache_config;
    uint32_t peers; /* devices whose memory it may use: a bit each */
    uint64_t pool;  /* current memory pool, 0: the default one */
    struct graph_memory_counts graph_memory;
    uint64_t limit[8];
    bool limit_set[8];
};

/* A program image: what CUDA calls the primary context. */
struct program {
    struct program *next;
    struct space *space; /* where its memory lies, NULL when all of it is gone */
    uint64_t token;
    int pid, number; /* number: 1 for the first of the run */
    char name[WIRE_NAME_BYTES];
    uint32_t cudart_version;
    unsigned threads_now, threads_ever;
    bool goodbye, gone;
    uint64_t now_ps; /* latest target time of its threads */
    int sticky;      /* error that every call returns, or 0 */
    struct wire_control *control;
    int control_fd;
    struct program_device device[SPACE_MAX_DEVICES];
    struct module **module; /* by id - 1 */
    struct function **function;
    struct symbol **symbol;
    size_t num_modules, num_functions, num_symbols;
    struct stream *stream;
    struct event *event;
    size_t num_streams, num_events;
    struct array **array;   /* CUDA arrays (array.h), NULL: free */
    struct object **object; /* texture and surface objects (calls_texture.c), NULL: free */
    size_t num_arrays, num_objects;
    struct pool *pool; /* memory pools, the devices' default ones first (calls_pool.c) */
    size_t num_pools;
    struct capture *captures;       /* going on (capture.h) */
    struct graphs *graphs;          /* graph.h, made when first used */
    struct host_thread *helper;     /* runs its host functions, or NULL */
    struct host_function *host_due; /* not yet run, in order of issue (host_function.c) */
    uint64_t *imported;             /* memory of other programs that it has opened */
    size_t num_imported;
};

/* A host thread of a program: one connection. */
struct host_thread {
    struct host_thread *next;
    struct program *program; /* NULL before its hello */
    int socket, staging_fd;
    unsigned number; /* 1 for the program's first */
    int peer_pid;    /* from the kernel */
    uint8_t *staging;
    uint64_t now_ps;                      /* its clock in target time */
    bool dead;                            /* the connection broke */
    bool is_aside;                        /* its call waits, to be tried again (words.h) */
    struct wire_request aside;            /* then */
    uint64_t begin_ps;                    /* of its call */
    unsigned device;                      /* cudaSetDevice */
    int capture_mode;                     /* cudaThreadExchangeStreamCaptureMode */
    struct stream own[SPACE_MAX_DEVICES]; /* per-thread default streams, made when first used */
};

struct call;
struct deferred;
struct pool;
struct word_wait;
struct call_row {
    const char *name;
    int (*handler)(struct call *call); /* NULL: answered in the program */
    uint8_t scheduler, sm, waits, refused;
    const char *wire; /* its arguments and results, as in the table */
};
extern const struct call_row call_table[CUDA_NUM_CALLS];

struct call {
    struct server *server;
    struct host_thread *thread;
    struct program *program;
    const struct call_row *row;
    uint64_t in[WIRE_MAX_ARGS], out[WIRE_MAX_RESULTS];
    uint64_t payload_bytes;
    uint32_t inline_bytes;
    bool repeatable; /* it has done nothing but wait so far: it may be set aside (words.h) */
    bool leaving;    /* the program goes: it does not wait for words of memory */
    bool per_thread; /* made through a _ptsz or _ptds name: stream 0 is the thread's own */
    uint64_t push_offset, push_bytes; /* a last push that travels with the reply */
    bool pushes_why;                  /* also when the call fails */
};

struct server {
    struct server_options o;
    struct trace *trace; /* or NULL */
    char address[64];
    int listener;
    struct program *programs;
    struct host_thread *threads;
    struct host_thread *serving; /* whose call is being carried out, or NULL */
    double simulate_s;           /* wall time spent waiting for the GPU */
    uint64_t dropped, ended_abruptly, num_programs, end_ps;
    struct deferred *deferred;    /* issued and not yet carried out (deferred.h) */
    struct call *now_serving;     /* the call of `serving` */
    struct word_wait *word_waits; /* streams that wait, the newest first (words.c) */
    double quiet_since;           /* then: since when nothing has happened, 0: something did */
    bool quiet_told;
    uint64_t pause_at; /* us: when a call that waits makes room for others; UINT64_MAX: not asked */
    uint64_t launches; /* kernels issued */
    struct shared_event *shared_events;
    uint64_t num_shared;                                               /* ever */
    uint64_t launched[SPACE_MAX_DEVICES], given_up[SPACE_MAX_DEVICES]; /* of each device: issued,
                                                                        * given up by its reset */
    uint64_t captures;                                                 /* begun */
    struct texture_table textures; /* of all programs; the GPUs' memory points to it */
    bool fault_told, managed_told;
    char notes[8][200];
    unsigned num_notes;
};

/* ---- the payload */

/* Brings [offset, offset + bytes) of the payload into the staging memory.
 * @return its address there, or NULL when the program has died. bytes <= WIRE_STAGING_BYTES. */
const uint8_t *call_pull(struct call *call, uint64_t offset, uint32_t bytes);
/* Takes the whole payload, with a NUL behind it. The caller frees it. NULL: no memory, or dead. */
uint8_t *call_take_payload(struct call *call);
/* Gives bytes to the program: copies to staging memory and has it taken. @return false: dead. */
bool call_push(struct call *call, uint64_t offset, const void *bytes, uint32_t count);
/* The same with the reply, once a call; count <= WIRE_STAGING_BYTES. */
void call_push_last(struct call *call, uint64_t offset, const void *bytes, uint32_t count);
/* Why the call fails, for a program that wants to read it: at most WIRE_WHY_BYTES. */
void call_push_why(struct call *call, const char *text);

/* Memory of the program at an address, while one of its threads is in a call: through that thread's
 * connection. @return false: none is, or it died. count <= WIRE_STAGING_BYTES. */
bool program_read(struct server *s, struct program *p, uint64_t address, void *out, uint32_t count);
bool program_write(struct server *s, struct program *p, uint64_t address, const void *bytes,
                   uint32_t count);

/* ---- time and errors */

/* The GPU of a device, and of the calling thread's current device. */
struct gpu *server_gpu(const struct server *s, unsigned device);
struct gpu *call_gpu(const struct call *call);
unsigned server_devices(const struct server *s);

/* The cudaError_t that stands for a failure of the GPU or a front end. */
int error_of(heddle_err e);
/* Wait for an operation (0: none), a stream, everything. The thread's clock goes on to the end of
 * the wait; a fault is told once and becomes the program's sticky error. @return cudaError_t. */
/* A call for which nothing was done but waiting: before that it says so (call->repeatable), and
 * returns what they return, which may be CALL_SET_ASIDE. */
int wait_ticket(struct call *call, struct gpu *gpu, gpu_ticket ticket);
int wait_stream(struct call *call, struct gpu *gpu, uint32_t stream);
int wait_device(struct call *call, struct gpu *gpu);
int wait_all(struct call *call);
/* The operation is carried out, the thread's clock stands still. */
int finish_ticket(struct call *call, struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps);
/* Has the operation ended by the thread's time, and when? Ticket 0: yes. @return cudaError_t. */
int ask_ticket(struct call *call, struct gpu *gpu, gpu_ticket ticket, bool *done, uint64_t *end_ps);

/* Messages of the server on standard error, a line each: "heddle: " and the text. */
void server_error(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A notice also goes into the report. */
void server_notice(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is this launch timed? */
bool server_times(const struct server *s, const char *title, const char *name, uint64_t launch);
/* A program uses managed memory: says once what that means for the times. */
void server_note_managed(struct server *s);
/* After a fault, or the death of a program in a kernel, the GPU has stopped; the programs that are
 * not concerned get a GPU that goes on. What was in flight is given up. @return cudaError_t. */
int server_revive(struct server *s);
/* Memory of programs that have ended comes back, unless work is left that might use it. */
void server_collect_memory(struct server *s);

/* ---- streams and events */

/* Handles are addresses that nobody maps: the first is HANDLE_FIRST, the next HANDLE_STEP on. */
enum { HANDLE_LEGACY = 1, HANDLE_PER_THREAD = 2, HANDLE_FIRST = 4096, HANDLE_STEP = 16 };
uint64_t handle_of(size_t index);
size_t handle_index(uint64_t handle, size_t count); /* count: no such handle */

/* The stream of a handle: 0 is the legacy default stream of the current device, or the thread's own
 * in a per-thread call. @return false: no such stream. */
bool find_stream(struct call *call, uint64_t handle, struct stream_ref *out);
/* The same for an operation: not on the legacy stream while a capture forbids it, nor on a stream
 * whose capture is spoilt. @return cudaError_t. */
int find_op_stream(struct call *call, uint64_t handle, struct stream_ref *out);
/* The same for a call that cannot be captured; on a captured stream it spoils the capture. */
int find_open_stream(struct call *call, uint64_t handle, struct stream_ref *out);
/* The stream waits for an operation of any device. @return cudaError_t. */
int stream_follow(struct call *call, const struct stream_ref *ref, unsigned device,
                  gpu_ticket ticket);
/* A point of the stream. @return cudaError_t. */
int stream_mark(struct call *call, const struct stream_ref *ref, gpu_ticket *ticket);
struct event *find_event(const struct program *p, uint64_t handle);
/* A new event of the program, by its index. @return false: no memory. */
bool new_event(struct program *p, size_t *index);
/* It ends for its program, of which it may be the last. */
void event_end(struct server *s, struct event *e);

/* ---- what several processes share (calls_ipc.c) */
struct shared_event {
    struct shared_event *next;
    uint64_t number;          /* 1 for the first of the run */
    unsigned holders, device; /* device: of the stream that it was recorded in last */
    gpu_ticket ticket;
};
/* Memory that ends with its program goes to another one that has opened it, if there is one. */
void ipc_bequeath(struct server *s, const struct program *p);
/* Has the program opened this memory of another one? */
bool ipc_has_opened(const struct program *p, uint64_t address);
/* One more of them, held once, or NULL. */
struct shared_event *share_event(struct server *s, unsigned device);
void unshare_event(struct server *s, struct shared_event *e);
static inline gpu_ticket *event_ticket(struct event *e) {
    return e->shared ? &e->shared->ticket : &e->ticket;
}
static inline unsigned event_device(const struct event *e) {
    return e->shared ? e->shared->device : e->device;
}

/* ---- modules (module.c) */
struct function *find_function(const struct program *p, uint64_t id);
void program_free_modules(struct program *p);
/* Address and size of a variable; compiles its module on first use. @return cudaError_t. */
int symbol_resolve(struct call *call, uint64_t id, uint64_t *address, uint64_t *bytes);
/* WIRE_PARAMETERS. */
int describe_parameters(struct call *call, uint64_t function);
/* cudaDeviceReset: memory, streams and events go, modules are unloaded until used again. */
void program_reset(struct call *call);

#endif
