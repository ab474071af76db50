/* driver_graphs.c - the driver API's graphs, built by hand: nodes of every kind, their parameters,
 * changes, edges, updates, capture into a graph. A failed check ends the program with status 1.
 * Argument: scale.ptx. */
#include "driver_graph_calls.h"

enum { KERNEL, COPY, FILL, HOST, CHILD, EMPTY, EVENT_WAIT, EVENT_RECORD, ALLOC = 10, FREE };

static void *scale, *context, *stream;
static int *device, *pinned, called;
static unsigned four = 4;
static void *parameters[] = {&device, &four};

static void add_to(void *argument) {
    called += *(int *)argument;
}
static int one = 1, ten = 10;

static struct cu_kernel_node the_kernel(void) {
    return (struct cu_kernel_node){
        .function = scale, .grid = {1, 1, 1}, .block = {32, 1, 1}, .parameters = parameters};
}
static struct cu_fill_node the_fill(unsigned value) {
    return (struct cu_fill_node){device, 0, value, 4, 4, 1};
}
static struct cu_box the_copy(void *to, int to_type, void *from, int from_type) {
    struct cu_box b = {.width = 16, .height = 1, .depth = 1};
    b.src.type = from_type;
    b.dst.type = to_type;
    b.src.host = b.src.device = from;
    b.dst.host = b.dst.device = to;
    b.src.pitch = b.dst.pitch = 16;
    return b;
}

/* Launches the executable graph; its result and the number of host-function calls must be these. */
static void run(void *exec, int want, int want_called) {
    called = 0;
    memset(pinned, 0, 16);
    CU(cuGraphLaunch(exec, stream), OK);
    CU(cuStreamSynchronize(stream), OK);
    if (pinned[0] != want || pinned[3] != want || called != want_called) {
        printf("%d %d and %d calls, not %d and %d\n", pinned[0], pinned[3], called, want,
               want_called);
        exit(1);
    }
}

/* Builds fill -> kernel -> copy -> host function. `form`: which version of the calls it uses. */
static void chain(int form) {
    void *graph, *exec, *n[4], *none, *list[8], *from[8], *to[8], *other, *clone, *twin;
    struct cu_kernel_node k = the_kernel(), told_kernel;
    struct cu_fill_node f = the_fill(5), told_fill;
    struct cu_box c = the_copy(pinned, ON_HOST, device, ON_DEVICE), told_box;
    struct cu_host_node h = {add_to, &one}, told_host;
    struct cu_node any;
    uint64_t data[8];
    size_t count;
    int type;
    unsigned enabled;
    CU(cuGraphCreate(&graph, 0), OK);
    if (form == 2) {
        memset(&any, 0, sizeof any);
        any.type = FILL;
        any.u.fill.fill = f;
        CU(cuGraphAddNode(&n[0], graph, NULL, 0, &any), OK);
        any.type = KERNEL;
        any.u.kernel = k;
        CU(cuGraphAddNode_v2(&n[1], graph, &n[0], NULL, 1, &any), OK);
        CU(cuGraphAddNode_v2(&n[1], graph, &n[0], data, 1, &any), NOT_SUPPORTED);
        memset(&any, 0, sizeof any);
        any.type = COPY;
        any.u.copy.box = c;
        CU(cuGraphAddNode(&n[2], graph, &n[1], 1, &any), OK);
        any.type = HOST;
        any.u.host = h;
        CU(cuGraphAddNode(&n[3], graph, &n[2], 1, &any), OK);
        any.type = 13; /* conditional */
        CU(cuGraphAddNode(&none, graph, NULL, 0, &any), NOT_SUPPORTED);
    } else {
        CU(cuGraphAddMemsetNode(&n[0], graph, NULL, 0, &f, context), OK);
        if (form) {
            k.function = NULL;
            k.kernel = scale;
            CU(cuGraphAddKernelNode_v2(&n[1], graph, n, 1, &k), OK);
        } else {
            CU(cuGraphAddKernelNode(&n[1], graph, n, 1, &k), OK);
        }
        CU(cuGraphAddMemcpyNode(&n[2], graph, &n[1], 1, &c, context), OK);
        CU(cuGraphAddHostNode(&n[3], graph, &n[2], 1, &h), OK);
    }
    k = the_kernel();
    for (int i = 0; i < 4; i++) {
        static const int types[] = {FILL, KERNEL, COPY, HOST};
        CU(cuGraphNodeGetType(n[i], &type), OK);
        CHECK(type == types[i]);
    }
    /* Its nodes and edges */
    count = 0;
    CU(cuGraphGetNodes(graph, NULL, &count), OK);
    CHECK(count == 4);
    count = 8;
    CU(cuGraphGetNodes(graph, list, &count), OK);
    CHECK(count == 4 && list[0] == n[0] && list[3] == n[3] && list[4] == NULL);
    count = 8;
    CU(cuGraphGetRootNodes(graph, list, &count), OK);
    CHECK(count == 1 && list[0] == n[0]);
    count = 8;
    CU(cuGraphDebugDotPrint(graph, "/dev/null", 1), OK);
    CU(cuGraphGetEdges(graph, from, to, &count), OK);
    CHECK(count == 3);
    memset(data, 0xff, sizeof data);
    count = 8;
    CU(cuGraphGetEdges_v2(graph, from, to, data, &count), OK);
    CHECK(count == 3 && from[0] == n[0] && to[0] == n[1] && data[0] == 0);
    count = 1;
    CU(cuGraphNodeGetDependencies(n[2], list, &count), OK);
    CHECK(count == 1 && list[0] == n[1]);
    CU(cuGraphNodeGetDependencies_v2(n[2], list, data, &count), OK);
    CHECK(count == 1 && list[0] == n[1]);
    CU(cuGraphNodeGetDependentNodes(n[2], list, &count), OK);
    CHECK(count == 1 && list[0] == n[3]);
    CU(cuGraphNodeGetDependentNodes_v2(n[2], list, data, &count), OK);
    CHECK(count == 1 && list[0] == n[3]);
    CU(cuGraphGetNodes(graph, list, NULL), INVALID_VALUE);
    CU(cuGraphGetNodes(&count, NULL, &count), INVALID_VALUE);

    CU(cuGraphKernelNodeGetParams(n[1], &told_kernel), OK);
    CHECK(told_kernel.function == scale && told_kernel.block[0] == 32);
    CHECK(*(int **)told_kernel.parameters[0] == device);
    CHECK(*(unsigned *)told_kernel.parameters[1] == 4);
    CU(cuGraphKernelNodeGetParams_v2(n[1], &told_kernel), OK);
    CHECK(told_kernel.function == scale && told_kernel.grid[2] == 1);
    CU(cuGraphMemsetNodeGetParams(n[0], &told_fill), OK);
    CHECK(told_fill.dst == device && told_fill.value == 5 && told_fill.element == 4);
    CU(cuGraphMemcpyNodeGetParams(n[2], &told_box), OK);
    CHECK(told_box.width == 16 && told_box.src.device == device && told_box.dst.host == pinned);
    CU(cuGraphHostNodeGetParams(n[3], &told_host), OK);
    CHECK(told_host.function == add_to && told_host.argument == &one);
    CU(cuGraphHostNodeGetParams(n[0], &told_host), INVALID_VALUE);
    CU(cuGraphKernelNodeGetParams(n[1], NULL), INVALID_VALUE);

    CU(cuGraphInstantiateWithFlags(&exec, graph, 0), OK);
    run(exec, 10, 1);
    /* Changed in the executable graph alone */
    f.value = 7;
    h.argument = &ten;
    if (form == 2) {
        memset(&any, 0, sizeof any);
        any.type = FILL;
        any.u.fill.fill = f;
        CU(cuGraphExecNodeSetParams(exec, n[0], &any), OK);
        any.type = HOST;
        any.u.host = h;
        CU(cuGraphExecNodeSetParams(exec, n[3], &any), OK);
    } else {
        CU(cuGraphExecMemsetNodeSetParams(exec, n[0], &f, context), OK);
        CU(cuGraphExecHostNodeSetParams(exec, n[3], &h), OK);
    }
    run(exec, 14, 10);
    int *middle = device + 4;
    void *there[] = {&middle, &four};
    k.parameters = there;
    if (form)
        CU(cuGraphExecKernelNodeSetParams_v2(exec, n[1], &k), OK);
    else
        CU(cuGraphExecKernelNodeSetParams(exec, n[1], &k), OK);
    run(exec, 7, 10);
    c = the_copy(pinned, ON_HOST, middle, ON_DEVICE);
    CU(cuGraphExecMemcpyNodeSetParams(exec, n[2], &c, context), OK);
    CU(cuMemsetD32_v2(middle, 3, 4), OK);
    CU(cuCtxSynchronize(), OK);
    run(exec, 6, 10);
    CU(cuGraphNodeSetEnabled(exec, n[1], 0), OK);
    CU(cuGraphNodeGetEnabled(exec, n[1], &enabled), OK);
    CHECK(enabled == 0);
    run(exec, 6, 10);
    CU(cuGraphNodeSetEnabled(exec, n[1], 1), OK);
    /* The graph itself is unchanged. After a change of the graph, an update applies it to the
     * executable graph. */
    struct cu_update info = {9, &info, &info};
    CU(cuGraphExecUpdate_v2(exec, graph, &info), OK);
    CHECK(info.result == 0 && info.node == NULL);
    run(exec, 10, 1);
    f.value = 9;
    CU(cuGraphMemsetNodeSetParams(n[0], &f), OK);
    CU(cuGraphHostNodeSetParams(n[3], &h), OK);
    k.parameters = parameters;
    if (form)
        CU(cuGraphKernelNodeSetParams_v2(n[1], &k), OK);
    else
        CU(cuGraphKernelNodeSetParams(n[1], &k), OK);
    c = the_copy(pinned, UNIFIED, device, UNIFIED);
    CU(cuGraphMemcpyNodeSetParams(n[2], &c), OK);
    int result = 9;
    CU(cuGraphExecUpdate(exec, graph, &none, &result), OK);
    CHECK(result == 0);
    run(exec, 18, 10);
    if (form == 2) {
        memset(&any, 0, sizeof any);
        any.type = FILL;
        any.u.fill.fill = the_fill(11);
        CU(cuGraphNodeSetParams(n[0], &any), OK);
        CU(cuGraphExecUpdate_v2(exec, graph, &info), OK);
        run(exec, 22, 10);
    }
    /* Another graph does not fit. */
    CU(cuGraphCreate(&other, 0), OK);
    CU(cuGraphAddEmptyNode(&none, other, NULL, 0), OK);
    CU(cuGraphExecUpdate_v2(exec, other, &info), 910);
    CHECK(info.result != 0);
    CU(cuGraphExecUpdate_v2(exec, graph, NULL), INVALID_VALUE);
    CU(cuGraphDestroy(other), OK);
    /* A clone, from which a node is removed */
    CU(cuGraphClone(&clone, graph), OK);
    CU(cuGraphNodeFindInClone(&twin, n[3], clone), OK);
    CHECK(twin != n[3]);
    CU(cuGraphDestroyNode(twin), OK);
    count = 0;
    CU(cuGraphGetNodes(clone, NULL, &count), OK);
    CHECK(count == 3);
    CU(cuGraphExecDestroy(exec), OK);
    CU(cuGraphInstantiate(&exec, clone, &none, NULL, 0), OK);
    run(exec, form == 2 ? 22 : 18, 0);
    CU(cuGraphExecDestroy(exec), OK);
    CU(cuGraphDestroy(clone), OK);
    CU(cuGraphDestroy(graph), OK);
}

/* Edges after the nodes, children, events, memory of a graph's own, `extra`. */
static void others(void) {
    void *graph, *child, *exec, *a, *b, *c, *d, *e, *event, *event2, *told, *inner;
    char log[8] = "old";
    struct cu_kernel_node k = the_kernel();
    struct cu_fill_node f = the_fill(3);
    struct cu_box box = the_copy(pinned, ON_HOST, device, ON_DEVICE);
    struct {
        void *p;
        unsigned n;
    } packed = {device, 4};
    size_t bytes = 12, count;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    CU(cuEventCreate(&event, 0), OK);
    CU(cuEventCreate(&event2, 0), OK);
    CU(cuGraphCreate(&child, 0), OK);
    k.parameters = NULL;
    k.extra = extra;
    CU(cuGraphAddKernelNode_v2(&inner, child, NULL, 0, &k), OK);
    CU(cuGraphCreate(&graph, 0), OK);
    CU(cuGraphAddMemcpyNode(&d, graph, NULL, 0, &box, context), OK);
    CU(cuGraphAddChildGraphNode(&c, graph, NULL, 0, child), OK);
    CU(cuGraphAddMemsetNode(&a, graph, NULL, 0, &f, context), OK);
    CU(cuGraphAddEventRecordNode(&b, graph, &a, 1, event), OK);
    CU(cuGraphAddEventWaitNode(&e, graph, &b, 1, event2), OK);
    CU(cuGraphEventRecordNodeGetEvent(b, &told), OK);
    CHECK(told == event);
    CU(cuGraphEventWaitNodeGetEvent(e, &told), OK);
    CHECK(told == event2);
    CU(cuGraphEventRecordNodeSetEvent(b, event2), OK);
    CU(cuGraphEventWaitNodeSetEvent(e, event), OK);
    CU(cuGraphChildGraphNodeGetGraph(c, &told), OK);
    CHECK(told && told != child); /* a copy */
    CU(cuGraphAddDependencies(graph, &e, &c, 1), OK);
    CU(cuGraphAddDependencies_v2(graph, &c, &d, NULL, 1), OK);
    CU(cuGraphAddDependencies_v2(graph, &c, &d, &count, 1), NOT_SUPPORTED);
    CU(cuGraphAddDependencies(graph, &c, &d, 1), INVALID_VALUE); /* exists already */
    CU(cuGraphAddDependencies(graph, &a, &d, 1), OK);
    CU(cuGraphRemoveDependencies(graph, &a, &d, 1), OK);
    CU(cuGraphAddDependencies(graph, &b, &d, 1), OK);
    CU(cuGraphRemoveDependencies_v2(graph, &b, &d, NULL, 1), OK);
    CU(cuGraphRemoveDependencies_v2(graph, &b, &d, &count, 1), NOT_SUPPORTED);
    CU(cuGraphInstantiate_v2(&exec, graph, &told, log, sizeof log), OK);
    CHECK(told == NULL && log[0] == '\0');
    run(exec, 6, 0);
    CU(cuEventQuery(event2), OK);
    CU(cuGraphExecEventRecordNodeSetEvent(exec, b, event), OK);
    CU(cuGraphExecEventWaitNodeSetEvent(exec, e, event2), OK);
    CU(cuGraphExecChildGraphNodeSetParams(exec, c, child), OK);
    run(exec, 6, 0);
    CU(cuGraphExecDestroy(exec), OK);
    CU(cuGraphDestroy(graph), OK);
    CU(cuGraphDestroy(child), OK);

    /* Memory that the graph allocates and frees */
    struct cu_alloc_node m = {.type = 1, .location = 1, .bytes = 4096}, told_m;
    CU(cuGraphCreate(&graph, 0), OK);
    CU(cuGraphAddMemAllocNode(&a, graph, NULL, 0, &m), OK);
    CHECK(m.address);
    f.dst = m.address;
    CU(cuGraphAddMemsetNode(&b, graph, &a, 1, &f, context), OK);
    box = the_copy(pinned, ON_HOST, m.address, ON_DEVICE);
    CU(cuGraphAddMemcpyNode(&c, graph, &b, 1, &box, context), OK);
    CU(cuGraphAddMemFreeNode(&d, graph, &c, 1, m.address), OK);
    CU(cuGraphMemAllocNodeGetParams(a, &told_m), OK);
    CHECK(told_m.address == m.address && told_m.bytes == 4096);
    CU(cuGraphMemFreeNodeGetParams(d, &told), OK);
    CHECK(told == m.address);
    struct cu_instantiate how = {0, NULL, &how, 9};
    CU(cuGraphInstantiateWithParams(&exec, graph, &how), OK);
    CHECK(how.result == 0 && how.bad == NULL);
    run(exec, 3, 0);
    run(exec, 3, 0);
    CU(cuGraphExecDestroy(exec), OK);
    CU(cuGraphInstantiateWithParams_ptsz(&exec, graph, &how), OK);
    CU(cuGraphExecDestroy(exec), OK);
    CU(cuGraphInstantiateWithParams(&exec, graph, NULL), INVALID_VALUE);
    CU(cuGraphDestroy(graph), OK);

    /* Wrong nodes */
    CU(cuGraphCreate(&graph, 0), OK);
    k = the_kernel();
    k.function = &count;
    CU(cuGraphAddKernelNode(&a, graph, NULL, 0, &k), INVALID_HANDLE);
    k = the_kernel();
    k.extra = extra;
    CU(cuGraphAddKernelNode(&a, graph, NULL, 0, &k), INVALID_VALUE);
    k.parameters = NULL;
    bytes = 4;
    CU(cuGraphAddKernelNode(&a, graph, NULL, 0, &k), INVALID_VALUE);
    CU(cuGraphAddKernelNode(&a, graph, NULL, 0, NULL), INVALID_VALUE);
    CU(cuGraphAddKernelNode(NULL, graph, NULL, 0, &k), INVALID_VALUE);
    CU(cuGraphAddEmptyNode(&a, graph, NULL, 1), INVALID_VALUE);
    CU(cuGraphAddEmptyNode(&a, &count, NULL, 0), INVALID_VALUE);
    CU(cuGraphAddMemcpyNode(&a, graph, NULL, 0, NULL, context), INVALID_VALUE);
    CU(cuGraphAddMemsetNode(&a, graph, NULL, 0, NULL, context), INVALID_VALUE);
    CU(cuGraphAddMemcpyNode(&a, graph, NULL, 0, &box, &box), INVALID_CONTEXT);
    CU(cuGraphAddHostNode(&a, graph, NULL, 0, NULL), INVALID_VALUE);
    box.src.type = IN_ARRAY;
    CU(cuGraphAddMemcpyNode(&a, graph, NULL, 0, &box, context), INVALID_VALUE);
    CU(cuGraphDestroy(graph), OK);
    CU(cuEventDestroy_v2(event), OK);
    CU(cuEventDestroy_v2(event2), OK);
}

#define ONE_BY_32 1, 1, 1, 32, 1, 1
#define CAPTURES(sz)                                                                              \
    static void captures##sz(void) {                                                              \
        void *graph, *told, *node, *exec, *data = &data, *const * nodes;                          \
        int status = 9, mode = 2;                                                                 \
        unsigned long long id, again;                                                             \
        size_t count;                                                                             \
        struct cu_fill_node f = the_fill(6);                                                      \
        CU(cuThreadExchangeStreamCaptureMode(&mode), OK);                                         \
        CHECK(mode == 0);                                                                         \
        CU(cuThreadExchangeStreamCaptureMode(&mode), OK);                                         \
        CHECK(mode == 2);                                                                         \
        CU(cuStreamGetCaptureInfo##sz(stream, &status, &id), OK);                                 \
        CHECK(status == 0);                                                                       \
        CU(cuStreamBeginCapture##sz(stream), OK);                                                 \
        CU(cuLaunchKernel##sz(scale, ONE_BY_32, 0, stream, parameters, NULL), OK);                \
        CU(cuStreamGetCaptureInfo##sz(stream, &status, &id), OK);                                 \
        CHECK(status == 1);                                                                       \
        CU(cuStreamGetCaptureInfo_v2##sz(stream, &status, &again, &told, &nodes, &count), OK);    \
        CHECK(status == 1 && id == again && count == 1 && told);                                  \
        CU(cuStreamGetCaptureInfo_v3##sz(stream, &status, &again, &graph, &nodes, &data, &count), \
           OK);                                                                                   \
        CHECK(graph == told && count == 1 && data == NULL);                                       \
        /* A node added by hand, which the next captured operation depends on */                  \
        CU(cuGraphAddMemsetNode(&node, told, nodes, 1, &f, context), OK);                         \
        CU(cuStreamUpdateCaptureDependencies##sz(stream, &node, 1, 1), OK);                       \
        CU(cuLaunchKernel##sz(scale, ONE_BY_32, 0, stream, parameters, NULL), OK);                \
        CU(cuStreamUpdateCaptureDependencies_v2##sz(stream, &node, &count, 1, 0), NOT_SUPPORTED); \
        CU(cuStreamUpdateCaptureDependencies_v2##sz(stream, &node, NULL, 1, 0), OK);              \
        CU(cuMemcpyDtoHAsync_v2##sz(pinned, device, 16, stream), OK);                             \
        CU(cuStreamEndCapture##sz(stream, &graph), OK);                                           \
        count = 0;                                                                                \
        CU(cuGraphGetNodes(graph, NULL, &count), OK);                                             \
        CHECK(count == 4);                                                                        \
        CU(cuGraphInstantiateWithFlags(&exec, graph, 0), OK);                                     \
        run(exec, 12, 0);                                                                         \
        CU(cuGraphExecDestroy(exec), OK);                                                         \
        CU(cuGraphDestroy(graph), OK);                                                            \
        /* Capture into an existing graph */                                                      \
        CU(cuGraphCreate(&graph, 0), OK);                                                         \
        CU(cuGraphAddMemsetNode(&node, graph, NULL, 0, &f, context), OK);                         \
        CU(cuStreamBeginCaptureToGraph##sz(stream, graph, &node, &count, 1, 0), NOT_SUPPORTED);   \
        CU(cuStreamBeginCaptureToGraph##sz(stream, graph, &node, NULL, 1, 0), OK);                \
        CU(cuMemcpyDtoHAsync_v2##sz(pinned, device, 16, stream), OK);                             \
        CU(cuStreamEndCapture##sz(stream, &told), OK);                                            \
        CHECK(told == graph);                                                                     \
        CU(cuGraphInstantiateWithFlags(&exec, graph, 0), OK);                                     \
        run(exec, 6, 0);                                                                          \
        CU(cuGraphExecDestroy(exec), OK);                                                         \
        CU(cuGraphDestroy(graph), OK);                                                            \
    }
/* clang-format off */
CAPTURES()
CAPTURES(_ptsz)
/* clang-format on */

int main(int argc, char **argv) {
    char *text = read_text(argc > 1 ? argv[1] : "");
    void *module;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&scale, module, "scale"), OK);
    CU(cuMemAlloc_v2(&device, 64), OK);
    CU(cuMemAllocHost_v2(&pinned, 64), OK);
    CU(cuStreamCreate(&stream, 1), OK);
    for (int form = 0; form < 3; form++) chain(form);
    others();
    captures();
    captures_ptsz();
    CU(cuCtxDestroy_v2(context), OK);
    free(text);
    puts("driver_graphs: ok");
    return 0;
}
