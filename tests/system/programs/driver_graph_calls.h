/* driver_graph_calls.h - declares the driver API's graph calls with CUDA 13's ABI. */
#ifndef TEST_DRIVER_GRAPH_CALLS_H
#define TEST_DRIVER_GRAPH_CALLS_H

#include "driver_calls.h"

struct cu_kernel_node {
    void *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel, *context; /* of the second form */
};
struct cu_fill_node {
    void *dst;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
struct cu_host_node {
    void (*function)(void *);
    void *argument;
};
struct cu_alloc_node {
    int type, handles, location, device;
    char rest[72];
    const void *access;
    size_t num_access, bytes;
    void *address;
};
struct cu_node { /* CUgraphNodeParams */
    int type, reserved[3];
    union {
        long long room[29];
        struct cu_kernel_node kernel;
        struct {
            int flags, reserved;
            void *context;
            struct cu_box box;
        } copy;
        struct {
            struct cu_fill_node fill;
            void *context;
        } fill;
        struct cu_host_node host;
        void *handle;
        struct cu_alloc_node alloc;
    } u;
    long long reserved2;
};
struct cu_instantiate {
    uint64_t flags;
    void *stream, *bad;
    int result;
};
struct cu_update {
    int result;
    void *node, *from;
};

#define ADDS void **node, void *graph, void *const *from, size_t num_from
#define THREE(kind, set, type)                   \
    int cuGraphAdd##kind(ADDS, const type *p);   \
    int cuGraph##set(void *node, const type *p); \
    int cuGraphExec##set(void *exec, void *node, const type *p);
THREE(KernelNode, KernelNodeSetParams, struct cu_kernel_node)
THREE(KernelNode_v2, KernelNodeSetParams_v2, struct cu_kernel_node)
THREE(HostNode, HostNodeSetParams, struct cu_host_node)
int cuGraphAddMemcpyNode(ADDS, const struct cu_box *p, void *context);
int cuGraphMemcpyNodeSetParams(void *node, const struct cu_box *p);
int cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const struct cu_box *p, void *context);
int cuGraphAddMemsetNode(ADDS, const struct cu_fill_node *p, void *context);
int cuGraphMemsetNodeSetParams(void *node, const struct cu_fill_node *p);
int cuGraphExecMemsetNodeSetParams(void *exec, void *node, const struct cu_fill_node *p,
                                   void *context);
int cuGraphAddEventRecordNode(ADDS, void *event);
int cuGraphEventRecordNodeSetEvent(void *node, void *event);
int cuGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event);
int cuGraphAddEventWaitNode(ADDS, void *event);
int cuGraphEventWaitNodeSetEvent(void *node, void *event);
int cuGraphExecEventWaitNodeSetEvent(void *exec, void *node, void *event);
int cuGraphAddEmptyNode(ADDS);
int cuGraphAddChildGraphNode(ADDS, void *child);
int cuGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child);
int cuGraphAddMemAllocNode(ADDS, struct cu_alloc_node *p);
int cuGraphAddMemFreeNode(ADDS, void *address);
int cuGraphAddNode(ADDS, struct cu_node *p);
int cuGraphAddNode_v2(void **node, void *graph, void *const *from, const void *data,
                      size_t num_from, struct cu_node *p);
int cuGraphNodeSetParams(void *node, struct cu_node *p);
int cuGraphExecNodeSetParams(void *exec, void *node, struct cu_node *p);
int cuGraphKernelNodeGetParams(void *node, struct cu_kernel_node *p);
int cuGraphKernelNodeGetParams_v2(void *node, struct cu_kernel_node *p);
int cuGraphMemcpyNodeGetParams(void *node, struct cu_box *p);
int cuGraphMemsetNodeGetParams(void *node, struct cu_fill_node *p);
int cuGraphHostNodeGetParams(void *node, struct cu_host_node *p);
int cuGraphMemAllocNodeGetParams(void *node, struct cu_alloc_node *p);
int cuGraphMemFreeNodeGetParams(void *node, void *address);
int cuGraphChildGraphNodeGetGraph(void *node, void **graph);
int cuGraphEventRecordNodeGetEvent(void *node, void **event);
int cuGraphEventWaitNodeGetEvent(void *node, void **event);
int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
int cuGraphGetRootNodes(void *graph, void **nodes, size_t *count);
int cuGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
int cuGraphGetEdges(void *graph, void **from, void **to, size_t *count);
int cuGraphGetEdges_v2(void *graph, void **from, void **to, void *data, size_t *count);
int cuGraphNodeGetDependencies(void *node, void **nodes, size_t *count);
int cuGraphNodeGetDependencies_v2(void *node, void **nodes, void *data, size_t *count);
int cuGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count);
int cuGraphNodeGetDependentNodes_v2(void *node, void **nodes, void *data, size_t *count);
int cuGraphAddDependencies(void *graph, void **from, void **to, size_t count);
int cuGraphAddDependencies_v2(void *graph, void **from, void **to, const void *data, size_t count);
int cuGraphRemoveDependencies(void *graph, void **from, void **to, size_t count);
int cuGraphRemoveDependencies_v2(void *graph, void **from, void **to, const void *data,
                                 size_t count);
int cuGraphInstantiate(void **exec, void *graph, void **bad, char *log, size_t bytes);
int cuGraphInstantiate_v2(void **exec, void *graph, void **bad, char *log, size_t bytes);
int cuGraphInstantiateWithParams(void **exec, void *graph, struct cu_instantiate *p);
int cuGraphInstantiateWithParams_ptsz(void **exec, void *graph, struct cu_instantiate *p);
int cuGraphExecUpdate(void *exec, void *graph, void **bad, int *result);
int cuGraphExecUpdate_v2(void *exec, void *graph, struct cu_update *info);
int cuThreadExchangeStreamCaptureMode(int *mode);
#define CAPTURE(sz)                                                                            \
    int cuStreamBeginCapture##sz(void *stream);                                                \
    int cuStreamBeginCaptureToGraph##sz(void *stream, void *graph, void *const *from,          \
                                        const void *data, size_t count, int mode);             \
    int cuStreamGetCaptureInfo##sz(void *stream, int *status, unsigned long long *id);         \
    int cuStreamGetCaptureInfo_v2##sz(void *stream, int *status, unsigned long long *id,       \
                                      void **graph, void *const **nodes, size_t *count);       \
    int cuStreamGetCaptureInfo_v3##sz(void *stream, int *status, unsigned long long *id,       \
                                      void **graph, void *const **nodes, void **data,          \
                                      size_t *count);                                          \
    int cuStreamUpdateCaptureDependencies##sz(void *stream, void **nodes, size_t count,        \
                                              unsigned flags);                                 \
    int cuStreamUpdateCaptureDependencies_v2##sz(void *stream, void **nodes, const void *data, \
                                                 size_t count, unsigned flags);
/* clang-format off */
CAPTURE()
CAPTURE(_ptsz)
/* clang-format on */

#endif
