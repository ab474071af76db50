/* driver_mixed.c - the runtime and the driver in one program: one context, one set of handles, and
 * the runtime's last error is its own. Argument: scale.ptx. A failed check ends the program with
 * status 1. */
#include "device_image.h"

#include "driver_calls.h"

struct pitched { /* cudaPitchedPtr */
    void *at;
    size_t pitch, xsize, ysize;
};
struct extent {
    size_t width, height, depth;
};

int cudaGetFuncBySymbol(void **kernel, const void *function);
int cudaDeviceReset(void);
int cudaGetDevice(int *device);
int cudaGetSymbolAddress(void **address, const void *symbol);
int cudaMallocArray(void **array, const int *channels, size_t w, size_t h, unsigned flags);
int cudaFreeArray(void *array);
int cudaMalloc3D(struct pitched *p, struct extent size);
#if CUDART <= 12 /* calls that CUDA 13 no longer has */
int cudaCreateTextureObject_v2(uint64_t *object, const void *resource, const void *texture,
                               const void *view);
int cudaDestroyTextureObject(uint64_t object);
int cudaThreadExit(void);
#define RESET cudaThreadExit
#else
#define RESET cudaDeviceReset
#endif

static struct device_image image;
static char scale; /* the kernel's handle */
static int counter, factor[4];

static void *current(void) {
    void *c;
    CU(cuCtxGetCurrent(&c), OK);
    return c;
}

int main(int argc, char **argv) {
    int count, value, host[2] = {3, 4}, *p, *q;
    unsigned flags, n = 2;
    void *primary, *own, *stream, *event, *f, *module, *array, *address;
    size_t before, after, total;
    const struct dim3 one = {1, 1, 1}, block = {32, 1, 1};
    (void)argc;
    char *text = read_text(argv[1]);
    void **handle = open_module(&image, argv[1]);
    add_kernel(handle, &scale, "scale");
    add_variable(handle, &counter, "counter", sizeof counter, 0);
    add_variable(handle, factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(handle);
    CHECK(__cudaInitModule(handle));

    /* Querying the runtime for devices creates no context; using a device does, without cuInit. */
    CU(cuDeviceGetCount(&count), NOT_INITIALIZED);
    EXPECT(cudaGetDeviceCount(&count), 0);
    CHECK(current() == NULL);
    CU(cuDevicePrimaryCtxGetState(0, &flags, &value), OK);
    CHECK(!value);
    EXPECT(cudaMalloc((void **)&p, 64), 0);
    primary = current();
    CHECK(primary);
    CU(cuDevicePrimaryCtxGetState(0, &flags, &value), OK);
    CHECK(value);
    CU(cuDevicePrimaryCtxRetain(&own, 0), OK);
    CHECK(own == primary);
    CU(cuDevicePrimaryCtxRelease_v2(0), OK);
    CU(cuMemsetD32_v2(p, 1, 16), OK); /* the runtime still retains the context */

    /* Handles both ways. */
    EXPECT(cudaStreamCreate(&stream), 0);
    CU(cuEventCreate(&event, 0), OK);
    CU(cuMemAlloc_v2(&q, 64), OK);
    EXPECT(cudaMemcpyAsync(q, host, sizeof host, TO_DEVICE, stream), 0);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&f, module, "scale"), OK);
    void *parameters[] = {&q, &n};
    CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL), OK);
    EXPECT(cudaLaunchKernel(&scale, one, block, parameters, 0, stream), 0);
    EXPECT(cudaLaunchKernel(f, one, block, parameters, 0, stream), 0);
    EXPECT(cudaGetFuncBySymbol(&f, &scale), 0);
    CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL), OK);
    CU(cuFuncGetAttribute(&value, 0, f), OK);
    CHECK(value == 1024);
    EXPECT(cudaEventRecord(event, stream), 0);
    CU(cuEventSynchronize(event), OK);
    EXPECT(cudaMemcpy(host, q, sizeof host, TO_HOST), 0);
    CHECK(host[0] == 3 * 16 && host[1] == 4 * 16);
    EXPECT(cudaEventDestroy(event), 0);
    CU(cuEventQuery(event), INVALID_HANDLE);
    CU(cuStreamDestroy_v2(stream), OK);
    EXPECT(cudaStreamSynchronize(stream), 400);
    EXPECT(cudaGetLastError(), 400);
    EXPECT(cudaFree(q), 0);
    CU(cuMemFree_v2(q), INVALID_VALUE);
    CU(cuMemFree_v2(p), OK);
    EXPECT(cudaFree(p), 1);
    const int channels[5] = {32, 0, 0, 0, 2};
    struct cu_array d;
    EXPECT(cudaMallocArray(&array, channels, 20, 10, 0), 0);
    CU(cuArrayGetDescriptor_v2(&d, array), OK);
    CHECK(d.width == 20 && d.height == 10 && d.format == FLOAT && d.channels == 1);
    CU(cuArrayDestroy(array), OK);

    /* Errors of the driver do not change the runtime's last error, nor the other way round. */
    EXPECT(cudaGetLastError(), 1);
    CU(cuMemFree_v2(host), INVALID_VALUE);
    CU(cuMemcpyHtoD_v2(host, host, 8), INVALID_VALUE);
    CU(cuMemAllocPitch_v2(&p, NULL, 1, 1, 4), INVALID_VALUE);
    CU(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), INVALID_VALUE);
    CU(cuModuleLoadData(&module, "nonsense"), INVALID_PTX);
    CU(cuCtxSetLimit(77, 1), 215);
    EXPECT(cudaPeekAtLastError(), 0);
    EXPECT(cudaMalloc((void **)&p, (size_t)1 << 50), 2);
    CU(cuMemAlloc_v2(&p, 64), OK);
    CU(cuCtxSynchronize(), OK);
    EXPECT(cudaGetLastError(), 2);

    /* The runtime works in the current context; objects that it creates there are destroyed with
     * that context. */
    CU(cuMemGetInfo_v2(&before, &total), OK);
    CU(cuCtxCreate_v2(&own, 0, 0), OK);
    CHECK(current() == own);
    EXPECT(cudaMalloc((void **)&q, 1 << 20), 0);
    EXPECT(cudaMallocManaged((void **)&q, 1 << 16, 1), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    struct pitched rows;
    EXPECT(cudaMalloc3D(&rows, (struct extent){100, 3, 2}), 0);
    EXPECT(cudaMalloc3D(&rows, (struct extent){1, (size_t)1 << 33, (size_t)1 << 33}), 2);
    EXPECT(cudaGetLastError(), 2);
#if CUDART <= 12
    struct { /* cudaResourceDesc of 16 numbers in memory */
        int type, pad;
        void *at;
        int bits[4], kind;
        size_t bytes;
        char rest[64];
    } resource = {.type = 2, .at = rows.at, .bits = {32}, .bytes = 64};
    const char texture[128] = {0};
    uint64_t object;
    EXPECT(cudaCreateTextureObject_v2(&object, &resource, texture, NULL), 0);
#endif
    CHECK(current() == own);
    CU(cuMemFree_v2(p), OK); /* of the other one */
    EXPECT(cudaMalloc((void **)&q, 64), 0);
    EXPECT(cudaFree(q), 0);
    CU(cuCtxDestroy_v2(own), OK);
    CHECK(current() == primary);
    CU(cuMemGetInfo_v2(&after, &total), OK);
    CHECK(after >= before);
    EXPECT(cudaStreamSynchronize(stream), 400);
    EXPECT(cudaFree(rows.at), 1);
#if CUDART <= 12
    EXPECT(cudaDestroyTextureObject(object), 1);
#endif
    EXPECT(cudaMalloc((void **)&q, 64), 0); /* may reuse the address, but is not their memory */
    CU(cuMemsetD8_v2(q, 1, 64), OK);
    /* cudaSetDevice makes the primary one current. */
    CU(cuCtxCreate_v2(&own, 0, 0), OK);
    EXPECT(cudaSetDevice(0), 0);
    CHECK(current() == primary);
    CU(cuCtxDestroy_v2(own), OK);
    CU(cuCtxSetCurrent(NULL), OK);
    while (current()) CU(cuCtxPopCurrent_v2(NULL), OK);
    EXPECT(cudaMalloc3D(&rows, (struct extent){100, 3, 2}), 0); /* the runtime wants a context */
    CHECK(current() == primary);
    EXPECT(cudaFree(rows.at), 0);

    /* After a reset nothing is freed twice. */
    CU(cuDevicePrimaryCtxRetain(&primary, 0), OK);
    CU(cuMemAlloc_v2(&p, 1 << 20), OK);
    EXPECT(cudaMalloc((void **)&q, (size_t)1 << 50), 2);
    EXPECT(RESET(), 0);
    EXPECT(cudaGetLastError(), 0);
    CU(cuDevicePrimaryCtxGetState(0, &flags, &value), OK);
    CHECK(value); /* retained above */
    EXPECT(cudaMalloc((void **)&q, 1 << 20), 0);
    CU(cuDevicePrimaryCtxRelease_v2(0), OK);
    CU(cuMemsetD8_v2(q, 1, 1 << 20), OK);
    EXPECT(cudaGetSymbolAddress(&address, &counter), 0);
    CU(cuMemcpyDtoH_v2(&value, address, 4), OK);
    CHECK(value == 3); /* as it is in the PTX */
    CU(cuMemFree_v2(q), OK);
    (void)cudaGetLastError();
    free(text);
    puts("driver_mixed: ok");
    return 0;
}
