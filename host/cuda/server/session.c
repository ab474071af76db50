/* session.c - hello, calls and goodbye of one connection; see session.h.
 *
 * Runs on the server's only thread: server_run() calls it for each connection that has a message,
 * and for suspended calls. It runs the handler of a call (call_table), moves the thread's clock and
 * sends the reply. A failed send or receive marks the thread dead. */
#define _GNU_SOURCE
#include "cuda/server/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cuda/calls/call_table.h"
#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/copy.h"
#include "cuda/object/managed_memory.h"
#include "cuda/object/module.h"
#include "cuda/base/payload.h"
#include "cuda/object/program_lifetime.h"
#include "cuda/server/standstill_story.h"
#include "cuda/server/trace.h"
#include "cuda/object/value_wait.h"
#include "cuda/object/wait.h"

/* ---- hello and goodbye */

/* Tells a program why it is not served. @return false. */
static bool refuse(const struct host_thread *t, const char *why) {
    struct wire_welcome w = {.kind = WIRE_REFUSED, .magic = WIRE_MAGIC};
    snprintf(w.text, sizeof w.text, "%s", why);
    send(t->socket, &w, sizeof w, MSG_NOSIGNAL | MSG_DONTWAIT);
    return false;
}

/* Answers a hello: finds or creates the program (program_enter()), counts the thread, sets its
 * number and clock, and sends the address space and the file descriptors. @return false: another
 * build's hello, or one without the secret (which are answered), no memory, or the connection
 * broke. */
static bool welcome(struct server *s, struct host_thread *t, const struct wire_hello *hello) {
    struct wire_welcome w = {.kind = WIRE_WELCOME, .magic = WIRE_MAGIC, .traced = s->trace != NULL};
    if (hello->magic != WIRE_MAGIC)
        return refuse(t, "libcudart and `heddle` are of different builds");
    if (memcmp(hello->secret, s->secret, WIRE_SECRET_BYTES) != 0)
        return refuse(t, "it is no program of this run");
    if (s->o.nodes && hello->pe >= s->o.nodes) {
        char why[160], number[40] = "missing or no number";
        if (hello->pe != WIRE_NO_PE) snprintf(number, sizeof number, "%u", hello->pe);
        snprintf(why, sizeof why, "%s of its environment is %s, and the run has the nodes 0 to %u",
                 WIRE_PE_ENVIRONMENT, number, s->o.nodes - 1);
        return refuse(t, why);
    }
    t->tid = (int)hello->tid;
    t->program = program_enter(s, hello, t->peer_pid);
    if (!t->program) {
        server_turn_away(s);
        return false;
    }
    t->program->threads_now++;
    t->program->threads_ever++;
    t->number = t->program->threads_ever;
    t->now_ps = t->program->now_ps; /* a new thread begins at the latest time of its program */
    w.device_base = address_space_base(s->o.space, REGION_DEVICE);
    w.device_bytes = address_space_devices_bytes(s->o.space);
    w.managed_base = address_space_base(s->o.space, REGION_MANAGED);
    w.managed_bytes = address_space_bytes(s->o.space, REGION_MANAGED);
    w.tracks = gpu_migrates(s->o.gpu);
    w.pinned_base = address_space_base(s->o.space, REGION_PINNED);
    w.pinned_bytes = address_space_bytes(s->o.space, REGION_PINNED);
    int fd[WIRE_NUM_FDS];
    fd[WIRE_FD_STAGING] = t->staging_fd;
    fd[WIRE_FD_PINNED] = address_space_fd(s->o.space, REGION_PINNED);
    fd[WIRE_FD_MANAGED] = address_space_fd(s->o.space, REGION_MANAGED);
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
    return sendmsg(t->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof w;
}

/* Handles WIRE_GOODBYE, an orderly end: sets program.goodbye and waits for all work of all GPUs, so
 * that the report includes it. Where a stream waits for a value in memory, gives up the work behind
 * it (value_wait_abandon()). @return the cudaError_t of the wait; CALL_SUSPENDED only in a server
 * that looks (pe_order.h). */
static int say_goodbye(struct call *call) {
    call->program->goodbye = true;
    call->leaving = true;
    call->repeatable = call->server->looks;
    int error = wait_all(call);
    if (error == CALL_SUSPENDED && call->server->looks) return error;
    if (error != CALL_SUSPENDED) return error;
    value_wait_abandon(call);
    return CUDA_SUCCESS;
}

/* ---- a message */

/* True for the calls that end the sticky error of a context (cudaDeviceReset, cudaThreadExit). */
static bool is_reset(const struct wire_request *request) {
    return request->kind == WIRE_CALL &&
           (request->call == CALL_cudaDeviceReset || request->call == CALL_cudaThreadExit);
}

/* Resets GPUs that a fault has stopped, then runs the handler of the message; both may change any
 * state of the server. A context with a sticky error returns that error to every message but a
 * reset, without running its handler. @return cudaError_t, or CALL_SUSPENDED from a handler with
 * call->repeatable. */
static int carry_out(struct call *call, const struct wire_request *request) {
    struct program *p = call->program;
    /* A broken context answers with its error until the program resets it. */
    if (p->sticky && !is_reset(request)) {
        p->goodbye |= request->kind == WIRE_GOODBYE;
        return p->sticky;
    }
    int error = program_revive_gpus(call->server);
    if (error) return error;
    if (request->kind == WIRE_LOCALS) return CUDA_SUCCESS;
    if (request->kind == WIRE_TOUCHED) return managed_touch(call);
    if (request->kind == WIRE_GOODBYE) return say_goodbye(call);
    if (request->kind == WIRE_PARAMETERS) return function_describe_parameters(call, call->in[0]);
    return call->row->handler(call);
}

/* Runs a message of t, traces it, moves the clocks of thread, program and server, and sends the
 * output of kernels and the reply. Each call costs cpu.api_cost of target time when it begins,
 * those answered in the program too, parts of a launch excepted. Sets s->serving and s->now_serving
 * for the time of the handler. A suspended call is kept in t->suspended and gets no reply yet.
 * again: it was suspended before. @return false: the connection has ended; the caller closes it. */
static bool answer(struct server *s, struct host_thread *t, const struct wire_request *r,
                   bool again) {
    if (!t->call) t->call = heddle_alloc(sizeof *t->call, "a call");
    struct call *call = t->call;
    /* a copy that is under way may have taken the payload from the staging memory */
    const uint32_t inline_bytes = again ? call->inline_bytes : r->inline_bytes;
    *call = (struct call){.server = s,
                          .thread = t,
                          .program = t->program,
                          .row = &call_table[r->call],
                          .per_thread = r->flags & WIRE_PER_THREAD,
                          .payload_bytes = r->payload_bytes,
                          .inline_bytes = inline_bytes};
    memcpy(call->in, r->arg, sizeof call->in);
    if (!again) {
        const uint64_t cost = s->o.config->cpu_api_cost * 1000;
        trace_local_calls(s->trace, t, r);
        t->begin_ps = t->now_ps;
        t->now_ps += (r->local_calls - r->part_calls) * cost;
        trace_tell_local_calls(s, t, t->begin_ps, r->local_calls - r->part_calls);
        t->begin_ps = t->now_ps;
        if (r->kind == WIRE_CALL && call->row->costs) t->now_ps += cost;
        value_wait_note_call(s);
    }
    s->serving = t;
    s->now_serving = call;
    s->pause_at = UINT64_MAX;
    int error = carry_out(call, r);
    s->serving = NULL;
    s->now_serving = NULL;
    t->is_suspended = error == CALL_SUSPENDED && !t->dead;
    if (t->is_suspended) {
        if (!again) t->suspended = *r;
        return true;
    }
    copy_let_go(t); /* of what the call no longer waits for */
    if (again) value_wait_note_call(s);
    if (t->now_ps > s->end_ps) s->end_ps = t->now_ps;
    if (t->now_ps > call->program->now_ps) call->program->now_ps = t->now_ps;
    if (r->kind == WIRE_CALL) {
        trace_call(s->trace, call, t->begin_ps, error);
        trace_tell_call(call, t->begin_ps, error);
    }
    if (!t->dead) call_print_output(call);
    struct wire_reply reply = {.kind = WIRE_DONE, .error = error};
    if (error == CUDA_SUCCESS || call->pushes_why) {
        memcpy(reply.result, call->out, sizeof reply.result);
        reply.offset = call->push_offset;
        reply.bytes = call->push_bytes;
    }
    return !t->dead && thread_send(t, &reply);
}

/* Runs the suspended call of t from its beginning, without its cost. @return false: the connection
 * has ended. The call may be suspended again. */
bool session_retry(struct server *s, struct host_thread *t) {
    return answer(s, t, &t->suspended, true);
}

/* Receives one message into t->message, if there is one. Never blocks. @return false: the
 * connection has ended. */
bool session_take(struct host_thread *t) {
    ssize_t n;
    do n = recv(t->socket, &t->message, sizeof t->message, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return true; /* a call that was served meanwhile has taken it */
    if (n <= 0) return false;
    t->message_bytes = (uint32_t)n;
    return true;
}

bool session_serve(struct server *s, struct host_thread *t) {
    return session_take(t) && session_serve_taken(s, t);
}

/* Checks the message that was taken, if there is one, and serves it: a hello, the announcement of a
 * helper thread (which gets no number in program.threads_ever), or a call. Reports a damaged
 * message on standard error. @return false: the connection was refused or sent such a message; the
 * caller closes it. */
bool session_serve_taken(struct server *s, struct host_thread *t) {
    const union session_message m = t->message;
    const uint32_t n = t->message_bytes;
    t->message_bytes = 0;
    if (!n) return true;
    if (!t->program) return n == sizeof m.hello && m.kind == WIRE_HELLO && welcome(s, t, &m.hello);
    const struct wire_request *r = &m.request;
    if (n == sizeof *r && r->kind == WIRE_HELPER && !t->program->helper) {
        t->program->helper = t;
        t->program->threads_ever--; /* not one of the program's own threads */
        return thread_send(t, &(struct wire_reply){.kind = WIRE_DONE});
    }
    bool known = r->kind == WIRE_CALL || r->kind == WIRE_PARAMETERS || r->kind == WIRE_GOODBYE ||
                 r->kind == WIRE_LOCALS || r->kind == WIRE_TOUCHED;
    if (n != sizeof *r || !known || r->call >= CUDA_NUM_CALLS ||
        (r->kind == WIRE_CALL && !call_table[r->call].handler) ||
        r->inline_bytes > WIRE_STAGING_BYTES || r->inline_bytes > r->payload_bytes) {
        server_error(s, "%s (process %d) sent a message that cannot be understood",
                     t->program->name, t->program->pid);
        return false;
    }
    return answer(s, t, r, false);
}

/* Takes the thread off server.threads and frees it with its connection, staging memory and default
 * streams (their pending work is still performed). The last thread of a program ends the program:
 * program_end(). */
void session_close(struct server *s, struct host_thread *t) {
    struct host_thread **link = &s->threads;
    if (s->in_order && t->is_suspended) standstill_keep(s, t);
    pthread_mutex_lock(&s->threads_lock);
    while (*link && *link != t) link = &(*link)->next;
    if (*link) *link = t->next;
    pthread_mutex_unlock(&s->threads_lock);
    if (t->program && t->program->helper == t) t->program->helper = NULL;
    copy_let_go(t);
    for (unsigned i = 0; t->program && i < server_node_devices(s); i++) {
        if (t->own[i] && t->own[i]->live) stream_destroy(t->own[i]);
        stream_free(t->own[i]);
    }
    if (t->program && --t->program->threads_now == 0) program_end(s, t->program);
    close(t->socket);
    if (t->staging) munmap(t->staging, WIRE_STAGING_BYTES);
    if (t->staging_fd >= 0) close(t->staging_fd);
    free(t->call);
    free(t);
}
