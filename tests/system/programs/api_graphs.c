/* api_graphs.c - graphs built by hand and by capture: results, order, changes, refused uses. Each
 * function tests one subject; a failed check ends the program with status 1. Argument: the PTX file
 * with kernel `scale` (p[i] *= factor[1], which is 2; counter += n). */
#include <unistd.h>

#include "graph_calls.h"

static struct device_image image;
static char scale;
static int counter, factor[4];
static int host_calls;

static void count_call(void *argument) {
    host_calls += (int)(size_t)argument;
}

static const struct dim3 ONE = {1, 1, 1}, BLOCK = {32, 1, 1};

/* The graph of five nodes as text for Graphviz: without details, and with all. */
static void prints_graph(void *graph) {
    char path[40], text[8192];
    snprintf(path, sizeof path, "api_graphs.%d.dot", (int)getpid());
    for (unsigned flags = 0; flags < 2; flags++) {
        EXPECT(cudaGraphDebugDotPrint(graph, path, flags), 0);
        FILE *f = fopen(path, "r");
        CHECK(f);
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
        CHECK(!strncmp(text, "digraph dot {\nsubgraph cluster_1 {\n", 35));
        CHECK(strstr(text, "\"graph_1_node_0\"[style=\"solid\" shape=\"rectangle\" "
                           "label=\"0\\nMEMCPY\\n") &&
              strstr(text, "\\nHtoD\\n"));
        CHECK(strstr(text, "label=\"1\\nKERNEL\\n") && strstr(text, "scale"));
        CHECK(strstr(text, "\n\"graph_1_node_0\" -> \"graph_1_node_1\";\n"));
        CHECK(strstr(text, "\n\"graph_1_node_3\" -> \"graph_1_node_4\";\n}\n}\n"));
        CHECK(!strstr(text, "parameters:") == !flags && !strstr(text, "handle 0x") == !flags);
    }
    unlink(path);
    EXPECT(cudaGraphDebugDotPrint(graph, NULL, 0), INVALID_VALUE);
    EXPECT(cudaGraphDebugDotPrint(NULL, path, 0), INVALID_VALUE);
    EXPECT(cudaGraphDebugDotPrint(graph, "no/such/place", 0), 304); /* OperatingSystem */
}

/* copy in -> scale -> copy out, from and to ordinary memory of the program */
static void by_hand(void) {
    enum { N = 8 };
    int in[N], out[N], *d, n = N, type;
    void *graph, *clone, *copy_in, *kernel, *copy_out, *host, *empty, *exec, *stream, *found;
    void *nodes[8], *from[8], *to[8];
    size_t count = 8;
    EXPECT(cudaMalloc((void **)&d, sizeof in), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphAddMemcpyNode1D(&copy_in, graph, NULL, 0, d, in, sizeof in, TO_DEVICE), 0);
    struct kernel_params k = {&scale, ONE, BLOCK, 0, (void *[]){&d, &n}, NULL};
    EXPECT(cudaGraphAddKernelNode(&kernel, graph, &copy_in, 1, &k), 0);
    EXPECT(cudaGraphAddMemcpyNode1D(&copy_out, graph, NULL, 0, out, d, sizeof out, TO_HOST), 0);
    EXPECT(cudaGraphAddDependencies(graph, &kernel, &copy_out, NULL, 1), 0);
    EXPECT(cudaGraphAddDependencies(graph, &kernel, &copy_out, NULL, 1), INVALID_VALUE);
    struct host_params h = {count_call, (void *)1};
    EXPECT(cudaGraphAddHostNode(&host, graph, &copy_out, 1, &h), 0);
    EXPECT(cudaGraphAddEmptyNode(&empty, graph, &host, 1), 0);
    EXPECT(cudaGraphNodeGetType(host, &type), 0);
    CHECK(type == 3);
    EXPECT(cudaGraphGetNodes(graph, NULL, &count), 0);
    CHECK(count == 5);
    EXPECT(cudaGraphGetNodes(graph, nodes, &count), 0);
    CHECK(nodes[0] == copy_in && nodes[4] == empty);
    count = 8;
    EXPECT(cudaGraphGetRootNodes(graph, nodes, &count), 0);
    CHECK(count == 1 && nodes[0] == copy_in && nodes[1] == NULL);
    count = 8;
    EXPECT(cudaGraphGetEdges(graph, from, to, NULL, &count), 0);
    CHECK(count == 4 && from[0] == copy_in && to[0] == kernel);
    count = 8;
    EXPECT(cudaGraphNodeGetDependencies(kernel, nodes, NULL, &count), 0);
    CHECK(count == 1 && nodes[0] == copy_in);
    count = 8;
    EXPECT(cudaGraphNodeGetDependentNodes(kernel, nodes, NULL, &count), 0);
    CHECK(count == 1 && nodes[0] == copy_out);
    prints_graph(graph);

    EXPECT(cudaGraphInstantiate(&exec, graph, 0), 0);
    EXPECT(cudaGraphUpload(exec, stream), 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) in[i] = i + round;
        EXPECT(cudaGraphLaunch(exec, stream), 0);
        EXPECT(cudaStreamSynchronize(stream), 0);
        for (int i = 0; i < N; i++) CHECK(out[i] == 2 * (i + round));
    }
    CHECK(host_calls == 3);
    /* Changes of the executable graph */
    n = 2;
    EXPECT(cudaGraphExecKernelNodeSetParams(exec, kernel, &k), 0);
    h.argument = (void *)10;
    EXPECT(cudaGraphExecHostNodeSetParams(exec, host, &h), 0);
    EXPECT(cudaGraphLaunch(exec, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    CHECK(out[1] == 2 * in[1] && out[2] == in[2] && host_calls == 13);
    unsigned enabled = 7;
    EXPECT(cudaGraphNodeSetEnabled(exec, kernel, 0), 0);
    EXPECT(cudaGraphNodeGetEnabled(exec, kernel, &enabled), 0);
    CHECK(enabled == 0);
    EXPECT(cudaGraphNodeSetEnabled(exec, empty, 0), INVALID_VALUE);
    EXPECT(cudaGraphLaunch(exec, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    CHECK(out[1] == in[1]);
    EXPECT(cudaGraphExecMemcpyNodeSetParams1D(exec, copy_in, d, out, sizeof out, TO_DEVICE), 0);
    EXPECT(cudaGraphMemcpyNodeSetParams1D(copy_in, d, in, sizeof in, TO_DEVICE), 0);
    /* A clone is a graph of its own. */
    EXPECT(cudaGraphClone(&clone, graph), 0);
    EXPECT(cudaGraphNodeFindInClone(&found, kernel, clone), 0);
    CHECK(found != kernel);
    struct kernel_params got;
    EXPECT(cudaGraphKernelNodeGetParams(found, &got), 0);
    CHECK(got.function == &scale && got.block.x == 32 && *(int **)got.arguments[0] == d &&
          *(int *)got.arguments[1] == N);
    n = 5;
    EXPECT(cudaGraphKernelNodeSetParams(found, &k), 0);
    struct update_info info = {-1, NULL, NULL};
    EXPECT(cudaGraphExecUpdate(exec, clone, &info), 0);
    CHECK(info.result == 0);
    EXPECT(cudaGraphNodeSetEnabled(exec, kernel, 1), 0);
    EXPECT(cudaGraphLaunch(exec, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    CHECK(out[4] == 2 * in[4] && out[5] == in[5]);
    EXPECT(cudaGraphNodeFindInClone(&found, empty, clone), 0);
    EXPECT(cudaGraphDestroyNode(found), 0);
    EXPECT(cudaGraphExecUpdate(exec, clone, &info), 910);
    CHECK(info.result == 2); /* its topology differs */
    EXPECT(cudaGetLastError(), 910);
    EXPECT(cudaGraphRemoveDependencies(graph, &host, &empty, NULL, 1), 0);
    EXPECT(cudaGraphRemoveDependencies(graph, &host, &empty, NULL, 1), INVALID_VALUE);
    /* A cycle cannot be instantiated. */
    void *bad;
    EXPECT(cudaGraphAddDependencies(graph, &copy_out, &copy_in, NULL, 1), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&bad, graph, 0), INVALID_VALUE);
    EXPECT(cudaGraphInstantiate(&bad, graph, 4), NOT_SUPPORTED);
    EXPECT(cudaGraphExecDestroy(exec), 0);
    EXPECT(cudaGraphLaunch(exec, stream), INVALID_VALUE);
    EXPECT(cudaGraphDestroy(clone), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaGraphDestroy(graph), INVALID_VALUE);
    EXPECT(cudaGraphAddEmptyNode(&empty, graph, NULL, 0), INVALID_VALUE);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaFree(d), 0);
}

/* The other kinds of nodes: fills, boxes, symbols, events, children, memory. */
static void other_nodes(void) {
    int *d, host[16], value = 21, back = 0;
    void *graph, *child, *child_node, *exec, *event, *event2, *got;
    void *set, *box, *to, *from, *record, *wait, *alloc, *release, *any;
    unsigned long long flags = 9;
    EXPECT(cudaMalloc((void **)&d, sizeof host), 0);
    EXPECT(cudaEventCreate(&event), 0);
    EXPECT(cudaEventCreate(&event2), 0);
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphCreate(&child, 0), 0);
    struct fill_params f = {d, 0, 0x01020304, 4, 16, 1}, f2;
    EXPECT(cudaGraphAddMemsetNode(&set, child, NULL, 0, &f), 0);
    EXPECT(cudaGraphMemsetNodeGetParams(set, &f2), 0);
    CHECK(f2.dst == d && f2.value == f.value && f2.element == 4 && f2.width == 16);
    f.element = 3;
    EXPECT(cudaGraphMemsetNodeSetParams(set, &f), INVALID_VALUE);
    f.element = 4;
    EXPECT(cudaGraphMemsetNodeSetParams(set, &f), 0);
    EXPECT(cudaGraphAddChildGraphNode(&child_node, graph, NULL, 0, child), 0);
    EXPECT(cudaGraphChildGraphNodeGetGraph(child_node, &got), 0);
    CHECK(got && got != child);
    struct copy3d c = {.src = {d, 16, 16, 4},
                       .dst = {host, 16, 16, 4},
                       .extent = {16, 4, 1},
                       .kind = TO_HOST},
                  c2;
    EXPECT(cudaGraphAddMemcpyNode(&box, graph, &child_node, 1, &c), 0);
    EXPECT(cudaGraphMemcpyNodeGetParams(box, &c2), 0);
    CHECK(c2.src.ptr == d && c2.extent.width == 16 && c2.extent.height == 4);
    EXPECT(cudaGraphMemcpyNodeSetParams(box, &c), 0);
    EXPECT(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &box, 1, &counter, &value, 4, 0, TO_DEVICE),
           0);
    EXPECT(cudaGraphMemcpyNodeSetParamsToSymbol(to, &counter, &value, 4, 0, TO_DEVICE), 0);
    EXPECT(cudaGraphMemcpyNodeSetParamsToSymbol(to, &counter, &value, 4, 1, TO_DEVICE),
           INVALID_VALUE);
    EXPECT(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &back, &counter, 4, 0, TO_HOST),
           0);
    EXPECT(cudaGraphMemcpyNodeSetParamsFromSymbol(from, &back, &counter, 4, 0, TO_HOST), 0);
    EXPECT(cudaGraphAddEventRecordNode(&record, graph, &from, 1, event), 0);
    EXPECT(cudaGraphEventRecordNodeSetEvent(record, event), 0);
    EXPECT(cudaGraphEventRecordNodeGetEvent(record, &got), 0);
    CHECK(got == event);
    EXPECT(cudaGraphAddEventWaitNode(&wait, graph, &from, 1, event2), 0);
    EXPECT(cudaGraphEventWaitNodeSetEvent(wait, event2), 0);
    EXPECT(cudaGraphEventWaitNodeGetEvent(wait, &got), 0);
    CHECK(got == event2);
    struct alloc_params a = {.type = 1, .at = {LOCATION_DEVICE, 0}, .bytes = 1024}, a2;
    EXPECT(cudaGraphAddMemAllocNode(&alloc, graph, &wait, 1, &a), 0);
    CHECK(a.address);
    EXPECT(cudaGraphMemAllocNodeGetParams(alloc, &a2), 0);
    CHECK(a2.address == a.address && a2.bytes == 1024);
    struct node_params p = {.type = 2, .u.fill = {a.address, 0, 7, 1, 1024, 1}};
    EXPECT(cudaGraphAddNode(&any, graph, &alloc, NULL, 1, &p), 0);
    EXPECT(cudaGraphNodeSetParams(any, &p), 0);
    EXPECT(cudaGraphAddMemFreeNode(&release, graph, &any, 1, a.address), 0);
    EXPECT(cudaGraphMemFreeNodeGetParams(release, &got), 0);
    CHECK(got == a.address);
    struct instantiate_params ip = {.flags = 8};
    /* Refused, by name. */
    struct alloc_params shared = {.type = 1, .handles = 1, .at = a.at, .bytes = 1024};
    EXPECT(cudaGraphAddMemAllocNode(&from, graph, NULL, 0, &shared), 801);
    EXPECT(cudaGraphAddNode(&from, graph, &alloc, &shared, 1, &p), 801);
    struct instantiate_params device_launch = {.flags = 4};
    EXPECT(cudaGraphInstantiateWithParams(&exec, graph, &device_launch), 801);
    CHECK(device_launch.result == 1);
    EXPECT(cudaGraphInstantiateWithParams(&exec, graph, &ip), 0);
    CHECK(ip.result == 0);
    EXPECT(cudaGraphExecGetFlags(exec, &flags), 0);
    CHECK(flags == 8);
    EXPECT(cudaGraphLaunch(exec, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(host[0] == 0x01020304 && host[15] == 0x01020304 && back == 21);
    EXPECT(cudaEventQuery(event), 0);
    /* The same nodes, changed in the executable graph. */
    int other = 34, back2 = 0;
    f.value = 5;
    EXPECT(cudaGraphMemsetNodeSetParams(set, &f), 0);
    EXPECT(cudaGraphExecChildGraphNodeSetParams(exec, child_node, child), 0);
    EXPECT(cudaGraphExecMemcpyNodeSetParams(exec, box, &c), 0);
    EXPECT(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, &counter, &other, 4, 0, TO_DEVICE),
           0);
    EXPECT(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, &back2, &counter, 4, 0, TO_HOST),
           0);
    EXPECT(cudaGraphExecEventRecordNodeSetEvent(exec, record, event2), 0);
    EXPECT(cudaGraphExecEventWaitNodeSetEvent(exec, wait, event), 0);
    p.u.fill.value = 8;
    EXPECT(cudaGraphExecNodeSetParams(exec, any, &p), 0);
    EXPECT(cudaGraphExecMemsetNodeSetParams(exec, any, &p.u.fill), 0);
    EXPECT(cudaGraphExecMemsetNodeSetParams(exec, box, &p.u.fill), INVALID_VALUE);
    EXPECT(cudaGraphLaunch(exec, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(host[0] == 5 && back == 21 && back2 == 34);
    struct host_params h = {count_call, (void *)1}, h2;
    void *host_node;
    EXPECT(cudaGraphAddHostNode(&host_node, child, NULL, 0, &h), 0);
    EXPECT(cudaGraphHostNodeSetParams(host_node, &h), 0);
    EXPECT(cudaGraphHostNodeGetParams(host_node, &h2), 0);
    CHECK(h2.function == count_call);
    EXPECT(cudaGraphExecDestroy(exec), 0);
    EXPECT(cudaGraphDestroy(child), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaFree(d), 0);
}

/* Nodes that fill and copy registered memory, by the program's addresses. */
static void registered_memory(void) {
    static int own[3000];
    int *at = own + 1000;
    void *graph, *set, *line, *exec;
    struct fill_params f = {at, 0, 7, 4, 4, 1}, f2;
    struct copy3d c;
    EXPECT(cudaHostRegister(at, 64, 0), 0);
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &f), 0);
    EXPECT(cudaGraphMemsetNodeGetParams(set, &f2), 0);
    CHECK(f2.dst == at && f2.value == 7);
    EXPECT(cudaGraphAddMemcpyNode1D(&line, graph, &set, 1, at + 8, at, 8, BY_ADDRESS), 0);
    EXPECT(cudaGraphMemcpyNodeGetParams(line, &c), 0);
    CHECK(c.dst.ptr == at + 8 && c.src.ptr == at);
    EXPECT(cudaGraphInstantiate(&exec, graph, 0), 0);
    EXPECT(cudaGraphLaunch(exec, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(at[0] == 7 && at[3] == 7 && at[4] == 0 && at[8] == 7 && at[9] == 7 && at[10] == 0);
    EXPECT(cudaGraphExecDestroy(exec), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaHostUnregister(at), 0);
}

/* Two streams, joined by events, become a graph with two branches. */
static void capture(void) {
    enum { N = 8 };
    int *a, *b, n = N, host[2 * N], status, mode = 2;
    void *first, *second, *fork, *join, *graph, *exec, *in_graph, *const *deps, *nodes[16];
    unsigned long long id;
    size_t count;
    EXPECT(cudaMalloc((void **)&a, N * sizeof *a), 0);
    EXPECT(cudaMalloc((void **)&b, N * sizeof *b), 0);
    EXPECT(cudaStreamCreateWithFlags(&first, 1), 0);
    EXPECT(cudaStreamCreateWithFlags(&second, 1), 0);
    EXPECT(cudaEventCreate(&fork), 0);
    EXPECT(cudaEventCreate(&join), 0);
    for (int i = 0; i < N; i++) host[i] = host[N + i] = i + 1;
    EXPECT(cudaMemcpy(a, host, N * sizeof *a, TO_DEVICE), 0);
    EXPECT(cudaMemcpy(b, host, N * sizeof *b, TO_DEVICE), 0);
    EXPECT(cudaEventRecord(fork, first), 0); /* an earlier time, which must not be the answer */
    EXPECT(cudaEventRecord(join, first), 0);
    EXPECT(cudaStreamBeginCapture(first, 0), 0);
    EXPECT(cudaStreamBeginCapture(first, 0), 401);
    EXPECT(cudaLaunchKernel(&scale, ONE, BLOCK, (void *[]){&a, &n}, 0, first), 0);
    EXPECT(cudaEventRecord(fork, first), 0);
    EXPECT(cudaStreamWaitEvent(second, fork, 0), 0);
    EXPECT(cudaLaunchKernel(&scale, ONE, BLOCK, (void *[]){&b, &n}, 0, second), 0);
    EXPECT(cudaLaunchKernel(&scale, ONE, BLOCK, (void *[]){&a, &n}, 0, first), 0);
    EXPECT(cudaMemcpyAsync(host + N, b, N * sizeof *b, TO_HOST, second), 0);
    EXPECT(cudaEventRecord(join, second), 0);
    EXPECT(cudaStreamIsCapturing(second, &status), 0);
    CHECK(status == 1);
    EXPECT(cudaStreamGetCaptureInfo(first, &status, &id, &in_graph, &deps, NULL, &count), 0);
    CHECK(status == 1 && count == 1 && in_graph);
    float ms;
    EXPECT(cudaEventQuery(fork), 907);
    EXPECT(cudaEventElapsedTime(&ms, fork, join), 907);
    EXPECT(cudaStreamWaitEvent(first, join, 0), 0);
    EXPECT(cudaMemcpyAsync(host, a, N * sizeof *a, TO_HOST, first), 0);
    EXPECT(cudaStreamEndCapture(second, &graph), 903);
    EXPECT(cudaStreamEndCapture(first, &graph), 0);
    EXPECT(cudaStreamIsCapturing(second, &status), 0);
    CHECK(status == 0);
    count = 16;
    EXPECT(cudaGraphGetNodes(graph, nodes, &count), 0);
    CHECK(count == 5);
    EXPECT(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count), 0);
    CHECK(count == 5);
    CHECK(host[0] == 1 && host[N] == 1); /* nothing has been executed */
    EXPECT(cudaGraphInstantiate(&exec, graph, 0), 0);
    EXPECT(cudaGraphLaunch(exec, first), 0);
    EXPECT(cudaStreamSynchronize(first), 0);
    for (int i = 0; i < N; i++) CHECK(host[i] == 4 * (i + 1) && host[N + i] == 2 * (i + 1));
    EXPECT(cudaGraphExecDestroy(exec), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    /* Calls that invalidate a capture */
    void *p;
    EXPECT(cudaStreamBeginCapture(first, 0), 0);
    EXPECT(cudaMalloc(&p, 16), 900);
    EXPECT(cudaStreamEndCapture(first, &graph), 901);
    EXPECT(cudaStreamBeginCapture(first, 2), 0);
    EXPECT(cudaMalloc(&p, 16), 0); /* relaxed: allowed */
    EXPECT(cudaStreamSynchronize(first), 900);
    EXPECT(cudaStreamEndCapture(first, &graph), 901);
    EXPECT(cudaThreadExchangeStreamCaptureMode(&mode), 0);
    CHECK(mode == 0);
    EXPECT(cudaStreamBeginCapture(first, 0), 0);
    EXPECT(cudaFree(p), 0); /* this thread is relaxed */
    EXPECT(cudaStreamEndCapture(first, &graph), 0);
    EXPECT(cudaThreadExchangeStreamCaptureMode(&mode), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaStreamBeginCapture(NULL, 0), 900);
    EXPECT(cudaStreamEndCapture(first, &graph), 401);
    EXPECT(cudaStreamBeginCapture(first, 0), 0); /* a branch that is not joined */
    EXPECT(cudaMemsetAsync(a, 0, 4, first), 0);
    EXPECT(cudaEventRecord(fork, first), 0);
    EXPECT(cudaStreamWaitEvent(second, fork, 0), 0);
    EXPECT(cudaMemsetAsync(b, 0, 4, second), 0);
    EXPECT(cudaStreamEndCapture(first, &graph), 904);
    for (int joined = 0; joined < 2; joined++) { /* a branch whose stream is destroyed */
        void *third;
        EXPECT(cudaStreamCreateWithFlags(&third, 1), 0);
        EXPECT(cudaStreamBeginCapture(first, 0), 0);
        EXPECT(cudaMemsetAsync(a, 0, 4, first), 0);
        EXPECT(cudaEventRecord(fork, first), 0);
        EXPECT(cudaStreamWaitEvent(third, fork, 0), 0);
        EXPECT(cudaMemsetAsync(b, 0, 4, third), 0);
        EXPECT(cudaEventRecord(join, third), 0);
        EXPECT(cudaStreamDestroy(third), 0);
        if (joined) EXPECT(cudaStreamWaitEvent(first, join, 0), 0);
        EXPECT(cudaMemsetAsync(a, 0, 4, first), 0);
        EXPECT(cudaStreamEndCapture(first, &graph), joined ? 0 : 904);
        if (joined) EXPECT(cudaGraphDestroy(graph), 0);
    }
    /* Capture into an existing graph, behind one of its nodes */
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphAddEmptyNode(&p, graph, NULL, 0), 0);
    EXPECT(cudaStreamBeginCaptureToGraph(first, graph, &p, NULL, 1, 0), 0);
    EXPECT(cudaMemsetAsync(a, 0, 4, first), 0);
    EXPECT(cudaStreamUpdateCaptureDependencies(first, &p, NULL, 1, 0), 0);
    EXPECT(cudaStreamEndCapture(first, &in_graph), 0);
    CHECK(in_graph == graph);
    EXPECT(cudaGraphNodeGetDependentNodes(p, NULL, NULL, &count), 0);
    CHECK(count == 1);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaStreamDestroy(first), 0);
    EXPECT(cudaStreamDestroy(second), 0);
}

int main(int argc, char **argv) {
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &scale, "scale");
    add_variable(module, &counter, "counter", sizeof counter, 0);
    add_variable(module, factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(module);
    by_hand();
    other_nodes();
    registered_memory();
    capture();
    printf("api_graphs: ok\n");
    return 0;
}
