/* pe_order.c - serves the calls of several nodes in the order of target time; see pe_order.h.
 *
 * server_run() calls pe_order_take() for each message, and pe_order_step() between them. A step
 * looks whether all threads have settled (look_at_all()), and does one thing: hellos, a part of the
 * simulation, or a call. Calls that wait only look meanwhile (server.looks): this file simulates,
 * and retries them when an operation has ended.
 *
 * The simulation goes in steps that end at multiples of the look-ahead
 * (server_options.look_ahead_ps), or at the least clock plus the look-ahead. An operation that a
 * host thread issues when such a step has ended its wait arrives no earlier than the step's end, so
 * nothing depends on where windows end. */
#include "cuda/server/pe_order.h"

#include <stdlib.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/thread_state.h"
#include "cuda/object/host_function.h"
#include "cuda/object/mpi_transfer.h"
#include "cuda/object/mpi_world.h"
#include "cuda/object/symmetric_heap.h"
#include "cuda/object/value_wait.h"
#include "cuda/server/session.h"
#include "cuda/server/standstill.h"

enum {
    LOOK_MS = 1,             /* from one look at a thread to the next */
    UNKNOWN_MS = 1000,       /* a thread of which the system says nothing counts as asleep then */
    SIMULATE_MS = 5,         /* of one step, at most */
    HELLO_PATIENCE_MS = 100, /* for the first message of a connection */
};

/* A thread that has no connection; of a program, or of a process that may become one. */
struct outsider {
    int pid, tid;
    struct order_thread order;
    bool rests; /* it has slept for so long that it counts as asleep whenever it sleeps */
    bool seen;  /* in the present look */
};

struct pe_order {
    struct server *server; /* borrowed */
    const struct server_child *child;
    bool *ended;        /* of each child */
    GArray *outsiders;  /* struct outsider */
    GArray *pids;       /* int, scratch */
    GPtrArray *threads; /* struct host_thread, scratch */
    struct gpu **gpu;   /* all */
    unsigned num_gpus;
    bool timed;
    bool told;          /* the notice about a sleeper has been written */
    bool may_wake;      /* in the present look: a thread sleeps that may wake by itself */
    uint64_t gpu_ended; /* operations that had ended when waits were last retried */
};

struct pe_order *pe_order_create(struct server *s, const struct server_child *child) {
    struct pe_order *o = heddle_alloc(sizeof *o, "the order of calls");
    o->server = s;
    o->child = child;
    o->ended = heddle_alloc_array(s->o.nodes, sizeof *o->ended, "the order of calls");
    o->outsiders = g_array_new(FALSE, FALSE, sizeof(struct outsider));
    o->pids = g_array_new(FALSE, FALSE, sizeof(int));
    o->threads = g_ptr_array_new();
    o->num_gpus = server_devices(s);
    o->gpu = heddle_alloc_array(o->num_gpus, sizeof(struct gpu *), "the order of calls");
    for (unsigned i = 0; i < o->num_gpus; i++) o->gpu[i] = server_gpu(s, i);
    o->timed = gpu_is_timed(o->gpu[0]);
    s->in_order = true;
    s->looks = o->timed;
    s->standstill = standstill_create(s);
    return o;
}

void pe_order_free(struct pe_order *o) {
    if (!o) return;
    standstill_free(o->server->standstill);
    o->server->standstill = NULL;
    g_array_unref(o->outsiders);
    g_array_unref(o->pids);
    g_ptr_array_unref(o->threads);
    free(o->ended);
    free(o->gpu);
    free(o);
}

void pe_order_ended(struct pe_order *o, unsigned node) {
    o->ended[node] = true;
}

bool pe_order_take(struct server *s, struct host_thread *t) {
    if (t->message_bytes || t->is_suspended) return false; /* it waits for an answer: hung up */
    if (!session_take(t)) return false;
    if (!t->program && t->message_bytes == sizeof t->message.hello)
        t->tid = (int)t->message.hello.tid; /* it is known to wait */
    /* a helper has no clock, and a thread that makes a call waits for it */
    const bool helper = t->program && t->message.kind == WIRE_HELPER;
    return !helper || session_serve_taken(s, t);
}

/* ---- whether all have settled */

/* Says once that a thread sleeps. */
static void tell_sleeper(struct server *s, struct pe_order *o, unsigned node, const char *name) {
    if (o->told) return;
    o->told = true;
    server_notice(
        s,
        "PE %u (%s) sleeps outside of CUDA calls while all others wait: they go on without "
        "it, and the order of calls depends on the machine from here on",
        node, name);
}

/* What a look at a thread has found. */
enum look { LOOK_RUNS, LOOK_SLEEPS, LOOK_SLEEPS_LONG, LOOK_GONE };

static void awake(struct order_thread *t) {
    t->asleep_since = 0;
    t->away = false;
}

/* Looks at a thread that makes no call. `rests`: no time is needed to call it asleep. */
static enum look look_at(int pid, int tid, struct order_thread *t, bool rests, double now) {
    const char state = thread_state(pid, tid);
    int patience_ms = PE_SLEEPS_MS;
    uint64_t runs = 0;
    if (state == 'Z' || state == 'X') return LOOK_GONE;
    if (state == '?') {
        if (process_num_threads(pid) == 0) return LOOK_GONE;
        patience_ms = UNKNOWN_MS;
    } else if (state != 'S') {
        awake(t);
        return LOOK_RUNS;
    } else {
        if (thread_sleeps_for_others(pid, tid)) return LOOK_SLEEPS;
        if (rests) return LOOK_SLEEPS;
        runs = thread_runs(pid, tid);
    }
    if (!t->asleep_since || t->runs != runs) {
        t->asleep_since = now;
        t->runs = runs;
    }
    t->away = now - t->asleep_since >= patience_ms * 1e-3;
    return t->away ? LOOK_SLEEPS_LONG : LOOK_RUNS;
}

/* The record of a thread without a connection; a new one if there is none. Valid until the next. */
static struct outsider *find_outsider(struct pe_order *o, int pid, int tid) {
    for (unsigned i = 0; i < o->outsiders->len; i++) {
        struct outsider *x = &g_array_index(o->outsiders, struct outsider, i);
        if (x->pid == pid && x->tid == tid) return x;
    }
    const struct outsider x = {.pid = pid, .tid = tid};
    g_array_append_val(o->outsiders, x);
    return &g_array_index(o->outsiders, struct outsider, o->outsiders->len - 1);
}

/* The connection of a thread, or NULL. */
static struct host_thread *find_connection(const struct server *s, int pid, int tid) {
    for (struct host_thread *t = s->threads; t; t = t->next)
        if (t->peer_pid == pid && t->tid == tid) return t;
    return NULL;
}

/* Looks at the threads of a process that have no connection. *slept_long: one of them has needed
 * patience. @return whether all of them sleep or have gone. */
static bool outsiders_settled(const struct server *s, struct pe_order *o, int pid, double now,
                              bool *slept_long) {
    bool settled = true;
    GArray *tids = g_array_new(FALSE, FALSE, sizeof(int));
    process_threads(pid, tids);
    for (unsigned i = 0; i < tids->len; i++) {
        const int tid = g_array_index(tids, int, i);
        if (find_connection(s, pid, tid)) continue;
        struct outsider *x = find_outsider(o, pid, tid);
        const enum look look = look_at(pid, tid, &x->order, x->rests, now);
        x->seen = true;
        if (look == LOOK_SLEEPS_LONG) x->rests = true;
        *slept_long |= look == LOOK_SLEEPS_LONG || x->rests;
        settled &= look != LOOK_RUNS;
    }
    g_array_unref(tids);
    return settled;
}

/* The same of a process that has no connection and of all that descend from it. */
static bool tree_settled(const struct server *s, struct pe_order *o, int root, double now,
                         bool *slept_long) {
    bool settled = true;
    g_array_set_size(o->pids, 0);
    g_array_append_val(o->pids, root);
    for (unsigned i = 0; i < o->pids->len; i++) {
        const int pid = g_array_index(o->pids, int, i);
        settled &= outsiders_settled(s, o, pid, now, slept_long);
        process_children(pid, o->pids);
    }
    return settled;
}

/* The number of connections of the process, those before their hello included. */
static unsigned connections_of(const struct server *s, int pid) {
    unsigned n = 0;
    for (const struct host_thread *t = s->threads; t; t = t->next) n += t->peer_pid == pid;
    return n;
}

/* Whether the connection waits for an answer, or for functions to run: a helper that has just told
 * that it is there wakes the thread that has made it, and only then rests between what it is asked
 * for. */
static bool waits(struct host_thread *t) {
    if (t->message_bytes || t->is_suspended) return true;
    if (!t->program || t != t->program->helper) return false;
    if (!t->order.rests) t->order.rests = thread_state(t->peer_pid, t->tid) == 'S';
    return t->order.rests;
}

/* Looks at the thread of a connection. *asleep: it sleeps outside of calls. */
static bool thread_settled(struct server *s, struct pe_order *o, struct host_thread *t, double now,
                           bool *asleep) {
    if (waits(t)) {
        awake(&t->order);
        return true;
    }
    if (!t->program) { /* its hello comes at once */
        if (!t->order.asleep_since) t->order.asleep_since = now;
        return now - t->order.asleep_since >= HELLO_PATIENCE_MS * 1e-3;
    }
    const enum look look = look_at(t->peer_pid, t->tid, &t->order, false, now);
    if (look == LOOK_SLEEPS_LONG) tell_sleeper(s, o, t->program->node, t->program->name);
    *asleep |= look == LOOK_SLEEPS || look == LOOK_SLEEPS_LONG;
    o->may_wake |= look == LOOK_SLEEPS_LONG;
    if (look != LOOK_GONE) return look != LOOK_RUNS;
    /* the connection ends soon, unless a child of the process has inherited it */
    if (!t->order.asleep_since) t->order.asleep_since = now;
    return now - t->order.asleep_since >= UNKNOWN_MS * 1e-3;
}

/* Whether a node has a connection that has said hello. */
static bool is_connected(const struct server *s, unsigned node) {
    for (const struct host_thread *t = s->threads; t; t = t->next) {
        if (t->program && t->program->node == node) return true;
        if (!t->program && t->message_bytes == sizeof t->message.hello &&
            t->message.hello.pe == node)
            return true;
    }
    return false;
}

/* Whether no thread of any node will send something soon: all wait, have left or sleep. */
static bool look_at_all(struct server *s, struct pe_order *o) {
    const double now = wall_seconds();
    bool settled = true;
    o->may_wake = false;
    for (unsigned i = 0; i < o->outsiders->len; i++)
        g_array_index(o->outsiders, struct outsider, i).seen = false;
    for (struct host_thread *t = s->threads; t; t = t->next) {
        bool asleep = false, first = true;
        settled &= thread_settled(s, o, t, now, &asleep);
        if (!settled) return false;
        for (const struct host_thread *x = s->threads; x != t && first; x = x->next)
            first = x->peer_pid != t->peer_pid;
        if (first && process_num_threads(t->peer_pid) > connections_of(s, t->peer_pid))
            settled &= outsiders_settled(s, o, t->peer_pid, now, &o->may_wake);
        /* it may wait for children that are about to use CUDA */
        if (asleep && settled) settled &= tree_settled(s, o, t->peer_pid, now, &o->may_wake);
        if (!settled) return false;
    }
    for (unsigned i = 0; i < s->o.nodes; i++) {
        bool slept_long = false;
        if (o->ended[i] || is_connected(s, i)) continue;
        if (!tree_settled(s, o, o->child[i].pid, now, &slept_long)) return false;
        o->may_wake |= slept_long;
        if (slept_long) tell_sleeper(s, o, i, "no CUDA program yet, or no longer");
    }
    for (unsigned i = o->outsiders->len; i-- > 0;)
        if (!g_array_index(o->outsiders, struct outsider, i).seen)
            g_array_remove_index_fast(o->outsiders, i);
    return true;
}

/* ---- the order */

/* The clock at which the call begins that the thread has sent. */
static uint64_t begin_of(const struct server *s, const struct host_thread *t) {
    const struct wire_request *r = &t->message.request;
    if (t->is_suspended || t->message_bytes != sizeof *r) return t->now_ps;
    const uint64_t calls = r->local_calls > r->part_calls ? r->local_calls - r->part_calls : 0;
    return t->now_ps + calls * s->o.config->cpu_api_cost * 1000;
}

/* Whether a comes before b: by clock, PE, program and thread. Threads are in the order in which
 * they were created, which the system's numbers have; connections of threads that begin together
 * come in any order. */
static bool is_before(const struct server *s, const struct host_thread *a,
                      const struct host_thread *b) {
    const uint64_t at = begin_of(s, a), bt = begin_of(s, b);
    const struct program *p = a->program, *q = b->program;
    if (at != bt) return at < bt;
    if (p->node != q->node) return p->node < q->node;
    return p->number != q->number ? p->number < q->number : a->tid < b->tid;
}

/* Whether a hello comes before another: by PE and process, then in the order in which the threads
 * were created. */
static bool is_hello_before(const struct host_thread *a, const struct host_thread *b) {
    const struct wire_hello *x = &a->message.hello, *y = &b->message.hello;
    if (x->pe != y->pe) return x->pe < y->pe;
    return a->peer_pid != b->peer_pid ? a->peer_pid < b->peer_pid : x->tid < y->tid;
}

/* Serves the message that was taken, and closes the connection if it has ended. A thread gets its
 * number with its first call. */
static void serve(struct server *s, struct host_thread *t) {
    if (t->program && !t->order.numbered) {
        t->order.numbered = true;
        t->number = ++t->program->threads_numbered;
    }
    if (!session_serve_taken(s, t)) session_close(s, t);
    for (unsigned i = 0; i < server_devices(s); i++) gpu_keep_short(server_gpu(s, i));
}

/* Serves all hellos. @return whether there was one. */
static bool serve_hellos(struct server *s) {
    for (bool any = false;; any = true) {
        struct host_thread *first = NULL;
        for (struct host_thread *t = s->threads; t; t = t->next)
            if (!t->program && t->message_bytes && (!first || is_hello_before(t, first))) first = t;
        if (!first) return any;
        serve(s, first);
    }
}

/* The call to be served next, or NULL. */
static struct host_thread *first_call(const struct server *s) {
    struct host_thread *first = NULL;
    for (struct host_thread *t = s->threads; t; t = t->next)
        if (t->program && t->message_bytes && (!first || is_before(s, t, first))) first = t;
    return first;
}

/* Retries the suspended calls in order. @return whether one of them has ended. */
static bool retry(struct server *s, struct pe_order *o) {
    bool any = false;
    const uint64_t ended = server_num_ended(s);
    g_ptr_array_set_size(o->threads, 0);
    for (struct host_thread *t = s->threads; t; t = t->next) {
        if (!t->is_suspended) continue;
        unsigned i = o->threads->len;
        while (i > 0 && is_before(s, t, g_ptr_array_index(o->threads, i - 1))) i--;
        g_ptr_array_insert(o->threads, (int)i, t);
    }
    for (unsigned i = 0; i < o->threads->len; i++) {
        struct host_thread *t = g_ptr_array_index(o->threads, i);
        if (!session_retry(s, t)) {
            session_close(s, t);
            any = true;
        } else {
            any |= !t->is_suspended;
        }
        /* without timing a retry simulates, and others may wait for what this one does next */
        if (any && !o->timed) break;
    }
    if (!any) s->ended_at_retry = ended; /* no wait has ended by these */
    return any;
}

static bool any_suspended(const struct server *s) {
    const struct host_thread *t = s->threads;
    while (t && !t->is_suspended) t = t->next;
    return t != NULL;
}

/* Host functions that are issued and have not run. */
static unsigned count_due(const struct server *s) {
    unsigned n = 0;
    for (const struct program *p = s->programs; p; p = p->next) n += host_functions_count(p);
    return n;
}

/* ---- simulation, with timing on */

/* Simulates up to `bound`, until a wait ends, a host function runs or SIMULATE_MS have passed.
 * @return false: nothing is left to happen before `bound`. */
static bool simulate(struct server *s, struct pe_order *o, uint64_t bound) {
    const uint64_t step = s->o.look_ahead_ps;
    const double end_s = wall_seconds() + SIMULATE_MS * 1e-3;
    const unsigned due = count_due(s);
    do {
        const uint64_t next = gpus_next(o->gpu, o->num_gpus);
        const bool idle = next >= bound || next == UINT64_MAX;
        uint64_t until = bound;
        if (!idle && next / step < UINT64_MAX / step - 1 && (next / step + 1) * step < bound)
            until = (next / step + 1) * step;
        /* an idle GPU's streams look at their conditions again, which a call may have met */
        const uint64_t ended = gpus_advance(o->gpu, o->num_gpus,
                                            idle && bound == UINT64_MAX ? 0 : until);
        symmetric_heap_look(s);
        const bool news = mpi_world_hear(s);
        if (ended != o->gpu_ended || news) {
            o->gpu_ended = ended;
            value_wait_note_call(s);
            standstill_moved(s->standstill);
            if (retry(s, o) || count_due(s) != due) return true;
        } else if (idle) {
            return false;
        } else if (standstill_look(s->standstill, until)) {
            standstill_tell(s->standstill);
            return true;
        }
    } while (wall_seconds() < end_s);
    return true;
}

/* All wait, and nothing is left to happen: the calls themselves find out why, as with one node.
 * @return as pe_order_step(). */
static int find_out(struct server *s, struct pe_order *o) {
    s->looks = false;
    const bool ended = retry(s, o);
    s->looks = o->timed;
    if (ended)
        standstill_moved(s->standstill);
    else if (s->stands_still || (!s->value_waits && standstill_idle(s->standstill)))
        standstill_tell(s->standstill);
    return ended ? 0 : VALUE_WAIT_RETRY_MS;
}

int pe_order_step(struct server *s, struct pe_order *o) {
    if (!s->threads && count_due(s) == 0) return -1;
    if (!look_at_all(s, o)) return LOOK_MS;
    if (serve_hellos(s)) return 0;
    struct host_thread *next = first_call(s);
    const bool suspended = any_suspended(s);
    if (s->met) {
        s->met = false;
        if (retry(s, o)) return 0;
    }
    uint64_t bound = UINT64_MAX;
    if (next) bound = begin_of(s, next) + s->o.look_ahead_ps;
    standstill_may(s->standstill, suspended && !next && !o->may_wake && !host_functions_due(s));
    const bool awaited = suspended || host_functions_due(s) || mpi_transfers_any(s);
    if (o->timed && awaited && simulate(s, o, bound)) return 0;
    if (!o->timed && suspended && retry(s, o)) return 0;
    if (!o->timed && !next && host_functions_due(s)) host_functions_advance(s);
    if (next) {
        serve(s, next);
        return 0;
    }
    return suspended ? find_out(s, o) : -1;
}
