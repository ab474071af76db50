/* driver_words.c - stream memory operations: streams write words of memory and wait for them.
 * Arguments: scale.ptx and the number of devices, or a failure: "endless" (no one writes the
 * word), "leave" (the program ends while a stream waits). A failed check ends the program with
 * status 1. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "driver_calls.h"

enum { WAIT_32 = 1, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER };
enum { GEQ, EQ, AND, NOR, WITH_FLUSH = 1 << 30, NO_BARRIER = 1, TIMEOUT = 702 };

struct word_op { /* CUstreamBatchMemOpParams */
    int type;
    unsigned barrier;
    void *at;
    uint64_t value;
    unsigned flags, pad;
    uint64_t alias, rest;
};
#define FORMS(v, sz)                                                                  \
    int cuStreamWaitValue32##v##sz(void *s, void *at, uint32_t value, unsigned how);  \
    int cuStreamWaitValue64##v##sz(void *s, void *at, uint64_t value, unsigned how);  \
    int cuStreamWriteValue32##v##sz(void *s, void *at, uint32_t value, unsigned how); \
    int cuStreamWriteValue64##v##sz(void *s, void *at, uint64_t value, unsigned how); \
    int cuStreamBatchMemOp##v##sz(void *s, unsigned n, const struct word_op *, unsigned flags);
FORMS(, )
FORMS(, _ptsz)
FORMS(_v2, )
FORMS(_v2, _ptsz)

static void *scale, *context;
static char *device; /* 4096 bytes */

static uint64_t word(const char *at, size_t bytes) {
    uint64_t value = 0;
    CU(cuMemcpyDtoH_v2(&value, (void *)(uintptr_t)at, bytes), OK);
    return value;
}

static void attributes(void) {
    const int yes[] = {92, 93, 94, 122, 123};
    int value;
    for (int i = 0; i < 5; i++) {
        CU(cuDeviceGetAttribute(&value, yes[i], 0), OK);
        CHECK(value == 1);
    }
    CU(cuDeviceGetAttribute(&value, 98, 0), OK); /* flushing remote writes */
    CHECK(value == 0);
    void *first, *second, *none;
    int status;
    CU(cuGetProcAddress_v2("cuStreamWaitValue32", &first, 8000, 0, &status), OK);
    CU(cuGetProcAddress_v2("cuStreamWaitValue32", &second, 12000, 0, &status), OK);
    CU(cuGetProcAddress_v2("cuStreamWaitValue64", &none, 8000, 0, &status), OK);
    CHECK(first == (void *)(uintptr_t)cuStreamWaitValue32 &&
          second == (void *)(uintptr_t)cuStreamWaitValue32_v2);
    CHECK(!none && status == 2);
    CU(cuGetProcAddress_v2("cuStreamBatchMemOp", &second, 13000, 2, &status), OK);
    CHECK(second == (void *)(uintptr_t)cuStreamBatchMemOp_v2_ptsz);
}

static void wrong_use(void) {
    struct word_op op[256] = {{.type = WRITE_32, .at = device, .value = 7},
                              {.type = WRITE_32, .at = device + 1, .value = 8}};
    void *s, *managed;
    CU(cuStreamCreate(&s, 1), OK);
    CU(cuMemAllocManaged(&managed, 64, 1), OK);
    CU(cuStreamWriteValue32_v2(&s, device, 1, 0), INVALID_HANDLE);
    CU(cuStreamWriteValue32_v2(s, device + 2, 1, 0), INVALID_VALUE);
    CU(cuStreamWriteValue64_v2(s, device + 4, 1, 0), INVALID_VALUE);
    CU(cuStreamWriteValue32_v2(s, device + 4096, 1, 0), INVALID_VALUE);
    CU(cuStreamWriteValue32_v2(s, NULL, 1, 0), INVALID_VALUE);
    CU(cuStreamWriteValue32_v2(s, op, 1, 0), INVALID_VALUE); /* the program's own memory */
    CU(cuStreamWriteValue32_v2(s, managed, 1, 0), INVALID_VALUE);
    CU(cuStreamWriteValue32_v2(s, device, 1, 2), INVALID_VALUE);
    CU(cuStreamWaitValue32_v2(s, device, 1, 4), INVALID_VALUE);
    CU(cuStreamWaitValue32_v2(s, device, 0, EQ | WITH_FLUSH), NOT_SUPPORTED);
    /* and no part of the batch is executed */
    CU(cuStreamBatchMemOp_v2(s, 2, op, 0), INVALID_VALUE);
    CU(cuStreamBatchMemOp_v2(s, 1, op, 1), INVALID_VALUE);
    CU(cuStreamBatchMemOp_v2(s, 256, op, 0), INVALID_VALUE);
    CU(cuStreamBatchMemOp_v2(s, 1, NULL, 0), INVALID_VALUE);
    op[0].type = BARRIER;
    CU(cuStreamBatchMemOp(s, 1, op, 0), INVALID_VALUE); /* newer than this version of the call */
    op[0].barrier = 2;
    CU(cuStreamBatchMemOp_v2(s, 1, op, 0), INVALID_VALUE);
    op[0] = (struct word_op){.type = FLUSH};
    CU(cuStreamBatchMemOp_v2(s, 1, op, 0), NOT_SUPPORTED);
    op[0].type = 9;
    CU(cuStreamBatchMemOp_v2(s, 1, op, 0), INVALID_VALUE);
    CU(cuStreamSynchronize(s), OK);
    CHECK(word(device, 4) == 0);
    CU(cuStreamDestroy_v2(s), OK);
    CU(cuMemFree_v2(managed), OK);
}

/* Issues a copy of `value` to device + 8 on the stream, behind its wait, and checks that it does
 * not complete yet. */
static void behind(void *s, uint64_t value) {
    static uint64_t values[64];
    static int n;
    values[n] = value;
    CU(cuMemcpyHtoDAsync_v2(device + 8, &values[n++], 8, s), OK);
    CU(cuStreamQuery(s), NOT_READY);
}

#define EACH_FORM(v, sz)                                                                          \
    static void words##v##sz(void) {                                                              \
        void *a, *b;                                                                              \
        CU(cuStreamCreate(&a, 1), OK);                                                            \
        CU(cuStreamCreate(&b, 1), OK);                                                            \
        CU(cuMemsetD8_v2(device, 0, 64), OK);                                                     \
        CU(cuStreamWriteValue32##v##sz(a, device + 4, 0x80000005u, NO_BARRIER), OK);              \
        CU(cuStreamWriteValue64##v##sz(a, device + 16, UINT64_C(0x123456789a), 0), OK);           \
        CU(cuStreamSynchronize(a), OK);                                                           \
        CHECK(word(device, 8) == UINT64_C(0x8000000500000000));                                   \
        CHECK(word(device + 16, 8) == UINT64_C(0x123456789a));                                    \
        /* GEQ compares cyclically: 0x80000005 is behind 0x7ffffff0. */                           \
        CU(cuStreamWaitValue32##v##sz(a, device + 4, 0x7ffffff0u, GEQ), OK);                      \
        CU(cuStreamWaitValue64##v##sz(a, device + 16, 0x10, AND), OK);                            \
        CU(cuStreamSynchronize(a), OK);                                                           \
        CU(cuStreamWaitValue32##v##sz(a, device + 4, 0x80000006u, GEQ), OK);                      \
        behind(a, 1);                                                                             \
        CU(cuStreamWriteValue32##v##sz(b, device + 4, 0x80000007u, 0), OK);                       \
        CU(cuStreamSynchronize(a), OK);                                                           \
        CHECK(word(device + 8, 8) == 1);                                                          \
        CU(cuStreamWaitValue32##v##sz(a, device + 4, 3, EQ), OK);                                 \
        behind(a, 2);                                                                             \
        CU(cuStreamWriteValue32##v##sz(b, device + 4, 3, 0), OK);                                 \
        CU(cuStreamSynchronize(a), OK);                                                           \
        CU(cuStreamWaitValue32##v##sz(a, device + 4, 4, AND), OK);                                \
        behind(a, 3);                                                                             \
        CU(cuMemsetD32Async(device + 4, 12, 1, b), OK);                                           \
        CU(cuStreamSynchronize(a), OK);                                                           \
        CU(cuStreamWriteValue64##v##sz(b, device + 16, UINT64_MAX - 5, 0), OK);                   \
        CU(cuStreamSynchronize(b), OK);                                                           \
        CU(cuStreamWaitValue64##v##sz(a, device + 16, 5, NOR), OK);                               \
        behind(a, 4);                                                                             \
        CU(cuStreamWriteValue64##v##sz(b, device + 16, UINT64_MAX - 4, 0), OK);                   \
        CU(cuStreamQuery(a), NOT_READY); /* its lowest bit is not in the value */                 \
        CU(cuStreamWriteValue64##v##sz(b, device + 16, 0, 0), OK);                                \
        CU(cuStreamSynchronize(a), OK);                                                           \
        CHECK(word(device + 8, 8) == 4);                                                          \
        /* Two streams signal each other, in batches. */                                          \
        struct word_op there[] = {{.type = WRITE_32, .at = device + 32, .value = 1},              \
                                  {.type = WAIT_32, .at = device + 36, .value = 1, .flags = EQ},  \
                                  {.type = WRITE_64, .at = device + 40, .value = 77}};            \
        struct word_op back[] = {{.type = WAIT_32, .at = device + 32, .value = 1, .flags = EQ},   \
                                 {.type = WRITE_32, .at = device + 36, .value = 1},               \
                                 {.type = WAIT_64, .at = device + 40, .value = 77, .flags = EQ}}; \
        CU(cuStreamBatchMemOp##v##sz(b, 3, back, 0), OK);                                         \
        CU(cuStreamBatchMemOp##v##sz(a, 3, there, 0), OK);                                        \
        CU(cuStreamBatchMemOp##v##sz(a, 0, NULL, 0), OK);                                         \
        CU(cuStreamSynchronize(b), OK);                                                           \
        CHECK(word(device + 40, 8) == 77);                                                        \
        CU(cuStreamDestroy_v2(a), OK);                                                            \
        CU(cuStreamDestroy_v2(b), OK);                                                            \
    }
/* clang-format off */
EACH_FORM(, )
EACH_FORM(, _ptsz)
EACH_FORM(_v2, )
EACH_FORM(_v2, _ptsz)
/* clang-format on */

/* A stream waits for a word that another stream's kernel writes; a kernel follows the wait. */
static void kernels(void) {
    void *a, *b, *p = device + 128;
    unsigned n = 4;
    void *parameters[] = {&p, &n};
    struct word_op barrier = {.type = BARRIER, .barrier = 1};
    CU(cuStreamCreate(&a, 1), OK);
    CU(cuStreamCreate(&b, 1), OK);
    CU(cuMemsetD32_v2(p, 3, 4), OK);
    CU(cuStreamWaitValue32_v2(a, p, 12, EQ), OK);
    CU(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, a, parameters, NULL), OK);
    for (int i = 0; i < 2; i++)
        CU(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, b, parameters, NULL), OK);
    CU(cuStreamBatchMemOp_v2(b, 1, &barrier, 0), OK);
    CU(cuStreamSynchronize(a), OK);
    CHECK(word(device + 128, 4) == 24);
    CU(cuStreamSynchronize(b), OK);
    CU(cuStreamDestroy_v2(a), OK);
    CU(cuStreamDestroy_v2(b), OK);
}

/* Another thread ends this thread's wait, by a call or by a store to host memory. */
static void *other;
static volatile unsigned *flag;

static void *write_by_call(void *unused) {
    void *s;
    CU(cuCtxSetCurrent(context), OK);
    usleep(50000);
    CU(cuStreamCreate(&s, 1), OK);
    CU(cuStreamWriteValue32_v2(s, other, 5, 0), OK);
    CU(cuStreamSynchronize(s), OK);
    CU(cuStreamDestroy_v2(s), OK);
    return unused;
}

static void *write_by_hand(void *unused) {
    usleep(50000);
    *flag = 5;
    return unused;
}

/* A stream waits for the word `at`; this thread waits for the stream by `synchronize`, while
 * `thread` writes the word. */
static void wait_with(void *(*thread)(void *), void *at, int (*synchronize)(void *)) {
    pthread_t t;
    void *s;
    other = at;
    CU(cuStreamCreate(&s, 1), OK);
    CU(cuStreamWriteValue32_v2(s, at, 0, 0), OK);
    CU(cuStreamSynchronize(s), OK);
    CU(cuStreamWaitValue32_v2(s, at, 5, GEQ), OK);
    behind(s, 99);
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0);
    CU(synchronize(s), OK);
    CHECK(word(device + 8, 8) == 99);
    pthread_join(t, NULL);
    CU(cuStreamDestroy_v2(s), OK);
}

static int of_the_context(void *s) {
    (void)s;
    return cuCtxSynchronize();
}

/* Waits for an event behind the stream's operations. */
static int of_an_event(void *s) {
    void *e;
    CU(cuEventCreate(&e, 0), OK);
    CU(cuEventRecord(e, s), OK);
    int error = cuEventSynchronize(e);
    CU(cuEventDestroy_v2(e), OK);
    return error;
}

/* A copy call cannot be repeated by the server: it blocks until a store of the host. */
static int of_a_copy(void *s) {
    uint64_t value = 0;
    CU(cuMemcpyDtoHAsync_v2(&value, device + 8, 8, s), OK);
    CHECK(value == 99);
    return OK;
}

static void threads(void) {
    void *pinned, *at;
    static unsigned own[2048];
    CU(cuMemHostAlloc(&pinned, 64, 2), OK);
    CU(cuMemHostGetDevicePointer_v2(&at, pinned, 0), OK);
    flag = pinned;
    wait_with(write_by_call, device + 64, cuStreamSynchronize);
    wait_with(write_by_call, device + 64, of_the_context);
    wait_with(write_by_call, device + 64, of_an_event);
    wait_with(write_by_call, at, cuStreamSynchronize);
    wait_with(write_by_hand, at, cuStreamSynchronize);
    wait_with(write_by_hand, at, of_a_copy);
    CU(cuMemHostRegister_v2(own, sizeof own, 2), OK);
    flag = &own[5];
    wait_with(write_by_hand, &own[5], cuStreamSynchronize);
    CU(cuMemHostUnregister(own), OK);
    CU(cuMemFreeHost(pinned), OK);
}

struct words_params { /* CUDA_BATCH_MEM_OP_NODE_PARAMS */
    void *context;
    unsigned count;
    struct word_op *list;
    unsigned flags;
};
struct node_params { /* CUgraphNodeParams */
    int type, reserved[3];
    union {
        struct words_params words;
        long long room[29];
    } u;
    long long reserved2;
};
int cuGraphAddBatchMemOpNode(void **node, void *graph, void *const *from, size_t n,
                             const struct words_params *p);
int cuGraphBatchMemOpNodeGetParams(void *node, struct words_params *p);
int cuGraphBatchMemOpNodeSetParams(void *node, const struct words_params *p);
int cuGraphExecBatchMemOpNodeSetParams(void *exec, void *node, const struct words_params *p);
int cuGraphAddNode(void **node, void *graph, void *const *from, size_t n, struct node_params *p);

/* The same in graphs: captured, built by hand, changed. */
static void graphs(void) {
    enum { OF_WORDS = 12 };
    void *a, *b, *graph, *exec, *node, *second;
    int type;
    CU(cuStreamCreate(&a, 1), OK);
    CU(cuStreamCreate(&b, 1), OK);
    CU(cuMemsetD8_v2(device, 0, 64), OK);
    CU(cuStreamBeginCapture_v2(a, 2), OK);
    CU(cuStreamWaitValue32_v2(a, device, 1, GEQ), OK);
    CU(cuStreamWriteValue64_v2(a, device + 8, 11, 0), OK);
    CU(cuStreamWriteValue32_v2(a, device + 2, 11, 0), INVALID_VALUE);
    CU(cuStreamEndCapture(a, &graph), OK);
    CU(cuGraphInstantiateWithFlags(&exec, graph, 0), OK);
    CU(cuGraphDestroy(graph), OK);
    CU(cuGraphLaunch(exec, a), OK);
    CU(cuStreamQuery(a), NOT_READY);
    CU(cuStreamWriteValue32_v2(b, device, 1, 0), OK);
    CU(cuStreamSynchronize(a), OK);
    CHECK(word(device + 8, 8) == 11);
    CU(cuGraphExecDestroy(exec), OK);

    struct word_op op[] = {{.type = WRITE_32, .at = device + 16, .value = 5},
                           {.type = BARRIER},
                           {.type = WRITE_32, .at = device + 20, .value = 6}};
    struct words_params p = {context, 3, op, 0}, got;
    struct node_params any = {.type = OF_WORDS, .u.words = {context, 1, op + 2, 0}};
    CU(cuGraphCreate(&graph, 0), OK);
    CU(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, NULL), INVALID_VALUE);
    p.flags = 1;
    CU(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p), INVALID_VALUE);
    p.flags = 0;
    p.count = 256;
    CU(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p), INVALID_VALUE);
    p.count = 3;
    op[0].at = device + 1;
    CU(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p), INVALID_VALUE);
    op[0].at = device + 16;
    CU(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p), OK);
    CU(cuGraphNodeGetType(node, &type), OK);
    CHECK(type == OF_WORDS);
    CU(cuGraphBatchMemOpNodeGetParams(node, &got), OK);
    CHECK(got.count == 3 && memcmp(got.list, op, sizeof op) == 0);
    op[2].value = 7;
    CU(cuGraphAddNode(&second, graph, &node, 1, &any), OK);
    CU(cuGraphInstantiateWithFlags(&exec, graph, 0), OK);
    CU(cuGraphLaunch(exec, a), OK);
    CU(cuStreamSynchronize(a), OK);
    CHECK(word(device + 16, 8) == (UINT64_C(7) << 32 | 5));
    op[0].value = 8;
    p.count = 1;
    CU(cuGraphExecBatchMemOpNodeSetParams(exec, node, &p), OK);
    CU(cuGraphBatchMemOpNodeSetParams(node, &p), OK);
    CU(cuGraphBatchMemOpNodeGetParams(node, &got), OK);
    CHECK(got.count == 1 && got.list[0].value == 8);
    CU(cuGraphLaunch(exec, a), OK);
    CU(cuStreamSynchronize(a), OK);
    CHECK(word(device + 16, 8) == (UINT64_C(7) << 32 | 8));
    CU(cuGraphExecDestroy(exec), OK);
    CU(cuGraphDestroy(graph), OK);
    CU(cuStreamDestroy_v2(a), OK);
    CU(cuStreamDestroy_v2(b), OK);
}

/* A stream of one device waits for one of another. */
static void devices(void) {
    void *second, *a, *b;
    CU(cuStreamCreate(&a, 1), OK);
    CU(cuMemsetD8_v2(device, 0, 64), OK);
    CU(cuStreamWaitValue32_v2(a, device, 1, EQ), OK);
    behind(a, 42);
    CU(cuCtxCreate_v2(&second, 0, 1), OK);
    CU(cuStreamCreate(&b, 1), OK);
    CU(cuStreamWriteValue32_v2(b, device, 1, 0), OK);
    CU(cuStreamSynchronize(a), OK);
    CHECK(word(device + 8, 8) == 42);
    CU(cuStreamSynchronize(b), OK);
    CU(cuCtxDestroy_v2(second), OK);
}

int main(int argc, char **argv) {
    char *text = read_text(argc > 1 ? argv[1] : "");
    const char *what = argc > 2 ? argv[2] : "1";
    void *module, *p;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&scale, module, "scale"), OK);
    CU(cuMemAlloc_v2(&p, 4096), OK);
    device = p;
    CU(cuMemsetD8_v2(device, 0, 4096), OK);
    free(text);
    if (strcmp(what, "endless") == 0 || strcmp(what, "leave") == 0) {
        void *s;
        CU(cuStreamCreate(&s, 1), OK);
        CU(cuStreamWaitValue32_v2(s, device + 4, 0x17, EQ), OK);
        if (*what == 'e') CU(cuStreamSynchronize(s), TIMEOUT);
        printf("driver_words: %s\n", what);
        return 0;
    }
    attributes();
    wrong_use();
    words();
    words_ptsz();
    words_v2();
    words_v2_ptsz();
    kernels();
    graphs();
    threads();
    if (*what == '2') devices();
    CU(cuCtxDestroy_v2(context), OK);
    puts("driver_words: ok");
    return 0;
}
