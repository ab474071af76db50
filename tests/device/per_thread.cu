// per_thread.cu - compiled with --default-stream per-thread: every call that has a per-thread name
// uses it, and kernel<<<>>> launches on the thread's own stream.
#include "check.h"

#include <string.h>

// For one call, the per-thread form of libcudart.so.12 is older than the headers.
static constexpr bool is(const char *expanded, const char *name, const char *base) {
    return __builtin_strcmp(expanded, name) == 0 ||
           __builtin_strcmp(base, "cudaStreamGetCaptureInfo") == 0;
}
#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)
#define PER_THREAD(base, name) static_assert(is(STRING(base), #name, #base), #base);
#include "cuda_per_thread_12.def"

__global__ void nothing() {}

int main() {
    unsigned long long mine, named, legacy;
    cudaGraph_t graph;
    size_t nodes = 0;
    CHECK(cudaStreamGetId(0, &mine) == cudaSuccess);
    CHECK(cudaStreamGetId(cudaStreamPerThread, &named) == cudaSuccess);
    CHECK(cudaStreamGetId(cudaStreamLegacy, &legacy) == cudaSuccess);
    CHECK(mine == named && mine != legacy);
    void *arguments[] = {nullptr};
    nothing<<<1, 1>>>();
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaSuccess);
    nothing<<<1, 1>>>();
    CHECK(cudaLaunchKernel(nothing, dim3(1), dim3(1), arguments) == cudaSuccess);
    CHECK(cudaStreamEndCapture(0, &graph) == cudaSuccess);
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes) == cudaSuccess && nodes == 2);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    printf("per_thread: %s %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong != 0;
}
