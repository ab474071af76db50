// Graphs and capture of the runtime API; part of cuda_runtime_api.h, with the same rules.
//
// Not declared: nodes of arrays, semaphores and conditions, which Heddle does not implement.
// The _v2 and _v3 forms are CUDA 12.3's, with the data of edges, which must be NULL.
#ifndef HEDDLE_DEVICE_RUNTIME_GRAPHS_H
#define HEDDLE_DEVICE_RUNTIME_GRAPHS_H

#include "driver_types_work.h"

#if defined(__cplusplus)
extern "C" {
#endif

// CUDA 12 added operands, and therefore changed the name of the call.
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v2

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id HEDDLE_OR(0),
                                     cudaGraph_t *graph HEDDLE_OR(0),
                                     const cudaGraphNode_t **nodes HEDDLE_OR(0),
                                     size_t *count HEDDLE_OR(0));
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                size_t count, unsigned int flags HEDDLE_OR(0));
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id HEDDLE_OR(0),
                                        cudaGraph_t *graph HEDDLE_OR(0),
                                        const cudaGraphNode_t **nodes HEDDLE_OR(0),
                                        const cudaGraphEdgeData **edges HEDDLE_OR(0),
                                        size_t *count HEDDLE_OR(0));
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                   const cudaGraphEdgeData *edges, size_t count,
                                                   unsigned int flags HEDDLE_OR(0));
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *nodes,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags HEDDLE_OR(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags HEDDLE_OR(0));
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

// Writes the graph as text for Graphviz; flags: 1 for all details of its nodes.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);

// Lists: if the pointer to the list is NULL, *count becomes the number of elements.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           size_t *count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edges, size_t *count);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                            cudaGraphEdgeData *edges, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                              cudaGraphEdgeData *edges, size_t *count);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count);

// Nodes
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t after_count, struct cudaGraphNodeParams *values);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *values);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *values);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled);

// The calls of a kind of node: adding one to a graph, and changing its operands there and in an
// executable graph.
#define HEDDLE_ADD                                                               \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t after_count
#define HEDDLE_NODE(kind, params)                                                           \
    cudaError_t cudaGraphAdd##kind##Node(HEDDLE_ADD, const struct params *values);          \
    cudaError_t cudaGraph##kind##NodeGetParams(cudaGraphNode_t node, struct params *values); \
    cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node,                        \
                                               const struct params *values);                \
    cudaError_t cudaGraphExec##kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, \
                                                   const struct params *values);
HEDDLE_NODE(Kernel, cudaKernelNodeParams)
HEDDLE_NODE(Memcpy, cudaMemcpy3DParms)
HEDDLE_NODE(Memset, cudaMemsetParams)
HEDDLE_NODE(Host, cudaHostNodeParams)
#define HEDDLE_EVENT_NODE(kind)                                                                \
    cudaError_t cudaGraphAdd##kind##Node(HEDDLE_ADD, cudaEvent_t event);                       \
    cudaError_t cudaGraph##kind##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);       \
    cudaError_t cudaGraph##kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);        \
    cudaError_t cudaGraphExec##kind##NodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,  \
                                                  cudaEvent_t event);
HEDDLE_EVENT_NODE(EventRecord)
HEDDLE_EVENT_NODE(EventWait)
#define HEDDLE_COPY_NODE(form, ...)                                                            \
    cudaError_t cudaGraphAddMemcpyNode##form(HEDDLE_ADD, __VA_ARGS__);                         \
    cudaError_t cudaGraphMemcpyNodeSetParams##form(cudaGraphNode_t node, __VA_ARGS__);         \
    cudaError_t cudaGraphExecMemcpyNodeSetParams##form(cudaGraphExec_t exec,                   \
                                                       cudaGraphNode_t node, __VA_ARGS__);
HEDDLE_COPY_NODE(1D, void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
HEDDLE_COPY_NODE(ToSymbol, const void *symbol, const void *from, size_t size, size_t offset,
                 enum cudaMemcpyKind kind)
HEDDLE_COPY_NODE(FromSymbol, void *to, const void *symbol, size_t size, size_t offset,
                 enum cudaMemcpyKind kind)
cudaError_t cudaGraphAddEmptyNode(HEDDLE_ADD);
cudaError_t cudaGraphAddChildGraphNode(HEDDLE_ADD, cudaGraph_t child);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child);
cudaError_t cudaGraphAddMemAllocNode(HEDDLE_ADD, struct cudaMemAllocNodeParams *values);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *values);
cudaError_t cudaGraphAddMemFreeNode(HEDDLE_ADD, void *pointer);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer);
#undef HEDDLE_ADD
#undef HEDDLE_NODE
#undef HEDDLE_EVENT_NODE
#undef HEDDLE_COPY_NODE

#if defined(__cplusplus)
}
#endif

#endif
