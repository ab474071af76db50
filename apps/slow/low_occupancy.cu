// slow_low_occupancy: CTAs of two warps that take so much shared memory that an SM holds two of
// them. Each thread follows a chain through it, whose latency no other warp hides.
#include <cuda_runtime.h>

#define APP_NAME "slow_low_occupancy"
#include "../common/app.h"

#include <vector>

#define THREADS 64
#define WORDS 12288 // 48 KiB: two CTAs fit the 96 KiB of a V100's SM

__global__ void low_occupancy(const unsigned *in, unsigned *out, int steps) {
    __shared__ unsigned next[WORDS];
    unsigned at = threadIdx.x; // the culprit: the kernel's first line with an instruction
    for (unsigned w = at; w < WORDS; w += THREADS) next[w] = in[w];
    __syncthreads();
    for (int s = 0; s < steps; s++) at = next[at];
    out[blockIdx.x * THREADS + threadIdx.x] = at;
}

int main(int argc, char **argv) {
    long ctas = 320, steps = 1000;
    const app_option options[] = {{"-c", "CTAs", &ctas, 1, 65535},
                                  {"-s", "steps of each thread", &steps, 1, 100000}};
    app_start(argc, argv, "Runs few warps per SM, which wait for results.", options, 2);
    std::vector<unsigned> in(WORDS), out(ctas * THREADS);
    for (unsigned w = 0; w < WORDS; w++) in[w] = (w * 5 + 33) % WORDS;
    unsigned *device_in = app_to_device(in.data(), in.size()), *device_out;
    CHECK(cudaMalloc(&device_out, out.size() * sizeof(unsigned)));
    low_occupancy<<<ctas, THREADS>>>(device_in, device_out, (int)steps);
    WAIT(APP_NAME);
    app_to_host(out.data(), device_out, out.size());
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    for (long i = 0; i < ctas * THREADS; i++) {
        unsigned at = (unsigned)(i % THREADS);
        for (long s = 0; s < steps; s++) at = in[at];
        if (out[i] != at) return app_fail("out[%ld] is %u, not %u", i, out[i], at);
    }
    return app_pass("%ld CTAs of %d threads", ctas, THREADS);
}
