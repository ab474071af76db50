// slow_instruction_cache: a loop whose unrolled body is larger than the instruction caches.
#include <cuda_runtime.h>

#define APP_NAME "slow_instruction_cache"
#include "../common/app.h"

#include <vector>

#define THREADS 128
#define UNROLLED 1600 // 9,600 instructions of 16 bytes: more than the 128 KiB of an SM

// Four values, so that a warp can issue an instruction in nearly every cycle.
struct values {
    unsigned v[4];
};

static __host__ __device__ void step(values &x, unsigned s) {
    for (unsigned k = 0; k < 4; k++)
        x.v[k] = (x.v[k] ^ (4 * s + k) * 2654435761u) * 3u; // the culprit
}

static __host__ __device__ values first(unsigned i) {
    return values{{i, i + 1, i + 2, i + 3}};
}

__global__ void instruction_cache(values *out, int rounds) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    values x = first(i);
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (unsigned s = 0; s < UNROLLED; s++) step(x, s);
    }
    out[i] = x;
}

int main(int argc, char **argv) {
    long ctas = 80, rounds = 2;
    const app_option options[] = {{"-c", "CTAs", &ctas, 1, 1000},
                                  {"-r", "rounds of the loop", &rounds, 1, 1000}};
    app_start(argc, argv, "Executes a loop that is too large for the caches.", options, 2);
    std::vector<values> out(ctas * THREADS);
    values *device_out;
    CHECK(cudaMalloc(&device_out, out.size() * sizeof(values)));
    instruction_cache<<<ctas, THREADS>>>(device_out, (int)rounds);
    WAIT(APP_NAME);
    app_to_host(out.data(), device_out, out.size());
    CHECK(cudaFree(device_out));
    for (long i = 0; i < (long)out.size(); i++) {
        values x = first((unsigned)i);
        for (long r = 0; r < rounds; r++)
            for (unsigned s = 0; s < UNROLLED; s++) step(x, s);
        if (memcmp(&out[i], &x, sizeof x)) return app_fail("thread %ld has other values", i);
    }
    return app_pass("%zu threads", out.size());
}
