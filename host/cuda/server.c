/* server.c - programs and their threads come, make calls, and go. See server.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cuda/array.h"
#include "cuda/call.h"
#include "cuda/capture.h"
#include "cuda/deferred.h"
#include "cuda/graph.h"
#include "cuda/host_function.h"
#include "cuda/session.h"
#include "cuda/words.h"

/* ---- messages */

static void say(const char *prefix, const char *format, va_list args) {
    char line[2048];
    int n = snprintf(line, sizeof line, "heddle: %s", prefix);
    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    if (n > (int)sizeof line - 2) n = sizeof line - 2;
    line[n] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n + 1) < 0) return; /* one write: lines do not mix */
}

void server_error(struct server *s, const char *format, ...) {
    (void)s;
    va_list args;
    va_start(args, format);
    say("error: ", format, args);
    va_end(args);
}

void server_notice(struct server *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (s->num_notes < sizeof s->notes / sizeof s->notes[0]) {
        va_list copy;
        va_copy(copy, args);
        vsnprintf(s->notes[s->num_notes++], sizeof s->notes[0], format, copy);
        va_end(copy);
    }
    if (!s->o.quiet) say("", format, args);
    va_end(args);
}

/* ---- creation */

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* GPUs go on side by side. */
static void beside(void *user, const struct gpu *gpu, uint64_t now_ps) {
    const struct server *s = user;
    for (unsigned i = 0; i < server_devices(s); i++)
        if (server_gpu(s, i) != gpu) gpu_advance(server_gpu(s, i), now_ps);
}

/* A call that only waits makes room for other threads, after a while: what they want may be what it
 * waits for (a kernel that looks for a word that another thread has copied). */
static bool makes_room(void *user) {
    enum { FIRST_US = 3000000, LATER_US = 50000 };
    struct server *s = user;
    if (!s->now_serving || !s->now_serving->repeatable) return false;
    uint64_t now = now_us();
    if (now < s->pause_at) {
        if (s->pause_at == UINT64_MAX)
            s->pause_at = now + (s->serving->is_aside ? LATER_US : FIRST_US);
        return false;
    }
    s->pause_at = now + LATER_US;
    struct pollfd fd = {.fd = s->listener, .events = POLLIN};
    bool any = poll(&fd, 1, 0) > 0;
    for (const struct host_thread *t = s->threads; t && !any; t = t->next) {
        fd.fd = t->socket;
        any = t != s->serving && poll(&fd, 1, 0) > 0;
    }
    return any;
}

heddle_err server_create(struct server **out, const struct server_options *options,
                         struct heddle_diag *diag) {
    *out = NULL;
    struct server *s = calloc(1, sizeof *s);
    if (!s) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "no memory for the server");
    s->o = *options;
    space_memory(s->o.space)->textures = &s->textures;
    /* An abstract name leaves nothing behind; chance makes it unguessable, and the peer's user is
     * checked as well. */
    uint64_t chance[2];
    if (getrandom(chance, sizeof chance, 0) != sizeof chance) chance[0] = (uint64_t)getpid();
    snprintf(s->address, sizeof s->address, "heddle-%d-%016llx%016llx", (int)getpid(),
             (unsigned long long)chance[0], (unsigned long long)chance[1]);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, s->address, strlen(s->address));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(s->address));
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(s->listener, 128) != 0) {
        heddle_err e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot listen on a UNIX socket: %s",
                                   strerror(errno));
        server_free(s);
        return e;
    }
    for (unsigned i = 0; i < server_devices(s); i++)
        gpu_set_beside(server_gpu(s, i), s->o.num_more ? beside : NULL, makes_room, s);
    *out = s;
    return HEDDLE_OK;
}

static void free_program(struct server *s, struct program *p) {
    if (p->space) space_release_owner(p->space, p);
    objects_free(p);
    arrays_free(p);
    program_free_modules(p);
    if (p->control) munmap(p->control, sizeof *p->control);
    if (p->control_fd >= 0) close(p->control_fd);
    captures_free(p);
    graphs_free(p->graphs);
    for (size_t i = 0; i < p->num_streams; i++) free(p->stream[i].node);
    for (size_t i = 0; i < p->num_events; i++) {
        event_end(s, &p->event[i]);
        free(p->event[i].node);
    }
    free(p->imported);
    free(p->stream);
    free(p->event);
    free(p->pool);
    free(p);
}

void server_free(struct server *s) {
    if (!s) return;
    while (s->threads) session_close(s, s->threads);
    deferred_drop(s, NULL);
    words_drop(s, NULL);
    while (s->programs) {
        struct program *next = s->programs->next;
        free_program(s, s->programs);
        s->programs = next;
    }
    if (s->listener >= 0) close(s->listener);
    space_memory(s->o.space)->textures = NULL;
    texture_table_fini(&s->textures);
    free(s);
}

struct gpu *server_gpu(const struct server *s, unsigned device) {
    return device == 0 ? s->o.gpu : s->o.more[device - 1];
}

unsigned server_devices(const struct server *s) {
    return 1 + s->o.num_more;
}

struct gpu *call_gpu(const struct call *call) {
    return server_gpu(call->server, call->thread->device);
}

bool server_times(const struct server *s, const char *title, const char *name, uint64_t launch) {
    return !s->o.times || s->o.times(s->o.times_user, title, name, launch);
}

void server_note_managed(struct server *s) {
    if (s->managed_told) return;
    s->managed_told = true;
    server_notice(s,
                  "managed memory: accesses by kernels are timed as device memory; pages migrate "
                  "in no time (cudaMemPrefetchAsync takes the link's time)");
}

void server_set_trace(struct server *s, struct trace *t) {
    s->trace = t;
}

const char *server_address(const struct server *s) {
    return s->address;
}

/* ---- programs */

static void *shared_file(const char *name, size_t bytes, int *fd) {
    *fd = memfd_create(name, MFD_CLOEXEC);
    if (*fd < 0) return NULL;
    void *p = ftruncate(*fd, (off_t)bytes) == 0
                  ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0)
                  : MAP_FAILED;
    if (p != MAP_FAILED) return p;
    close(*fd);
    *fd = -1;
    return NULL;
}

struct program *server_program(struct server *s, const struct wire_hello *hello, int pid) {
    struct program **end = &s->programs;
    for (; *end; end = &(*end)->next)
        if ((*end)->token == hello->token && !(*end)->gone) return *end;
    struct program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->control = shared_file("heddle counts", sizeof *p->control, &p->control_fd);
    if (!p->control) {
        free(p);
        return NULL;
    }
    p->space = s->o.space;
    p->token = hello->token;
    p->pid = pid;
    p->number = (int)++s->num_programs;
    p->cudart_version = hello->cudart_version;
    snprintf(p->name, sizeof p->name, "%.*s", (int)sizeof hello->program - 1, hello->program);
    *end = p;
    return p;
}

/* Kernels that have been issued and not ended; `given_up`: by resets of their device. */
static uint64_t kernels_pending(const struct server *s, uint64_t *given_up) {
    uint64_t kernels = 0;
    *given_up = 0;
    for (unsigned i = 0; i < server_devices(s); i++) {
        size_t done;
        gpu_kernels(server_gpu(s, i), &done);
        kernels += s->launched[i] - done - s->given_up[i];
        *given_up += s->given_up[i];
    }
    return kernels;
}

/* The memory of programs that have ended, once no work is left that might use it. What another
 * program has opened becomes that program's. */
void server_collect_memory(struct server *s) {
    uint64_t given_up;
    if (kernels_pending(s, &given_up) || deferred_pending(s)) return;
    for (struct program *p = s->programs; p; p = p->next) {
        if (!p->gone || !p->space) continue;
        ipc_bequeath(s, p);
        space_release_owner(p->space, p);
        p->space = NULL;
    }
}

/* The last thread of a program has gone: its context ends, as it would on a GPU. */
void server_program_ended(struct server *s, struct program *p) {
    p->gone = true;
    objects_end(s, p);
    words_program_ended(s, p);
    if (p->control && p->sticky) p->control->sticky = p->sticky;
    if (p->goodbye) {
        server_collect_memory(s);
        return;
    }
    uint64_t given_up, kernels = kernels_pending(s, &given_up), copies = deferred_pending(s);
    s->ended_abruptly++;
    s->dropped = kernels + given_up + copies;
    if (kernels + copies)
        server_notice(s,
                      "%s (process %d) ended without leaving the CUDA library in order; not "
                      "carried out to the end: %llu kernel%s, %llu cop%s or fill%s",
                      p->name, p->pid, (unsigned long long)kernels, kernels == 1 ? "" : "s",
                      (unsigned long long)copies, copies == 1 ? "y" : "ies",
                      copies == 1 ? "" : "s");
    else
        server_notice(s, "%s (process %d) ended without leaving the CUDA library in order", p->name,
                      p->pid);
    server_collect_memory(s);
}

int server_revive(struct server *s) {
    for (unsigned i = 0; i < server_devices(s); i++) {
        struct gpu *gpu = server_gpu(s, i);
        if (!gpu_is_dead(gpu)) continue;
        struct heddle_diag diag = {0};
        size_t done;
        heddle_err e = gpu_reset(gpu, &diag);
        gpu_kernels(gpu, &done);
        s->given_up[i] = s->launched[i] - done; /* all that have not ended */
        deferred_drop(s, gpu);
        words_drop(s, gpu);
        s->fault_told = false;
        if (!e) continue;
        server_error(s, "the GPU cannot be reset: %s", *diag.text ? diag.text : heddle_err_text(e));
        return HEDDLE_cudaErrorDevicesUnavailable;
    }
    return CUDA_SUCCESS;
}

/* ---- serving */

static void accept_thread(struct server *s) {
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) return;
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct host_thread *t = calloc(1, sizeof *t);
    if (!t || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != getuid()) {
        close(fd); /* another user has no business here */
        free(t);
        return;
    }
    t->socket = fd;
    t->staging_fd = -1;
    t->peer_pid = peer.pid;
    t->staging = shared_file("heddle staging", WIRE_STAGING_BYTES, &t->staging_fd);
    if (!t->staging) {
        close(fd);
        free(t);
        return;
    }
    t->next = s->threads;
    s->threads = t;
}

/* Calls that wait for words of memory. @return there still are some. */
static bool repeat_calls(struct server *s) {
    bool any = false;
    for (struct host_thread *t = s->threads, *next; t; t = next) {
        next = t->next;
        if (!t->is_aside) continue;
        if (!session_repeat(s, t))
            session_close(s, t);
        else
            any |= t->is_aside;
    }
    return any;
}

heddle_err server_run(struct server *s, int child_pidfd, struct heddle_diag *diag) {
    bool child_lives = child_pidfd >= 0;
    struct pollfd *poll_set = NULL;
    struct host_thread **who = NULL;
    size_t capacity = 0;
    heddle_err e = HEDDLE_OK;
    for (bool aside = false;; aside = repeat_calls(s)) {
        size_t n = 2;
        for (struct host_thread *t = s->threads; t; t = t->next) n++;
        if (n == 2 && !child_lives) break;
        if (n > capacity) {
            capacity = 2 * n;
            struct pollfd *a = realloc(poll_set, capacity * sizeof *poll_set);
            if (a) poll_set = a;
            struct host_thread **b = realloc(who, capacity * sizeof *who);
            if (b) who = b;
            if (!a || !b) {
                e = heddle_fail(diag, HEDDLE_ERR_NOMEM, "no memory for connections");
                break;
            }
        }
        poll_set[0] = (struct pollfd){.fd = s->listener, .events = POLLIN};
        poll_set[1] = (struct pollfd){.fd = child_lives ? child_pidfd : -1, .events = POLLIN};
        n = 2;
        for (struct host_thread *t = s->threads; t; t = t->next, n++) {
            poll_set[n] = (struct pollfd){.fd = t->socket, .events = POLLIN};
            who[n] = t;
        }
        int ready = 0;
        for (uint64_t end = now_us() + WIRE_SPIN_US; n > 2;) {
            ready = poll(poll_set, n, 0);
            if (ready != 0 || now_us() > end) break;
            sched_yield();
        }
        bool due = host_functions_due(s);
        int patience = aside ? WORDS_RETRY_MS : due ? HOST_FUNCTION_PATIENCE_MS : -1;
        if (ready == 0) ready = poll(poll_set, n, patience);
        if (ready == 0 && due && !aside)
            host_functions_advance(s); /* nobody else drives the simulation */
        if (ready < 0) {
            if (errno == EINTR) continue;
            e = heddle_fail(diag, HEDDLE_ERR_IO, "poll: %s", strerror(errno));
            break;
        }
        /* Connections first: the words of a program that has just ended are still to be read. */
        for (size_t i = 2; i < n; i++)
            if (poll_set[i].revents && !session_serve(s, who[i])) session_close(s, who[i]);
        if (poll_set[0].revents & POLLIN) accept_thread(s);
        if (poll_set[1].revents) child_lives = false;
    }
    free(poll_set);
    free(who);
    return e;
}

bool server_should_stop(struct server *s) {
    struct host_thread *t = s->serving;
    if (!t) return false;
    struct pollfd p = {.fd = t->socket, .events = POLLRDHUP};
    if (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLRDHUP | POLLERR))) t->dead = true;
    return t->dead;
}

/* ---- report */

size_t server_call_counts(const struct server *s, struct server_call_count **out) {
    struct server_call_count *list = calloc(CUDA_NUM_CALLS, sizeof *list);
    size_t n = 0;
    *out = list;
    if (!list) return 0;
    for (unsigned i = 0; i < CUDA_NUM_CALLS; i++) {
        uint64_t count = 0;
        for (const struct program *p = s->programs; p; p = p->next) count += p->control->count[i];
        if (!count) continue;
        const struct call_row *row = &call_table[i];
        list[n++] = (struct server_call_count){row->name, count, row->scheduler, row->sm,
                                               row->refused};
    }
    return n;
}

void server_summarize(const struct server *s, struct server_summary *out) {
    memset(out, 0, sizeof *out);
    out->programs = s->num_programs;
    out->ended_abruptly = s->ended_abruptly;
    out->dropped = s->dropped;
    out->end_ps = s->end_ps;
    out->simulate_s = s->simulate_s;
    for (const struct program *p = s->programs; p; p = p->next) {
        for (unsigned i = 0; i < CUDA_NUM_CALLS; i++) out->calls += p->control->count[i];
        out->several_threads |= p->threads_ever > 1;
    }
    out->several_threads |= s->num_programs > 1;
    out->num_notes = s->num_notes;
    memcpy(out->notes, s->notes, sizeof out->notes);
}
