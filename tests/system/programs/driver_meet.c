/* driver_meet.c - kernels of two devices that wait for each other in memory of one of them. The
 * first one is waited for first, or asked until it has ended. Argument: meet.ptx. */
#include "driver_calls.h"

enum { ROUNDS = 20, BLOCK = 64 };

static unsigned expected(void) {
    unsigned sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        for (unsigned rank = 0; rank < 2; rank++) sum = sum * 3 + rank;
    return sum;
}

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
    puts("driver_meet: ok");
    free(text);
    return 0;
}
