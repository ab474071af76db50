// slow_same_address: every thread adds its value to one sum in memory.
#include <cuda_runtime.h>

#define APP_NAME "slow_same_address"
#include "../common/app.h"

#include <vector>

__global__ void same_address(const unsigned *in, unsigned *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = in[i];
    atomicAdd(sum, value); // the culprit
}

int main(int argc, char **argv) {
    long n = 1L << 18;
    const app_option options[] = {{"-n", "elements", &n, 1, 1L << 26}};
    app_start(argc, argv, "Adds an array up with an atomic for each element.", options, 1);
    std::vector<unsigned> in(n);
    unsigned expected = 0, sum = 0;
    for (long i = 0; i < n; i++) expected += in[i] = (unsigned)(i % 1009);
    unsigned *device_in = app_to_device(in.data(), n), *device_sum = app_to_device(&sum, 1);
    same_address<<<(n + 255) / 256, 256>>>(device_in, device_sum, (int)n);
    WAIT(APP_NAME);
    app_to_host(&sum, device_sum, 1);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_sum));
    if (sum != expected) return app_fail("the sum is %u, not %u", sum, expected);
    return app_pass("%ld elements", n);
}
