// slow_divergent: neighbouring threads take different branches, which the warp executes one after
// the other.
#include <cuda_runtime.h>

#define APP_NAME "slow_divergent"
#include "../common/app.h"

#include <vector>

static __host__ __device__ unsigned value_of(unsigned i, int rounds) {
    unsigned v = i;
    for (int r = 0; r < rounds; r++) {
        if ((v ^ i) & 1) { // the culprit
            for (unsigned s = 0; s < 6; s++) v = v * 1664525u + (v >> 16) + s;
        } else {
            for (unsigned s = 0; s < 6; s++) v = (v ^ (v << 7)) * 22695477u + s;
        }
        v = v * 2 + (i + r) % 2 + (v >> 31); // the next branch depends on the thread
    }
    return v;
}

__global__ void divergent(unsigned *out, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = value_of(i, rounds);
}

int main(int argc, char **argv) {
    long n = 80 * 1024, rounds = 20;
    const app_option options[] = {{"-r", "rounds of each thread", &rounds, 1, 10000}};
    app_start(argc, argv, "Divides its warps in every round.", options, 1);
    std::vector<unsigned> out(n);
    unsigned *device_out;
    CHECK(cudaMalloc(&device_out, n * sizeof(unsigned)));
    divergent<<<n / 256, 256>>>(device_out, (int)rounds);
    WAIT(APP_NAME);
    app_to_host(out.data(), device_out, n);
    CHECK(cudaFree(device_out));
    for (long i = 0; i < n; i++)
        if (out[i] != value_of((unsigned)i, (int)rounds))
            return app_fail("out[%ld] is %u, not %u", i, out[i],
                            value_of((unsigned)i, (int)rounds));
    return app_pass("%ld threads", n);
}
