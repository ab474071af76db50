// priorities.cu - prints the order in which three kernels end. They run in three streams at once,
// each with more CTAs than the GPU holds. With "priorities" the third kernel's stream has the
// highest priority.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t e = (call);                                                           \
        if (e != cudaSuccess) {                                                           \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                             \
            return 1;                                                                     \
        }                                                                                 \
    } while (0)

__global__ void first(float *p, int rounds) {
    float x = p[threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < rounds; i++) x = x * 0.5f + 1.0f;
    p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void second(float *p, int rounds) {
    float x = p[threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < rounds; i++) x = x * 0.25f + 2.0f;
    p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void third(float *p, int rounds) {
    float x = p[threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < rounds; i++) x = x * 0.75f + 3.0f;
    p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main(int argc, char **argv) {
    // Few CTAs fit into an SM, so that none keeps another one from issuing.
    const int ctas = 32, threads = 64, rounds = 400, shared = 40000;
    int least, greatest;
    bool ranked = argc > 1 && !strcmp(argv[1], "priorities");
    float *p[3], ms[3];
    cudaStream_t stream[3];
    cudaEvent_t begin, end[3];
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaEventCreate(&begin));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc(&p[i], ctas * threads * sizeof(float)));
        CHECK(cudaMemset(p[i], 0, ctas * threads * sizeof(float)));
        CHECK(cudaStreamCreateWithPriority(&stream[i], cudaStreamNonBlocking,
                                           ranked && i == 2 ? greatest : least));
        CHECK(cudaEventCreate(&end[i]));
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin, stream[0]));
    first<<<ctas, threads, shared, stream[0]>>>(p[0], rounds);
    second<<<ctas, threads, shared, stream[1]>>>(p[1], rounds);
    third<<<ctas, threads, shared, stream[2]>>>(p[2], rounds);
    for (int i = 0; i < 3; i++) CHECK(cudaEventRecord(end[i], stream[i]));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++) CHECK(cudaEventElapsedTime(&ms[i], begin, end[i]));
    const char *name[] = {"first", "second", "third"};
    printf("order:");
    for (int k = 0; k < 3; k++) {
        int best = -1;
        for (int i = 0; i < 3; i++)
            if (ms[i] >= 0 && (best < 0 || ms[i] < ms[best])) best = i;
        printf(" %s", name[best]);
        ms[best] = -1;
    }
    printf("\n");
    return 0;
}
