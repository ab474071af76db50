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

struct module;
struct function;
struct symbol;

/* A stream, as a program sees it. Handles are addresses of nothing: index * 16 + 4096. */
struct stream {
    bool live;
    uint32_t gpu_stream;
    uint32_t flags;
    int priority;
    gpu_ticket last; /* newest operation */
};

struct event {
    bool live;
    uint32_t flags;
    gpu_ticket ticket; /* 0: not recorded yet */
};

/* A program image: what CUDA calls the primary context. */
struct program {
    struct program *next;
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
    uint32_t device_flags;
    uint32_t cache_config;
    struct module **module; /* by id - 1 */
    struct function **function;
    struct symbol **symbol;
    size_t num_modules, num_functions, num_symbols;
    struct stream *stream;
    gpu_ticket last_legacy; /* newest operation of the legacy stream */
    struct event *event;
    size_t num_streams, num_events;
};

/* A host thread of a program: one connection. */
struct host_thread {
    struct host_thread *next;
    struct program *program; /* NULL before its hello */
    int socket, staging_fd;
    int peer_pid; /* from the kernel */
    uint8_t *staging;
    uint64_t now_ps; /* its clock in target time */
    bool dead;       /* the connection broke */
};

struct call;
struct op;
struct call_row {
    const char *name;
    int (*handler)(struct call *call); /* NULL: answered in the program */
    uint8_t scheduler, sm, waits, refused;
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
    uint64_t push_offset, push_bytes; /* a last push that travels with the reply */
};

struct server {
    struct server_options o;
    char address[64];
    int listener;
    struct program *programs;
    struct host_thread *threads;
    struct host_thread *serving; /* whose call is being carried out, or NULL */
    double simulate_s;           /* wall time spent waiting for the GPU */
    uint64_t dropped, ended_abruptly, num_programs, end_ps;
    struct op *ops;    /* copies and fills issued and not yet performed (copy.c) */
    uint64_t launches; /* kernels issued */
    uint64_t given_up; /* of those, when the GPU was reset */
    bool fault_told;
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

/* ---- time and errors */

/* The cudaError_t that stands for a failure of the GPU or a front end. */
int error_of(heddle_err e);
/* Wait for an operation (0: none), a stream, everything. The thread's clock goes on to the end of
 * the wait; a fault is told once and becomes the program's sticky error. @return cudaError_t. */
int wait_ticket(struct call *call, gpu_ticket ticket);
int wait_stream(struct call *call, uint32_t stream);
int wait_all(struct call *call);
/* Has the operation ended by the thread's time, and when? Ticket 0: yes. @return cudaError_t. */
int ask_ticket(struct call *call, gpu_ticket ticket, bool *done, uint64_t *end_ps);

/* Messages of the server on standard error, a line each: "heddle: " and the text. */
void server_error(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A notice also goes into the report. */
void server_notice(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* After a fault, or the death of a program in a kernel, the GPU has stopped; the programs that are
 * not concerned get a GPU that goes on. What was in flight is given up. @return cudaError_t. */
int server_revive(struct server *s);

/* ---- streams and events */

/* The GPU's stream for a handle. @return false: no such stream. */
bool find_stream(const struct program *p, uint64_t handle, uint32_t *gpu_stream);
/* Notes the newest operation of a stream, for cudaStreamQuery. */
void stream_issued(struct program *p, uint64_t handle, gpu_ticket ticket);
struct event *find_event(const struct program *p, uint64_t handle);

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
