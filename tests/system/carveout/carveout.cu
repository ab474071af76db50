// carveout.cu - what a launch leaves of an SM's memory to L1: how large a list may be whose second
// pass a single thread finds in L1, over shared memory and preferences; and whether kernels that
// want different sizes run beside each other. carveout.sh says what it expects of a V100 of 4 SMs.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { LINE_WORDS = 32, KIB_LINES = 8, MOST_KIB = 136, STEP_KIB = 8, HIT_CYCLES = 60, SMS = 4 };

#define DO(call)                                                                  \
    do {                                                                          \
        const cudaError_t error = (call);                                         \
        if (error) printf("%s: %s\n", #call, cudaGetErrorString(error)), exit(1); \
    } while (0)

__global__ void chase(const unsigned *list, unsigned lines, unsigned *at, unsigned *cycles) {
    extern __shared__ unsigned some[];
    unsigned i = 0;
    if (threadIdx.x) return;
    for (unsigned k = 0; k < lines; k++) i = list[i];
    const long long begin = clock64();
    for (unsigned k = 0; k < lines; k++) i = list[i];
    *cycles = (unsigned)((clock64() - begin) / lines);
    if (lines == 0) some[i] = 1;
    *at = i;
}

__device__ static unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

// When the kernel's first block began and its last one ended.
struct span {
    unsigned long long begin, end;
};

__global__ void span(unsigned loops, struct span *s) {
    extern __shared__ unsigned some[];
    const unsigned long long begin = now();
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < loops; i++) x = x * 3 + clock();
    if (x == 0x12345678) some[0] = 1;
    atomicMin(&s->begin, begin);
    atomicMax(&s->end, now());
}

static unsigned *list, *at, *cycles, *host_list; // `cycles` in host memory

// The largest list, in KiB, that L1 keeps.
static unsigned knee(unsigned shared) {
    unsigned best = 0;
    for (unsigned kib = STEP_KIB; kib <= MOST_KIB; kib += STEP_KIB) {
        const unsigned lines = kib * KIB_LINES;
        for (unsigned i = 0; i < lines; i++)
            host_list[i * LINE_WORDS] = (i + 1) % lines * LINE_WORDS;
        DO(cudaMemcpy(list, host_list, lines * LINE_WORDS * 4, cudaMemcpyHostToDevice));
        chase<<<1, 32, shared>>>(list, lines, at, cycles);
        DO(cudaDeviceSynchronize());
        if (*cycles > HIT_CYCLES) break;
        best = kib;
    }
    return best;
}

static void prefer(int percent) {
    DO(cudaFuncSetAttribute(chase, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

// Runs a long kernel without shared memory of `blocks` CTAs, and beside it one of `shared` bytes a
// CTA. @return what the second one did
static const char *beside(unsigned blocks, unsigned shared, enum cudaFuncCache cache) {
    static cudaStream_t stream[2];
    static struct span *device;
    struct span s[2] = {{~0ull, 0}, {~0ull, 0}};
    if (!device) {
        for (auto &each : stream) DO(cudaStreamCreate(&each));
        DO(cudaMalloc(&device, sizeof s));
    }
    DO(cudaMemcpy(device, s, sizeof s, cudaMemcpyHostToDevice));
    DO(cudaFuncSetCacheConfig(span, cudaFuncCachePreferNone));
    span<<<blocks, 32, 0, stream[0]>>>(3000, device);
    DO(cudaFuncSetCacheConfig(span, cache));
    span<<<1, 32, shared, stream[1]>>>(10, device + 1);
    DO(cudaMemcpy(s, device, sizeof s, cudaMemcpyDeviceToHost));
    return s[1].begin < s[0].end ? "beside" : "behind";
}

int main() {
    DO(cudaMalloc(&list, MOST_KIB * 1024));
    DO(cudaMalloc(&at, sizeof *at));
    DO(cudaMallocHost(&host_list, MOST_KIB * 1024));
    DO(cudaMallocHost(&cycles, sizeof *cycles));
    static const unsigned sizes[] = {0, 256, 512, 1024, 2048, 4096, 49152};
    for (unsigned shared : sizes) printf("shared %u: %u\n", shared, knee(shared));
    static const int percents[] = {0, 8, 50, 67, 100, -1};
    for (int percent : percents) {
        prefer(percent);
        printf("percent %d: %u\n", percent, knee(0));
    }
    prefer(50);
    printf("percent 50, shared 4096: %u\n", knee(4096));
    prefer(-1);
    static const enum cudaFuncCache caches[] = {cudaFuncCachePreferShared, cudaFuncCachePreferL1,
                                                cudaFuncCachePreferEqual};
    for (auto cache : caches) {
        DO(cudaFuncSetCacheConfig(chase, cache));
        printf("preference %d, shared 4096: %u\n", cache, knee(4096));
    }
    DO(cudaFuncSetCacheConfig(chase, cudaFuncCachePreferNone));
    DO(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    printf("of the device: %u\n", knee(0));
    DO(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
    printf("the same: %s\n", beside(SMS, 0, cudaFuncCachePreferNone));
    printf("more on all SMs: %s\n", beside(SMS, 1024, cudaFuncCachePreferNone));
    printf("more on some SMs: %s\n", beside(SMS - 1, 1024, cudaFuncCachePreferNone));
    printf("exact on all SMs: %s\n", beside(SMS, 0, cudaFuncCachePreferShared));
    printf("exact, the same: %s\n", beside(SMS, 0, cudaFuncCachePreferL1));
    return 0;
}
