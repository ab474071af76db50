// overlap.cu - kernels of several streams that overlap in ever other ways, with copies and fills
// between them: stores that miss, loads of other lines, atomics; with SMs that divide their memory
// in different ways. Checks the counts that the atomics leave.
#include <cstdio>
#include <cuda_runtime.h>

enum { STREAMS = 5, ROUNDS = 24, WORDS = 1 << 19 };

__global__ void scatter(unsigned *to, unsigned seed, unsigned each) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < each; k++) to[((i * each + k) * 2654435761u + seed) % WORDS] = i;
}

__global__ void gather(const unsigned *from, unsigned seed, unsigned each, unsigned *to) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 0; k < each; k++) sum += from[((i * each + k) * 2654435761u + seed) % WORDS];
    to[i] = sum;
}

__global__ void count(unsigned *to, unsigned seed, unsigned each) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < each; k++)
        atomicAdd(to + ((i * each + k) * 2246822519u + seed) % WORDS, 1u);
}

// A Lehmer generator: the same choices everywhere.
static unsigned choose(unsigned below) {
    static unsigned long long state = 1;
    state = state * 48271 % 2147483647;
    return (unsigned)(state % below);
}

static bool good(cudaError_t e) {
    if (e) printf("overlap: %s\n", cudaGetErrorName(e));
    return !e;
}

int main() {
    static unsigned host[WORDS];
    unsigned *data[STREAMS], *counts[STREAMS], *sums[STREAMS];
    unsigned long long want = 0, have = 0;
    cudaStream_t stream[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        if (!good(cudaMalloc(&data[s], sizeof host)) ||
            !good(cudaMalloc(&counts[s], sizeof host)) ||
            !good(cudaMalloc(&sums[s], sizeof host)) || !good(cudaStreamCreate(&stream[s])) ||
            !good(cudaMemset(data[s], 0, sizeof host)) ||
            !good(cudaMemset(counts[s], 0, sizeof host)))
            return 1;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned s = choose(STREAMS), ctas = 1 + choose(40), threads = 32 * (1 + choose(8)),
                       each = 1 + choose(6), shared = choose(3) ? 0 : 256u << choose(8);
        if (!choose(6)) cudaFuncSetCacheConfig(gather, (enum cudaFuncCache)choose(4));
        switch (choose(5)) {
        case 0: scatter<<<ctas, threads, shared, stream[s]>>>(data[s], round, each); break;
        case 1: gather<<<ctas, threads, shared, stream[s]>>>(data[s], round, each, sums[s]); break;
        case 2: cudaMemsetAsync(data[s], (int)round, sizeof host / 4, stream[s]); break;
        default:
            count<<<ctas, threads, shared, stream[s]>>>(counts[s], round, each);
            want += 1ull * ctas * threads * each;
        }
        if (!choose(9)) cudaStreamSynchronize(stream[s]);
        if (!choose(15)) cudaDeviceSynchronize();
    }
    for (int s = 0; s < STREAMS; s++) {
        if (!good(cudaMemcpy(host, counts[s], sizeof host, cudaMemcpyDeviceToHost))) return 1;
        for (unsigned i = 0; i < WORDS; i++) have += host[i];
    }
    printf("overlap: %llu of %llu additions counted\n", have, want);
    return have != want;
}
