/* graph_calls.h - declares the runtime's graph calls with CUDA 13's ABI. */
#ifndef TEST_GRAPH_CALLS_H
#define TEST_GRAPH_CALLS_H

#include "api_calls.h"

struct kernel_params {
    void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **arguments, **extra;
};
struct fill_params {
    void *dst;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
struct host_params {
    void (*function)(void *);
    void *argument;
};
struct alloc_params {
    int type, handles;
    struct location at;
    char rest[72];
    const void *access;
    size_t num_access, bytes;
    void *address;
};
struct node_params {
    int type, reserved[3];
    union {
        long long room[29];
        struct fill_params fill;
        struct host_params host;
    } u;
    long long reserved2;
};
struct update_info {
    int result;
    void *node, *from;
};
struct instantiate_params {
    unsigned long long flags;
    void *stream, *bad;
    int result;
};

#define ADDS void **node, void *graph, void *const *from, size_t num_from
#define THREE(kind, set, type)                          \
    int cudaGraphAdd##kind##Node(ADDS, type p);         \
    int cudaGraph##kind##Node##set(void *node, type p); \
    int cudaGraphExec##kind##Node##set(void *exec, void *node, type p);
THREE(Kernel, SetParams, const struct kernel_params *)
THREE(Memcpy, SetParams, const struct copy3d *)
THREE(Memset, SetParams, const struct fill_params *)
THREE(Host, SetParams, const struct host_params *)
THREE(EventRecord, SetEvent, void *)
THREE(EventWait, SetEvent, void *)
#define LINE void *dst, const void *src, size_t bytes, int kind
#define TO const void *symbol, const void *src, size_t bytes, size_t offset, int kind
#define FROM void *dst, const void *symbol, size_t bytes, size_t offset, int kind
#define LINES(suffix, what)                                     \
    int cudaGraphAddMemcpyNode##suffix(ADDS, what);             \
    int cudaGraphMemcpyNodeSetParams##suffix(void *node, what); \
    int cudaGraphExecMemcpyNodeSetParams##suffix(void *exec, void *node, what);
LINES(1D, LINE)
LINES(ToSymbol, TO)
LINES(FromSymbol, FROM)
int cudaGraphAddEmptyNode(ADDS);
int cudaGraphAddChildGraphNode(ADDS, void *child);
int cudaGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child);
int cudaGraphAddMemAllocNode(ADDS, struct alloc_params *p);
int cudaGraphAddMemFreeNode(ADDS, void *address);
int cudaGraphAddNode(void **node, void *graph, void *const *from, const void *edges,
                     size_t num_from, struct node_params *p);
int cudaGraphNodeSetParams(void *node, struct node_params *p);
int cudaGraphExecNodeSetParams(void *exec, void *node, struct node_params *p);
int cudaGraphKernelNodeGetParams(void *node, struct kernel_params *p);
int cudaGraphMemcpyNodeGetParams(void *node, struct copy3d *p);
int cudaGraphMemsetNodeGetParams(void *node, struct fill_params *p);
int cudaGraphHostNodeGetParams(void *node, struct host_params *p);
int cudaGraphChildGraphNodeGetGraph(void *node, void **graph);
int cudaGraphEventRecordNodeGetEvent(void *node, void **event);
int cudaGraphEventWaitNodeGetEvent(void *node, void **event);
int cudaGraphMemAllocNodeGetParams(void *node, struct alloc_params *p);
int cudaGraphMemFreeNodeGetParams(void *node, void *address);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphClone(void **clone, void *graph);
int cudaGraphNodeFindInClone(void **node, void *original, void *clone);
int cudaGraphDestroyNode(void *node);
int cudaGraphNodeGetType(void *node, int *type);
int cudaGraphAddDependencies(void *graph, void **from, void **to, const void *edges, size_t n);
int cudaGraphRemoveDependencies(void *graph, void **from, void **to, const void *edges, size_t n);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count);
int cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
int cudaGraphGetEdges(void *graph, void **from, void **to, void *edges, size_t *count);
int cudaGraphNodeGetDependencies(void *node, void **nodes, void *edges, size_t *count);
int cudaGraphNodeGetDependentNodes(void *node, void **nodes, void *edges, size_t *count);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cudaGraphInstantiateWithParams(void **exec, void *graph, struct instantiate_params *p);
int cudaGraphExecDestroy(void *exec);
int cudaGraphExecGetFlags(void *exec, unsigned long long *flags);
int cudaGraphExecUpdate(void *exec, void *graph, struct update_info *info);
int cudaGraphNodeSetEnabled(void *exec, void *node, unsigned enabled);
int cudaGraphNodeGetEnabled(void *exec, void *node, unsigned *enabled);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphUpload(void *exec, void *stream);

#endif
