/* neighbour.c - one of two programs of a run: the victim, whose calls are timed, or another one
 * that sleeps or is hostile.
 *
 * neighbour victim FILE N: N rounds of calls that one makes: memory, copies both ways, kernels of
 * FILE (store), waits. Prints the seconds of wall time that they took.
 * neighbour HOW [FILE]: until it is killed:
 *   sleeps       one call, then none
 *   spins        none, but keeps processors busy with four threads
 *   calls        a call after the other, in four threads
 *   memory       allocates and frees, in all sizes
 *   connections  opens and closes connections, some of them with a first message
 *   garbage      sends messages of random bytes, with and without a right first message
 *   stalls       announces bytes and does not send them when asked, on one connection after another
 *   kernels      launches kernels, which takes the GPU from the others as on hardware */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cuda/protocol/wire.h"
#include "device_image.h"

static struct device_image image;
static char stub; /* its address is the kernel's handle */

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- by the CUDA library */

static void victim(int rounds) {
    enum { BYTES = 64 << 10 };
    static char host[BYTES];
    void *p, *q;
    EXPECT(cudaMalloc(&p, BYTES), 0);
    for (int warm = 0; warm < 2; warm++) {
        const double begin = now_s();
        for (int i = 0; i < (warm ? rounds : 20); i++) {
            EXPECT(cudaMalloc(&q, BYTES), 0);
            EXPECT(cudaMemcpy(q, host, BYTES, TO_DEVICE), 0);
            EXPECT(cudaLaunchKernel(&stub, (struct dim3){4, 1, 1}, (struct dim3){64, 1, 1},
                                    (void *[]){&p}, 0, NULL),
                   0);
            EXPECT(cudaDeviceSynchronize(), 0);
            EXPECT(cudaMemcpy(host, q, BYTES, TO_HOST), 0);
            EXPECT(cudaFree(q), 0);
        }
        if (warm) printf("victim %.6f\n", now_s() - begin);
    }
}

static void *calls(void *unused) {
    size_t available, total;
    while (!cudaMemGetInfo(&available, &total)) {
    }
    return unused;
}

static void *spins(void *unused) {
    for (volatile unsigned i = 0;; i++) {
    }
    return unused;
}

static void memory(void) {
    for (size_t bytes = 1;; bytes = bytes > 1u << 30 ? 1 : 2 * bytes) {
        void *p;
        EXPECT(cudaMalloc(&p, bytes), 0);
        EXPECT(cudaFree(p), 0);
    }
}

static void kernels(void) {
    void *p;
    EXPECT(cudaMalloc(&p, 4096), 0);
    for (unsigned i = 0;; i++) {
        cudaLaunchKernel(&stub, (struct dim3){4, 1, 1}, (struct dim3){64, 1, 1}, (void *[]){&p}, 0,
                         NULL);
        if (i % 100 == 0) cudaDeviceSynchronize();
    }
}

/* ---- by the socket */

/* A connection to the server, -1: refused. */
static int connect_raw(void) {
    const char *where = getenv(WIRE_ENVIRONMENT);
    CHECK(where);
    const size_t n = strcspn(where, ",");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CHECK(n < sizeof address.sun_path - 1);
    memcpy(address.sun_path + 1, where, n);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static void introduce(int fd, uint64_t token) {
    const char *secret = strchr(getenv(WIRE_ENVIRONMENT), ',');
    struct wire_hello hello = {.kind = WIRE_HELLO,
                               .cudart_version = 13,
                               .magic = WIRE_MAGIC,
                               .token = token,
                               .pid = (uint32_t)getpid(),
                               .tid = (uint32_t)syscall(SYS_gettid)};
    struct wire_welcome welcome;
    snprintf(hello.program, sizeof hello.program, "hostile");
    snprintf(hello.secret, sizeof hello.secret, "%s", secret ? secret + 1 : "");
    if (send(fd, &hello, sizeof hello, MSG_NOSIGNAL) > 0) recv(fd, &welcome, sizeof welcome, 0);
}

static void connections(void) {
    enum { MANY = 64 };
    int fd[MANY];
    for (uint64_t round = 0;; round++) {
        for (int i = 0; i < MANY; i++) {
            fd[i] = connect_raw();
            if (fd[i] >= 0 && i % 4 == 0) introduce(fd[i], round);
        }
        for (int i = 0; i < MANY; i++)
            if (fd[i] >= 0) close(fd[i]);
    }
}

static void garbage(void) {
    unsigned char bytes[sizeof(struct wire_request)];
    for (uint64_t round = 1;; round++) {
        int fd = connect_raw();
        if (fd < 0) continue;
        if (round % 2) introduce(fd, round);
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)rand();
        send(fd, bytes, round % 3 ? sizeof bytes : (size_t)rand() % sizeof bytes, MSG_NOSIGNAL);
        recv(fd, bytes, sizeof bytes, 0);
        close(fd);
    }
}

/* A module's image is asked for in pieces: none comes. */
static void stalls(void) {
    for (uint64_t round = 1;; round++) {
        struct wire_reply reply;
        int fd = connect_raw();
        if (fd < 0) continue;
        introduce(fd, round);
        const struct wire_request request = {
            .kind = WIRE_CALL, .call = CALL___cudaRegisterFatBinary, .payload_bytes = 1 << 20};
        send(fd, &request, sizeof request, MSG_NOSIGNAL);
        while (recv(fd, &reply, sizeof reply, 0) > 0) {
        }
        close(fd);
    }
}

int main(int argc, char **argv) {
    CHECK(argc > 1);
    const char *how = argv[1];
    size_t available, total;
    pthread_t thread;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 2) {
        void **module = open_module(&image, argv[2]);
        add_kernel(module, &stub, "store");
        __cudaRegisterFatBinaryEnd(module);
    }
    EXPECT(cudaMemGetInfo(&available, &total), 0);
    if (!strcmp(how, "victim")) {
        CHECK(argc == 4);
        victim(atoi(argv[3]));
        return 0;
    }
    printf("%s\n", how);
    for (int i = 0; i < 4; i++) {
        if (!strcmp(how, "calls")) pthread_create(&thread, NULL, calls, NULL);
        if (!strcmp(how, "spins")) pthread_create(&thread, NULL, spins, NULL);
    }
    if (!strcmp(how, "memory")) memory();
    if (!strcmp(how, "kernels")) kernels();
    if (!strcmp(how, "connections")) connections();
    if (!strcmp(how, "garbage")) garbage();
    if (!strcmp(how, "stalls")) stalls();
    for (;;) pause();
}
