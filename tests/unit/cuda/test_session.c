/* test_session.c - the server (cuda/server) against a client that breaks the protocol: the server
 * refuses it and serves on. The client is a child process that talks over the socket directly; the
 * GPU is tests/support/fake_gpu.c. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/protocol/cuda_error.h"
#include "cuda/server/server.h"
#include "cuda/protocol/wire.h"

struct bench {
    struct config *config;
    struct address_space *space;
    struct gpu *gpu;
    struct server *server;
};

static heddle_err no_compiler(const struct config *config, struct mir_module **out,
                              const struct server_ptx *ptx, unsigned n, const char *name,
                              struct heddle_diag *diag) {
    (void)config, (void)out, (void)ptx, (void)n, (void)name;
    return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED, "no compiler here");
}

static void set_up(struct bench *b) {
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&b->config, "v100", GPUS, NULL, 0, &diag), HEDDLE_OK);
    cr_assert_eq(address_space_create(&b->space,
                                      &(struct address_space_size){.device_bytes = 64 << 20,
                                                                   .pinned_bytes = 64 << 20,
                                                                   .managed_bytes = 64 << 20},
                                      &diag),
                 HEDDLE_OK, "%s", diag.text);
    struct gpu_options gpu = {.config = b->config, .memory = address_space_memory(b->space)};
    cr_assert_eq(gpu_create(&b->gpu, &gpu, &diag), HEDDLE_OK);
    struct server_options o = {.config = b->config,
                               .space = b->space,
                               .gpu = b->gpu,
                               .compile = no_compiler,
                               .quiet = true};
    cr_assert_eq(server_create(&b->server, &o, &diag), HEDDLE_OK, "%s", diag.text);
}

static void tear_down(struct bench *b) {
    gpu_free(b->gpu);
    server_free(b->server);
    address_space_free(b->space);
    config_free(b->config);
}

/* ---- the client, in a child process; a failed check is its exit status */

#define NEED(condition) \
    if (!(condition)) _exit(__LINE__ % 250 + 1)

/* Connects to the server. @return the socket */
static int enter(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strcspn(name, ","); /* the secret follows */
    memcpy(address.sun_path + 1, name, length);
    int s = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    NEED(connect(s, (struct sockaddr *)&address, size) == 0);
    return s;
}

/* Connects and sends a correct greeting with this token of the program. *staging (NULL: not
 * wanted): the connection's staging memory. @return the socket */
static int greet_mapped(const char *name, uint64_t token, uint8_t **staging) {
    int s = enter(name), fd[WIRE_NUM_FDS];
    struct wire_hello hello = {
        .kind = WIRE_HELLO, .cudart_version = 13, .magic = WIRE_MAGIC, .token = token};
    struct wire_welcome w;
    union {
        char bytes[CMSG_SPACE(sizeof fd)];
        struct cmsghdr align;
    } control;
    struct iovec piece = {&w, sizeof w};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = staging ? control.bytes : NULL,
                             .msg_controllen = staging ? sizeof control.bytes : 0};
    snprintf(hello.secret, sizeof hello.secret, "%s", strchr(name, ',') + 1);
    NEED(send(s, &hello, sizeof hello, 0) == sizeof hello);
    NEED(recvmsg(s, &message, 0) == sizeof w && w.kind == WIRE_WELCOME);
    if (!staging) return s;
    NEED(CMSG_FIRSTHDR(&message));
    memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    *staging = mmap(NULL, WIRE_STAGING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                    fd[WIRE_FD_STAGING], 0);
    NEED(*staging != MAP_FAILED);
    for (int i = 0; i < WIRE_NUM_FDS; i++) NEED(ftruncate(fd[i], 0) != 0); /* the server's, too */
    return s;
}
static int greet(const char *name, uint64_t token) {
    return greet_mapped(name, token, NULL);
}

/* Sends a request and answers the server's messages until its reply. @return the reply's error, or
 * -1 if the server closed the connection */
static int ask(int s, const struct wire_request *r, struct wire_reply *reply) {
    NEED(send(s, r, sizeof *r, MSG_NOSIGNAL) == sizeof *r);
    for (;;) {
        ssize_t n = recv(s, reply, sizeof *reply, 0);
        if (n <= 0) return -1;
        if (reply->kind == WIRE_DONE) return reply->error;
        struct wire_request ready = {.kind = WIRE_READY};
        NEED(send(s, &ready, sizeof ready, MSG_NOSIGNAL) == sizeof ready);
    }
}

/* Runs the server until the client, a child process, has ended; expects that its checks passed. */
static void serve(void (*client)(const char *name)) {
    struct bench b;
    struct heddle_diag diag = {0};
    set_up(&b);
    pid_t pid = fork();
    cr_assert_geq(pid, 0);
    if (pid == 0) {
        client(server_address(b.server));
        _exit(0);
    }
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), status;
    cr_expect_eq(server_run(b.server, &(struct server_child){pid, pidfd}, 1, &diag), HEDDLE_OK,
                 "%s", diag.text);
    waitpid(pid, &status, 0);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the client ended with %x", status);
    tear_down(&b);
}

/* A client with wrong greetings: the server refuses the connection or closes it. */
static void wrong_greetings(const char *name) {
    int s = enter(name);
    struct wire_hello hello = {.kind = WIRE_HELLO, .magic = WIRE_MAGIC + 1};
    struct wire_welcome w;
    NEED(send(s, &hello, sizeof hello, 0) == sizeof hello);
    NEED(recv(s, &w, sizeof w, 0) == sizeof w && w.kind == WIRE_REFUSED);
    NEED(strcmp(w.text, "libcudart and `heddle` are of different builds") == 0);
    NEED(recv(s, &w, sizeof w, 0) == 0); /* the server closed it */
    s = enter(name);                     /* who has seen the name of the socket alone */
    hello.magic = WIRE_MAGIC;
    snprintf(hello.secret, sizeof hello.secret, "%s", name);
    NEED(send(s, &hello, sizeof hello, 0) == sizeof hello);
    NEED(recv(s, &w, sizeof w, 0) == sizeof w && w.kind == WIRE_REFUSED);
    NEED(strcmp(w.text, "it is no program of this run") == 0);
    NEED(recv(s, &w, sizeof w, 0) == 0);
    s = enter(name);
    NEED(send(s, "rubbish", 7, 0) == 7);
    NEED(recv(s, &w, sizeof w, 0) <= 0);
    s = enter(name); /* a call before the greeting */
    struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaGetDeviceCount};
    NEED(send(s, &r, sizeof r, 0) == sizeof r);
    NEED(recv(s, &w, sizeof w, 0) <= 0);
}

static void wrong_requests(const char *name) {
    const struct wire_request wrong[] = {
        {.kind = WIRE_CALL, .call = CUDA_NUM_CALLS},
        /* a LOCAL call, which the library answers */
        {.kind = WIRE_CALL, .call = CALL_cudaGetErrorName},
        {.kind = WIRE_CALL,
         .call = CALL_cudaMemcpy,
         .inline_bytes = WIRE_STAGING_BYTES + 1,
         .payload_bytes = 1u << 30},
        {.kind = WIRE_CALL, .call = CALL_cudaMemcpy, .inline_bytes = 2, .payload_bytes = 1},
        {.kind = 99, .call = CALL_cudaMemcpy},
        {.kind = WIRE_READY},
    };
    struct wire_reply reply;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int s = greet(name, i + 1);
        NEED(ask(s, &wrong[i], &reply) == -1);
        close(s);
    }
}

/* Sends calls whose arguments contradict each other. */
static void lies(const char *name) {
    struct wire_reply reply;
    int s = greet(name, 1);
    struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaMalloc, .arg = {4096}};
    NEED(ask(s, &r, &reply) == 0);
    uint64_t device = reply.result[0];
    /* A copy of 1,000 bytes with a payload of 10. */
    r = (struct wire_request){.kind = WIRE_CALL,
                              .call = CALL_cudaMemcpy,
                              .payload_bytes = 10,
                              .inline_bytes = 10,
                              .arg = {device, 64, 1000, 1}};
    NEED(ask(s, &r, &reply) == HEDDLE_cudaErrorUnknown);
    /* More bytes than a process can have. */
    r = (struct wire_request){
        .kind = WIRE_CALL, .call = CALL___cudaRegisterFatBinary, .payload_bytes = UINT64_MAX};
    NEED(ask(s, &r, &reply) != 0);
    /* Parameters of a launch whose number of bytes has more than 32 bits. */
    r = (struct wire_request){
        .kind = WIRE_CALL, .call = CALL_cudaLaunchKernel, .payload_bytes = (UINT64_C(1) << 32) + 8};
    NEED(ask(s, &r, &reply) == CUDA_ERROR_INVALID_VALUE);
    /* Numbers of modules, functions and symbols that do not exist. */
    r = (struct wire_request){.kind = WIRE_CALL,
                              .call = CALL___cudaRegisterFunction,
                              .arg = {5},
                              .payload_bytes = 2,
                              .inline_bytes = 2};
    NEED(ask(s, &r, &reply) == CUDA_ERROR_INVALID_VALUE);
    r = (struct wire_request){.kind = WIRE_PARAMETERS, .arg = {77}};
    NEED(ask(s, &r, &reply) == HEDDLE_cudaErrorInvalidDeviceFunction);
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaGetSymbolSize, .arg = {0}};
    NEED(ask(s, &r, &reply) == HEDDLE_cudaErrorInvalidSymbol);
    r = (struct wire_request){
        .kind = WIRE_CALL, .call = CALL_cudaGetDeviceProperties, .arg = {0, 99}};
    NEED(ask(s, &r, &reply) == CUDA_ERROR_INVALID_VALUE);
    /* The connection still works. */
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaFree, .arg = {device}};
    NEED(ask(s, &r, &reply) == 0);
    r = (struct wire_request){.kind = WIRE_GOODBYE};
    NEED(ask(s, &r, &reply) == 0);
}

/* Sends random calls with random arguments: the server must answer each or close the connection. */
static void noise(const char *name) {
    unsigned seed = 4711;
    int s = -1;
    for (unsigned i = 0; i < 5000; i++) {
        if (s < 0) s = greet(name, 100 + i);
        struct wire_request r = {.kind = rand_r(&seed) % 8 ? WIRE_CALL : WIRE_PARAMETERS,
                                 .call = (uint32_t)rand_r(&seed) % (CUDA_NUM_CALLS / 5),
                                 .payload_bytes = (uint64_t)rand_r(&seed) % 3000};
        r.inline_bytes = (uint32_t)(r.payload_bytes / (1 + (unsigned)rand_r(&seed) % 2));
        for (int k = 0; k < WIRE_MAX_ARGS; k++) switch (rand_r(&seed) % 4) {
            case 0: r.arg[k] = (uint64_t)rand_r(&seed) % 8; break;
            case 1: r.arg[k] = ADDRESS_SPACE_BASE + (uint64_t)rand_r(&seed) % 100000; break;
            case 2: r.arg[k] = (uint64_t)rand_r(&seed) << 33; break;
            default: r.arg[k] = (uint64_t)rand_r(&seed) % 5000;
            }
        struct wire_reply reply;
        if (ask(s, &r, &reply) == -1) {
            close(s);
            s = -1;
        }
    }
}

/* A program that does not send what it was asked for keeps others waiting, but not for ever. */
static void stalls(const char *name) {
    int stalled[2];
    NEED(pipe(stalled) == 0);
    struct wire_reply reply;
    struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaMalloc, .arg = {8 << 20}};
    pid_t other = fork();
    if (other == 0) {
        char go;
        int s = greet(name, 2);
        NEED(read(stalled[0], &go, 1) == 1);
        NEED(ask(s, &r, &reply) == 0);
        _exit(0);
    }
    int s = greet(name, 1), status;
    NEED(ask(s, &r, &reply) == 0);
    r = (struct wire_request){.kind = WIRE_CALL,
                              .call = CALL_cudaMemcpy,
                              .payload_bytes = 8 << 20,
                              .arg = {reply.result[0], 64, 8 << 20, 1}};
    NEED(send(s, &r, sizeof r, 0) == sizeof r);
    NEED(recv(s, &reply, sizeof reply, 0) == sizeof reply && reply.kind == WIRE_PULL);
    NEED(write(stalled[1], "", 1) == 1);
    NEED(recv(s, &reply, sizeof reply, 0) == 0); /* closed */
    NEED(waitpid(other, &status, 0) == other && status == 0);
}

/* Payloads that are announced and do not come, or too short ones. */
static void missing_payloads(const char *name) {
    struct wire_reply reply;
    int s = greet(name, 1);
    struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaMalloc, .arg = {4096}};
    NEED(ask(s, &r, &reply) == 0);
    /* A copy of 1,000 bytes, which does not wait, with a payload of 10. */
    r = (struct wire_request){.kind = WIRE_CALL,
                              .call = CALL_cudaMemcpyAsync,
                              .payload_bytes = 10,
                              .inline_bytes = 10,
                              .arg = {reply.result[0], 64, 1000, 1}};
    NEED(ask(s, &r, &reply) == CUDA_ERROR_INVALID_VALUE);
    /* A name that nobody can have. No kernel without a name is left. */
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL___cudaRegisterFatBinary};
    NEED(ask(s, &r, &reply) == 0);
    r = (struct wire_request){.kind = WIRE_CALL,
                              .call = CALL___cudaRegisterFunction,
                              .arg = {reply.result[0]},
                              .payload_bytes = UINT64_C(1) << 30};
    NEED(ask(s, &r, &reply) == HEDDLE_cudaErrorMemoryAllocation);
    r = (struct wire_request){.kind = WIRE_PARAMETERS, .arg = {1}};
    NEED(ask(s, &r, &reply) == HEDDLE_cudaErrorInvalidDeviceFunction);
}

/* A program that sends and does not read what is sent to it. */
static void does_not_read(const char *name) {
    struct wire_reply reply;
    int s = greet(name, 1);
    const struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaGetDeviceCount};
    while (send(s, &r, sizeof r, MSG_NOSIGNAL) == sizeof r) continue; /* until it is closed */
    s = greet(name, 2);
    NEED(ask(s, &r, &reply) == 0);
}

/* A helper thread speaks before it is asked, and a call that is served first takes its message for
 * the answer. The server is busy with a third connection until both have sent. */
static void message_is_taken(const char *name) {
    struct wire_reply reply;
    const struct wire_request ready = {.kind = WIRE_READY};
    int helper = greet(name, 1), busy = greet(name, 1), s = greet(name, 1);
    struct wire_request r = {.kind = WIRE_HELPER};
    NEED(ask(helper, &r, &reply) == 0);
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaLaunchHostFunc, .arg = {0, 1}};
    NEED(ask(s, &r, &reply) == 0);
    r = (struct wire_request){
        .kind = WIRE_CALL, .call = CALL___cudaRegisterFatBinary, .payload_bytes = 100000};
    NEED(send(busy, &r, sizeof r, 0) == sizeof r);
    NEED(recv(busy, &reply, sizeof reply, 0) == sizeof reply && reply.kind == WIRE_PULL);
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaDeviceSynchronize};
    NEED(send(s, &r, sizeof r, 0) == sizeof r && send(helper, &ready, sizeof ready, 0) > 0);
    NEED(send(busy, &ready, sizeof ready, 0) == sizeof ready);
    NEED(recv(s, &reply, sizeof reply, 0) == sizeof reply && reply.kind == WIRE_DONE);
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaGetDeviceCount};
    NEED(ask(s, &r, &reply) == 0); /* it serves on */
}

/* Issues a wait for a word of device memory that is 0 to be 1, in the default stream. */
static void wait_for_a_word(int s, uint8_t *staging) {
    struct wire_reply reply;
    struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaMalloc, .arg = {4096}};
    NEED(ask(s, &r, &reply) == 0);
    const uint64_t batch[6] = {1, reply.result[0], 1, 1}; /* wait, address, value, equal */
    memcpy(staging, batch, sizeof batch);
    r = (struct wire_request){.kind = WIRE_CALL,
                              .call = CALL_cuStreamBatchMemOp_v2,
                              .payload_bytes = sizeof batch,
                              .inline_bytes = sizeof batch,
                              .arg = {0, 1}};
    NEED(ask(s, &r, &reply) == 0);
}

/* cudaFree() behind a wait for a word that no thread has written so far: the other thread, which
 * may write it, is served meanwhile. */
static void waits_are_suspended(const char *name) {
    struct wire_reply reply;
    uint8_t *staging;
    int other = greet(name, 1), s = greet_mapped(name, 1, &staging); /* the newest comes first */
    wait_for_a_word(s, staging);
    struct wire_request r = {.kind = WIRE_CALL, .call = CALL_cudaFree, .arg = {64}};
    NEED(send(s, &r, sizeof r, 0) == sizeof r);
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaGetDeviceCount};
    NEED(ask(other, &r, &reply) == 0);
}

/* A copy that waits there keeps the server from serving the other thread, so nobody can write the
 * word: it gets an error. */
static void waits_end(const char *name) {
    struct wire_reply reply;
    uint8_t *staging;
    int s = greet_mapped(name, 1, &staging), other = greet(name, 1);
    wait_for_a_word(s, staging);
    struct wire_request r = {.kind = WIRE_CALL,
                             .call = CALL_cudaMemcpy,
                             .payload_bytes = 8,
                             .inline_bytes = 8,
                             .arg = {ADDRESS_SPACE_BASE, 64, 8, 1}};
    NEED(ask(s, &r, &reply) != 0);
    r = (struct wire_request){.kind = WIRE_CALL, .call = CALL_cudaGetDeviceCount};
    NEED(ask(other, &r, &reply) != -1);
}

TestSuite(session, .timeout = 60);
Test(session, payloads_that_do_not_come) {
    serve(missing_payloads);
}
Test(session, a_program_that_does_not_read) {
    serve(does_not_read);
}
Test(session, a_message_that_a_call_takes) {
    serve(message_is_taken);
}
Test(session, others_are_served_while_a_free_waits) {
    serve(waits_are_suspended);
}
Test(session, a_copy_behind_a_word_that_nobody_can_write) {
    serve(waits_end);
}
Test(session, a_program_that_stalls) {
    serve(stalls);
}
Test(session, greetings) {
    serve(wrong_greetings);
}
Test(session, requests) {
    serve(wrong_requests);
}
Test(session, arguments) {
    serve(lies);
}
Test(session, random_requests) {
    serve(noise);
}
