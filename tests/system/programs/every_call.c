/* every_call.c - calls that no other test program makes, so that some program makes each
 * implemented call of the table (check_coverage.cmake). Argument: the PTX file with kernel `scale`,
 * variable `counter` and constant `factor`. A failed check ends the program with status 1. */
#include <stdint.h>

#include "device_image.h"

int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments,
                       size_t shared, void *stream);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                     void *stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream);
int cudaConfigureCall(struct dim3 grid, struct dim3 block, size_t shared, void *stream);
int cudaSetupArgument(const void *argument, size_t bytes, size_t offset);
int cudaLaunch(const void *function);
int cudaGetKernel(void **kernel, const void *function);
int cudaFuncGetAttributes(void *attributes, const void *function);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncSetCacheConfig(const void *function, int config);
int cudaFuncGetName(const char **name, const void *function);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int size,
                                                  size_t shared);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                           int size, size_t shared, unsigned flags);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                              int size);
int cudaMallocHost(void **pointer, size_t bytes);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *host);
int cudaGetSymbolAddress(void **address, const void *symbol);
int cudaGetSymbolSize(size_t *bytes, const void *symbol);
int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind);
int cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                            int kind, void *stream);
int cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
                              void *stream);
int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                      size_t height, int kind, void *stream);
int cudaMemsetAsync(void *pointer, int value, size_t bytes, void *stream);
int cudaGetDevice(int *device);
int cudaInitDevice(int device, unsigned device_flags, unsigned flags);
int cudaGetDeviceFlags(unsigned *flags);
int cudaSetDeviceFlags(unsigned flags);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceGetCacheConfig(int *config);
int cudaDeviceSetCacheConfig(int config);
int cudaCtxResetPersistingL2Cache(void);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceReset(void);
int cudaDriverGetVersion(int *version);
int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                            int *status);
int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                     unsigned long long flags, int *status);
int cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags,
                                 int *status);
int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
                                          unsigned long long flags, int *status);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamGetFlags(void *stream, unsigned *flags);
int cudaStreamGetPriority(void *stream, int *priority);
int cudaStreamGetId(void *stream, unsigned long long *id);
int cudaStreamGetDevice(void *stream, int *device);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
struct channel_desc {
    int x, y, z, w, kind;
} cudaCreateChannelDesc(int x, int y, int z, int w, int kind);

static struct device_image image;
static char scale;             /* the kernel's handle */
static int counter, factor[4]; /* the host's shadows of the variables */

static void devices(void) {
    int number, other;
    unsigned flags;
    size_t size;
    EXPECT(cudaInitDevice(0, 4, 1), 0);
    EXPECT(cudaGetDeviceFlags(&flags), 0);
    CHECK(flags == 4);
    EXPECT(cudaSetDeviceFlags(0), 0);
    EXPECT(cudaSetDeviceFlags(1u << 20), 1);
    EXPECT(cudaGetDevice(&number), 0);
    CHECK(number == 0);
    EXPECT(cudaDeviceGetLimit(&size, 0), 0);
    EXPECT(cudaDeviceGetLimit(&size, 77), 215);
    EXPECT(cudaDeviceSetCacheConfig(2), 0);
    EXPECT(cudaCtxResetPersistingL2Cache(), 0);
    EXPECT(cudaDeviceGetCacheConfig(&number), 0);
    CHECK(number == 2);
    EXPECT(cudaDeviceGetStreamPriorityRange(&number, &other), 0);
    EXPECT(cudaDeviceCanAccessPeer(&number, 0, 0), 0);
    EXPECT(cudaDriverGetVersion(&number), 0);
    CHECK(number >= 13000);
    struct channel_desc d = cudaCreateChannelDesc(32, 0, 0, 0, 2);
    CHECK(d.x == 32 && d.kind == 2);
}

static void streams(void) {
    void *a, *b, *event;
    unsigned flags;
    int number;
    unsigned long long id, other;
    EXPECT(cudaStreamCreateWithFlags(&a, 1), 0);
    EXPECT(cudaStreamCreateWithPriority(&b, 0, -1), 0);
    EXPECT(cudaStreamGetFlags(a, &flags), 0);
    CHECK(flags == 1);
    EXPECT(cudaStreamGetPriority(b, &number), 0);
    CHECK(number == -1);
    EXPECT(cudaStreamGetId(a, &id), 0);
    EXPECT(cudaStreamGetId(b, &other), 0);
    CHECK(id != other);
    EXPECT(cudaStreamGetDevice(a, &number), 0);
    EXPECT(cudaEventCreateWithFlags(&event, 2), 0); /* no timing */
    EXPECT(cudaEventRecordWithFlags(event, a, 0), 0);
    EXPECT(cudaStreamWaitEvent(b, event, 0), 0);
    EXPECT(cudaStreamSynchronize(b), 0);
    float ms;
    EXPECT(cudaEventElapsedTime(&ms, event, event), 400);
}

static void host_memory(void) {
    void *h, *device;
    unsigned flags;
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
        long reserved[8];
    } a;
    EXPECT(cudaMallocHost(&h, 100), 0);
    memset(h, 1, 100);
    EXPECT(cudaHostGetDevicePointer(&device, h, 0), 0);
    CHECK(device == h);
    EXPECT(cudaHostGetFlags(&flags, h), 0);
    EXPECT(cudaPointerGetAttributes(&a, h), 0);
    CHECK(a.type == 1 && a.device == 0 && a.host_pointer == h);
    EXPECT(cudaPointerGetAttributes(&a, &a), 0);
    CHECK(a.type == 0);
    EXPECT(cudaHostGetFlags(&flags, &flags), 1);
    EXPECT(cudaFreeHost(h), 0);
}

/* scale(p, n): p[i] = p[i] * factor[1] for i < n; adds n to counter. */
static void variables(void) {
    int value = 5, three[3] = {7, 8, 9}, back = 0;
    size_t size;
    int *address;
    EXPECT(cudaGetSymbolSize(&size, factor), 0);
    CHECK(size == sizeof factor);
    EXPECT(cudaGetSymbolAddress((void **)&address, &counter), 0);
    EXPECT(cudaMemcpyToSymbol(&counter, &value, sizeof value, 0, TO_DEVICE), 0);
    EXPECT(cudaMemcpy(&back, address, sizeof back, TO_HOST), 0);
    CHECK(back == 5);
    EXPECT(cudaMemcpyToSymbolAsync(factor, three, sizeof three, 4, TO_DEVICE, NULL), 0);
    EXPECT(cudaMemcpyFromSymbol(three, factor, 4, 8, TO_HOST), 0);
    CHECK(three[0] == 8);
    EXPECT(cudaMemcpyFromSymbolAsync(&back, factor, 4, 4, TO_HOST, NULL), 0);
    CHECK(back == 7);
    EXPECT(cudaMemcpyToSymbol(factor, three, 4, 13, TO_DEVICE), 1); /* beyond the end */
    EXPECT(cudaGetSymbolSize(&size, &size), 13);
}

static void kernels(void) {
    struct {
        size_t shared, constant, local;
        int max_threads, registers, rest[30];
    } a;
    int blocks = 0, n = 4, host[4] = {1, 2, 3, 4}, *d;
    size_t bytes;
    const char *name;
    void *kernel, *same;
    struct dim3 one = {1, 1, 1}, block = {32, 1, 1}, got_grid, got_block;
    EXPECT(cudaFuncGetAttributes(&a, &scale), 0);
    CHECK(a.max_threads == 1024 && a.registers > 0 && a.registers < 64 && a.constant == 16);
    EXPECT(cudaFuncSetAttribute(&scale, 8, 65536), 0);
    EXPECT(cudaFuncSetAttribute(&scale, 8, 200000), 1);
    EXPECT(cudaFuncSetCacheConfig(&scale, 1), 0);
    EXPECT(cudaFuncGetName(&name, &scale), 0);
    CHECK(strcmp(name, "scale") == 0);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale, 256, 0), 0);
    CHECK(blocks == 8);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &scale, 64, 49152, 0),
           0);
    CHECK(blocks == 2);
    EXPECT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &scale, 4, 64), 0);
    CHECK(bytes == 24576);

    EXPECT(cudaMalloc((void **)&d, sizeof host), 0);
    EXPECT(cudaMemcpy2DAsync(d, 8, host, 8, 8, 2, TO_DEVICE, NULL), 0);
    /* nvcc 13: by kernel handle, with the pushed configuration */
    EXPECT(__cudaGetKernel(&kernel, &scale), 0);
    EXPECT(cudaGetKernel(&same, &scale), 0);
    CHECK(kernel == same);
    CHECK(__cudaPushCallConfiguration(one, block, 0, NULL) == 0);
    EXPECT(__cudaPopCallConfiguration(&got_grid, &got_block, &bytes, &same), 0);
    CHECK(got_block.x == 32 && got_grid.z == 1 && bytes == 0 && same == NULL);
    EXPECT(__cudaPopCallConfiguration(&got_grid, &got_block, &bytes, &same), 52);
    EXPECT(__cudaLaunchKernel(kernel, one, block, (void *[]){&d, &n}, 0, NULL), 0);
    /* clang, nvcc before 13 */
    EXPECT(cudaLaunchKernel(&scale, one, block, (void *[]){&d, &n}, 0, NULL), 0);
    /* the oldest form */
    EXPECT(cudaConfigureCall(one, block, 0, NULL), 0);
    EXPECT(cudaSetupArgument(&d, 8, 0), 0);
    EXPECT(cudaSetupArgument(&n, 4, 8), 0);
    EXPECT(cudaLaunch(&scale), 0);
    EXPECT(cudaLaunch(&scale), 52);
    EXPECT(cudaLaunchKernel(&n, one, block, NULL, 0, NULL), 98);
    EXPECT(cudaMemcpy(host, d, sizeof host, TO_HOST), 0);
    for (int i = 0; i < 4; i++) CHECK(host[i] == (i + 1) * 7 * 7 * 7);
    EXPECT(cudaMemcpyFromSymbol(&n, &counter, 4, 0, TO_HOST), 0);
    CHECK(n == 5 + 3 * 4);
    /* The GPU works on pinned memory in place. */
    int *pinned;
    EXPECT(cudaHostAlloc((void **)&pinned, 8, 0), 0);
    pinned[0] = 10;
    pinned[1] = 20;
    n = 1;
    EXPECT(cudaLaunchKernel(&scale, one, block, (void *[]){&pinned, &n}, 0, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(pinned[0] == 70 && pinned[1] == 20);
    EXPECT(cudaFreeHost(pinned), 0);
    EXPECT(cudaMemsetAsync(d, 0, sizeof host, NULL), 0);
    EXPECT(cudaDeviceReset(), 0);
    EXPECT(cudaMemcpyFromSymbol(&n, &counter, 4, 0, TO_HOST), 0);
    CHECK(n == 3); /* loaded again, as it was in the PTX */
    EXPECT(cudaFree(d), 1);
}

/* The driver's functions, found by name through the runtime, are those of libcuda.so.1. */
static void driver_functions(void) {
    int (*total)(size_t *, int), device = -1, status = -1;
    void *f, *again, *old;
    int (*current)(int *, void *); /* of CUDA 13 */
    EXPECT(cudaGetDriverEntryPoint("cuCtxGetDevice", &f, 0, &status), 0);
    CHECK(f && status == 0);
    *(void **)&current = f;
    EXPECT(current(&device, NULL), 0);
    CHECK(device == 0);
    EXPECT(cudaGetDriverEntryPoint("cuDeviceTotalMem", &f, 0, NULL), 0);
    *(void **)&total = f;
    size_t bytes = 0;
    EXPECT(total(&bytes, 0), 0);
    CHECK(bytes == 16ull << 30);
    EXPECT(cudaGetDriverEntryPoint("cuNoSuchFunction", &f, 0, &status), 0);
    CHECK(!f && status == 1);
    EXPECT(cudaGetDriverEntryPoint(NULL, &f, 0, &status), 1);
    EXPECT(cudaGetDriverEntryPointByVersion("cuCtxCreate", &old, 3020, 0, &status), 0);
    EXPECT(cudaGetDriverEntryPointByVersion("cuCtxCreate", &f, 12050, 0, &status), 0);
    CHECK(f && old && f != old);
    EXPECT(cudaGetDriverEntryPointByVersion("cuStreamGetId", &f, 1000, 0, &status), 0);
    CHECK(!f && status == 2);
    EXPECT(cudaGetDriverEntryPoint("cuStreamQuery", &f, 0, NULL), 0);
    EXPECT(cudaGetDriverEntryPoint_ptsz("cuStreamQuery", &again, 0, NULL), 0);
    CHECK(f && again && f != again);
    EXPECT(cudaGetDriverEntryPointByVersion_ptsz("cuStreamQuery", &f, 13000, 0, NULL), 0);
    CHECK(f == again);
    EXPECT(cudaGetDriverEntryPoint("cuStreamQuery", &f, 2, NULL), 0);
    CHECK(f == again);
}

int main(int argc, char **argv) {
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &scale, "scale");
    add_variable(module, &counter, "counter", sizeof counter, 0);
    add_variable(module, factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(module);
    CHECK(__cudaInitModule(module));
    devices();
    streams();
    host_memory();
    variables();
    kernels();
    driver_functions();
    CHECK(strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidValue") == 0);
    __cudaUnregisterFatBinary(module);
    printf("every_call: ok\n");
    return 0;
}
