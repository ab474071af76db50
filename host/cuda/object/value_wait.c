/* value_wait.c - waits of streams for values in memory: the test of a word, and the decision to go
 * on, to suspend a call or to give up while nothing happens; see value_wait.h.
 *
 * Runs in the server, on its thread: handlers issue waits, wait.c asks value_wait_go_on(), the GPU
 * calls met() between windows of the simulation, and session.c ends the waits of a program that
 * leaves. All functions read or change
 * server.value_waits, which needs no lock. */
#include "cuda/object/value_wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/patience.h"
#include "cuda/base/payload.h"
#include "cuda/object/program_death.h"

/* Wall times: until the notice; until a wait that nobody can end becomes an error, when only
 * devices could write the word and when the program could; of one sleep. */
enum { SAY_AFTER_S = 10, DEVICE_PATIENCE_S = 2, HOST_PATIENCE_S = 60, NAP_US = 500 };

/* A wait, from its call until its condition is met. */
struct value_wait {
    struct value_wait *next, **link; /* link: the pointer to this wait */
    struct program *program;
    struct gpu *gpu;
    uint64_t stream; /* its handle; 0: a default stream */
    uint64_t address, value;
    unsigned bytes;
    enum value_comparison comparison;
    bool asked;    /* the stream has reached the wait */
    bool host;     /* the program can write there itself */
    unsigned life; /* of the program; over in a later one */
};

/* The word of 4 or 8 bytes at the address, read atomically, because kernels and the program may
 * write it meanwhile. */
static uint64_t load(uint64_t address, unsigned bytes) {
    const void *p = (const void *)(uintptr_t)address;
    return bytes == 4 ? __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE)
                      : __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
}

/* True if the word meets the wait's condition: word >= value (counters may wrap), equal, a common
 * bit, or a bit that is 0 in both (WAIT_NOR). */
static bool compare(const struct value_wait *w, uint64_t word) {
    uint64_t all = w->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    switch (w->comparison) {
    case WAIT_GEQ: /* counters may wrap */
        return w->bytes == 4 ? (int32_t)(uint32_t)(word - w->value) >= 0
                             : (int64_t)(word - w->value) >= 0;
    case WAIT_EQ: return word == w->value;
    case WAIT_AND: return (word & w->value) != 0;
    default: return (~(word | w->value) & all) != 0;
    }
}

/* Takes the wait off server.value_waits and frees it. */
static void unlink_and_free(struct value_wait *w) {
    if (w->next) w->next->link = w->link;
    *w->link = w->next;
    free(w);
}

/* gpu_condition.met, called on the server's thread, between windows of the simulation, from the
 * time at which the stream reaches the wait: reads the word and compares it. Sets w->asked. A lost
 * wait is met, since nothing behind it matters. Once met, it frees
 * the wait, because the GPU does not ask again. */
static bool met(void *user) {
    struct value_wait *w = user;
    w->asked = true;
    if (w->life == w->program->life && !compare(w, load(w->address, w->bytes))) return false;
    unlink_and_free(w);
    return true;
}

/* Adds a wait to server.value_waits and issues it as a condition of the stream, whose newest
 * operation it becomes; does not block. bytes: 4 or 8; the caller has checked that the word can be
 * read. @return cudaError_t; after an error no wait remains. */
int value_wait_issue(struct call *call, const struct stream_ref *ref, uint64_t address,
                     uint64_t value, unsigned bytes, enum value_comparison comparison) {
    struct server *s = call->server;
    struct value_wait *w = heddle_alloc(sizeof *w, "a wait for a word of memory");
    *w = (struct value_wait){
        .next = s->value_waits,
        .link = &s->value_waits,
        .program = call->program,
        .life = call->program->life,
        .gpu = ref->gpu,
        .stream = ref->stream ? ref->stream->handle : 0,
        .address = address,
        .value = value,
        .bytes = bytes,
        .comparison = comparison,
        .host = !region_is_device(address_space_region(s->o.space, address)),
    };
    if (w->next) w->next->link = &w->next;
    s->value_waits = w;
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

/* Frees the waits of a GPU that was reset (NULL: of all GPUs), which does not call met() for them
 * again. */
void value_wait_drop(struct server *s, const struct gpu *gpu) {
    for (struct value_wait *w = s->value_waits, *next; w; w = next) {
        next = w->next;
        if (!gpu || w->gpu == gpu) unlink_and_free(w);
    }
}

/* ---- calls that wait for such a stream */

/* Notes that something happened: the time without progress starts anew (s->quiet_since = 0). */
void value_wait_note_call(struct server *s) {
    s->quiet_since = 0;
}

/* The oldest wait that a stream of the GPU (NULL: of any GPU) has reached, or NULL. */
static const struct value_wait *first_asked(const struct server *s, const struct gpu *gpu) {
    const struct value_wait *oldest = NULL;
    for (const struct value_wait *w = s->value_waits; w; w = w->next)
        if (w->asked && (!gpu || w->gpu == gpu)) oldest = w; /* the list begins with the newest */
    return oldest;
}

/* Describes the wait for a message, with the present value of the word, in `text` (`size`
 * bytes). */
static void describe(const struct value_wait *w, char *text, size_t size) {
    static const char *const name[] = {">=", "==", "&", "NOR"};
    char stream[40] = "the default stream";
    if (w->stream) snprintf(stream, sizeof stream, "stream 0x%llx", (unsigned long long)w->stream);
    snprintf(text, size,
             "%s of %s waits for a word of %u bits at 0x%llx %s 0x%llx; the word is 0x%llx", stream,
             w->program->name, 8 * w->bytes, (unsigned long long)w->address, name[w->comparison],
             (unsigned long long)w->value, (unsigned long long)load(w->address, w->bytes));
}

/* True if every thread of every program, helper threads aside, is in a call that waits: suspended,
 * or being served (s->serving). */
static bool all_wait(const struct server *s) {
    for (const struct host_thread *t = s->threads; t; t = t->next)
        if (t->program && t != t->program->helper && !t->is_suspended && t != s->serving)
            return false;
    return true;
}

/* True if the call keeps others waiting for nothing. A call that cannot be suspended keeps the
 * server from serving anybody, so only the GPUs or a thread of the program that needs no call
 * (host: the word is in its reach) can write the word; and nobody waits long for the latter. */
static bool holds_others_up(const struct call *call, bool host) {
    return !call->repeatable && (!host || others_ask(call->server, call->thread, true));
}

/* Called while nothing happens. Sets server.quiet_since if this is the first time. If nobody is
 * left to write the word, because every thread waits or cannot be served, for longer than the
 * patience, kills the GPU of the oldest wait with an error (gpu_give_up()): later waits return it.
 * Else writes one notice after SAY_AFTER_S. */
static void lose_patience(struct call *call, const struct gpu *gpu) {
    struct server *s = call->server;
    const struct value_wait *w = first_asked(s, gpu);
    char text[400], message[600];
    double now = wall_seconds();
    if (!s->quiet_since) s->quiet_since = now;
    if (!w) return;
    bool host = false;
    for (const struct value_wait *other = s->value_waits; other; other = other->next)
        host |= other->asked && other->host;
    double quiet = now - s->quiet_since;
    describe(w, text, sizeof text);
    const bool all = all_wait(s);
    if (quiet > (host ? HOST_PATIENCE_S : DEVICE_PATIENCE_S) &&
        (all || holds_others_up(call, host))) {
        snprintf(message, sizeof message, "%s, and nobody is left to write it%s", text,
                 !all   ? ": a call that waits for it keeps all other threads from being served"
                 : host ? ": for a minute all threads of the program have been waiting for the GPU"
                        : "");
        gpu_give_up(w->gpu, message);
    } else if (quiet > SAY_AFTER_S && !s->quiet_reported) {
        s->quiet_reported = true;
        server_notice(s, "nothing has happened for %d s: %s", SAY_AFTER_S, text);
    }
}

/* Advances the simulation of the other GPUs by a bounded amount, since their kernels may write the
 * word; performs their operations. @return true: something happened there. */
static bool drive_others(struct call *call, const struct gpu *gpu) {
    bool any = false;
    for (unsigned i = 0; i < server_devices(call->server); i++) {
        struct gpu *other = server_gpu(call->server, i);
        bool moved = false;
        struct heddle_diag diag = {0};
        if (other == gpu || gpu_is_dead(other)) continue;
        if (gpu_drive(other, &moved, &diag)) return true; /* waits for that GPU report its fault */
        any |= moved;
    }
    return any;
}

/* Called by wait.c between tries of a wait for `gpu` that ended with HEDDLE_ERR_WAITING: drives
 * other GPUs, or sleeps NAP_US if the call has effects and cannot be suspended; after a long
 * silence writes a notice or kills the GPU. @return true: try again; false: suspend the call
 * (call->repeatable), or the program has hung up, which marks its thread dead. */
bool value_wait_go_on(struct call *call, struct gpu *gpu) {
    struct server *s = call->server;
    if (thread_has_hung_up(s->serving)) return false;
    program_look_for_deaths(s);
    /* No stream waits: the GPU paused to let other threads be served (server.c). */
    if (!first_asked(s, gpu) || drive_others(call, gpu)) {
        value_wait_note_call(s);
        return !call->repeatable;
    }
    lose_patience(call, gpu);
    if (gpu_is_dead(gpu)) return true; /* the next try returns the error */
    if (call->repeatable) return false;
    nanosleep(&(struct timespec){.tv_nsec = NAP_US * 1000}, NULL);
    return true;
}

void value_wait_abandon(struct call *call) {
    struct server *s = call->server;
    char text[400];
    for (unsigned i = 0; i < server_devices(s); i++) {
        struct gpu *gpu = server_gpu(s, i);
        const struct value_wait *w = first_asked(s, gpu);
        if (!w || w->program != call->program) continue;
        describe(w, text, sizeof text);
        server_notice(s, "%s ended while %s: what comes behind is not carried out",
                      call->program->name, text);
        program_cancel(s, call->program);
    }
}
