// graph_chain.cu - the cost of a small kernel behind another one, in a stream and in a graph. The
// kernels scale 64 kB again and again, as in gpu-benches' small-kernels.
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call)                                           \
    do {                                                      \
        cudaError_t e = (call);                               \
        if (e != cudaSuccess) {                               \
            printf("%s: %s\n", #call, cudaGetErrorString(e)); \
            return 1;                                         \
        }                                                     \
    } while (0)

__global__ void scale(float *to, const float *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] * 0.2f;
}

int main() {
    const int count = 20, n = 65536 / 4, threads = 256;
    float *a, *b, ms;
    cudaStream_t s;
    cudaEvent_t begin, end;
    cudaGraph_t graph;
    cudaGraphExec_t chain;
    void *arguments[] = {&b, &a};
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMemset(a, 0, n * sizeof *a));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    CHECK(cudaEventRecord(begin, s));
    for (int i = 0; i < count; i++) // one call each
        CHECK(cudaLaunchKernel((void *)scale, dim3(n / threads), dim3(threads), arguments, 0, s));
    CHECK(cudaEventRecord(end, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("stream: %.3f us a kernel\n", 1000 * ms / count);

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < count; i++) scale<<<n / threads, threads, 0, s>>>(b, a);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&chain, graph, 0));
    CHECK(cudaEventRecord(begin, s));
    CHECK(cudaGraphLaunch(chain, s));
    CHECK(cudaEventRecord(end, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("graph: %.3f us a kernel\n", 1000 * ms / count);
    return 0;
}
