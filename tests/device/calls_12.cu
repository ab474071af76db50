// calls_12.cu - makes the calls of libcudart.so.12 that libcudart.so.13 does not have, and those
// whose operands CUDA 13 changed, with the declarations of Heddle's headers. check_calls_12.cmake
// checks that none is missing. Each function tests one subject.
#include "check.h"

#include <stdio.h>
#include <string.h>

extern "C" { // what programs with a default stream per thread call
cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *pointer, size_t size,
                                         struct cudaMemLocation location, unsigned flags,
                                         cudaStream_t stream);
cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream,
                                             enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **nodes, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream,
                                             enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **nodes,
                                             const cudaGraphEdgeData **edges, size_t *count);
cudaError_t cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                        const cudaGraphEdgeData *edges,
                                                        size_t count, unsigned flags);
}

static void expect(cudaError_t got, cudaError_t want, int line) {
    if (got == want) return;
    printf("line %d: %s, not %s\n", line, cudaGetErrorName(got), cudaGetErrorName(want));
    wrong++;
}
#define OK(call) expect(call, cudaSuccess, __LINE__)
__global__ void add(int *p, int by) {
    p[threadIdx.x] += by;
}

static void memory(int *p) {
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, there = {cudaMemLocationTypeHost, 0};
    OK(cudaMemAdvise_v2(p, 256, cudaMemAdviseSetPreferredLocation, here));
    OK(cudaMemAdvise(p, 256, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemAdvise(p, 256, cudaMemAdviseUnsetReadMostly, here));
    OK(cudaMemPrefetchAsync_v2(p, 256, here, 0, 0));
    OK(cudaMemPrefetchAsync_v2_ptsz(p, 256, there, 0, 0));
    OK(cudaMemPrefetchAsync(p, 256, 0));
    OK(cudaMemPrefetchAsync(p, 256, there, 0));
    expect(cudaMemPrefetchAsync_v2(p, 256, here, 1, 0), cudaErrorInvalidValue, __LINE__);
    OK(cudaDeviceSynchronize());
}

static void old_names() {
    size_t value = 0;
    cudaFuncCache config;
    cudaDeviceProp properties;
    OK(cudaThreadSetLimit(cudaLimitStackSize, 2048));
    OK(cudaThreadGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 2048);
    OK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaThreadGetCacheConfig(&config));
    OK(cudaThreadSynchronize());
    memset(&properties, 0, sizeof properties);
    OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(properties.major == 7 && properties.warpSize == 32 && properties.clockRate > 0);
    CHECK(properties.multiProcessorCount > 0 && strstr(properties.name, "V100"));
}

static void capture(int *p) {
    cudaStream_t stream;
    cudaGraph_t graph, same = 0;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, id3 = 0, id0 = 0;
    const cudaGraphNode_t *nodes = 0;
    const cudaGraphEdgeData *edges = 0;
    size_t count = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, stream>>>(p, 1);
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    CHECK(status == cudaStreamCaptureStatusActive && id && count == 1);
    OK(cudaStreamGetCaptureInfo_v3(stream, &status, &id3, &graph, &nodes, &edges, &count));
    CHECK(id3 == id && count == 1 && !edges);
    OK(cudaStreamGetCaptureInfo_v2_ptsz(stream, &status, &id3, 0, 0, 0));
    CHECK(id3 == id);
    OK(cudaStreamGetCaptureInfo_v3_ptsz(stream, &status, &id3, 0, 0, 0, 0));
    CHECK(id3 == id);
    // The next captured operation depends on nothing, then on the kernel again.
    cudaGraphNode_t first = nodes[0];
    OK(cudaStreamUpdateCaptureDependencies_v2(stream, 0, 0, 0, cudaStreamSetCaptureDependencies));
    add<<<1, 32, 0, stream>>>(p, 2);
    OK(cudaStreamUpdateCaptureDependencies_v2_ptsz(stream, &first, 0, 1,
                                                   cudaStreamAddCaptureDependencies));
    add<<<1, 32, 0, stream>>>(p, 4);
    OK(cudaStreamEndCapture(stream, &same));
    CHECK(same == graph);
    OK(cudaStreamGetCaptureInfo(stream, &status, &id0));
    CHECK(status == cudaStreamCaptureStatusNone);
    OK(cudaGraphGetEdges(graph, 0, 0, &count));
    CHECK(count == 2);
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static void graphs(int *p) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, kernel, found[2], to[2];
    cudaGraphEdgeData edges[2];
    size_t count = 2;
    int by = 5;
    void *arguments[] = {&p, &by};
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = p;
    params.memset.elementSize = 4;
    params.memset.value = 7;
    params.memset.width = 32;
    params.memset.height = 1;
    OK(cudaGraphAddNode(&fill, graph, 0, 0, &params));
    cudaGraphNodeParams launch = {};
    launch.type = cudaGraphNodeTypeKernel;
    launch.kernel.func = (void *)add;
    launch.kernel.gridDim = dim3(1);
    launch.kernel.blockDim = dim3(32);
    launch.kernel.kernelParams = arguments;
    OK(cudaGraphAddNode(&kernel, graph, 0, 0, &launch));
    OK(cudaGraphAddDependencies_v2(graph, &fill, &kernel, 0, 1));
    memset(edges, 0xff, sizeof edges);
    OK(cudaGraphGetEdges_v2(graph, found, to, edges, &count));
    CHECK(count == 1 && found[0] == fill && to[0] == kernel && edges[0].type == 0);
    OK(cudaGraphNodeGetDependencies_v2(kernel, found, 0, &count));
    CHECK(count == 1 && found[0] == fill);
    OK(cudaGraphNodeGetDependentNodes_v2(fill, found, 0, &count));
    CHECK(count == 1 && found[0] == kernel);
    OK(cudaGraphRemoveDependencies_v2(graph, &fill, &kernel, 0, 1));
    OK(cudaGraphNodeGetDependencies(kernel, 0, &count));
    CHECK(count == 0);
    OK(cudaGraphAddDependencies(graph, &fill, &kernel, 1));
    OK(cudaGraphInstantiate(&exec, graph, 0, 0, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 12 && p[31] == 12);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void events() {
    cudaEvent_t start, stop;
    float ms = -1;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop, cudaEventBlockingSync));
    OK(cudaEventRecord(start));
    OK(cudaEventRecord(stop));
    OK(cudaEventSynchronize(stop));
    OK(cudaEventElapsedTime_v2(&ms, start, stop));
    CHECK(ms >= 0);
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(stop));
}

static void textures() {
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc sampler = {}, told;
    cudaTextureObject_t texture;
    OK(cudaMallocArray(&resource.res.array.array, &floats, 8, 8));
    sampler.addressMode[1] = cudaAddressModeMirror;
    OK(cudaCreateTextureObject_v2(&texture, &resource, &sampler, NULL));
    OK(cudaGetTextureObjectTextureDesc_v2(&told, texture));
    CHECK(memcmp(&told, &sampler, sizeof told) == 0);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(resource.res.array.array));
}

int main() {
    int *p;
    OK(cudaMallocManaged(&p, 256));
    memory(p);
    old_names();
    capture(p);
    graphs(p);
    events();
    textures();
    OK(cudaThreadExit());
    printf("calls_12: %s %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong != 0;
}
