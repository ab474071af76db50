/* fuzz_wire.c - the server on any messages: it answers each one or closes the connection, and never
 * crashes, waits without an end or keeps something of a program that has gone.
 *
 * An input is a program: the messages of up to three connections, mostly of the right form, with
 * the handles and addresses that earlier replies brought (fuzz_wire_input.c). The server's own code
 * serves them on GPUs that execute nothing (fake_gpu.c). There is no socket and no second thread:
 * the functions below stand for send(), recv() and their like (the linker's --wrap), so the other
 * end has answered before the server looks, or has hung up. Time passes only when somebody looks at
 * the clock, so the server's patience costs no wall time. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cuda/base/context.h"
#include "cuda/object/host_function.h"
#include "cuda/server/server.h"
#include "cuda/server/session.h"
#include "ptx/ptx.h"
#include "tests/fuzz/fuzz_wire_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { DEVICES = 2, CONNECTIONS = 3, FIRST_FD = 1 << 20, MOST_STEPS = 200 };
/* At the clock, in one call: until another program wants to connect, and until it has waited too
 * long. */
enum { PATIENT_LOOKS = 200, MOST_LOOKS = 1000 };
enum { MOST_ANSWERS = 12 /* to one call, then the other end hangs up */ };

/* One end of a connection: what the server will receive next. */
struct peer {
    struct host_thread *thread; /* NULL: not connected */
    size_t bytes;               /* of the message that waits; 0: none */
    union {
        struct wire_hello hello;
        struct wire_request request;
    } message;
    struct wire_step step; /* of its last call: the payload and how it answers */
    unsigned answers;      /* given in that call */
    bool gone;             /* has hung up */
};

static struct config *config;
static struct address_space *space;
static struct gpu *gpu[DEVICES];
static struct server *server;
static struct peer peers[CONNECTIONS];
static uint8_t *staging[CONNECTIONS];
static struct wire_input input;
static double now_s;
static unsigned looks; /* at the clock, since the last message */

/* ---- the other end */

/* The connection with this descriptor; NULL: it is none. */
static struct peer *peer_of(int fd) {
    unsigned i = (unsigned)fd - FIRST_FD;
    return i < CONNECTIONS && peers[i].thread ? &peers[i] : NULL;
}

/* Answers a message of the server in the way that the call's step says: the payload and
 * WIRE_READY, something else, or not at all. */
static void answer(struct peer *p, const struct wire_reply *reply) {
    if (reply->kind == WIRE_PULL || reply->kind == WIRE_PULL_AT)
        wire_step_fill(&p->step, reply->offset, p->thread->staging,
                       reply->bytes < WIRE_STAGING_BYTES ? reply->bytes : WIRE_STAGING_BYTES);
    p->message.request = (struct wire_request){.kind = WIRE_READY};
    p->bytes = sizeof p->message.request;
    if (p->answers == MOST_ANSWERS) p->gone = true;
    if (p->answers++ != p->step.wrong_at) return;
    switch (p->step.wrong) {
    case WRONG_KIND: p->message.request.kind = WIRE_CALL; break;
    case WRONG_LENGTH: p->bytes = 4; break;
    case WRONG_SILENCE: p->bytes = 0; break; /* found by the next recv(): nobody is there */
    case WRONG_HANG_UP: p->gone = true; break;
    default: break;
    }
}

ssize_t __wrap_send(int fd, const void *message, size_t bytes, int flags);
ssize_t __wrap_send(int fd, const void *message, size_t bytes, int flags) {
    struct peer *p = peer_of(fd);
    (void)flags;
    if (!p || p->gone) {
        errno = EPIPE;
        return -1;
    }
    struct wire_reply reply;
    if (bytes != sizeof reply) return (ssize_t)bytes; /* a refusal */
    memcpy(&reply, message, sizeof reply);
    if (reply.kind == WIRE_DONE) {
        if (!reply.error)
            for (unsigned i = 0; i < WIRE_MAX_RESULTS; i++)
                wire_input_note(&input, reply.result[i]);
    } else {
        answer(p, &reply);
    }
    return (ssize_t)bytes;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
    (void)flags;
    return peer_of(fd) && !peer_of(fd)->gone ? (ssize_t)message->msg_iov[0].iov_len : -1;
}

/* A message, cut as a SOCK_SEQPACKET does, or the end of the connection. */
ssize_t __wrap_recv(int fd, void *out, size_t bytes, int flags);
ssize_t __wrap_recv(int fd, void *out, size_t bytes, int flags) {
    struct peer *p = peer_of(fd);
    (void)flags;
    if (!p || !p->bytes) return 0;
    size_t n = p->bytes < bytes ? p->bytes : bytes;
    memcpy(out, &p->message, n);
    p->bytes = 0;
    return (ssize_t)n;
}

int __wrap_poll(struct pollfd *fd, nfds_t n, int patience);
int __wrap_poll(struct pollfd *fd, nfds_t n, int patience) {
    int ready = 0;
    (void)patience;
    for (nfds_t i = 0; i < n; i++) {
        const struct peer *p = peer_of(fd[i].fd);
        fd[i].revents = 0;
        if (p && p->gone) fd[i].revents |= POLLHUP;
        if (p ? p->bytes : fd[i].fd == server->listener && looks > PATIENT_LOOKS)
            fd[i].revents |= (short)(fd[i].events & POLLIN);
        ready += fd[i].revents != 0;
    }
    return ready;
}

/* Memory that is shared with a program lies on the heap, where an access behind it is seen; the
 * staging memory of a connection stays for the next one. */
void *__wrap_shared_file_create(const char *name, size_t bytes, int *fd);
void *__wrap_shared_file_create(const char *name, size_t bytes, int *fd) {
    (void)name;
    *fd = FIRST_FD + CONNECTIONS;
    return calloc(1, bytes);
}

int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes) {
    if (bytes == WIRE_STAGING_BYTES) return 0;
    if (bytes != sizeof(struct wire_control)) return __real_munmap(at, bytes);
    free(at);
    return 0;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    return fd >= FIRST_FD ? 0 : __real_close(fd);
}

/* Each look at the clock takes a second. A call that looks too often would wait for ever. */
double __wrap_wall_seconds(void);
double __wrap_wall_seconds(void) {
    if (looks++ > MOST_LOOKS) abort();
    return now_s += 1;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
    (void)time, (void)left;
    return 0;
}

/* The server's errors are formatted and go nowhere. */
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n) {
    return fd == STDERR_FILENO ? (ssize_t)n : __real_write(fd, bytes, n);
}

/* ---- the server */

/* server_options.compile: only what wire_image() holds; fuzz_ptx.c is about all other texts. */
static heddle_err compile(const struct config *c, struct mir_module **out,
                          const struct server_ptx *ptx, unsigned n, const char *name,
                          struct heddle_diag *diag) {
    (void)c;
    if (n != 1 || ptx->bytes != strlen(wire_ptx) || memcmp(ptx->text, wire_ptx, ptx->bytes) != 0)
        return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED, "another text");
    struct ptx_options options;
    ptx_options_default(&options);
    return ptx_compile(ptx->text, ptx->bytes, name, &options, out, diag);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    enum { MIB = 1 << 20 };
    struct heddle_diag diag = {0};
    const struct address_space_size size = {
        .device_bytes = 16 * MIB, .pinned_bytes = MIB, .managed_bytes = MIB, .devices = DEVICES};
    if (config_load(&config, "v100", GPUS, NULL, 0, &diag) ||
        address_space_create(&space, &size, &diag))
        abort();
    for (unsigned i = 0; i < CONNECTIONS; i++)
        if (!(staging[i] = malloc(WIRE_STAGING_BYTES))) abort();
    wire_input_prepare();
    return 0;
}

static void begin(void) {
    struct heddle_diag diag = {0};
    for (unsigned i = 0; i < DEVICES; i++) {
        const struct gpu_options o = {
            .config = config, .memory = address_space_memory(space), .device = i};
        if (gpu_create(&gpu[i], &o, &diag)) abort();
    }
    const struct server_options o = {.config = config,
                                     .space = space,
                                     .gpu = gpu[0],
                                     .more = gpu + 1,
                                     .num_more = DEVICES - 1,
                                     .compile = compile,
                                     .leaks = true,
                                     .quiet = true};
    if (server_create(&server, &o, &diag)) abort();
}

/* Ends all programs, and looks that nothing of them is left in the address space. */
static void end(void) {
    server_free(server);
    for (unsigned i = 0; i < DEVICES; i++) gpu_free(gpu[i]);
    for (memory_region r = 0; r < NUM_REGIONS; r++)
        if (address_space_available(space, r) != address_space_bytes(space, r)) abort();
    memset(peers, 0, sizeof peers);
}

/* What server.c does with a new connection. */
static void connect_peer(struct peer *p) {
    struct host_thread *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->socket = FIRST_FD + (int)(p - peers);
    t->peer_pid = 1 + (int)(p - peers) / 2; /* two connections of a process, and another */
    t->staging_fd = FIRST_FD + CONNECTIONS;
    t->staging = staging[p - peers];
    t->next = server->threads;
    server->threads = t;
    *p = (struct peer){.thread = t};
}

static void close_peer(struct peer *p) {
    session_close(server, p->thread);
    p->thread = NULL;
}

/* Has the server read the message of the peer, or find that it has gone, if there is either. */
static void serve(struct peer *p) {
    looks = 0;
    if ((p->bytes || p->gone) && !session_serve(server, p->thread)) close_peer(p);
}

/* What server_run() does between messages: retries suspended calls, and runs host functions. */
static void idle(void) {
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct peer *p = &peers[i];
        looks = 0;
        if (p->thread && p->thread->is_suspended && !session_retry(server, p->thread))
            close_peer(p);
    }
    if (host_functions_due(server)) host_functions_advance(server);
}

/* Sends the step's message on its connection, which it opens with a hello if need be. */
static void take(const struct wire_step *step) {
    struct peer *p = &peers[step->connection % CONNECTIONS];
    if (!p->thread) {
        connect_peer(p);
        if (step->kind == STEP_RUBBISH) {
            p->bytes = step->bytes;
            memcpy(&p->message, step->data, p->bytes);
            serve(p);
            return;
        }
        p->message.hello = (struct wire_hello){
            .kind = WIRE_HELLO,
            .cudart_version = 11 + step->connection / CONNECTIONS % 3,
            .magic = WIRE_MAGIC,
            .token = (uint64_t)p->thread->peer_pid,
            .program = "program",
        };
        memcpy(p->message.hello.secret, server->secret, WIRE_SECRET_BYTES);
        p->bytes = sizeof p->message.hello;
        serve(p);
    }
    if (!p->thread || step->kind == STEP_IDLE) return;
    p->step = *step;
    p->answers = 0;
    if (step->kind == STEP_HANG_UP) {
        p->gone = true;
    } else if (step->kind == STEP_RUBBISH) {
        p->bytes = step->bytes;
        memcpy(&p->message, step->data, p->bytes);
    } else {
        p->message.request = step->request;
        p->bytes = sizeof p->message.request;
        if (step->request.inline_bytes <= WIRE_STAGING_BYTES)
            wire_step_fill(step, 0, p->thread->staging, step->request.inline_bytes);
    }
    serve(p);
}

/* Called by libFuzzer for each input. Aborts when a wait has no end, or memory of a program that
 * has gone remains. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct wire_step step;
    wire_input_begin(&input, data, size);
    begin();
    for (unsigned i = 0; i < MOST_STEPS && wire_input_next(&input, &step); i++) {
        take(&step);
        idle();
    }
    end();
    return 0;
}
