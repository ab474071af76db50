/* driver_streams.c - streams, events, host functions, capture and graphs, by the names for the
 * legacy default stream and for per-thread default streams. Argument: scale.ptx. A failed check
 * ends the program with status 1. */
#include <pthread.h>

#include "driver_calls.h"

static void *scale;
static int *device;

static int called, callback_result, nested;
static void host_function(void *argument) {
    void *p;
    called += *(int *)argument;
    nested = cuMemAlloc_v2(&p, 64);
}
static void callback(void *stream, int result, void *argument) {
    callback_result = result;
    called += *(int *)argument + (stream ? 1000 : 0);
}

static void wrong_use(void) {
    void *s, *e, *none = &s;
    float ms;
    unsigned flags;
    CU(cuStreamCreate(NULL, 0), INVALID_VALUE);
    CU(cuStreamCreate(&s, 8), INVALID_VALUE);
    CU(cuStreamSynchronize(none), INVALID_HANDLE);
    CU(cuStreamQuery(none), INVALID_HANDLE);
    CU(cuStreamGetFlags(none, &flags), INVALID_HANDLE);
    CU(cuStreamDestroy_v2(none), INVALID_HANDLE);
    CU(cuEventCreate(NULL, 0), INVALID_VALUE);
    CU(cuEventCreate(&e, 64), INVALID_VALUE);
    CU(cuEventRecord(none, NULL), INVALID_HANDLE);
    CU(cuEventQuery(none), INVALID_HANDLE);
    CU(cuEventSynchronize(none), INVALID_HANDLE);
    CU(cuEventDestroy_v2(none), INVALID_HANDLE);
    CU(cuEventCreate(&e, 2), OK); /* without timing */
    CU(cuEventElapsedTime(&ms, e, e), INVALID_HANDLE);
    CU(cuEventElapsedTime(NULL, e, e), INVALID_VALUE);
    CU(cuEventRecord(e, none), INVALID_HANDLE);
    CU(cuStreamWaitEvent(NULL, none, 0), INVALID_HANDLE);
    CU(cuEventDestroy_v2(e), OK);
    CU(cuEventQuery(e), INVALID_HANDLE);
    CU(cuLaunchHostFunc(NULL, NULL, NULL), INVALID_VALUE);
    CU(cuStreamAddCallback(NULL, callback, NULL, 1), INVALID_VALUE);
}

#define ONE_BY_32 1, 1, 1, 32, 1, 1
#define STREAMS(sz)                                                               \
    static void streams##sz(void) {                                               \
        void *a, *b, *from, *to, *context, *of;                                   \
        unsigned flags, n = 4;                                                    \
        int number, least, greatest, host[4] = {1, 2, 3, 4}, one = 1, ten = 10;   \
        unsigned long long id, other;                                             \
        float ms, again;                                                          \
        void *parameters[] = {&device, &n};                                       \
        CU(cuStreamCreate(&a, 1), OK);                                            \
        CU(cuStreamCreateWithPriority(&b, 0, -1), OK);                            \
        CU(cuStreamGetFlags##sz(a, &flags), OK);                                  \
        CHECK(flags == 1);                                                        \
        CU(cuStreamGetPriority##sz(b, &number), OK);                              \
        CHECK(number == -1);                                                      \
        CU(cuCtxGetStreamPriorityRange(&least, &greatest), OK);                   \
        CHECK(least == 0 && greatest <= -1);                                      \
        CU(cuStreamGetId##sz(a, &id), OK);                                        \
        CU(cuStreamGetId##sz(b, &other), OK);                                     \
        CHECK(id != other);                                                       \
        CU(cuStreamGetDevice##sz(a, &number), OK);                                \
        CHECK(number == 0);                                                       \
        CU(cuCtxGetCurrent(&context), OK);                                        \
        CU(cuStreamGetCtx##sz(a, &of), OK);                                       \
        CHECK(of == context);                                                     \
        CU(cuStreamGetCtx##sz(NULL, &of), OK);                                    \
        CHECK(of == context);                                                     \
        CU(cuStreamGetCtx##sz(&n, &of), INVALID_HANDLE);                          \
        CU(cuStreamGetCtx##sz(a, NULL), INVALID_VALUE);                           \
        CU(cuStreamGetFlags##sz(NULL, &flags), OK);                               \
        CU(cuEventCreate(&from, 0), OK);                                          \
        CU(cuEventCreate(&to, 1), OK);                                            \
        CU(cuEventQuery(from), OK); /* not recorded yet */                        \
        CU(cuEventRecord##sz(from, a), OK);                                       \
        CU(cuMemcpyHtoDAsync_v2##sz(device, host, 16, a), OK);                    \
        for (int i = 0; i < 3; i++)                                               \
            CU(cuLaunchKernel##sz(scale, ONE_BY_32, 0, a, parameters, NULL), OK); \
        CU(cuEventRecordWithFlags##sz(to, a, 0), OK);                             \
        CU(cuStreamWaitEvent##sz(b, to, 0), OK);                                  \
        CU(cuLaunchKernel##sz(scale, ONE_BY_32, 0, b, parameters, NULL), OK);     \
        CU(cuMemcpyDtoHAsync_v2##sz(host, device, 16, b), OK);                    \
        called = 0;                                                               \
        CU(cuLaunchHostFunc##sz(b, host_function, &one), OK);                     \
        CU(cuStreamAddCallback##sz(b, callback, &ten, 0), OK);                    \
        CU(cuStreamSynchronize##sz(b), OK);                                       \
        CHECK(called == 1011 && callback_result == 0 && nested == NOT_PERMITTED); \
        for (int i = 0; i < 4; i++) CHECK(host[i] == 16 * (i + 1));               \
        CU(cuStreamQuery##sz(b), OK);                                             \
        CU(cuEventSynchronize(to), OK);                                           \
        CU(cuEventElapsedTime(&ms, from, to), OK);                                \
        CU(cuEventElapsedTime_v2(&again, from, to), OK);                          \
        CHECK(ms > 0 && ms < 1 && ms == again);                                   \
        CU(cuLaunchHostFunc##sz(NULL, host_function, &one), OK);                  \
        CU(cuStreamAddCallback##sz(NULL, callback, &ten, 0), OK);                 \
        CU(cuStreamSynchronize##sz(NULL), OK);                                    \
        CHECK(called == 1022);                                                    \
        CU(cuStreamQuery##sz(NULL), OK);                                          \
        CU(cuStreamDestroy_v2(a), OK);                                            \
        CU(cuStreamDestroy_v2(a), INVALID_HANDLE);                                \
        CU(cuStreamDestroy_v2(b), OK);                                            \
        CU(cuEventDestroy_v2(from), OK);                                          \
        CU(cuEventDestroy_v2(to), OK);                                            \
    }                                                                             \
    static void graphs##sz(void) {                                                \
        void *s, *graph, *exec, *clone, *p;                                       \
        int status = 9, host[4], one = 1;                                         \
        unsigned n = 4;                                                           \
        uint64_t flags = 9;                                                       \
        void *parameters[] = {&device, &n};                                       \
        CU(cuStreamCreate(&s, 1), OK);                                            \
        CU(cuStreamIsCapturing##sz(s, &status), OK);                              \
        CHECK(status == 0);                                                       \
        CU(cuMemsetD32_v2(device, 5, 4), OK);                                     \
        CU(cuCtxSynchronize(), OK);                                               \
        called = 0;                                                               \
        CU(cuStreamBeginCapture_v2##sz(s, 2), OK);                                \
        CU(cuStreamBeginCapture_v2##sz(s, 2), 401);                               \
        CU(cuStreamIsCapturing##sz(s, &status), OK);                              \
        CHECK(status == 1);                                                       \
        CU(cuLaunchKernel##sz(scale, ONE_BY_32, 0, s, parameters, NULL), OK);     \
        CU(cuLaunchKernel##sz(scale, ONE_BY_32, 0, s, parameters, NULL), OK);     \
        CU(cuLaunchHostFunc##sz(s, host_function, &one), OK);                     \
        CU(cuMemcpyDtoHAsync_v2##sz(host, device, 16, s), OK);                    \
        CU(cuStreamEndCapture##sz(s, &graph), OK);                                \
        CU(cuStreamEndCapture##sz(s, &p), 401);                                   \
        CHECK(called == 0);                                                       \
        CU(cuGraphInstantiateWithFlags(&exec, graph, 0), OK);                     \
        CU(cuGraphExecGetFlags(exec, &flags), OK);                                \
        CHECK(flags == 0);                                                        \
        CU(cuGraphUpload##sz(exec, s), OK);                                       \
        for (int i = 0, want = 20; i < 3; i++, want *= 4) {                       \
            CU(cuGraphLaunch##sz(exec, s), OK);                                   \
            CU(cuStreamSynchronize##sz(s), OK);                                   \
            CHECK(host[0] == want && host[3] == want && called == i + 1);         \
        }                                                                         \
        CU(cuGraphClone(&clone, graph), OK);                                      \
        CU(cuGraphDestroy(graph), OK);                                            \
        CU(cuGraphDestroy(graph), INVALID_VALUE);                                 \
        CU(cuGraphDestroy(clone), OK);                                            \
        CU(cuGraphLaunch##sz(exec, s), OK); /* outlives the graph */              \
        CU(cuGraphLaunch##sz(&status, s), INVALID_VALUE);                         \
        CU(cuStreamSynchronize##sz(s), OK);                                       \
        CU(cuGraphExecDestroy(exec), OK);                                         \
        CU(cuGraphExecDestroy(exec), INVALID_VALUE);                              \
        CU(cuStreamDestroy_v2(s), OK);                                            \
    }
/* clang-format off */
STREAMS()
STREAMS(_ptsz)
/* clang-format on */

/* A thread whose work the legacy default stream waits for, and the thread's own stream does not. */
static void *in_a_thread(void *context) {
    int host = 7;
    void *p;
    CU(cuCtxSetCurrent(context), OK);
    CU(cuMemAlloc_v2(&p, 64), OK);
    for (int i = 0; i < 20; i++) {
        CU(cuMemsetD32Async_ptsz(p, (unsigned)i, 16, NULL), OK);
        CU(cuMemcpyDtoHAsync_v2_ptsz(&host, p, 4, NULL), OK);
        CU(cuStreamSynchronize_ptsz(NULL), OK);
        CHECK(host == i);
    }
    CU(cuMemFree_v2(p), OK);
    return NULL;
}

static void threads(void) {
    pthread_t t[3];
    void *context;
    CU(cuCtxGetCurrent(&context), OK);
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, in_a_thread, context) == 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
}

int main(int argc, char **argv) {
    char *text = read_text(argc > 1 ? argv[1] : "");
    void *context, *module;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&scale, module, "scale"), OK);
    CU(cuMemAlloc_v2(&device, 64), OK);
    wrong_use();
    streams();
    streams_ptsz();
    graphs();
    graphs_ptsz();
    threads();
    CU(cuCtxDestroy_v2(context), OK);
    free(text);
    puts("driver_streams: ok");
    return 0;
}
