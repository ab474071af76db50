/* driver_meet.c - kernels that spin on memory: kernels of two devices for each other (the host
 * waits for the first one, or queries it until it has ended); kernels of two streams for each
 * other; a kernel for a copy of another stream; a kernel for a call of another thread, while this
 * thread waits for the kernel. Argument: meet.ptx. A failed check ends the program with status
 * 1. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "driver_calls.h"

enum { ROUNDS = 20, BLOCK = 64 };

static unsigned expected(void) {
    unsigned sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        for (unsigned rank = 0; rank < 2; rank++) sum = sum * 3 + rank;
    return sum;
}

/* Launches a kernel on each device; they pass a turn to each other. Waits for the first device
 * (asks: by queries), and checks the results of both. */
static void meet(void **context, void **kernel, void *memory, int asks) {
    void *turn = memory, *sum = (char *)memory + 1024;
    unsigned rounds = ROUNDS, result = 0, waits = 0;
    int error = NOT_READY;
    CU(cuCtxSetCurrent(context[0]), OK);
    CU(cuMemsetD8_v2(memory, 0, 4096), OK);
    CU(cuCtxSynchronize(), OK);
    for (unsigned rank = 0; rank < 2; rank++) {
        void *parameters[] = {&turn, &sum, &rank, &rounds};
        CU(cuCtxSetCurrent(context[rank]), OK);
        CU(cuLaunchKernel(kernel[rank], 1, 1, 1, BLOCK, 1, 1, 0, NULL, parameters, NULL), OK);
    }
    CU(cuCtxSetCurrent(context[0]), OK);
    for (; asks && (error = cuStreamQuery(NULL)) == NOT_READY; waits++) {
    }
    if (asks) CHECK(error == OK);
    CU(cuCtxSynchronize(), OK);
    CU(cuMemcpyDtoH_v2(&result, turn, 4), OK);
    CHECK(result >= 2 * ROUNDS - 1); /* the other device's last word may be on its way */
    CU(cuCtxSetCurrent(context[1]), OK);
    CU(cuCtxSynchronize(), OK);
    CU(cuMemcpyDtoH_v2(&result, turn, 4), OK);
    CHECK(result == 2 * ROUNDS);
    CU(cuMemcpyDtoH_v2(&result, sum, 4), OK);
    CHECK(result == expected());
}

static void launch(void *kernel, void *stream, void *memory, unsigned rank, unsigned rounds) {
    void *turn = memory, *sum = (char *)memory + 1024;
    void *parameters[] = {&turn, &sum, &rank, &rounds};
    CU(cuLaunchKernel(kernel, 1, 1, 1, BLOCK, 1, 1, 0, stream, parameters, NULL), OK);
}

/* Kernels of two streams pass a turn to each other; then a kernel waits for a copy of another
 * stream. */
static void streams(void *kernel, void *memory) {
    void *a, *b;
    unsigned one = 1, result;
    CU(cuStreamCreate(&a, 1), OK);
    CU(cuStreamCreate(&b, 1), OK);
    CU(cuMemsetD8_v2(memory, 0, 4096), OK);
    CU(cuCtxSynchronize(), OK);
    launch(kernel, a, memory, 1, ROUNDS); /* the kernel that waits comes first */
    launch(kernel, b, memory, 0, ROUNDS);
    CU(cuStreamSynchronize(a), OK);
    CU(cuStreamSynchronize(b), OK);
    CU(cuMemcpyDtoH_v2(&result, (char *)memory + 1024, 4), OK);
    CHECK(result == expected());
    CU(cuMemsetD8_v2(memory, 0, 4096), OK);
    CU(cuCtxSynchronize(), OK);
    launch(kernel, a, memory, 1, 1);
    CU(cuMemcpyHtoDAsync_v2(memory, &one, 4, b), OK);
    CU(cuStreamSynchronize(a), OK);
    CU(cuMemcpyDtoH_v2(&result, memory, 4), OK);
    CHECK(result == 2);
    CU(cuStreamDestroy_v2(a), OK);
    CU(cuStreamDestroy_v2(b), OK);
}

struct other {
    void *context, *memory;
};
/* A thread: after 0.1 s, sets the word that the kernel waits for, on its own stream. */
static void *set_the_word(void *argument) {
    const struct other *o = argument;
    void *s;
    CU(cuCtxSetCurrent(o->context), OK);
    CU(cuStreamCreate(&s, 1), OK);
    usleep(100000);
    CU(cuMemsetD32Async(o->memory, 1, 1, s), OK);
    CU(cuStreamSynchronize(s), OK);
    return NULL;
}

/* A kernel waits for set_the_word(), while this thread waits for the kernel. */
static void threads(void *context, void *kernel, void *memory) {
    struct other o = {context, memory};
    pthread_t t;
    unsigned result;
    CU(cuMemsetD8_v2(memory, 0, 4096), OK);
    CU(cuCtxSynchronize(), OK);
    CHECK(pthread_create(&t, NULL, set_the_word, &o) == 0);
    launch(kernel, NULL, memory, 1, 1);
    CU(cuCtxSynchronize(), OK);
    pthread_join(t, NULL);
    CU(cuMemcpyDtoH_v2(&result, memory, 4), OK);
    CHECK(result == 2);
}

int main(int argc, char **argv) {
    char *text = read_text(argc > 1 ? argv[1] : "");
    void *context[2], *module, *kernel[2], *memory;
    CU(cuInit(0), OK);
    for (int i = 1; i >= 0; i--) {
        CU(cuCtxCreate_v2(&context[i], 0, i), OK);
        CU(cuModuleLoadData(&module, text), OK);
        CU(cuModuleGetFunction(&kernel[i], module, "meet"), OK);
    }
    CU(cuCtxEnablePeerAccess(context[1], 0), OK);
    CU(cuCtxSetCurrent(context[1]), OK);
    CU(cuCtxEnablePeerAccess(context[0], 0), OK);
    CU(cuMemAlloc_v2(&memory, 4096), OK);
    meet(context, kernel, memory, 0);
    meet(context, kernel, memory, 1);
    CU(cuCtxSetCurrent(context[0]), OK);
    streams(kernel[0], memory);
    threads(context[0], kernel[0], memory);
    puts("driver_meet: ok");
    free(text);
    return 0;
}
