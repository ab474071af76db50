/* words.c - operations of streams on words of memory (cuStreamWriteValue, cuStreamWaitValue and
 * their batches); see words.h.
 *
 * A write takes effect when the stream gets there. A wait asks its word at looks that come at fixed
 * target times (gpu.h): a store of a kernel that is performed by then has been seen. */
#include "cuda/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/capture.h"
#include "cuda/deferred.h"
#include "cuda/graph.h"
#include "cuda_call_handlers.h"

enum { /* CUstreamBatchMemOpType */
       WAIT_32 = 1,
       WRITE_32 = 2,
       FLUSH_REMOTE_WRITES = 3,
       WAIT_64 = 4,
       WRITE_64 = 5,
       BARRIER = 6,
};
enum { GEQ, EQ, AND, NOR };           /* CUstreamWaitValue_flags */
enum { WAIT_FLUSH = 1 << 30 };        /* one more of them */
enum { WRITE_NO_MEMORY_BARRIER = 1 }; /* CUstreamWriteValue_flags */
enum { BARRIER_OF_THE_GPU = 1 };      /* CUstreamMemoryBarrier_flags */
enum { MOST_OPERATIONS = 255 };
enum { FIRST_FORM = 1 }; /* flag of the message: a call of the first form */
enum { SAY_AFTER_S = 10, DEVICE_PATIENCE_S = 2, HOST_PATIENCE_S = 60, NAP_US = 500 };

/* CUstreamBatchMemOpParams */
struct word_op {
    uint32_t type, barrier_flags;
    uint64_t address, value;
    uint32_t flags, pad;
    uint64_t alias, rest;
};
_Static_assert(sizeof(struct word_op) == 48, "as cuda.h has it");

struct word_write {
    struct deferred head;
    uint64_t address, value;
    unsigned bytes;
};

/* A wait from its call until it has been met. */
struct word_wait {
    struct word_wait *next, **link;
    struct program *program;
    struct gpu *gpu;
    uint64_t stream; /* its handle */
    uint64_t address, value;
    unsigned bytes, comparison;
    bool asked, host; /* the stream has got there; the program can write there itself */
};

/* ---- words */

static uint64_t load(uint64_t address, unsigned bytes) {
    const void *p = (const void *)(uintptr_t)address;
    return bytes == 4 ? __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE)
                      : __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
}

static void act_write(struct deferred *d) {
    const struct word_write *w = (const struct word_write *)d;
    void *p = (void *)(uintptr_t)w->address;
    if (w->bytes == 4)
        __atomic_store_n((uint32_t *)p, (uint32_t)w->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)p, w->value, __ATOMIC_RELEASE);
}

static bool compare(const struct word_wait *w, uint64_t word) {
    uint64_t all = w->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    switch (w->comparison) {
    case GEQ: /* counters may wrap */
        return w->bytes == 4 ? (int32_t)(uint32_t)(word - w->value) >= 0
                             : (int64_t)(word - w->value) >= 0;
    case EQ: return word == w->value;
    case AND: return (word & w->value) != 0;
    default: return (~(word | w->value) & all) != 0;
    }
}

static void unlink_and_free(struct word_wait *w) {
    if (w->next) w->next->link = w->link;
    *w->link = w->next;
    free(w);
}

/* The stream goes on at once: nobody asks again. */
static bool met(void *user) {
    struct word_wait *w = user;
    w->asked = true;
    if (!compare(w, load(w->address, w->bytes))) return false;
    unlink_and_free(w);
    return true;
}

void words_drop(struct server *s, const struct gpu *gpu) {
    for (struct word_wait *w = s->word_waits, *next; w; w = next) {
        next = w->next;
        if (!gpu || w->gpu == gpu) unlink_and_free(w);
    }
}

/* ---- calls that wait for such a stream */

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void words_note_call(struct server *s) {
    s->quiet_since = 0;
}

/* The first stream that has got to its wait, of the GPU (NULL: of any), or NULL. */
static const struct word_wait *first_asked(const struct server *s, const struct gpu *gpu) {
    const struct word_wait *oldest = NULL;
    for (const struct word_wait *w = s->word_waits; w; w = w->next)
        if (w->asked && (!gpu || w->gpu == gpu)) oldest = w; /* the list begins with the newest */
    return oldest;
}

static void describe(const struct word_wait *w, char *text, size_t size) {
    static const char *const name[] = {">=", "==", "&", "NOR"};
    char stream[40] = "the default stream";
    if (w->stream) snprintf(stream, sizeof stream, "stream 0x%llx", (unsigned long long)w->stream);
    snprintf(text, size,
             "%s of %s waits for a word of %u bits at 0x%llx %s 0x%llx; the word is 0x%llx", stream,
             w->program->name, 8 * w->bytes, (unsigned long long)w->address, name[w->comparison],
             (unsigned long long)w->value, (unsigned long long)load(w->address, w->bytes));
}

/* Is every thread of every program in a call that waits? */
static bool all_wait(const struct server *s) {
    for (const struct host_thread *t = s->threads; t; t = t->next)
        if (t->program && t != t->program->helper && !t->is_aside && t != s->serving) return false;
    return true;
}

/* Time goes by in which nothing happens. */
static void lose_patience(struct server *s, const struct gpu *gpu) {
    const struct word_wait *w = first_asked(s, gpu);
    char text[400], story[600];
    double now = now_s();
    if (!s->quiet_since) s->quiet_since = now;
    if (!w) return;
    bool host = false;
    for (const struct word_wait *other = s->word_waits; other; other = other->next)
        host |= other->asked && other->host;
    double quiet = now - s->quiet_since;
    describe(w, text, sizeof text);
    if (all_wait(s) && quiet > (host ? HOST_PATIENCE_S : DEVICE_PATIENCE_S)) {
        snprintf(story, sizeof story, "%s, and nobody is left to write it%s", text,
                 host ? ": for a minute all threads of the program have been waiting for the GPU"
                      : "");
        gpu_give_up(w->gpu, story);
    } else if (quiet > SAY_AFTER_S && !s->quiet_told) {
        s->quiet_told = true;
        server_notice(s, "nothing has happened for %d s: %s", SAY_AFTER_S, text);
    }
}

/* Other GPUs may have something to do that writes the word. */
static bool drive_others(struct call *call, const struct gpu *gpu) {
    bool any = false;
    for (unsigned i = 0; i < server_devices(call->server); i++) {
        struct gpu *other = server_gpu(call->server, i);
        bool moved = false;
        struct heddle_diag diag = {0};
        if (other == gpu || gpu_is_dead(other)) continue;
        if (gpu_drive(other, &moved, &diag)) return true; /* its own waits will tell the fault */
        any |= moved;
    }
    return any;
}

bool words_wait(struct call *call, struct gpu *gpu) {
    struct server *s = call->server;
    if (server_should_stop(s)) return false;
    /* No word: others want to be served (server.c). */
    if (!first_asked(s, gpu) || drive_others(call, gpu)) {
        words_note_call(s);
        return !call->repeatable;
    }
    lose_patience(s, gpu);
    if (gpu_is_dead(gpu)) return true; /* the next try tells why */
    if (call->repeatable) return false;
    nanosleep(&(struct timespec){.tv_nsec = NAP_US * 1000}, NULL);
    return true;
}

void words_abandon(struct call *call) {
    struct server *s = call->server;
    char text[400];
    for (unsigned i = 0; i < server_devices(s); i++) {
        struct gpu *gpu = server_gpu(s, i);
        const struct word_wait *w = first_asked(s, gpu);
        if (!w || w->program != call->program) continue;
        describe(w, text, sizeof text);
        server_notice(s, "%s ended while %s: what comes behind is not carried out",
                      call->program->name, text);
        gpu_give_up(gpu, text);
        s->fault_told = true;
    }
}

void words_program_ended(struct server *s, const struct program *p) {
    for (const struct word_wait *w = s->word_waits; w; w = w->next) {
        if (w->program != p || gpu_is_dead(w->gpu)) continue;
        gpu_give_up(w->gpu, "its program has ended");
        s->fault_told = true;
    }
}

/* ---- the calls */

/* Memory that kernels can reach, but for managed memory, as CUDA has it. */
static bool is_word(const struct call *call, uint64_t address, unsigned bytes) {
    const struct space *s = call->server->o.space;
    const struct space_block *b = space_reachable(s, address, bytes);
    return address % bytes == 0 && b && b->open && space_where(s, address) != SPACE_MANAGED;
}

static unsigned width(uint32_t type) {
    return type == WAIT_32 || type == WRITE_32 ? 4 : 8;
}

/* @return cudaError_t. */
static int check(const struct call *call, const struct word_op *op, bool first_form) {
    bool flush = false;
    switch (op->type) {
    case WAIT_32:
    case WAIT_64:
        flush = op->flags & WAIT_FLUSH;
        if (!is_word(call, op->address, width(op->type)) ||
            (op->flags & ~(uint32_t)WAIT_FLUSH) > NOR)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case WRITE_32:
    case WRITE_64:
        if (!is_word(call, op->address, width(op->type)) || op->flags > WRITE_NO_MEMORY_BARRIER)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case BARRIER:
        if (first_form || op->barrier_flags > BARRIER_OF_THE_GPU) return CUDA_ERROR_INVALID_VALUE;
        break;
    case FLUSH_REMOTE_WRITES: flush = true; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    if (!flush) return CUDA_SUCCESS;
    server_error(call->server, "not supported: flushing remote writes in a stream "
                               "(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0)");
    return HEDDLE_cudaErrorNotSupported;
}

static int issue_write(struct call *call, const struct stream_ref *ref, const struct word_op *op) {
    struct word_write *w = calloc(1, sizeof *w);
    gpu_ticket ticket;
    if (!w) return HEDDLE_cudaErrorMemoryAllocation;
    w->head.act = act_write;
    w->address = op->address;
    w->bytes = width(op->type);
    w->value = op->type == WRITE_32 ? (uint32_t)op->value : op->value;
    struct gpu_copy cost = {
        .kind = GPU_WRITE, .device_address = op->address, .bytes = width(op->type)};
    return deferred_issue(call, ref, &w->head, &cost, &ticket);
}

/* For messages. 0: a default stream. */
static uint64_t stream_handle(const struct program *p, const struct stream *s) {
    return s >= p->stream && s < p->stream + p->num_streams ? handle_of((size_t)(s - p->stream))
                                                            : 0;
}

static int issue_wait(struct call *call, const struct stream_ref *ref, const struct word_op *op) {
    struct server *s = call->server;
    struct word_wait *w = calloc(1, sizeof *w);
    if (!w) return HEDDLE_cudaErrorMemoryAllocation;
    *w = (struct word_wait){
        .next = s->word_waits,
        .link = &s->word_waits,
        .program = call->program,
        .gpu = ref->gpu,
        .stream = ref->stream ? stream_handle(call->program, ref->stream) : 0,
        .address = op->address,
        .value = op->type == WAIT_32 ? (uint32_t)op->value : op->value,
        .bytes = width(op->type),
        .comparison = op->flags & ~(uint32_t)WAIT_FLUSH,
        .host = !space_is_device(space_where(s->o.space, op->address)),
    };
    if (w->next) w->next->link = &w->next;
    s->word_waits = w;
    gpu_ticket ticket;
    struct gpu_condition condition = {met, w};
    heddle_err e = gpu_condition(ref->gpu, ref->gpu_stream, &condition, call->thread->now_ps,
                                 &ticket);
    if (e) {
        unlink_and_free(w);
        return error_of(e);
    }
    *ref->last = ticket;
    return CUDA_SUCCESS;
}

int words_check(const struct call *call, const uint8_t *operations, uint64_t bytes,
                bool first_form) {
    struct word_op op;
    int error = bytes % sizeof op || bytes / sizeof op > MOST_OPERATIONS ? CUDA_ERROR_INVALID_VALUE
                                                                         : CUDA_SUCCESS;
    for (uint64_t at = 0; at < bytes && !error; at += sizeof op) {
        memcpy(&op, operations + at, sizeof op);
        error = check(call, &op, first_form);
    }
    return error;
}

/* What a stream has done is seen by all that comes behind it: nothing is left for a barrier. */
int words_issue(struct call *call, const struct stream_ref *ref, const uint8_t *operations,
                uint64_t bytes, gpu_ticket *ticket) {
    struct word_op op;
    int error = CUDA_SUCCESS;
    for (uint64_t at = 0; at < bytes && !error; at += sizeof op) {
        memcpy(&op, operations + at, sizeof op);
        if (op.type == WAIT_32 || op.type == WAIT_64) error = issue_wait(call, ref, &op);
        if (op.type == WRITE_32 || op.type == WRITE_64) error = issue_write(call, ref, &op);
    }
    return error ? error : stream_mark(call, ref, ticket);
}

/* A node of the graph that the stream is captured into. */
static int capture(struct call *call, const struct stream_ref *ref, uint8_t *operations) {
    struct node_work work = {
        .kind = NODE_WORDS,
        .kernel = {.parameters = operations, .parameter_bytes = (uint32_t)call->payload_bytes}};
    return capture_add(call, ref, &work, NULL);
}

/* The payload: operations, of which all are checked before the first is issued. */
int do_cuStreamBatchMemOp_v2(struct call *call, uint64_t stream, uint64_t count, uint64_t flags) {
    struct stream_ref ref;
    gpu_ticket ticket;
    if (flags & ~(uint64_t)FIRST_FORM || count > MOST_OPERATIONS ||
        call->payload_bytes != count * sizeof(struct word_op))
        return CUDA_ERROR_INVALID_VALUE;
    int error = find_op_stream(call, stream, &ref);
    if (error || !count) return error;
    uint8_t *operations = call_take_payload(call);
    if (!operations) return HEDDLE_cudaErrorMemoryAllocation;
    error = words_check(call, operations, call->payload_bytes, flags & FIRST_FORM);
    if (!error && ref.capture) return capture(call, &ref, operations); /* takes them over */
    if (!error) error = words_issue(call, &ref, operations, call->payload_bytes, &ticket);
    free(operations);
    return error;
}
