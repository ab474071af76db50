/* driver_counts.c - makes each call three times, where possible once with success, once failing in
 * the library and once refused by the simulator. The report must count three of each call
 * (check_counts.cmake). Argument: unknown_instruction.ptx. A failed check ends the program with
 * status 1. */
#include "driver_calls.h"

#define THRICE(call, want) \
    for (int i_ = 0; i_ < 3; i_++) CU(call, want)

int main(int argc, char **argv) {
    char *bad = read_text(argc > 1 ? argv[1] : "");
    int number, option = 25;
    unsigned flags;
    size_t bytes, pitch;
    void *p, *q, *c, *array, *value = NULL;
    const char *text;
    float ms;
    const struct cu_array wrong = {4, 4, 77, 1};
    const struct cu_flat flat = {.src = {.type = 9}};
    THRICE(cuCtxGetFlags(&flags), NOT_INITIALIZED);
    THRICE(cuDeviceGetCount(&number), NOT_INITIALIZED);
    THRICE(cuGetErrorName(5000, &text), INVALID_VALUE);
    THRICE(cuGetErrorString(0, NULL), INVALID_VALUE);
    THRICE(cuInit(0), OK);
    THRICE(cuMemAlloc_v2(&p, 16), INVALID_CONTEXT);
    THRICE(cuMemcpyPeer(&p, &p, &p, &p, 4), INVALID_CONTEXT);
    CU(cuCtxCreate_v2(&c, 0, 0), OK);
    CU(cuCtxCreate_v2(&c, 1u << 30, 0), INVALID_VALUE);
    CU(cuCtxCreate_v2(NULL, 0, 0), INVALID_VALUE);
    THRICE(cuModuleLoadData(&p, bad), INVALID_PTX);
    THRICE(cuModuleLoadDataEx(&p, bad, 1, &option, &value), NOT_SUPPORTED);
    THRICE(cuModuleLoad(&p, "/none"), FILE_NOT_FOUND);
    THRICE(cuModuleGetFunction(&p, &p, "x"), INVALID_HANDLE);
    THRICE(cuModuleUnload(NULL), INVALID_HANDLE);
    THRICE(cuLinkCreate_v2(1, &option, &value, &p), NOT_SUPPORTED);
    THRICE(cuLinkAddData_v2(NULL, 1, bad, 10, NULL, 0, NULL, NULL), INVALID_HANDLE);
    THRICE(cuLinkAddFile_v2(NULL, 1, "/none", 0, NULL, NULL), FILE_NOT_FOUND);
    THRICE(cuLinkComplete(NULL, &p, &bytes), INVALID_HANDLE);
    THRICE(cuMemAllocPitch_v2(&p, &pitch, 4, 4, 5), INVALID_VALUE);
    THRICE(cuMemAllocHost_v2(NULL, 4), INVALID_VALUE);
    THRICE(cuMemFree_v2(&p), INVALID_VALUE);
    THRICE(cuMemFreeHost(&p), INVALID_VALUE);
    THRICE(cuMemHostUnregister(&p), 713);
    THRICE(cuMemHostGetFlags(&flags, &p), INVALID_VALUE);
    THRICE(cuMemcpyDtoH_v2(&p, &q, 8), INVALID_VALUE);
    THRICE(cuMemcpyDtoHAsync_v2(&p, &q, 8, &p), INVALID_HANDLE);
    THRICE(cuMemcpy2D_v2(&flat), INVALID_VALUE);
    THRICE(cuMemsetD32_v2(&p, 1, 1), INVALID_VALUE);
    THRICE(cuMemsetD8_v2(&p, 1, 1), INVALID_VALUE);
    THRICE(cuPointerGetAttribute(&p, 2, &p), INVALID_VALUE);
    int ask[] = {1, 2};
    void *to[] = {&p, &flags};
    THRICE(cuPointerGetAttributes(2, ask, to, &q), OK);
    THRICE(cuArrayCreate_v2(&array, &wrong), NOT_SUPPORTED);
    THRICE(cuArrayDestroy(&p), INVALID_HANDLE);
    THRICE(cuTexObjectDestroy(99), INVALID_VALUE);
    THRICE(cuStreamSynchronize(&p), INVALID_HANDLE);
    THRICE(cuStreamGetCtx(&p, &q), INVALID_HANDLE);
    THRICE(cuEventElapsedTime(&ms, &p, &p), INVALID_HANDLE);
    THRICE(cuLaunchKernel(&p, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), INVALID_HANDLE);
    THRICE(cuLaunchHostFunc(NULL, NULL, NULL), INVALID_VALUE);
    THRICE(cuFuncGetAttribute(&number, 0, &p), INVALID_HANDLE);
    THRICE(cuKernelGetAttribute(&number, 0, &p, 99), INVALID_DEVICE);
    THRICE(cuOccupancyMaxPotentialBlockSize(&number, NULL, &p, NULL, 0, 0), INVALID_VALUE);
    THRICE(cuGraphLaunch(&p, NULL), INVALID_VALUE);
    THRICE(cuCtxSetSharedMemConfig(9), INVALID_VALUE);
    THRICE(cuCtxPushCurrent_v2(&p), INVALID_CONTEXT);
    THRICE(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    THRICE(cuGetProcAddress_v2("cuNothing", &p, 13000, 0, NULL), OK);
    CU(cuStreamCreate(&p, 0), OK);
    CU(cuStreamCreate(NULL, 0), INVALID_VALUE);
    CU(cuStreamCreate(&q, 64), INVALID_VALUE);
    CU(cuCtxDestroy_v2(c), OK); /* destroys the stream, which is not counted as a call */
    CU(cuCtxDestroy_v2(c), INVALID_CONTEXT);
    CU(cuCtxDestroy_v2(NULL), INVALID_CONTEXT);
    free(bad);
    puts("driver_counts: ok");
    return 0;
}
