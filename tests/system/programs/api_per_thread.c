/* api_per_thread.c - the names of calls (_ptsz, _ptds) in programs compiled for per-thread default
 * streams: the program makes each call once. Stream 0 is then the thread's own stream; it and the
 * legacy stream wait for each other. Argument: the PTX file with kernel `scale`. A failed check
 * ends the program with status 1. */
#include <pthread.h>

#include "graph_calls.h"

#define KERNEL const void *f, struct dim3 grid, struct dim3 block, void **a, size_t shared, void *s
int __cudaLaunchKernel_ptsz(KERNEL);
int cudaLaunchKernel_ptsz(KERNEL);
int cudaLaunchCooperativeKernel_ptsz(KERNEL);
int cudaLaunchKernelExC_ptsz(const struct launch_config *c, const void *f, void **a);
int cudaLaunchHostFunc_ptsz(void *s, void (*f)(void *), void *a);
int cudaStreamAddCallback_ptsz(void *s, void (*f)(void *, int, void *), void *a, unsigned flags);
int cudaEventRecord_ptsz(void *e, void *s);
int cudaEventRecordWithFlags_ptsz(void *e, void *s, unsigned flags);
int cudaMallocAsync_ptsz(void **p, size_t bytes, void *s);
int cudaMallocFromPoolAsync_ptsz(void **p, size_t bytes, void *pool, void *s);
int cudaFreeAsync_ptsz(void *p, void *s);
int cudaMemset_ptds(void *p, int v, size_t bytes);
int cudaMemsetAsync_ptsz(void *p, int v, size_t bytes, void *s);
int cudaMemset2D_ptds(void *p, size_t pitch, int v, size_t w, size_t h);
int cudaMemset2DAsync_ptsz(void *p, size_t pitch, int v, size_t w, size_t h, void *s);
int cudaMemset3D_ptds(struct pitched p, int v, struct extent e);
int cudaMemset3DAsync_ptsz(struct pitched p, int v, struct extent e, void *s);
int cudaMemcpy_ptds(void *d, const void *f, size_t bytes, int kind);
int cudaMemcpyAsync_ptsz(void *d, const void *f, size_t bytes, int kind, void *s);
int cudaMemcpy2D_ptds(void *d, size_t dp, const void *f, size_t fp, size_t w, size_t h, int kind);
int cudaMemcpy2DAsync_ptsz(void *d, size_t dp, const void *f, size_t fp, size_t w, size_t h,
                           int kind, void *s);
int cudaMemcpy3D_ptds(const struct copy3d *p);
int cudaMemcpy3DAsync_ptsz(const struct copy3d *p, void *s);
int cudaMemcpy3DPeer_ptds(const struct copy3d_peer *p);
int cudaMemcpy3DPeerAsync_ptsz(const struct copy3d_peer *p, void *s);
int cudaMemcpyToSymbol_ptds(const void *v, const void *f, size_t bytes, size_t offset, int kind);
int cudaMemcpyToSymbolAsync_ptsz(const void *v, const void *f, size_t bytes, size_t offset,
                                 int kind, void *s);
int cudaMemcpyFromSymbol_ptds(void *d, const void *v, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbolAsync_ptsz(void *d, const void *v, size_t bytes, size_t offset, int kind,
                                   void *s);
int cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, struct location at, unsigned flags,
                              void *s);
int cudaStreamAttachMemAsync_ptsz(void *s, void *p, size_t bytes, unsigned flags);
int cudaStreamQuery_ptsz(void *s);
int cudaStreamSynchronize_ptsz(void *s);
int cudaStreamWaitEvent_ptsz(void *s, void *e, unsigned flags);
int cudaStreamGetFlags_ptsz(void *s, unsigned *flags);
int cudaStreamGetPriority_ptsz(void *s, int *priority);
int cudaStreamGetId_ptsz(void *s, unsigned long long *id);
int cudaStreamGetId(void *s, unsigned long long *id);
int cudaStreamGetDevice_ptsz(void *s, int *device);
int cudaStreamIsCapturing_ptsz(void *s, int *status);
int cudaStreamBeginCapture_ptsz(void *s, int mode);
int cudaStreamBeginCaptureToGraph_ptsz(void *s, void *graph, void *const *from, const void *edges,
                                       size_t n, int mode);
int cudaStreamEndCapture_ptsz(void *s, void **graph);
int cudaStreamGetCaptureInfo_ptsz(void *s, int *status, unsigned long long *id, void **graph,
                                  void *const **nodes, const void **edges, size_t *n);
int cudaStreamUpdateCaptureDependencies_ptsz(void *s, void **nodes, const void *edges, size_t n,
                                             unsigned flags);
int cudaGraphInstantiateWithParams_ptsz(void **exec, void *graph, struct instantiate_params *p);
int cudaGraphLaunch_ptsz(void *exec, void *s);
int cudaGraphUpload_ptsz(void *exec, void *s);

static struct device_image image;
static char scale;
static int counter, factor[4];
static int calls;

static void count_call(void *argument) {
    (void)argument;
    calls++;
}
static void count_callback(void *stream, int status, void *argument) {
    (void)stream, (void)status;
    count_call(argument);
}

static const struct dim3 ONE = {1, 1, 1}, BLOCK = {32, 1, 1};

static void kernels(void) {
    int *d, n = 4, host[4] = {1, 2, 3, 4};
    void *event, *arguments[] = {&d, &n}, *stream, *kernel;
    EXPECT(cudaEventCreate(&event), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaMalloc((void **)&d, sizeof host), 0);
    EXPECT(cudaMemcpyAsync_ptsz(d, host, sizeof host, TO_DEVICE, NULL), 0);
    EXPECT(cudaLaunchKernel_ptsz(&scale, ONE, BLOCK, arguments, 0, NULL), 0);
    EXPECT(cudaGetFuncBySymbol(&kernel, &scale), 0);
    EXPECT(__cudaLaunchKernel_ptsz(kernel, ONE, BLOCK, arguments, 0, NULL), 0);
    EXPECT(cudaLaunchCooperativeKernel_ptsz(&scale, ONE, BLOCK, arguments, 0, NULL), 0);
    struct launch_config config = {ONE, BLOCK, 0, NULL, NULL, 0};
    EXPECT(cudaLaunchKernelExC_ptsz(&config, &scale, arguments), 0);
    EXPECT(cudaLaunchHostFunc_ptsz(NULL, count_call, NULL), 0);
    EXPECT(cudaStreamAddCallback_ptsz(NULL, count_callback, NULL, 0), 0);
    EXPECT(cudaEventRecord_ptsz(event, NULL), 0);
    EXPECT(cudaEventRecordWithFlags_ptsz(event, NULL, 0), 0);
    EXPECT(cudaStreamWaitEvent_ptsz(stream, event, 0), 0);
    EXPECT(cudaMemcpyAsync(host, d, sizeof host, TO_HOST, stream), 0);
    for (int i = 0; i < 4; i++) CHECK(host[i] == 16 * (i + 1));
    CHECK(calls == 2);
    EXPECT(cudaStreamSynchronize_ptsz(NULL), 0);
    EXPECT(cudaStreamQuery_ptsz(NULL), 0);
    /* The legacy stream waits for the thread's own. */
    EXPECT(cudaMemsetAsync_ptsz(d, 5, sizeof host, NULL), 0);
    EXPECT(cudaMemcpy(host, d, sizeof host, TO_HOST), 0);
    CHECK(host[3] == 0x05050505);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaFree(d), 0);
}

static void memory(void) {
    unsigned char *d, host[64], back[64];
    int *m, value = 77, got = 0;
    void *pool;
    size_t pitch;
    EXPECT(cudaDeviceGetDefaultMemPool(&pool, 0), 0);
    EXPECT(cudaMallocAsync_ptsz((void **)&d, 64, NULL), 0);
    EXPECT(cudaFreeAsync_ptsz(d, NULL), 0);
    EXPECT(cudaMallocFromPoolAsync_ptsz((void **)&d, 64, pool, NULL), 0);
    EXPECT(cudaMemset_ptds(d, 1, 64), 0);
    EXPECT(cudaMemset2D_ptds(d, 16, 2, 8, 4), 0);
    EXPECT(cudaMemset2DAsync_ptsz(d, 16, 3, 4, 4, NULL), 0);
    EXPECT(cudaMemcpy2D_ptds(host, 16, d, 16, 16, 4, TO_HOST), 0);
    for (int i = 0; i < 64; i++) CHECK(host[i] == (i % 16 < 4 ? 3 : i % 16 < 8 ? 2 : 1));
    struct pitched p = {d, 16, 16, 2};
    EXPECT(cudaMemset3D_ptds(p, 4, (struct extent){16, 2, 2}), 0);
    EXPECT(cudaMemset3DAsync_ptsz(p, 5, (struct extent){8, 2, 2}, NULL), 0);
    struct copy3d c = {.src = p, .dst = {host, 16, 16, 2}, .extent = {16, 2, 2}, .kind = TO_HOST};
    EXPECT(cudaMemcpy3D_ptds(&c), 0);
    CHECK(host[0] == 5 && host[63] == 4);
    EXPECT(cudaMemset_ptds(d, 6, 64), 0);
    EXPECT(cudaMemcpy3DAsync_ptsz(&c, NULL), 0);
    EXPECT(cudaMemcpy2DAsync_ptsz(back, 16, d, 16, 16, 4, TO_HOST, NULL), 0);
    EXPECT(cudaStreamSynchronize_ptsz(NULL), 0);
    CHECK(host[63] == 6 && back[0] == 6);
    EXPECT(cudaMallocPitch((void **)&m, &pitch, 16, 4), 0);
    struct copy3d_peer peer = {.src = p, .dst = {m, 16, 16, 2}, .extent = {16, 2, 2}};
    EXPECT(cudaMemcpy3DPeer_ptds(&peer), 0);
    EXPECT(cudaMemcpy3DPeerAsync_ptsz(&peer, NULL), 0);
    EXPECT(cudaMemcpy_ptds(&got, m, 4, TO_HOST), 0);
    CHECK(got == 0x06060606);
    EXPECT(cudaMemcpyToSymbol_ptds(&counter, &value, 4, 0, TO_DEVICE), 0);
    EXPECT(cudaMemcpyFromSymbol_ptds(&got, &counter, 4, 0, TO_HOST), 0);
    CHECK(got == 77);
    value = 78;
    EXPECT(cudaMemcpyToSymbolAsync_ptsz(&counter, &value, 4, 0, TO_DEVICE, NULL), 0);
    EXPECT(cudaMemcpyFromSymbolAsync_ptsz(&got, &counter, 4, 0, TO_HOST, NULL), 0);
    CHECK(got == 78);
    EXPECT(cudaMallocManaged((void **)&m, 64, 1), 0);
    EXPECT(cudaMemPrefetchAsync_ptsz(m, 64, (struct location){LOCATION_DEVICE, 0}, 0, NULL), 0);
    EXPECT(cudaStreamAttachMemAsync_ptsz(NULL, m, 0, 1), 0);
}

static void graphs(void) {
    void *graph, *exec, *node, *other, *const *nodes;
    int *d, status, priority, device, host = 0;
    unsigned flags;
    unsigned long long id;
    size_t count;
    EXPECT(cudaMalloc((void **)&d, 16), 0);
    EXPECT(cudaStreamBeginCapture_ptsz(NULL, 0), 0); /* the legacy stream cannot be captured */
    EXPECT(cudaMemsetAsync_ptsz(d, 9, 16, NULL), 0);
    EXPECT(cudaStreamIsCapturing_ptsz(NULL, &status), 0);
    CHECK(status == 1);
    EXPECT(cudaStreamGetCaptureInfo_ptsz(NULL, &status, &id, &graph, &nodes, NULL, &count), 0);
    CHECK(status == 1 && count == 1);
    node = nodes[0];
    EXPECT(cudaStreamUpdateCaptureDependencies_ptsz(NULL, &node, NULL, 1, 1), 0);
    EXPECT(cudaStreamEndCapture_ptsz(NULL, &graph), 0);
    EXPECT(cudaStreamBeginCaptureToGraph_ptsz(NULL, graph, &node, NULL, 1, 0), 0);
    EXPECT(cudaStreamEndCapture_ptsz(NULL, &other), 0);
    struct instantiate_params p = {0};
    EXPECT(cudaGraphInstantiateWithParams_ptsz(&exec, graph, &p), 0);
    EXPECT(cudaGraphUpload_ptsz(exec, NULL), 0);
    EXPECT(cudaGraphLaunch_ptsz(exec, NULL), 0);
    EXPECT(cudaMemcpy_ptds(&host, d, 4, TO_HOST), 0);
    CHECK(host == 0x09090909);
    EXPECT(cudaStreamGetFlags_ptsz(NULL, &flags), 0);
    EXPECT(cudaStreamGetPriority_ptsz(NULL, &priority), 0);
    EXPECT(cudaStreamGetDevice_ptsz(NULL, &device), 0);
    CHECK(flags == 0 && priority == 0 && device == 0);
    EXPECT(cudaGraphExecDestroy(exec), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
}

static void *other_thread(void *out) {
    EXPECT(cudaStreamGetId_ptsz(NULL, out), 0);
    return NULL;
}

static void identities(void) {
    unsigned long long mine, legacy, named, other;
    pthread_t thread;
    EXPECT(cudaStreamGetId_ptsz(NULL, &mine), 0);
    EXPECT(cudaStreamGetId(NULL, &legacy), 0);
    EXPECT(cudaStreamGetId((void *)2, &named), 0);
    CHECK(mine != legacy && mine == named);
    EXPECT(cudaStreamGetId_ptsz((void *)1, &named), 0);
    CHECK(named == legacy);
    CHECK(pthread_create(&thread, NULL, other_thread, &other) == 0);
    pthread_join(thread, NULL);
    CHECK(other != mine && other != legacy);
}

int main(int argc, char **argv) {
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &scale, "scale");
    add_variable(module, &counter, "counter", sizeof counter, 0);
    add_variable(module, factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(module);
    kernels();
    memory();
    graphs();
    identities();
    printf("api_per_thread: ok\n");
    return 0;
}
