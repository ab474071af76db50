/* driver_contexts.c - contexts: a thread's stack of contexts, objects destroyed with a context,
 * threads, forks, two devices. Each function tests one subject; a failed check ends the program
 * with status 1. Arguments: scale.ptx, the number of devices. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_calls.h"
#include "driver_graph_calls.h"

enum { MANY = 20 << 20 };

static void *current(void) {
    void *c;
    CU(cuCtxGetCurrent(&c), OK);
    return c;
}

static void stack(void) {
    void *a, *b, *c, *top;
    int device, config;
    unsigned flags, version;
    unsigned long long id, other;
    size_t limit;
    CU(cuCtxCreate_v2(&a, 0, 0), OK);
    CHECK(current() == a);
    CU(cuCtxCreate_v3(&b, NULL, 0, 4, 0), OK);
    CHECK(current() == b && a != b);
    CU(cuCtxGetFlags(&flags), OK);
    CHECK(flags == 4);
    CU(cuCtxCreate_v4(&c, NULL, 0, 0), OK);
    CU(cuCtxCreate_v3(&top, &top, 1, 0, 0), NOT_SUPPORTED);
    void *affinity[3] = {&top, NULL, NULL}, *nothing[3] = {NULL, NULL, NULL};
    CU(cuCtxCreate_v4(&top, affinity, 0, 0), NOT_SUPPORTED);
    CU(cuCtxCreate_v4(&top, nothing, 0, 0), OK);
    CHECK(current() == top);
    CU(cuCtxDestroy_v2(top), OK);
    CHECK(current() == c);
    CU(cuCtxPopCurrent_v2(&top), OK);
    CHECK(top == c && current() == b);
    CU(cuCtxPushCurrent_v2(a), OK);
    CHECK(current() == a);
    CU(cuCtxPopCurrent_v2(NULL), OK);
    CHECK(current() == b);
    CU(cuCtxSetCurrent(c), OK); /* in b's place */
    CHECK(current() == c);
    CU(cuCtxSetCurrent(NULL), OK);
    CHECK(current() == a);
    CU(cuCtxGetDevice(&device), OK);
    CHECK(device == 0);
    CU(cuCtxGetApiVersion(a, &version), OK);
    CHECK(version >= 3010);
    CU(cuCtxGetApiVersion(NULL, &version), OK);
    CU(cuCtxGetApiVersion(&a, &version), INVALID_CONTEXT);
    CU(cuCtxGetId(a, &id), OK);
    CU(cuCtxGetId(NULL, &other), OK);
    CHECK(id == other);
    CU(cuCtxGetId(b, &other), OK);
    CHECK(id != other);
    CU(cuCtxGetId(&id, &other), INVALID_CONTEXT);
    CU(cuCtxGetLimit(&limit, 2), OK); /* the heap */
    CU(cuCtxSetLimit(2, limit), OK);
    CU(cuCtxGetLimit(&limit, 77), 215);
    CU(cuCtxSetCacheConfig(2), OK);
    CU(cuCtxGetCacheConfig(&config), OK);
    CHECK(config == 2);
    CU(cuCtxSetSharedMemConfig(2), OK);
    CU(cuCtxSetSharedMemConfig(3), INVALID_VALUE);
    CU(cuCtxGetSharedMemConfig(&config), OK);
    CHECK(config == 1);
    CU(cuCtxGetStreamPriorityRange(&device, &config), OK);
    CHECK(device == 0 && config < 0);
    CU(cuProfilerStart(), OK);
    CU(cuProfilerStop(), OK);
    CU(cuCtxSynchronize(), OK);
    CU(cuCtxDestroy_v2(b), OK);
    CU(cuCtxDestroy_v2(b), INVALID_CONTEXT);
    CU(cuCtxPushCurrent_v2(b), INVALID_CONTEXT);
    CU(cuCtxSetCurrent(b), INVALID_CONTEXT);
    CHECK(current() == a);
    CU(cuCtxDestroy_v2(c), OK);
    CU(cuCtxDestroy_v2(a), OK);
    CHECK(current() == NULL);
    CU(cuCtxSynchronize(), INVALID_CONTEXT);
}

/* A context's objects are destroyed with it, and no others. */
static void made(const char *ptx, int device) {
    void *keep, *c, *p, *stream, *event, *array, *mip, *module, *function, *host, *kept;
    uint64_t object;
    size_t before, after, total, pitch;
    const struct cu_array d = {64, 64, FLOAT, 1};
    const struct cu_array3d d3 = {64, 64, 4, FLOAT, 4, 0};
    CU(cuCtxCreate_v2(&keep, 0, device), OK);
    CU(cuMemAlloc_v2(&kept, 4096), OK);
    CU(cuMemGetInfo_v2(&before, &total), OK);
    CHECK(before < total);
    for (int i = 0; i < 3; i++) {
        CU(cuCtxCreate_v2(&c, 0, device), OK);
        CU(cuMemAlloc_v2(&p, MANY), OK);
        CU(cuMemAllocPitch_v2(&p, &pitch, 1000, 1000, 4), OK);
        CU(cuMemAlloc_v2(&p, 100), OK);
        CU(cuMemFree_v2(p), OK);
        CU(cuMemAllocHost_v2(&host, 100), OK);
        CU(cuMemHostAlloc(&host, 100, 0), OK);
        CU(cuMemAllocManaged(&host, 100, 1), OK);
        CU(cuStreamCreate(&stream, 0), OK);
        CU(cuStreamCreateWithPriority(&stream, 1, -1), OK);
        CU(cuEventCreate(&event, 0), OK);
        CU(cuArrayCreate_v2(&array, &d), OK);
        struct cu_resource r = {.type = 0, .of.array = array};
        struct cu_texture t = {.flags = 0};
        CU(cuTexObjectCreate(&object, &r, &t, NULL), OK);
        CU(cuArray3DCreate_v2(&array, &d3), OK);
        CU(cuMipmappedArrayCreate(&mip, &d3, 2), OK);
        CU(cuModuleLoadData(&module, ptx), OK);
        CU(cuModuleGetFunction(&function, module, "scale"), OK);
        CU(cuMemGetInfo_v2(&after, &total), OK);
        CHECK(after + MANY + 1000 * pitch <= before);
        CU(cuCtxDestroy_v2(c), OK);
        CHECK(current() == keep);
        CU(cuMemGetInfo_v2(&after, &total), OK);
        CHECK(after == before);
        CU(cuStreamSynchronize(stream), INVALID_HANDLE);
        CU(cuEventSynchronize(event), INVALID_HANDLE);
        CU(cuArrayDestroy(array), INVALID_HANDLE);
        CU(cuModuleUnload(module), INVALID_HANDLE);
        CU(cuModuleGetFunction(&function, module, "scale"), INVALID_HANDLE);
        CU(cuMemFreeHost(host), INVALID_VALUE);
    }
    CU(cuMemFree_v2(kept), OK);
    /* Unloading a module frees its variables. */
    CU(cuModuleLoadData(&module, ptx), OK);
    CU(cuModuleGetFunction(&function, module, "scale"), OK);
    CU(cuMemGetInfo_v2(&before, &total), OK);
    CU(cuModuleUnload(module), OK);
    CU(cuMemGetInfo_v2(&after, &total), OK);
    CHECK(after > before);
    CU(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), INVALID_HANDLE);
    CU(cuModuleUnload(module), INVALID_HANDLE);
    CU(cuCtxDestroy_v2(keep), OK);
}

static void primary(int device) {
    void *c, *same, *p;
    unsigned flags;
    int active;
    size_t before, after, total;
    CU(cuDevicePrimaryCtxGetState(device, &flags, &active), OK);
    CHECK(!active);
    CU(cuDevicePrimaryCtxRelease_v2(device), INVALID_CONTEXT);
    CU(cuDevicePrimaryCtxSetFlags_v2(device, 4), OK);
    CU(cuDevicePrimaryCtxSetFlags_v2(device, 1u << 30), INVALID_VALUE);
    CU(cuDevicePrimaryCtxRetain(&c, device), OK);
    CHECK(current() == NULL); /* retained, not current */
    CU(cuDevicePrimaryCtxRetain(&same, device), OK);
    CHECK(c == same);
    CU(cuDevicePrimaryCtxGetState(device, &flags, &active), OK);
    CHECK(active && flags == 4);
    CU(cuCtxSetCurrent(c), OK);
    CU(cuCtxDestroy_v2(c), INVALID_CONTEXT);
    CU(cuCtxGetDevice(&active), OK);
    CHECK(active == device);
    CU(cuMemGetInfo_v2(&before, &total), OK);
    CU(cuMemAlloc_v2(&p, MANY), OK);
    CU(cuDevicePrimaryCtxRelease_v2(device), OK);
    CU(cuMemsetD8_v2(p, 1, MANY), OK); /* still retained once */
    CU(cuDevicePrimaryCtxRelease_v2(device), OK);
    CU(cuDevicePrimaryCtxGetState(device, &flags, &active), OK);
    CHECK(!active);
    CU(cuMemsetD8_v2(p, 1, MANY), CONTEXT_IS_DESTROYED);
    CU(cuCtxPopCurrent_v2(&same), OK);
    CHECK(same == c);
    CU(cuDevicePrimaryCtxRetain(&c, device), OK);
    CU(cuCtxPushCurrent_v2(c), OK);
    CU(cuMemGetInfo_v2(&after, &total), OK);
    CHECK(after == before);
    CU(cuMemAlloc_v2(&p, MANY), OK);
    CU(cuDevicePrimaryCtxReset_v2(device), OK);
    CU(cuMemGetInfo_v2(&after, &total), OK);
    CHECK(after == before);
    CU(cuMemAlloc_v2(&p, MANY), OK);
    CU(cuMemFree_v2(p), OK);
    CU(cuDevicePrimaryCtxRelease_v2(device), OK);
    CU(cuCtxPopCurrent_v2(NULL), OK);
}

/* ---- threads: cuInit applies to the process, the current context to the thread */

static void *shared_context;
static pthread_barrier_t barrier;

/* A thread that uses shared_context, which this test's main thread destroys between the two
 * barriers. */
static void *other_thread(void *memory) {
    int value = 0;
    void *own;
    CHECK(current() == NULL);
    CU(cuCtxSynchronize(), INVALID_CONTEXT);
    CU(cuCtxSetCurrent(shared_context), OK);
    CU(cuMemcpyDtoH_v2(&value, memory, 4), OK);
    CHECK(value == 0x05050505);
    CU(cuCtxCreate_v2(&own, 0, 0), OK);
    CU(cuCtxDestroy_v2(own), OK);
    CHECK(current() == shared_context);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier); /* it has been destroyed */
    CHECK(current() == shared_context);
    CU(cuMemcpyDtoH_v2(&value, memory, 4), CONTEXT_IS_DESTROYED);
    CU(cuCtxSynchronize(), CONTEXT_IS_DESTROYED);
    CU(cuCtxSetCurrent(shared_context), INVALID_CONTEXT);
    CU(cuCtxPopCurrent_v2(&own), OK);
    CU(cuMemcpyDtoH_v2(&value, memory, 4), INVALID_CONTEXT);
    return NULL;
}

/* A thread that creates, uses and destroys 20 contexts. */
static void *makes_contexts(void *unused) {
    for (int i = 0; i < 20; i++) {
        void *c, *p, *s;
        int value = 0;
        CU(cuCtxCreate_v2(&c, 0, 0), OK);
        CU(cuMemAlloc_v2(&p, 1000), OK);
        CU(cuStreamCreate(&s, 0), OK);
        CU(cuMemsetD32Async(p, (unsigned)i, 250, s), OK);
        CU(cuMemcpyDtoHAsync_v2(&value, p, 4, s), OK);
        CU(cuStreamSynchronize(s), OK);
        CHECK(value == i);
        CU(cuCtxDestroy_v2(c), OK);
    }
    return unused;
}

static void threads(void) {
    pthread_t t[4];
    void *p;
    CU(cuCtxCreate_v2(&shared_context, 0, 0), OK);
    CU(cuMemAlloc_v2(&p, 4), OK);
    CU(cuMemsetD8_v2(p, 5, 4), OK);
    pthread_barrier_init(&barrier, NULL, 2);
    CHECK(pthread_create(&t[0], NULL, other_thread, p) == 0);
    pthread_barrier_wait(&barrier);
    CU(cuCtxDestroy_v2(shared_context), OK);
    pthread_barrier_wait(&barrier);
    pthread_join(t[0], NULL);
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, makes_contexts, NULL) == 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

/* A child of a process that has initialized CUDA cannot use it. */
static void forked(void) {
    pid_t child = fork();
    if (!child) {
        int value;
        void *c;
        CU(cuDeviceGetCount(&value), NOT_INITIALIZED);
        CU(cuDeviceGet(&value, 0), NOT_INITIALIZED);
        CU(cuInit(0), NOT_INITIALIZED);
        CU(cuCtxCreate_v2(&c, 0, 0), NOT_INITIALIZED);
        CU(cuCtxGetCurrent(&c), NOT_INITIALIZED);
        _exit(42);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

static void fork_before_init(void) {
    pid_t child = fork();
    if (!child) {
        void *c, *p;
        CU(cuDriverGetVersion(&(int){0}), OK);
        CU(cuMemAlloc_v2(&p, 4), NOT_INITIALIZED);
        CU(cuInit(0), OK);
        CU(cuCtxCreate_v2(&c, 0, 0), OK);
        CU(cuMemAlloc_v2(&p, 4), OK);
        exit(43);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 43);
}

static void two_devices(void) {
    void *a, *b, *p, *q, *stream, *of, *primary, *graph, *node;
    int device, value = 0;
    CU(cuCtxCreate_v2(&a, 0, 0), OK);
    CU(cuMemAlloc_v2(&p, 4096), OK);
    CU(cuMemsetD32_v2(p, 0x1234, 1024), OK);
    CU(cuCtxCreate_v2(&b, 0, 1), OK);
    CU(cuCtxGetDevice(&device), OK);
    CHECK(device == 1);
    CU(cuMemAlloc_v2(&q, 4096), OK);
    const struct cu_fill_node fill = {q, 0, 1, 4, 1024, 1};
    CU(cuPointerGetAttribute(&device, 9, p), OK);
    CHECK(device == 0);
    CU(cuPointerGetAttribute(&device, 9, q), OK);
    CHECK(device == 1);
    CU(cuCtxEnablePeerAccess(a, 0), OK);
    CU(cuCtxEnablePeerAccess(a, 0), 704);
    CU(cuCtxDisablePeerAccess(a), OK);
    CU(cuCtxDisablePeerAccess(a), 705);
    CU(cuCtxEnablePeerAccess(&a, 0), INVALID_CONTEXT);
    CU(cuMemcpyPeer(q, b, p, a, 4096), OK);
    CU(cuMemcpyDtoH_v2(&value, q, 4), OK);
    CHECK(value == 0x1234);
    CU(cuMemcpyPeer(q, &b, p, a, 4096), INVALID_CONTEXT);
    CU(cuMemcpyPeer(q, b, p, NULL, 4096), INVALID_CONTEXT);
    CU(cuMemsetD32_v2(q, 77, 1024), OK);
    CU(cuStreamCreate(&stream, 0), OK);
    CU(cuStreamGetDevice(stream, &device), OK);
    CHECK(device == 1);
    CU(cuStreamGetCtx(stream, &of), OK);
    CHECK(of == b);
    CU(cuPointerGetAttribute(&of, 1, q), OK);
    CHECK(of == b);
    CU(cuPointerGetAttribute(&of, 1, p), OK); /* the other device's */
    CU(cuDevicePrimaryCtxRetain(&primary, 0), OK);
    CHECK(of == primary);
    CU(cuDevicePrimaryCtxRelease_v2(0), OK);
    CU(cuGraphCreate(&graph, 0), OK);
    CU(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, b), OK);
    CU(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, NULL), OK);
    CU(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, &b), INVALID_CONTEXT);
    CU(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, a), NOT_SUPPORTED);
    CU(cuGraphDestroy(graph), OK);
    CU(cuCtxGetDevice_v2(&device, a), OK);
    CHECK(device == 0);
    CU(cuCtxGetDevice_v2(&device, NULL), OK);
    CHECK(device == 1);
    CU(cuCtxGetDevice_v2(&device, &a), INVALID_CONTEXT);
    CU(cuCtxSynchronize_v2(a), OK);
    CU(cuCtxSynchronize_v2(NULL), OK);
    CU(cuCtxSynchronize_v2(&a), INVALID_CONTEXT);
    CU(cuCtxGetDevice(&device), OK);
    CHECK(device == 1); /* unchanged */
    CU(cuMemcpyPeerAsync(p, a, q, b, 4096, stream), OK);
    CU(cuMemcpyPeerAsync(p, a, q, &b, 4096, stream), INVALID_CONTEXT);
    CU(cuStreamSynchronize(stream), OK);
    CU(cuMemcpyPeer_ptds(p, a, q, b, 4096), OK);
    CU(cuMemcpyPeerAsync_ptsz(p, a, q, b, 4096, NULL), OK);
    CU(cuCtxSynchronize(), OK);
    CU(cuMemcpyDtoH_v2(&value, p, 4), OK);
    CHECK(value == 77);
    CU(cuCtxPushCurrent_v2(a), OK);
    CU(cuCtxGetDevice(&device), OK);
    CHECK(device == 0);
    CU(cuMemFree_v2(q), OK);
    CU(cuMemAlloc_v2(&q, 64), OK);
    CU(cuPointerGetAttribute(&device, 9, q), OK);
    CHECK(device == 0);
    /* Destroying another device's context does not affect the current one. */
    CU(cuCtxDestroy_v2(b), OK);
    CHECK(current() == a);
    CU(cuMemAlloc_v2(&q, 64), OK);
    CU(cuPointerGetAttribute(&device, 9, q), OK);
    CHECK(device == 0);
    CU(cuCtxDestroy_v2(a), OK);
    CHECK(current() == b); /* destroyed while it lay below */
    CU(cuCtxSynchronize(), CONTEXT_IS_DESTROYED);
    CU(cuCtxPopCurrent_v2(&of), OK);
    CHECK(of == b && current() == a);
    CU(cuCtxPopCurrent_v2(NULL), OK);
    CHECK(current() == NULL);
}

int main(int argc, char **argv) {
    char *ptx = read_text(argc > 1 ? argv[1] : "");
    int count = argc > 2 ? atoi(argv[2]) : 1;
    fork_before_init();
    CU(cuInit(0), OK);
    stack();
    for (int d = 0; d < count; d++) {
        made(ptx, d);
        primary(d);
    }
    threads();
    if (count > 1) two_devices();
    forked();
    free(ptx);
    puts("driver_contexts: ok");
    return 0;
}
