/* session.c - see session.h */
#define _GNU_SOURCE
#include "cuda/session.h"

#include "cuda/trace.h"
#include "cuda/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- messages */

enum { READY_TRIES = 200 };

static bool send_reply(struct host_thread *t, const struct wire_reply *reply) {
    ssize_t n;
    do n = send(t->socket, reply, sizeof *reply, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *reply) t->dead = true;
    return !t->dead;
}

static bool wait_ready(struct host_thread *t) {
    struct wire_request ready;
    ssize_t n = -1;
    for (int tries = 0; n < 0 && tries < READY_TRIES; tries++) { /* it only copies: soon back */
        n = recv(t->socket, &ready, sizeof ready, MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN) break;
    }
    while (n < 0 && (errno == EINTR || errno == EAGAIN))
        n = recv(t->socket, &ready, sizeof ready, 0);
    if (n != (ssize_t)sizeof ready || ready.kind != WIRE_READY) t->dead = true;
    return !t->dead;
}

const uint8_t *call_pull(struct call *call, uint64_t offset, uint32_t bytes) {
    struct host_thread *t = call->thread;
    if (t->dead || bytes > WIRE_STAGING_BYTES || offset + bytes > call->payload_bytes) return NULL;
    if (offset + bytes <= call->inline_bytes) return t->staging + offset;
    call->inline_bytes = 0; /* overwritten from here on */
    struct wire_reply pull = {.kind = WIRE_PULL, .offset = offset, .bytes = bytes};
    return send_reply(t, &pull) && wait_ready(t) ? t->staging : NULL;
}

uint8_t *call_take_payload(struct call *call) {
    uint8_t *all = malloc(call->payload_bytes + 1);
    if (!all) return NULL;
    for (uint64_t offset = 0; offset < call->payload_bytes;) {
        uint64_t left = call->payload_bytes - offset;
        uint32_t n = left < WIRE_STAGING_BYTES ? (uint32_t)left : WIRE_STAGING_BYTES;
        const uint8_t *piece = call_pull(call, offset, n);
        if (!piece) {
            free(all);
            return NULL;
        }
        memcpy(all + offset, piece, n);
        offset += n;
    }
    all[call->payload_bytes] = 0;
    return all;
}

/* Checkpoints: a resumed run brings what the first one brought. */
static void note_answer(const struct server *s, uint8_t *bytes, uint32_t count) {
    if (s->o.answer) s->o.answer(s->o.answer_user, bytes, count);
}

bool call_push(struct call *call, uint64_t offset, const void *bytes, uint32_t count) {
    struct host_thread *t = call->thread;
    if (t->dead || count > WIRE_STAGING_BYTES) return false;
    call->inline_bytes = 0;
    memmove(t->staging, bytes, count); /* may be there already */
    note_answer(call->server, t->staging, count);
    struct wire_reply push = {.kind = WIRE_PUSH, .offset = offset, .bytes = count};
    return send_reply(t, &push) && wait_ready(t);
}

void call_push_last(struct call *call, uint64_t offset, const void *bytes, uint32_t count) {
    call->inline_bytes = 0;
    memcpy(call->thread->staging, bytes, count);
    note_answer(call->server, call->thread->staging, count);
    call->push_offset = offset;
    call->push_bytes = count;
}

void call_push_why(struct call *call, const char *text) {
    call_push_last(call, 0, text, (uint32_t)strnlen(text, WIRE_WHY_BYTES));
    call->pushes_why = true;
}

/* ---- output of kernels */

static void print_piece(struct host_thread *t, const struct exec_text *text) {
    for (size_t at = 0; at < text->bytes && !t->dead;) {
        size_t left = text->bytes - at, n = left < WIRE_STAGING_BYTES ? left : WIRE_STAGING_BYTES;
        struct wire_reply print = {.kind = WIRE_PRINT, .offset = text->error, .bytes = n};
        memcpy(t->staging, text->text + at, n);
        if (!send_reply(t, &print) || !wait_ready(t)) return;
        at += n;
    }
}

/* What kernels that have ended have printed appears before the call returns. A last push lies in
 * the staging memory already: it waits aside. */
static void print_output(struct call *call) {
    uint8_t *aside = NULL;
    for (unsigned i = 0; i < server_devices(call->server); i++) {
        struct exec_text *text = gpu_take_output(server_gpu(call->server, i), call->program);
        if (text && call->push_bytes && !aside && (aside = malloc(call->push_bytes)))
            memcpy(aside, call->thread->staging, call->push_bytes);
        while (text) {
            struct exec_text *next = text->next;
            print_piece(call->thread, text);
            free(text);
            text = next;
        }
    }
    if (aside) memcpy(call->thread->staging, aside, call->push_bytes);
    free(aside);
}

/* The call through which the program's memory can be reached, or NULL. */
static struct call *open_call(struct server *s, const struct program *p) {
    struct call *call = s->now_serving;
    return call && call->program == p && !call->thread->dead ? call : NULL;
}

bool program_read(struct server *s, struct program *p, uint64_t address, void *out,
                  uint32_t count) {
    struct call *call = open_call(s, p);
    if (!call || count > WIRE_STAGING_BYTES) return false;
    struct wire_reply pull = {.kind = WIRE_PULL_AT, .offset = address, .bytes = count};
    call->inline_bytes = 0;
    if (!send_reply(call->thread, &pull) || !wait_ready(call->thread)) return false;
    memcpy(out, call->thread->staging, count);
    return true;
}

bool program_write(struct server *s, struct program *p, uint64_t address, const void *bytes,
                   uint32_t count) {
    struct call *call = open_call(s, p);
    if (!call || count > WIRE_STAGING_BYTES) return false;
    struct wire_reply push = {.kind = WIRE_PUSH_AT, .offset = address, .bytes = count};
    call->inline_bytes = 0;
    memcpy(call->thread->staging, bytes, count);
    note_answer(s, call->thread->staging, count);
    return send_reply(call->thread, &push) && wait_ready(call->thread);
}

/* A host function of the program, on its helper's connection. */
bool session_run_host_function(struct program *p, uint64_t function, uint64_t argument,
                               bool callback, uint64_t stream, int status) {
    struct host_thread *t = p->helper;
    struct wire_reply run = {.kind = WIRE_RUN,
                             .error = status,
                             .offset = function,
                             .bytes = argument,
                             .result = {callback, stream}};
    return t && !t->dead && send_reply(t, &run) && wait_ready(t);
}

/* ---- hello and goodbye */

static bool welcome(struct server *s, struct host_thread *t, const struct wire_hello *hello) {
    struct wire_welcome w = {.kind = WIRE_WELCOME, .magic = WIRE_MAGIC, .traced = s->trace != NULL};
    if (hello->magic != WIRE_MAGIC) {
        w.kind = WIRE_REFUSED;
        snprintf(w.text, sizeof w.text, "libcudart and `heddle` are of different builds");
        send(t->socket, &w, sizeof w, MSG_NOSIGNAL);
        return false;
    }
    t->program = server_program(s, hello, t->peer_pid);
    if (!t->program) return false;
    t->program->threads_now++;
    t->program->threads_ever++;
    t->number = t->program->threads_ever;
    t->now_ps = t->program->now_ps; /* a new thread begins where its program is */
    w.device_base = space_base(s->o.space, SPACE_DEVICE);
    w.device_bytes = space_devices_bytes(s->o.space);
    w.managed_base = space_base(s->o.space, SPACE_MANAGED);
    w.managed_bytes = space_bytes(s->o.space, SPACE_MANAGED);
    w.pinned_base = space_base(s->o.space, SPACE_PINNED);
    w.pinned_bytes = space_bytes(s->o.space, SPACE_PINNED);
    int fd[WIRE_NUM_FDS];
    fd[WIRE_FD_STAGING] = t->staging_fd;
    fd[WIRE_FD_PINNED] = space_fd(s->o.space, SPACE_PINNED);
    fd[WIRE_FD_MANAGED] = space_fd(s->o.space, SPACE_MANAGED);
    fd[WIRE_FD_CONTROL] = t->program->control_fd;
    union {
        char bytes[CMSG_SPACE(sizeof fd)];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec piece = {&w, sizeof w};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), fd, sizeof fd);
    return sendmsg(t->socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof w;
}

/* An ordinary end: what is queued is still carried out, so that it is in the report. */
static int say_goodbye(struct call *call) {
    call->program->goodbye = true;
    call->leaving = true;
    int error = wait_all(call);
    if (error != CALL_SET_ASIDE) return error;
    words_abandon(call);
    return CUDA_SUCCESS;
}

/* ---- a message */

static bool is_reset(const struct wire_request *request) {
    return request->kind == WIRE_CALL &&
           (request->call == CALL_cudaDeviceReset || request->call == CALL_cudaThreadExit);
}

static int carry_out(struct call *call, const struct wire_request *request) {
    struct program *p = call->program;
    /* A broken context answers every call with its error, until the program gives it up. */
    if (p->sticky && !is_reset(request)) {
        p->goodbye |= request->kind == WIRE_GOODBYE;
        return p->sticky;
    }
    int error = server_revive(call->server);
    if (error) return error;
    if (request->kind == WIRE_LOCALS) return CUDA_SUCCESS;
    if (request->kind == WIRE_GOODBYE) return say_goodbye(call);
    if (request->kind == WIRE_PARAMETERS) return describe_parameters(call, call->in[0]);
    return call->row->handler(call);
}

/* Carries a call out, again if it was set aside before. @return false: the connection is over. */
static bool answer(struct server *s, struct host_thread *t, const struct wire_request *r,
                   bool again) {
    struct call call = {.server = s,
                        .thread = t,
                        .program = t->program,
                        .row = &call_table[r->call],
                        .per_thread = r->flags & WIRE_PER_THREAD,
                        .payload_bytes = r->payload_bytes,
                        .inline_bytes = r->inline_bytes};
    memcpy(call.in, r->arg, sizeof call.in);
    if (!again) {
        const uint64_t cost = s->o.config->cpu_api_cost * 1000;
        trace_local_calls(s->trace, t, r);
        t->now_ps += (r->local_calls - r->part_calls) * cost;
        t->begin_ps = t->now_ps;
        if (r->kind == WIRE_CALL) t->now_ps += cost;
        words_note_call(s);
    }
    s->serving = t;
    s->now_serving = &call;
    s->pause_at = UINT64_MAX;
    int error = carry_out(&call, r);
    s->serving = NULL;
    s->now_serving = NULL;
    t->is_aside = error == CALL_SET_ASIDE && !t->dead;
    if (t->is_aside) {
        if (!again) t->aside = *r;
        return true;
    }
    if (again) words_note_call(s);
    if (t->now_ps > s->end_ps) s->end_ps = t->now_ps;
    if (t->now_ps > call.program->now_ps) call.program->now_ps = t->now_ps;
    if (r->kind == WIRE_CALL) trace_call(s->trace, &call, t->begin_ps, error);
    if (!t->dead) print_output(&call);
    struct wire_reply reply = {.kind = WIRE_DONE, .error = error};
    if (error == CUDA_SUCCESS || call.pushes_why) {
        memcpy(reply.result, call.out, sizeof reply.result);
        reply.offset = call.push_offset;
        reply.bytes = call.push_bytes;
    }
    return !t->dead && send_reply(t, &reply);
}

bool session_repeat(struct server *s, struct host_thread *t) {
    return answer(s, t, &t->aside, true);
}

bool session_serve(struct server *s, struct host_thread *t) {
    union {
        struct wire_hello hello;
        struct wire_request request;
        uint32_t kind;
    } m;
    ssize_t n;
    do n = recv(t->socket, &m, sizeof m, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    if (!t->program)
        return n == (ssize_t)sizeof m.hello && m.kind == WIRE_HELLO && welcome(s, t, &m.hello);
    const struct wire_request *r = &m.request;
    if (n == (ssize_t)sizeof *r && r->kind == WIRE_HELPER && !t->program->helper) {
        t->program->helper = t;
        t->program->threads_ever--; /* none of the program's own */
        return send_reply(t, &(struct wire_reply){.kind = WIRE_DONE});
    }
    bool known = r->kind == WIRE_CALL || r->kind == WIRE_PARAMETERS || r->kind == WIRE_GOODBYE ||
                 r->kind == WIRE_LOCALS;
    if (n != (ssize_t)sizeof *r || !known || r->call >= CUDA_NUM_CALLS ||
        (r->kind == WIRE_CALL && !call_table[r->call].handler) ||
        r->inline_bytes > WIRE_STAGING_BYTES || r->inline_bytes > r->payload_bytes) {
        server_error(s, "%s (process %d) sent a message that cannot be understood",
                     t->program->name, t->program->pid);
        return false;
    }
    return answer(s, t, r, false);
}

void session_close(struct server *s, struct host_thread *t) {
    struct host_thread **link = &s->threads;
    while (*link && *link != t) link = &(*link)->next;
    if (*link) *link = t->next;
    if (t->program && t->program->helper == t) t->program->helper = NULL;
    for (unsigned i = 0; t->program && i < server_devices(s); i++) {
        if (t->own[i].live) gpu_stream_destroy(server_gpu(s, i), t->own[i].gpu_stream);
        free(t->own[i].node);
    }
    if (t->program && --t->program->threads_now == 0) server_program_ended(s, t->program);
    close(t->socket);
    if (t->staging) munmap(t->staging, WIRE_STAGING_BYTES);
    if (t->staging_fd >= 0) close(t->staging_fd);
    free(t);
}
