// slow_latency_bound: each warp follows a list through memory, a load at a time.
#include <cuda_runtime.h>

#define APP_NAME "slow_latency_bound"
#include "../common/app.h"

#include <vector>

#define THREADS 128

__global__ void latency_bound(const unsigned *next, unsigned *out, int steps) {
    unsigned warp = (blockIdx.x * THREADS + threadIdx.x) / 32, at = warp * 64;
    for (int s = 0; s < steps; s++) at = next[at]; // the culprit
    if (threadIdx.x % 32 == 0) out[warp] = at;
}

int main(int argc, char **argv) {
    long ctas = 80, steps = 100, words = 1L << 20;
    const app_option options[] = {{"-c", "CTAs", &ctas, 1, 1000},
                                  {"-s", "steps of each warp", &steps, 1, 100000}};
    app_start(argc, argv, "Follows lists through memory.", options, 2);
    std::vector<unsigned> next(words), out(ctas * THREADS / 32);
    for (long i = 0; i < words; i++) next[i] = (unsigned)((i * 5 + 12345) % words);
    unsigned *device_next = app_to_device(next.data(), next.size()), *device_out;
    CHECK(cudaMalloc(&device_out, out.size() * sizeof(unsigned)));
    latency_bound<<<ctas, THREADS>>>(device_next, device_out, (int)steps);
    WAIT(APP_NAME);
    app_to_host(out.data(), device_out, out.size());
    CHECK(cudaFree(device_next));
    CHECK(cudaFree(device_out));
    for (size_t warp = 0; warp < out.size(); warp++) {
        unsigned at = (unsigned)(warp * 64);
        for (long s = 0; s < steps; s++) at = next[at];
        if (out[warp] != at) return app_fail("warp %zu ends at %u, not %u", warp, out[warp], at);
    }
    return app_pass("%zu warps, %ld steps", out.size(), steps);
}
