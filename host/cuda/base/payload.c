/* payload.c - messages and bytes exchanged with a program during a call; see payload.h.
 *
 * Runs in the server: on its thread for handlers and session.c, and for copies and host functions
 * on the simulation's thread that performs them while the server's thread waits, so one thread at a
 * time uses a connection. A function that takes a call or a program uses the socket and the staging
 * memory of one connection. Unless its comment says otherwise, it blocks until the program answers,
 * and if the program does not, it marks the thread dead (t->dead) and returns false or NULL. */
#define _GNU_SOURCE
#include "cuda/base/payload.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/patience.h"

enum { READY_TRIES = 200 }; /* times that wait_done() looks before it blocks */

/* Sends one message, without waiting for an answer. Never blocks: a program reads each message
 * before it sends the next, so one whose buffer is full does not read, and is as good as dead. A
 * failure marks the thread dead. @return false: the thread is dead, now or before. */
bool thread_send(struct host_thread *t, const struct wire_reply *reply) {
    ssize_t n;
    do n = send(t->socket, reply, sizeof *reply, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *reply) t->dead = true;
    return !t->dead;
}

/* Looks, without blocking, whether the program has closed the connection, and marks the thread dead
 * then. t NULL: false. May run on a worker thread: server_should_stop() comes from a GPU's
 * progress. */
bool thread_has_hung_up(struct host_thread *t) {
    if (!t) return false;
    struct pollfd p = {.fd = t->socket, .events = POLLRDHUP};
    if (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLRDHUP | POLLERR))) t->dead = true;
    return t->dead;
}

/* Waits until the program has done what it was asked for: polls a while, then blocks, with
 * patience_wait(). Marks the thread dead on any other answer. */
static bool wait_done(struct server *s, struct host_thread *t, enum patience_task task) {
    struct wire_request ready;
    ssize_t n = -1;
    for (int tries = 0; n < 0 && tries < READY_TRIES;
         tries++) { /* the program only copies, so it answers soon */
        n = recv(t->socket, &ready, sizeof ready, MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN) break;
    }
    if (n < 0 && errno == EAGAIN && !patience_wait(s, t, task)) return !(t->dead = true);
    while (n < 0 && (errno == EINTR || errno == EAGAIN))
        n = recv(t->socket, &ready, sizeof ready, 0);
    if (n != (ssize_t)sizeof ready || ready.kind != WIRE_READY) t->dead = true;
    return !t->dead;
}

/* Waits until the program has moved the bytes. */
static bool wait_ready(struct server *s, struct host_thread *t) {
    return wait_done(s, t, PATIENCE_COPIES);
}

/* Fetches [offset, offset + bytes) of the call's payload. Returns bytes of an inline payload in
 * place; else asks the program for them (WIRE_PULL) and waits, which overwrites the staging memory.
 * @return the bytes, in the staging memory, valid until the next message; NULL: the program has
 * died, or the range is not of the payload. */
const uint8_t *call_pull(struct call *call, uint64_t offset, uint32_t bytes) {
    struct host_thread *t = call->thread;
    if (t->dead || bytes > WIRE_STAGING_BYTES || bytes > call->payload_bytes ||
        offset > call->payload_bytes - bytes)
        return NULL;
    if (offset + bytes <= call->inline_bytes) return t->staging + offset;
    call->inline_bytes = 0; /* overwritten from here on */
    struct wire_reply pull = {.kind = WIRE_PULL, .offset = offset, .bytes = bytes};
    return thread_send(t, &pull) && wait_ready(call->server, t) ? t->staging : NULL;
}

/* Pulls the whole payload, piece by piece, into memory that the caller frees, with a NUL behind it.
 * The memory grows with what has come, since a program may announce bytes that it does not have.
 * Overwrites the staging memory. @return NULL: no memory, the program has died, or the payload is
 * larger than `most`, which is reported. */
uint8_t *call_take_payload(struct call *call, uint64_t most) {
    const uint64_t total = call->payload_bytes;
    if (total > most) {
        server_error(call->server, "%s (process %d) sent %llu bytes with %s(), which takes %llu",
                     call->program->name, call->program->pid, (unsigned long long)total,
                     call->row->name, (unsigned long long)most);
        return NULL;
    }
    uint8_t *all = NULL;
    uint64_t room = 0;
    for (uint64_t offset = 0; !all || offset < total;) {
        const uint64_t left = total - offset;
        const uint32_t n = left < WIRE_STAGING_BYTES ? (uint32_t)left : WIRE_STAGING_BYTES;
        const uint8_t *piece = n ? call_pull(call, offset, n) : call->thread->staging;
        uint8_t *more = all;
        if (piece && (!all || offset + n > room)) {
            room = left > offset + WIRE_STAGING_BYTES ? 2 * offset + WIRE_STAGING_BYTES : total;
            more = realloc(all, room + 1);
        }
        if (!piece || !more) {
            free(all);
            return NULL;
        }
        all = more;
        memcpy(all + offset, piece, n);
        offset += n;
    }
    all[total] = 0;
    return all;
}

/* Shows bytes for the program to server_options.answer, if there is one: it logs them for a
 * checkpoint, and in a resumed run replaces them by those of the first run. */
static void note_answer(const struct server *s, uint8_t *bytes, uint32_t count) {
    if (s->o.answer) s->o.answer(s->o.answer_user, bytes, count);
}

/* Copies bytes to the staging memory, sends WIRE_PUSH and waits until the program has taken them to
 * `offset` of its results. @return false: dead, or `count` exceeds the staging memory. */
bool call_push(struct call *call, uint64_t offset, const void *bytes, uint32_t count) {
    struct host_thread *t = call->thread;
    if (t->dead || count > WIRE_STAGING_BYTES) return false;
    call->inline_bytes = 0;
    memmove(t->staging, bytes, count); /* may be there already */
    note_answer(call->server, t->staging, count);
    struct wire_reply push = {.kind = WIRE_PUSH, .offset = offset, .bytes = count};
    return thread_send(t, &push) && wait_ready(call->server, t);
}

/* Leaves `count` bytes (at most WIRE_STAGING_BYTES) in the staging memory and notes in the call
 * that the reply carries them; sends nothing and does not wait. A reply with an error leaves them
 * out, unless call->pushes_why is set. */
void call_push_last(struct call *call, uint64_t offset, const void *bytes, uint32_t count) {
    call->inline_bytes = 0;
    memcpy(call->thread->staging, bytes, count);
    note_answer(call->server, call->thread->staging, count);
    call->push_offset = offset;
    call->push_bytes = count;
}

/* Leaves the text, cut to WIRE_WHY_BYTES and without its NUL, for the reply as call_push_last()
 * does, and sets call->pushes_why, so that it travels with an error. Sends nothing. */
void call_push_why(struct call *call, const char *text) {
    call_push_last(call, 0, text, (uint32_t)strnlen(text, WIRE_WHY_BYTES));
    call->pushes_why = true;
}

/* ---- output of kernels */

/* Sends device output in WIRE_PRINT messages that fit the staging memory, which it overwrites, and
 * waits until the program has written each. */
static void print_piece(struct server *s, struct host_thread *t, const struct exec_text *text) {
    for (size_t at = 0; at < text->bytes && !t->dead;) {
        size_t left = text->bytes - at, n = left < WIRE_STAGING_BYTES ? left : WIRE_STAGING_BYTES;
        struct wire_reply print = {.kind = WIRE_PRINT, .offset = text->error, .bytes = n};
        memcpy(t->staging, text->text + at, n);
        if (!thread_send(t, &print) || !wait_done(s, t, PATIENCE_WRITES)) return;
        at += n;
    }
}

/* Takes the output that ended kernels of the program have left on all GPUs (gpu_take_output()),
 * sends it and frees it. A last push already lies in the staging memory, so this saves it
 * meanwhile. */
void call_print_output(struct call *call) {
    uint8_t *saved = NULL;
    for (unsigned i = 0; i < server_devices(call->server); i++) {
        struct exec_text *text = gpu_take_output(server_gpu(call->server, i), call->program);
        if (text && call->push_bytes && !saved) {
            saved = heddle_alloc(call->push_bytes, "what a call returns");
            memcpy(saved, call->thread->staging, call->push_bytes);
        }
        while (text) {
            struct exec_text *next = text->next;
            print_piece(call->server, call->thread, text);
            free(text);
            text = next;
        }
    }
    if (saved) memcpy(call->thread->staging, saved, call->push_bytes);
    free(saved);
}

/* The call through which the server can reach the memory of the program: the one being served, if
 * the program made it; while several nodes wait, one that is suspended and waits for what it has
 * issued. NULL: none. */
static struct call *open_call(struct server *s, const struct program *p) {
    struct call *call = s->now_serving;
    for (struct host_thread *t = s->in_order && !call ? s->threads : NULL; t && !call; t = t->next)
        if (t->program == p && t->is_suspended && t->issued.any) call = t->call;
    return call && call->program == p && !call->thread->dead ? call : NULL;
}

/* Asks the program for `count` bytes of its memory (WIRE_PULL_AT) and waits. Uses, and overwrites,
 * the staging memory of the call being served. @return false: that call is not of the program, it
 * died, or `count` exceeds the staging memory. */
bool program_read(struct server *s, struct program *p, uint64_t address, void *out,
                  uint32_t count) {
    struct call *call = open_call(s, p);
    if (!call || count > WIRE_STAGING_BYTES) return false;
    struct wire_reply pull = {.kind = WIRE_PULL_AT, .offset = address, .bytes = count};
    call->inline_bytes = 0;
    if (!thread_send(call->thread, &pull) || !wait_ready(s, call->thread)) return false;
    memcpy(out, call->thread->staging, count);
    return true;
}

/* Sends `count` bytes for the program's memory (WIRE_PUSH_AT) and waits until they are there. Uses,
 * and overwrites, the staging memory of the call being served. @return as program_read(). */
bool program_write(struct server *s, struct program *p, uint64_t address, const void *bytes,
                   uint32_t count) {
    struct call *call = open_call(s, p);
    if (!call || count > WIRE_STAGING_BYTES) return false;
    struct wire_reply push = {.kind = WIRE_PUSH_AT, .offset = address, .bytes = count};
    call->inline_bytes = 0;
    memcpy(call->thread->staging, bytes, count);
    note_answer(s, call->thread->staging, count);
    return thread_send(call->thread, &push) && wait_ready(s, call->thread);
}

/* Has the program's helper thread run the function (WIRE_RUN), and blocks until it has run.
 * callback: it also gets the handle `stream` and `status`, a cudaError_t. @return false: there is
 * no helper, it has gone, or it kept other programs waiting for too long, which is reported. */
bool program_run_host_function(struct server *s, struct program *p, uint64_t function,
                               uint64_t argument, bool callback, uint64_t stream, int status) {
    struct host_thread *t = p->helper;
    struct wire_reply run = {.kind = WIRE_RUN,
                             .error = status,
                             .offset = function,
                             .bytes = argument,
                             .result = {callback, stream}};
    return t && !t->dead && thread_send(t, &run) && wait_done(s, t, PATIENCE_CALLS);
}

/* As the two above, by the program's helper thread (WIRE_PULL_AT, WIRE_PUSH_AT on its connection),
 * in pieces that fit its staging memory. @return false: there is no helper, or it has gone. */
bool program_peek(struct server *s, struct program *p, uint64_t address, void *out,
                  uint64_t count) {
    struct host_thread *t = p->helper;
    for (uint64_t at = 0; at < count; at += WIRE_STAGING_BYTES) {
        const uint64_t n = count - at < WIRE_STAGING_BYTES ? count - at : WIRE_STAGING_BYTES;
        struct wire_reply pull = {.kind = WIRE_PULL_AT, .offset = address + at, .bytes = n};
        if (!t || t->dead || !thread_send(t, &pull) || !wait_ready(s, t)) return false;
        memcpy((uint8_t *)out + at, t->staging, n);
    }
    return true;
}

bool program_poke(struct server *s, struct program *p, uint64_t address, const void *bytes,
                  uint64_t count) {
    struct host_thread *t = p->helper;
    for (uint64_t at = 0; at < count; at += WIRE_STAGING_BYTES) {
        const uint64_t n = count - at < WIRE_STAGING_BYTES ? count - at : WIRE_STAGING_BYTES;
        struct wire_reply push = {.kind = WIRE_PUSH_AT, .offset = address + at, .bytes = n};
        if (!t || t->dead) return false;
        memcpy(t->staging, (const uint8_t *)bytes + at, n);
        if (!thread_send(t, &push) || !wait_ready(s, t)) return false;
    }
    return true;
}
