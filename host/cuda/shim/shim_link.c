/* shim_link.c - the connection to the server: start-up, one exchange, fork, end.
 *
 * The lowest layer of libheddle_shim.so, in the program's process. The other files of the shim call
 * it, on the program's threads. It uses libc and cuda/protocol/ only. It owns `shim` and the thread
 * records; the other shim files change them as shim.h says. wire.h describes the messages. A thread
 * uses its own socket and staging memory, so an exchange takes no lock. The address ranges and
 * descriptors in `shim` are written once, by the first connection, under shim.lock or while the
 * library is loaded. Problems are printed on standard error (shim_say). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cuda/protocol/mapping_conflict.h"
#include "cuda/shim/shim.h"

enum { MOST_ROWS = 64 }; /* rows that one process_vm_readv() reads */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

struct shim shim = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .helper_lock = PTHREAD_MUTEX_INITIALIZER,
    .control = &shim.own_control,
    .modules_end = &shim.modules,
    .symbols_end = &shim.symbols,
    .runtime = 13,
};

/* The calling thread's record, also in thread_key, whose destructor frees it. Initial-exec: one
 * word from the static TLS block, and no dependency on the dynamic linker. */
static _Thread_local struct shim_thread *self __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_key;

/* Writes on standard error, in one write, so that lines of several threads and processes do not
 * mix. Where nobody reads, the program gets no SIGPIPE: it has not written. */
static void write_quietly(const char *text, size_t bytes) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    if (write(STDERR_FILENO, text, bytes) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Prints one line, "heddle: ...", on standard error. Cuts it at 1024 bytes. */
void shim_say(const char *format, ...) {
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = snprintf(line, sizeof line, "heddle: ");
    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    va_end(args);
    if (n > (int)sizeof line - 2) n = sizeof line - 2;
    line[n] = '\n';
    write_quietly(line, (size_t)n + 1);
}

/* Runs when a thread ends, as the destructor of thread_key: closes its connection and frees its
 * state. */
static void free_thread(void *p) {
    struct shim_thread *t = p;
    if (t->socket >= 0) close(t->socket);
    if (t->staging) munmap(t->staging, WIRE_STAGING_BYTES);
    free(t->captured);
    free(t->driver);
    free(t);
}

/* The calling thread's record, allocated on first use. Without memory all threads get one static
 * record, which is never connected. */
struct shim_thread *shim_self(void) {
    if (!self) {
        static struct shim_thread emergency = {.socket = -1}; /* out of memory: no connection */
        struct shim_thread *t = calloc(1, sizeof *t);
        if (!t) return &emergency;
        t->socket = -1;
        self = t;
        pthread_setspecific(thread_key, t);
    }
    return self;
}

/* ---- address space */

/* Reserves a range of the process's addresses, `bytes` from `base`, without access, so that nothing
 * else is mapped there. `what`: its name in messages. @return false after printing what is in the
 * way. */
static bool reserve(const char *what, uint64_t base, uint64_t bytes) {
    void *want = (void *)(uintptr_t)base;
    void *got = mmap(want, bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == want) {
        madvise(got, bytes, MADV_DONTDUMP);
        return true;
    }
    int error = errno;
    if (got != MAP_FAILED) {
        munmap(got, bytes); /* an old kernel treats the address as a hint */
        error = EEXIST;
    }
    char culprit[MAPPING_CONFLICT_BYTES];
    if (error == EEXIST) {
        mapping_conflict_describe(base, bytes, culprit);
        shim_say("error: cannot reserve %s at 0x%llx, %llu bytes: in the way is %s", what,
                 (unsigned long long)base, (unsigned long long)bytes, culprit);
    } else {
        shim_say("error: cannot reserve %s at 0x%llx, %llu bytes: %s", what,
                 (unsigned long long)base, (unsigned long long)bytes, strerror(error));
    }
    return false;
}

/* ---- connection */

/* Sends one message on the socket, without a signal if it is closed. @return 0, or -1 if the server
 * has gone. */
static int send_whole(int socket, const void *message, size_t bytes) {
    ssize_t n;
    do n = send(socket, message, bytes, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)bytes ? 0 : -1;
}

/* Microseconds of wall time since some point. */
static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* Receives one message. Polls for WIRE_SPIN_US before it blocks, because most answers come soon.
 * @return 0, or -1 if the server has gone. */
static int receive_whole(int socket, void *message, size_t bytes) {
    ssize_t n;
    for (uint64_t end = now_us() + WIRE_SPIN_US;;) {
        n = recv(socket, message, bytes, MSG_DONTWAIT);
        if (n >= 0 || errno != EAGAIN || now_us() > end) break;
        sched_yield();
    }
    while (n < 0 && (errno == EINTR || errno == EAGAIN)) n = recv(socket, message, bytes, 0);
    return n == (ssize_t)bytes ? 0 : -1;
}

/* Receives the server's first message, and with it the file descriptors, which the caller closes. A
 * missing one is -1. @return 0, or -1 if the server has gone. */
static int receive_welcome(int socket, struct wire_welcome *welcome, int fd[WIRE_NUM_FDS]) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * WIRE_NUM_FDS)];
        struct cmsghdr align;
    } control;
    struct iovec piece = {welcome, sizeof *welcome};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    for (int i = 0; i < WIRE_NUM_FDS; i++) fd[i] = -1;
    if (n != (ssize_t)sizeof *welcome) return -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int) * WIRE_NUM_FDS))
        memcpy(fd, CMSG_DATA(c), sizeof(int) * WIRE_NUM_FDS);
    return 0;
}

/* Reserves the server's address ranges in this process, maps the shared counters and adds to them
 * the calls counted so far, and stores both in `shim`, with copies of the descriptors of pinned and
 * managed memory. Runs once per program image, at its first connection; `fd` stays the caller's.
 * @return false after a message; ranges that it has reserved stay so. */
static bool adopt_address_space(const struct wire_welcome *w, const int fd[WIRE_NUM_FDS]) {
    if (!reserve("device memory", w->device_base, w->device_bytes)) return false;
    if (!reserve("pinned host memory", w->pinned_base, w->pinned_bytes)) return false;
    if (w->managed_bytes && !reserve("managed memory", w->managed_base, w->managed_bytes))
        return false;
    void *control = mmap(NULL, sizeof *shim.control, PROT_READ | PROT_WRITE, MAP_SHARED,
                         fd[WIRE_FD_CONTROL], 0);
    if (control == MAP_FAILED) {
        shim_say("error: cannot map the call counters: %s", strerror(errno));
        return false;
    }
    struct wire_control *shared = control;
    for (int i = 0; i < CUDA_NUM_CALLS; i++) /* calls before the connection */
        __atomic_fetch_add(&shared->count[i], shim.own_control.count[i], __ATOMIC_RELAXED);
    shim.control = shared;
    shim.pinned_fd = fcntl(fd[WIRE_FD_PINNED], F_DUPFD_CLOEXEC, 0);
    shim.managed_fd = fcntl(fd[WIRE_FD_MANAGED], F_DUPFD_CLOEXEC, 0);
    shim.device_base = w->device_base;
    shim.device_bytes = w->device_bytes;
    shim.pinned_base = w->pinned_base;
    shim.pinned_bytes = w->pinned_bytes;
    shim.managed_base = w->managed_base;
    shim.managed_bytes = w->managed_bytes;
    shim.tracks = w->tracks;
    return true;
}

/* The number of this program's PE, from the environment. @return WIRE_NO_PE: none. */
static uint32_t own_pe(void) {
    const char *text = getenv(WIRE_PE_ENVIRONMENT);
    char *end;
    if (!text || *text < '0' || *text > '9') return WIRE_NO_PE;
    const unsigned long pe = strtoul(text, &end, 10);
    return *end || pe > WIRE_NO_PE ? WIRE_NO_PE : (uint32_t)pe;
}

/* Connects the thread `t`: exchanges hello and welcome with the server, maps the staging memory,
 * and sets t->socket and t->staging. Also sets shim.connected and shim.traced, and the first time
 * calls adopt_address_space(). Takes no lock; the caller holds shim.lock when several threads may
 * run. @return false after a message, or silently if the environment names no server. */
bool shim_connect(struct shim_thread *t) {
    const char *name = getenv(WIRE_ENVIRONMENT);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = name ? strcspn(name, ",") : 0;
    if (!name || length == 0 || length >= sizeof address.sun_path - 1) return false;
    memcpy(address.sun_path + 1, name, length); /* abstract: begins with NUL */
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (s < 0 || connect(s, (struct sockaddr *)&address, size) != 0) {
        shim_say("error: no simulator answers at %s=%.*s (%s); is `heddle run` still there?",
                 WIRE_ENVIRONMENT, (int)length, name, strerror(errno));
        if (s >= 0) close(s);
        return false;
    }
    struct wire_hello hello = {.kind = WIRE_HELLO,
                               .cudart_version = shim.runtime,
                               .magic = WIRE_MAGIC,
                               .token = shim.token,
                               .pid = (uint32_t)getpid(),
                               .tid = (uint32_t)syscall(SYS_gettid),
                               .pe = own_pe()};
    snprintf(hello.program, sizeof hello.program, "%s", program_invocation_short_name);
    if (name[length]) snprintf(hello.secret, sizeof hello.secret, "%s", name + length + 1);
    struct wire_welcome w;
    int fd[WIRE_NUM_FDS];
    bool good = false;
    if (send_whole(s, &hello, sizeof hello) != 0 || receive_welcome(s, &w, fd) != 0) {
        shim_say("error: the simulator closed the connection at once");
    } else if (w.kind != WIRE_WELCOME) {
        w.text[sizeof w.text - 1] = '\0';
        shim_say("error: the simulator refused this program: %s", w.text);
    } else if (w.magic != WIRE_MAGIC) {
        shim_say("error: libcudart and the simulator are of different builds");
    } else if (shim.connected || adopt_address_space(&w, fd)) {
        void *staging = mmap(NULL, WIRE_STAGING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                             fd[WIRE_FD_STAGING], 0);
        good = staging != MAP_FAILED;
        if (good) {
            t->staging = staging;
            t->socket = s;
            shim.connected = true;
            shim.traced = w.traced;
        }
    }
    for (int i = 0; i < WIRE_NUM_FDS; i++)
        if (fd[i] >= 0) close(fd[i]);
    if (!good) close(s);
    return good;
}

/* @return the address of byte `offset` of the payload, whose rows are `r`; *left: bytes from there
 * to the row's end. */
static uint8_t *row_address(const struct shim_rows *r, uint64_t offset, uint64_t *left) {
    if (r->width == 0) {
        *left = UINT64_MAX;
        return (uint8_t *)r->base + offset;
    }
    uint64_t row = offset / r->width, layer = r->height ? row / r->height : 0;
    *left = r->width - offset % r->width;
    return (uint8_t *)r->base + layer * r->slice + (row - layer * r->height) * r->pitch +
           offset % r->width;
}

/* Copies `bytes` of the payload, from byte `offset` on, between the program's rows and the staging
 * memory. */
static void move_rows(const struct shim_rows *r, uint64_t offset, uint64_t bytes, uint8_t *staging,
                      bool to_staging) {
    while (bytes) {
        uint64_t left, n = bytes;
        uint8_t *p = row_address(r, offset, &left);
        if (n > left) n = left;
        if (to_staging)
            memcpy(staging, p, n);
        else
            memcpy(p, staging, n);
        staging += n;
        offset += n;
        bytes -= n;
    }
}

/* Copies the payload's `bytes` into the staging memory. A copy with a wrong size may reach beyond
 * the program's memory, so this reads through the kernel, which reports an unreadable page instead
 * of a fault. @return false if it cannot be read: then the server checks the call first, and
 * pulls. */
static bool take_readable(const struct shim_rows *r, uint64_t bytes, uint8_t *staging) {
    struct iovec row[MOST_ROWS];
    for (uint64_t offset = 0; offset < bytes;) {
        struct iovec here = {staging + offset, 0};
        unsigned count = 0;
        for (; count < MOST_ROWS && offset < bytes; count++) {
            uint64_t left, n = bytes - offset;
            uint8_t *p = row_address(r, offset, &left);
            if (n > left) n = left;
            row[count] = (struct iovec){p, n};
            here.iov_len += n;
            offset += n;
        }
        if (process_vm_readv(getpid(), &here, 1, row, count, 0) != (ssize_t)here.iov_len)
            return false;
    }
    return true;
}

/* Closes the thread's connection and sets shim.lost; prints a message the first time.
 * @return cudaErrorDevicesUnavailable. */
static int lose_server(struct shim_thread *t) {
    if (!shim.lost) {
        shim.lost = true;
        shim_say(
            "error: the simulator has gone; every CUDA call of this program fails from now on");
    }
    if (t->socket >= 0) close(t->socket);
    t->socket = -1;
    return HEDDLE_cudaErrorDevicesUnavailable;
}

/* Sends one request on the thread's socket and serves the server's messages until WIRE_DONE: copies
 * between the program's memory and t->staging, and text of kernels for stdout or stderr. A small
 * payload travels with the request. Also sends the thread's counted calls, and clears that list. If
 * the server has gone or sends nonsense, closes the connection (lose_server). @return cudaError_t;
 * c->out receives the results. */
static int exchange(struct shim_thread *t, struct shim_call *c, enum wire_kind kind) {
    struct wire_request request = {.kind = kind,
                                   .call = c->id,
                                   .local_calls = t->local_calls,
                                   .part_calls = t->part_calls,
                                   .flags = t->per_thread ? WIRE_PER_THREAD : 0,
                                   .payload_bytes = c->payload_bytes};
    memcpy(request.arg, c->in, sizeof request.arg);
    memcpy(request.local_call, t->local_call, sizeof request.local_call);
    if (c->payload_bytes <= WIRE_INLINE_BYTES &&
        take_readable(&c->source, c->payload_bytes, t->staging))
        request.inline_bytes = (uint32_t)c->payload_bytes;
    t->local_calls = t->part_calls = 0;
    if (send_whole(t->socket, &request, sizeof request) != 0) return lose_server(t);
    for (;;) {
        struct wire_reply reply;
        if (receive_whole(t->socket, &reply, sizeof reply) != 0) return lose_server(t);
        bool fits = reply.bytes <= WIRE_STAGING_BYTES;
        if (reply.kind == WIRE_PULL && fits && reply.offset + reply.bytes <= c->payload_bytes) {
            move_rows(&c->source, reply.offset, reply.bytes, t->staging, true);
        } else if (reply.kind == WIRE_PRINT && fits) {
            FILE *to = reply.offset ? stderr : stdout;
            fwrite(t->staging, 1, reply.bytes, to);
        } else if (reply.kind == WIRE_PULL_AT && fits) {
            memcpy(t->staging, (void *)(uintptr_t)reply.offset, reply.bytes);
        } else if (reply.kind == WIRE_PUSH_AT && fits) {
            memcpy((void *)(uintptr_t)reply.offset, t->staging, reply.bytes);
        } else if ((reply.kind == WIRE_PUSH || reply.kind == WIRE_DONE) && fits &&
                   reply.offset + reply.bytes <= c->target_bytes) {
            move_rows(&c->target, reply.offset, reply.bytes, t->staging, false);
        } else if (reply.kind != WIRE_DONE || reply.bytes) {
            shim_say("error: the simulator sent a message that does not fit the call %s",
                     shim_call_names[c->id]);
            return lose_server(t);
        }
        if (reply.kind == WIRE_DONE) {
            memcpy(c->out, reply.result, sizeof c->out);
            return reply.error;
        }
        struct wire_request ready = {.kind = WIRE_READY, .call = c->id};
        if (send_whole(t->socket, &ready, sizeof ready) != 0) return lose_server(t);
    }
}

/* Sends one message on the calling thread's connection and waits for the answer, as exchange()
 * does; call->out receives the results. Counts no call and leaves the last error alone. Takes no
 * lock. @return the server's cudaError_t; cudaErrorDevicesUnavailable for a thread without a
 * connection. */
int shim_exchange(struct shim_call *call, enum wire_kind kind) {
    struct shim_thread *t = shim_self();
    return t->socket >= 0 ? exchange(t, call, kind) : HEDDLE_cudaErrorDevicesUnavailable;
}

/* Connects the calling thread, which is the helper (serve() in shim_helper.c): connects under
 * shim.lock, sends WIRE_HELPER, and sets is_helper in its record. Takes no part in the
 * registrations. @return its socket, which the record closes; -1: it cannot connect. */
int shim_connect_helper(void) {
    struct shim_thread *t = shim_self();
    struct shim_call hello = {0};
    pthread_mutex_lock(&shim.lock);
    bool good = shim_connect(t);
    pthread_mutex_unlock(&shim.lock);
    if (!good || exchange(t, &hello, WIRE_HELPER) != 0) return -1;
    t->is_helper = true;
    return t->socket;
}

/* ---- life of the process */

/* pthread_atfork() handler: runs in a forked child, on its only thread, so that it needs no lock.
 * If the parent has used CUDA, the child may not (shim.forked). Otherwise undoes the connection and
 * the mappings and draws a new token, so that the child's first call connects it anew. Sends
 * nothing. */
static void after_fork_in_child(void) {
    struct shim_thread *t = self;
    if (t && t->socket >= 0) close(t->socket); /* exec or exit closes the other threads' sockets */
    if (t) t->socket = -1;
    if (shim.started) {
        shim.forked = true;
        memset(&shim.own_control, 0, sizeof shim.own_control);
        shim.control = &shim.own_control; /* the child must not add to the parent's counts */
        return;
    }
    /* The parent has not used CUDA yet, so the child may use it as a separate program. */
    if (shim.connected) {
        munmap((void *)(uintptr_t)shim.device_base, shim.device_bytes);
        munmap((void *)(uintptr_t)shim.pinned_base, shim.pinned_bytes);
        if (shim.managed_bytes) munmap((void *)(uintptr_t)shim.managed_base, shim.managed_bytes);
        munmap(shim.control, sizeof *shim.control);
        close(shim.pinned_fd);
        close(shim.managed_fd);
    }
    memset(&shim.own_control, 0, sizeof shim.own_control);
    shim.control = &shim.own_control;
    shim.connected = false;
    if (getrandom(&shim.token, sizeof shim.token, 0) < 0) shim.token ^= (uint64_t)getpid();
    pthread_mutex_init(&shim.lock, NULL);
}

/* Defined by libheddle_bind.so (cuda/bind/) if that has loaded this library: the origin to
 * print. */
extern const char *heddle_bind_origin(void) __attribute__((weak));

/* Runs when the library is loaded: registers free_thread() and after_fork_in_child(), and draws
 * the program image's token. Sends nothing. */
__attribute__((constructor)) static void load(void) {
    pthread_key_create(&thread_key, free_thread);
    pthread_atfork(NULL, NULL, after_fork_in_child);
    if (getrandom(&shim.token, sizeof shim.token, 0) < 0) shim.token = (uint64_t)getpid();
}

/* Connects the calling thread, sets shim.runtime (unless `runtime` is 0) and prints one line about
 * the connection, or about the missing simulator. The constructors of libcudart and libcuda call it
 * when they are loaded; it takes no lock. */
void shim_attach(const char *library, unsigned runtime) {
    const char *origin = heddle_bind_origin ? heddle_bind_origin() : NULL;
    if (runtime) shim.runtime = runtime;
    const char *name = getenv(WIRE_ENVIRONMENT);
    if (!name || !*name) {
        shim_say("%s of Heddle is loaded, but not by `heddle run`: start the program as `heddle "
                 "run -- %s`; its CUDA calls fail with cudaErrorNoDevice",
                 library, program_invocation_short_name);
        return;
    }
    if (shim_self()->socket >= 0 || shim_connect(shim_self()))
        shim_say("CUDA calls of %s (process %d, %s%s%s) go to the simulator",
                 program_invocation_short_name, (int)getpid(), library, origin ? " " : "",
                 origin ? origin : "");
}

/* Runs when the program ends (or unloads the library), on the thread that ends it: sends
 * WIRE_GOODBYE on that thread's connection, if it has one, and waits for the answer, and so for the
 * queued work. */
__attribute__((destructor)) static void unload(void) {
    struct shim_thread *t = self;
    if (!t || t->socket < 0 || shim.forked) return;
    if (shim.touched) shim.touched();
    /* The server finishes the queued work, and knows that the program ended without a crash. */
    struct shim_call goodbye = {0};
    exchange(t, &goodbye, WIRE_GOODBYE);
}
