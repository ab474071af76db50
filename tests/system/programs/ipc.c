/* ipc.c - a program shares memory and an event with a second process of the same program, which
 * fills the memory and records the event. Built for the runtime and, with IPC_OF_DRIVER, for the
 * driver API. A failed check ends the program with status 1. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#ifdef IPC_OF_DRIVER
#include "driver_calls.h"
#define cuda(name) cu##name
#define MUST(call, want) CU(call, want)
#else
#include "cuda_calls.h"
#include <string.h>
#define cuda(name) cuda##name
#define MUST(call, want) EXPECT(call, want)
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaMemsetAsync(void *pointer, int value, size_t bytes, void *stream);
#endif

enum {
    BYTES = 1 << 16,
    NO_TIMING = 2,
    INTERPROCESS = 4,
    LAZY = 1,
    BAD_VALUE = 1,
    BAD_HANDLE = 400
};

struct handle {
    char bytes[64];
};
struct message {
    struct handle memory, event;
};

int cuda(IpcGetMemHandle)(struct handle *h, void *p);
int cuda(IpcOpenMemHandle)(void **p, struct handle h, unsigned flags);
int cuda(IpcCloseMemHandle)(void *p);
int cuda(IpcGetEventHandle)(struct handle *h, void *event);
int cuda(IpcOpenEventHandle)(void **event, struct handle h);

#ifdef IPC_OF_DRIVER
int cuIpcOpenMemHandle_v2(void **p, struct handle h, unsigned flags);
static void start(void) {
    void *context;
    CU(cuInit(0), OK);
    CU(cuDevicePrimaryCtxRetain(&context, 0), OK);
    CU(cuCtxSetCurrent(context), OK);
}
#define allocate cuMemAlloc_v2
#define give_back cuMemFree_v2
#define create_event cuEventCreate
#define destroy_event cuEventDestroy_v2
#define fill(p, value, stream) cuMemsetD8Async(p, value, BYTES, stream)
#define fetch(host, p) cuMemcpyDtoH_v2(host, p, BYTES)
#else
static void start(void) {}
#define allocate cudaMalloc
#define give_back cudaFree
#define create_event cudaEventCreateWithFlags
#define destroy_event cudaEventDestroy
#define fill(p, value, stream) cudaMemsetAsync(p, value, BYTES, stream)
#define fetch(host, p) cudaMemcpy(host, p, BYTES, TO_HOST)
#endif

static unsigned char host[BYTES];

static void holds(void *p, int value) {
    MUST(fetch(host, p), 0);
    for (int i = 0; i < BYTES; i++) CHECK(host[i] == value);
}

/* The second process: opens the memory and the event that it reads from stdin, checks the data, and
 * fills the memory. */
static int child(void) {
    struct message m;
    void *p, *again, *event;
    CHECK(read(STDIN_FILENO, &m, sizeof m) == sizeof m);
    start();
    MUST(cuda(IpcOpenMemHandle)(&p, m.memory, 0), BAD_VALUE); /* the flag is required */
    MUST(cuda(IpcOpenMemHandle)(&p, m.event, LAZY), BAD_HANDLE);
    MUST(cuda(IpcOpenEventHandle)(&event, m.memory), BAD_HANDLE);
    MUST(cuda(IpcOpenMemHandle)(&p, m.memory, LAZY), 0);
#ifdef IPC_OF_DRIVER
    void *base;
    size_t bytes;
    MUST(cuIpcOpenMemHandle_v2(&again, m.memory, LAZY), 0);
    MUST(cuMemGetAddressRange_v2(&base, &bytes, (char *)p + 100), 0);
    CHECK(base == p && bytes == BYTES);
#else
    MUST(cuda(IpcOpenMemHandle)(&again, m.memory, LAZY), 0);
#endif
    CHECK(again == p);
    MUST(cuda(IpcOpenEventHandle)(&event, m.event), 0);
    MUST(cuda(StreamWaitEvent)(NULL, event, 0), 0); /* the other program's fill */
    holds(p, 1);
    MUST(fill(p, 2, NULL), 0);
    MUST(cuda(EventRecord)(event, NULL), 0);
    MUST(give_back(p), BAD_VALUE); /* not its own */
    MUST(cuda(IpcCloseMemHandle)(p), 0);
    MUST(cuda(IpcCloseMemHandle)(p), 0);
    MUST(cuda(IpcCloseMemHandle)(p), BAD_VALUE);
    MUST(destroy_event(event), 0);
    return 0;
}

/* A child that shares memory and ends without freeing it, after the other program has opened it. */
static int giver(void) {
    struct handle h;
    void *p;
    char go;
    start();
    MUST(allocate(&p, BYTES), 0);
    MUST(fill(p, 3, NULL), 0);
    MUST(cuda(IpcGetMemHandle)(&h, p), 0);
    holds(p, 3);
    CHECK(write(STDOUT_FILENO, &h, sizeof h) == sizeof h);
    CHECK(read(STDIN_FILENO, &go, 1) == 1);
    return 0;
}

/* Opened memory exists after the program that shared it has ended. */
static void outlives(const char *self) {
    struct handle h;
    void *p, *again, *fresh;
    int to[2], from[2], status;
    CHECK(pipe(to) == 0 && pipe(from) == 0);
    pid_t pid = vfork();
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execl(self, self, "giver", "", (char *)NULL);
        _exit(127);
    }
    CHECK(read(from[0], &h, sizeof h) == sizeof h);
    MUST(cuda(IpcOpenMemHandle)(&p, h, LAZY), 0);
    CHECK(write(to[1], "!", 1) == 1);
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    usleep(20000);
    holds(p, 3);
    MUST(allocate(&fresh, BYTES), 0);
    CHECK(fresh != p);
    MUST(cuda(IpcOpenMemHandle)(&again, h, LAZY), 0);
    CHECK(again == p);
    MUST(give_back(p), BAD_VALUE); /* opened, not allocated */
    MUST(cuda(IpcCloseMemHandle)(p), 0);
    holds(p, 3);
    MUST(cuda(IpcCloseMemHandle)(p), 0);
    MUST(fetch(host, p), BAD_VALUE);
    MUST(give_back(fresh), 0);
}

int main(int argc, char **argv) {
    if (argc > 1) return argc > 2 ? giver() : child();
    struct message m, spoilt;
    void *p, *event, *plain, *other;
    int to_child[2], status;
    start();
    MUST(allocate(&p, BYTES), 0);
    MUST(cuda(IpcGetMemHandle)(&m.memory, (char *)p + 256), BAD_VALUE);
    MUST(cuda(IpcGetMemHandle)(NULL, p), BAD_VALUE);
    MUST(cuda(IpcGetMemHandle)(&m.memory, p), 0);
    MUST(cuda(IpcOpenMemHandle)(&other, m.memory, LAZY), BAD_HANDLE); /* in the same program */
    /* interprocess events must not have timing */
    MUST(create_event(&event, INTERPROCESS), BAD_VALUE);
    MUST(create_event(&plain, NO_TIMING), 0);
    MUST(cuda(IpcGetEventHandle)(&m.event, plain), BAD_HANDLE);
    MUST(create_event(&event, INTERPROCESS | NO_TIMING), 0);
    MUST(cuda(IpcGetEventHandle)(&m.event, event), 0);
    spoilt = m;
    memset(&spoilt.event, 7, sizeof spoilt.event);
    MUST(cuda(IpcOpenEventHandle)(&other, spoilt.event), BAD_HANDLE);
    MUST(fill(p, 1, NULL), 0);
    MUST(cuda(EventRecord)(event, NULL), 0);

    CHECK(pipe(to_child) == 0);
    CHECK(write(to_child[1], &m, sizeof m) == sizeof m);
    pid_t pid = vfork();
    if (pid == 0) {
        dup2(to_child[0], STDIN_FILENO);
        execl(argv[0], argv[0], "child", (char *)NULL);
        _exit(127);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    MUST(cuda(EventSynchronize)(event), 0); /* the other program's */
    MUST(cuda(EventQuery)(event), 0);
    holds(p, 2);
    MUST(destroy_event(event), 0);
    MUST(give_back(p), 0);
    outlives(argv[0]);
    puts("ipc: ok");
    return 0;
}
