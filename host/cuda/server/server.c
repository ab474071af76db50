/* server.c - the CUDA server: accepts connections of programs, polls them and serves one call at a
 * time; see server.h.
 *
 * `heddle run` creates the server and calls server_run() on its main thread, the server's thread,
 * which runs everything here unless a comment says otherwise. While a call waits, the GPU calls
 * advance_others() and makes_room() on that thread, between windows of the simulation. Handlers and
 * replies are session.c's. The lists of *s have no lock: see context.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/calls/call_table.h"
#include "cuda/object/host_function.h"
#include "cuda/object/mpi_remote.h"
#include "cuda/object/mpi_transfer.h"
#include "cuda/object/mpi_window_access.h"
#include "cuda/object/mpi_world.h"
#include "cuda/base/patience.h"
#include "cuda/base/payload.h"
#include "cuda/object/program_death.h"
#include "cuda/object/program_lifetime.h"
#include "cuda/server/pe_order.h"
#include "cuda/server/server.h"
#include "cuda/server/session.h"
#include "cuda/server/standstill.h"
#include "cuda/base/shared_file.h"
#include "cuda/object/stream_op.h"
#include "cuda/object/symmetric_heap.h"
#include "cuda/object/value_wait.h"
#include "cuda/object/wait.h"

/* ---- creation */

/* Wall time in microseconds, from an arbitrary start. */
static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* gpu_others_fn, called on the server's thread while it waits for `gpu`: advances the other GPUs to
 * the same target time, which performs their operations. A fault there is reported by a later wait
 * for that GPU. */
static void advance_others(void *user, const struct gpu *gpu, uint64_t now_ps) {
    struct server *s = user;
    for (unsigned i = 0; i < server_devices(s); i++)
        if (server_gpu(s, i) != gpu) gpu_advance(server_gpu(s, i), now_ps);
    if (gpu_is_timed(gpu))
        symmetric_heap_look(s);
    else
        symmetric_heap_serve(s);
}

/* Whether a call waits to be served in its turn. */
static bool calls_to_serve(const struct server *s) {
    const struct host_thread *t = s->threads;
    while (t && !t->message_bytes) t = t->next;
    return t != NULL;
}

/* Without timing: whether operations have ended for which other calls may wait, since those were
 * last retried. No message tells of that. (With timing, pe_order.c simulates and retries.) */
static bool others_go_on(const struct server *s) {
    const struct host_thread *t = s->threads;
    if (gpu_is_timed(s->o.gpu)) return false;
    while (t && (t == s->serving || !t->is_suspended)) t = t->next;
    return t && server_num_ended(s) != s->ended_at_retry;
}

/* Several nodes without timing: whether a wait during which kernels only take turns is to end. A
 * call that is served is suspended after a while; among suspended ones the watch for a standstill
 * looks, whose verdict ends them all. */
static bool takes_turns_for_nothing(struct server *s) {
    enum { TURNS = 4096 };
    if (!s->in_order || gpu_is_timed(s->o.gpu)) return false;
    if (!s->serving->is_suspended) return ++s->turns_for_nothing % TURNS == 0;
    if (!s->stands_still) s->stands_still = standstill_look_untimed(s->standstill);
    return s->stands_still;
}

/* gpu_pause_fn, called on the server's thread now and then during a wait. True if the program of
 * the call being served has hung up, so that nobody waits, or if the call only waits
 * (call->repeatable), has waited a while (FIRST_US, then LATER_US of wall time) and another
 * connection, or a new one, has a message. The wait then ends and the call yields, because it may
 * wait for that thread (a kernel polls a word that another thread copies). In a server of several
 * nodes a call that only waits yields to any other at once. Moves s->pause_at. */
static bool makes_room(void *user) {
    enum { FIRST_US = 3000000, LATER_US = 50000 };
    struct server *s = user;
    if (thread_has_hung_up(s->serving)) return true;
    if (!s->now_serving || !s->now_serving->repeatable) return false;
    if (s->in_order && (calls_to_serve(s) || others_go_on(s))) return true;
    if (takes_turns_for_nothing(s)) return true;
    uint64_t now = now_us();
    if (now < s->pause_at) {
        if (s->pause_at == UINT64_MAX)
            s->pause_at = now + (s->serving->is_suspended ? LATER_US : FIRST_US);
        return false;
    }
    s->pause_at = now + LATER_US;
    return others_ask(s, s->serving, true);
}

/* Adds what the word is that warps poll, if it is one of SHMEM. */
static void name_polled(const struct server *s, struct exec_standing_place *p) {
    const size_t length = strlen(p->text);
    char name[200];
    symmetric_heap_name(s, p->polled, name, sizeof name);
    if (*name) snprintf(p->text + length, sizeof p->text - length, ": %s", name);
}

/* gpu_interrupted_fn, on the server's thread or on one that it waits for: says so, and keeps it for
 * the report. */
static void note_interruption(void *user, const struct gpu_interruption *i) {
    enum { MOST = 16 }; /* kept */
    struct server *s = user;
    server_notice(s, "kernel %s was given up after %llu of %llu CTAs", i->kernel,
                  (unsigned long long)i->ctas_done, (unsigned long long)i->ctas);
    if (s->interruptions->len == MOST) return;
    struct gpu_interruption *kept = heddle_alloc(sizeof *kept, "an interrupted kernel");
    struct exec_standing *standing = heddle_alloc(sizeof *standing, "where warps stood");
    *standing = *i->standing;
    for (unsigned k = 0; k < standing->num_places; k++) name_polled(s, &standing->place[k]);
    *kept = *i;
    kept->standing = standing;
    kept->kernel = heddle_copy_text(i->kernel, "an interrupted kernel");
    g_ptr_array_add(s->interruptions, kept);
}

static void free_interruption(gpointer of) {
    struct gpu_interruption *i = of;
    free((char *)(uintptr_t)i->kernel);
    free((struct exec_standing *)(uintptr_t)i->standing);
    free(i);
}

const struct gpu_interruption *const *server_interruptions(const struct server *s, size_t *n) {
    *n = s->interruptions->len;
    return (const struct gpu_interruption *const *)s->interruptions->pdata;
}

/* Opens the listening socket, registers the callbacks with all GPUs and points the memory of the
 * GPUs to s->textures. Keeps a copy of the options and borrows what they point to. The caller owns
 * *out. @return HEDDLE_ERR_IO with the reason in *diag; *out is NULL then. */
heddle_err server_create(struct server **out, const struct server_options *options,
                         struct heddle_diag *diag) {
    *out = NULL;
    struct server *s = heddle_alloc(sizeof *s, "the server");
    pthread_mutex_init(&s->threads_lock, NULL);
    pthread_mutex_init(&s->performing, NULL);
    s->interruptions = g_ptr_array_new_with_free_func(free_interruption);
    s->waits = g_ptr_array_new_with_free_func(free);
    s->code = g_hash_table_new(g_str_hash, g_str_equal);
    s->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    s->o = *options;
    address_space_memory(s->o.space)->textures = &s->textures;
    /* An abstract name leaves no file behind. It is no secret; accept_thread() checks the peer's
     * user, and a hello the secret. */
    uint64_t chance[3];
    if (getrandom(chance, sizeof chance, 0) != sizeof chance) {
        server_free(s);
        return heddle_fail(diag, HEDDLE_ERR_IO, "the system gives no random numbers: %s",
                           strerror(errno));
    }
    const int name = snprintf(s->address, sizeof s->address, "heddle-%d-%016llx", (int)getpid(),
                              (unsigned long long)chance[0]);
    snprintf(s->address + name, sizeof s->address - (size_t)name, ",%016llx%016llx",
             (unsigned long long)chance[1], (unsigned long long)chance[2]);
    s->secret = s->address + name + 1;
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, s->address, (size_t)name);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)name);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(s->listener, 128) != 0) {
        heddle_err e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot listen on a UNIX socket: %s%s",
                                   strerror(errno), heddle_advice(errno));
        server_free(s);
        return e;
    }
    for (unsigned i = 0; i < server_devices(s); i++) {
        gpu_set_wait_hooks(server_gpu(s, i), advance_others, makes_room, s);
        gpu_set_interrupted(server_gpu(s, i), note_interruption, s);
        gpu_set_failed(server_gpu(s, i), wait_kernel_failed, s);
    }
    *out = s;
    return HEDDLE_OK;
}

const struct findings *server_findings(const struct server *s) {
    return &s->findings;
}

/* Closes all connections, which ends their programs and may write notices; drops pending operations
 * and waits; frees all programs with their memory, and s. The trace, the address space and the GPUs
 * stay. Accepts NULL. */
void server_free(struct server *s) {
    if (!s) return;
    while (s->threads) session_close(s, s->threads);
    stream_op_drop_all(s, NULL);
    value_wait_drop(s, NULL);
    while (s->programs) {
        struct program *next = s->programs->next;
        program_free(s, s->programs);
        s->programs = next;
    }
    if (s->listener >= 0) close(s->listener);
    if (s->reserve >= 0) close(s->reserve);
    symmetric_heap_drop(s);
    mpi_accesses_drop(s);
    mpi_remote_drop(s);
    mpi_transfers_drop(s);
    mpi_world_drop(s);
    address_space_memory(s->o.space)->textures = NULL;
    texture_table_fini(&s->textures);
    findings_clear(&s->findings);
    pthread_mutex_destroy(&s->threads_lock);
    pthread_mutex_destroy(&s->performing);
    g_ptr_array_unref(s->interruptions);
    g_ptr_array_unref(s->waits);
    g_hash_table_unref(s->code);
    free(s);
}

void server_set_trace(struct server *s, struct trace *t) {
    s->trace = t;
}

const char *server_address(const struct server *s) {
    return s->address;
}

/* ---- serving */

/* accept4() for the listener. Where no descriptor is free, lets go of the one in reserve, so that
 * the program is turned away instead of waiting for ever. @return -1: there is no connection. */
static int accept_connection(struct server *s) {
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 || (errno != EMFILE && errno != ENFILE)) return fd;
    server_turn_away(s);
    if (s->reserve >= 0) close(s->reserve);
    fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) close(fd);
    s->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return -1;
}

/* Accepts a connection of the same user, creates its staging memory, and adds its thread, without a
 * program before its hello, to s->threads. Closes any other connection, and one without memory. */
static void accept_thread(struct server *s) {
    int fd = accept_connection(s);
    if (fd < 0) return;
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct host_thread *t = heddle_alloc(sizeof *t, "a thread of the program");
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != getuid()) {
        close(fd); /* another user */
        free(t);
        return;
    }
    t->socket = fd;
    t->staging_fd = -1;
    t->peer_pid = peer.pid;
    t->staging = shared_file_create("heddle staging", WIRE_STAGING_BYTES, &t->staging_fd);
    if (!t->staging) {
        server_turn_away(s);
        close(fd);
        free(t);
        return;
    }
    pthread_mutex_lock(&s->threads_lock);
    t->next = s->threads;
    s->threads = t;
    pthread_mutex_unlock(&s->threads_lock);
}

void server_signal(struct server *s, int number, const pid_t *except, unsigned num) {
    pthread_mutex_lock(&s->threads_lock);
    for (const struct host_thread *t = s->threads; t; t = t->next) {
        bool first = true; /* of its process */
        for (unsigned i = 0; i < num && first; i++) first = t->peer_pid != except[i];
        for (const struct host_thread *o = s->threads; o != t && first; o = o->next)
            first = o->peer_pid != t->peer_pid;
        if (first) kill(t->peer_pid, number);
    }
    pthread_mutex_unlock(&s->threads_lock);
}

/* Runs suspended calls again (session_retry()), which drives the simulation and may send replies;
 * closes connections that end. @return true if calls are still suspended. */
static bool retry_calls(struct server *s) {
    bool any = false;
    for (struct host_thread *t = s->threads, *next; t; t = next) {
        next = t->next;
        if (!t->is_suspended) continue;
        if (!session_retry(s, t))
            session_close(s, t);
        else
            any |= t->is_suspended;
    }
    return any;
}

/* ---- newcomers: connections that come, say hello and go */

/* They cost more than most calls, so while a program is connected they get a twentieth of the
 * server's time: a program that opens connections without end, or never answers on one after the
 * other, must not slow others down. What they have not used for CREDIT_US they may use at once: a
 * program that starts a hundred threads need not wait. */
enum { NEWCOMERS_SHARE = 20, CREDIT_US = 400000, MOST_US = 5000, STALL_US = 100000 };

/* Charges some time to newcomers. */
static void charge_newcomers(struct server *s, uint64_t us) {
    const uint64_t now = now_us(), least = now > CREDIT_US ? now - CREDIT_US : 0;
    const uint64_t at = s->newcomers_at > least ? s->newcomers_at : least;
    s->newcomers_at = at + us * (NEWCOMERS_SHARE - 1);
}

/* The time since `begin`, to be charged: not what a program leaves undone on the GPU takes. */
static uint64_t since(uint64_t begin) {
    const uint64_t us = now_us() - begin;
    return us < MOST_US ? us : MOST_US;
}

/* Microseconds for which newcomers have to wait; 0: none, or nobody else is there. */
static uint64_t newcomers_wait(const struct server *s) {
    const uint64_t now = now_us();
    if (now >= s->newcomers_at) return 0;
    const struct host_thread *t = s->threads;
    while (t && !t->program) t = t->next;
    return t ? s->newcomers_at - now : 0;
}

/* Serves a connection that has a message, and closes it when it has ended. */
static void serve(struct server *s, struct host_thread *t) {
    const bool is_new = !t->program;
    const unsigned stalls = s->stalls;
    const uint64_t begin = now_us();
    const bool ended = !session_serve(s, t);
    const uint64_t close = is_new ? begin : now_us();
    if (ended) session_close(s, t);
    if (ended || is_new) charge_newcomers(s, since(close));
    if (s->stalls != stalls) charge_newcomers(s, STALL_US);
}

/* What server_run() polls. */
struct poll_list {
    GArray *fds;          /* struct pollfd: the listener, the children, the connections */
    GPtrArray *who;       /* struct host_thread of each connection */
    unsigned connections; /* place of the first one in fds */
};

/* Fills the list with the listener, the children (-1: ended) and every connection. `no_newcomers`:
 * they are not looked at. */
static void list_connections(const struct server *s, const GArray *children, bool no_newcomers,
                             struct poll_list *list) {
    const struct pollfd listener = {.fd = no_newcomers ? -1 : s->listener, .events = POLLIN};
    g_array_set_size(list->fds, 0);
    g_ptr_array_set_size(list->who, 0);
    g_array_append_val(list->fds, listener);
    for (unsigned i = 0; i < children->len; i++) {
        const struct pollfd child = {.fd = g_array_index(children, int, i), .events = POLLIN};
        g_array_append_val(list->fds, child);
    }
    list->connections = list->fds->len;
    for (struct host_thread *t = s->threads; t; t = t->next) {
        const bool waits = s->in_order && (t->message_bytes || t->is_suspended);
        const struct pollfd connection = {.fd = no_newcomers && !t->program ? -1 : t->socket,
                                          .events = waits ? POLLRDHUP : POLLIN};
        g_array_append_val(list->fds, connection);
        g_ptr_array_add(list->who, t);
    }
}

/* Whether the connections are of several programs. */
static bool are_several(const GPtrArray *who) {
    const struct program *first = NULL;
    for (size_t i = 0; i < who->len; i++) {
        const struct host_thread *t = g_ptr_array_index(who, i);
        if (!first) first = t->program;
        if (t->program && t->program != first) return true;
    }
    return false;
}

/* Serves connections that have a message. `events`: of each. If there are several programs, each is
 * served once, by the thread that has waited for the most rounds, so that one with many threads
 * takes no more of the server's time than one with a single thread. */
static void serve_round(struct server *s, const GPtrArray *who, const struct pollfd *events) {
    const bool turns = are_several(who);
    s->round++;
    for (size_t i = 0; i < who->len && turns; i++) {
        struct host_thread *t = g_ptr_array_index(who, i);
        struct program *p = t->program;
        if (!events[i].revents || !p) continue;
        if (p->turn != s->round || t->turn < p->next_turn->turn) p->next_turn = t;
        p->turn = s->round;
    }
    for (size_t i = 0; i < who->len; i++) {
        struct host_thread *t = g_ptr_array_index(who, i);
        if (!events[i].revents || (turns && t->program && t->program->next_turn != t)) continue;
        t->turn = s->round;
        serve(s, t);
    }
}

bool server_settle(struct server *s) {
    for (unsigned i = 0; i < server_devices(s); i++) {
        struct heddle_diag diag = {0};
        heddle_err e = gpu_settle(server_gpu(s, i), &diag);
        if (!e) continue;
        server_note_failure(s, e);
        server_error(s, "%s: %s", heddle_err_text(e), diag.text);
    }
    return !s->simulator_failed;
}

/* Polls, for WIRE_SPIN_US without sleeping if there are connections, then for `patience` ms (-1:
 * for any time, 0: not at all). @return as poll(). */
static int poll_list(const struct poll_list *list, int patience) {
    struct pollfd *fd = &g_array_index(list->fds, struct pollfd, 0);
    const nfds_t n = list->fds->len;
    int ready = patience ? 0 : poll(fd, n, 0);
    for (uint64_t end = now_us() + WIRE_SPIN_US; patience && list->who->len;) {
        ready = poll(fd, n, 0);
        if (ready != 0 || now_us() > end) break;
        sched_yield();
    }
    return ready == 0 && patience ? poll(fd, n, patience) : ready;
}

/* Accepts a connection, if one has come, and notes which children have ended (-1). @return whether
 * one of the children still lives. */
static bool welcome_and_mourn(struct server *s, const struct poll_list *list, GArray *children,
                              struct pe_order *order) {
    const struct pollfd *fd = &g_array_index(list->fds, struct pollfd, 0);
    bool any = false;
    if (fd[0].revents & POLLIN) {
        const uint64_t begin = now_us();
        accept_thread(s);
        charge_newcomers(s, since(begin));
    }
    for (unsigned i = 0; i < children->len; i++) {
        int *child = &g_array_index(children, int, i);
        if (fd[1 + i].revents) {
            *child = -1;
            if (order) pe_order_ended(order, i);
        }
        any |= *child >= 0;
    }
    return any;
}

/* The loop of a server of one node: polls all connections for WIRE_SPIN_US, then sleeps in poll();
 * retries suspended calls; serves connections that have a message; accepts new ones. Drives the
 * simulation for host functions that are due after HOST_FUNCTION_PATIENCE_MS of silence. Returns
 * when no child lives and no connection is left. @return HEDDLE_ERR_IO with the reason in *diag:
 * poll() failed. */
static heddle_err run_by_arrival(struct server *s, GArray *children, struct poll_list *list,
                                 struct heddle_diag *diag) {
    bool lives = children->len > 0;
    for (bool suspended = false;; suspended = retry_calls(s)) {
        const uint64_t held = newcomers_wait(s);
        list_connections(s, children, held, list);
        if (!list->who->len && !lives) return HEDDLE_OK;
        bool due = host_functions_due(s);
        int patience = suspended ? VALUE_WAIT_RETRY_MS : due ? HOST_FUNCTION_PATIENCE_MS : -1;
        const bool short_wait = held && (patience < 0 || held < (uint64_t)patience * 1000);
        if (short_wait) patience = (int)(held / 1000 + 1);
        const int ready = poll_list(list, patience);
        if (ready == 0 && due && !suspended && !short_wait)
            host_functions_advance(s); /* nobody else drives the simulation */
        if (ready < 0) {
            if (errno == EINTR) continue;
            return heddle_fail(diag, HEDDLE_ERR_IO, "poll: %s", strerror(errno));
        }
        /* Connections come first: a program that has just ended may have unread messages. */
        serve_round(s, list->who, &g_array_index(list->fds, struct pollfd, list->connections));
        for (unsigned i = 0; i < server_devices(s); i++) gpu_keep_short(server_gpu(s, i));
        lives = welcome_and_mourn(s, list, children, NULL);
    }
}

/* The loop of a server of several nodes: takes the messages that have come, and serves what is next
 * in the order of target time. Returns and fails as run_by_arrival(). */
static heddle_err run_in_order(struct server *s, GArray *children, struct poll_list *list,
                               struct pe_order *order, struct heddle_diag *diag) {
    for (bool lives = true;;) {
        const int patience = pe_order_step(s, order);
        list_connections(s, children, false, list);
        if (!list->who->len && !lives) return HEDDLE_OK;
        if (poll_list(list, patience) < 0) {
            if (errno == EINTR) continue;
            return heddle_fail(diag, HEDDLE_ERR_IO, "poll: %s", strerror(errno));
        }
        for (unsigned i = 0; i < list->who->len; i++) {
            struct host_thread *t = g_ptr_array_index(list->who, i);
            if (g_array_index(list->fds, struct pollfd, list->connections + i).revents &&
                !pe_order_take(s, t))
                session_close(s, t);
        }
        lives = welcome_and_mourn(s, list, children, order);
    }
}

heddle_err server_run(struct server *s, const struct server_child *child, unsigned num,
                      struct heddle_diag *diag) {
    struct poll_list list = {g_array_new(FALSE, FALSE, sizeof(struct pollfd)), g_ptr_array_new(),
                             0};
    GArray *children = g_array_new(FALSE, FALSE, sizeof(int));
    for (unsigned i = 0; i < num; i++) g_array_append_val(children, child[i].pidfd);
    struct pe_order *order = s->o.nodes > 1 ? pe_order_create(s, child) : NULL;
    heddle_err e = order ? run_in_order(s, children, &list, order, diag)
                         : run_by_arrival(s, children, &list, diag);
    pe_order_free(order);
    g_array_unref(children);
    g_array_unref(list.fds);
    g_ptr_array_unref(list.who);
    for (unsigned i = 0; i < server_devices(s); i++) gpu_finish_cancelled(server_gpu(s, i));
    server_settle(s);
    return e;
}

/* GPUs call it through their progress callback, on the server's thread or on a thread that runs a
 * kernel while the server's thread waits, so nothing changes meanwhile. */
bool server_look_for_deaths(struct server *s) {
    return program_look_for_deaths(s);
}

void server_note_pause(struct server *s) {
    value_wait_note_call(s);
    s->pause_at = UINT64_MAX;
}

/* ---- report */

/* The calls number `i` of all programs, from their control pages. */
static uint64_t count_calls(const struct server *s, unsigned i) {
    uint64_t count = s->ended_calls[i];
    for (const struct program *p = s->programs; p; p = p->next)
        if (p->control) count += p->control->count[i];
    return count;
}

/* Adds up the counts in the control pages that programs share, by call. *out: an allocated array
 * that the caller frees; its names are constants. @return its length. */
size_t server_call_counts(const struct server *s, struct server_call_count **out) {
    struct server_call_count *list = heddle_alloc_array(CUDA_NUM_CALLS, sizeof *list,
                                                        "counts of calls");
    size_t n = 0;
    *out = list;
    for (unsigned i = 0; i < CUDA_NUM_CALLS; i++) {
        const uint64_t count = count_calls(s, i);
        if (!count) continue;
        const struct call_row *row = &call_table[i];
        list[n++] = (struct server_call_count){row->name, count, row->scheduler, row->sm,
                                               row->refused};
    }
    return n;
}

/* Fills *out from *s and the control pages of all programs; changes nothing. Call it after
 * server_run(). */
void server_summarize(const struct server *s, struct server_summary *out) {
    memset(out, 0, sizeof *out);
    out->programs = s->num_programs;
    out->ended_abruptly = s->ended_abruptly;
    out->dropped = s->dropped;
    out->refused = s->refused;
    out->simulator_failed = s->simulator_failed;
    out->end_ps = s->end_ps;
    for (unsigned i = 0; i < CUDA_NUM_CALLS; i++) out->calls += count_calls(s, i);
    for (const struct program *p = s->programs; p; p = p->next)
        out->several_threads |= p->threads_ever > 1;
    out->several_threads |= s->num_programs > 1;
    out->num_notes = s->num_notes;
    memcpy(out->notes, s->notes, sizeof out->notes);
}

uint64_t server_node_end_ps(const struct server *s, unsigned node) {
    uint64_t end = 0;
    for (const struct program *p = s->programs; p; p = p->next)
        if (p->node == node && p->now_ps > end) end = p->now_ps;
    return end;
}
