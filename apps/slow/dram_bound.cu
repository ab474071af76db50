// slow_dram_bound: scales an array that no cache holds.
#include <cuda_runtime.h>

#define APP_NAME "slow_dram_bound"
#include "../common/app.h"

#include <vector>

__global__ void dram_bound(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i]; // the culprit, or the store, which moves as many bytes
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w); // the culprit
}

int main(int argc, char **argv) {
    long n = 1L << 20;
    const app_option options[] = {{"-n", "elements of 16 bytes", &n, 1, 1L << 26}};
    app_start(argc, argv, "Scales a large array.", options, 1);
    std::vector<float4> in(n), out(n);
    for (long i = 0; i < n; i++) in[i] = make_float4(i, i + 1, i + 2, i + 3);
    float4 *device_in = app_to_device(in.data(), n), *device_out;
    CHECK(cudaMalloc(&device_out, n * sizeof(float4)));
    dram_bound<<<(n + 255) / 256, 256>>>(device_in, device_out, (int)n);
    WAIT(APP_NAME);
    app_to_host(out.data(), device_out, n);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    for (long i = 0; i < n; i++)
        if (out[i].x != 2 * in[i].x || out[i].y != 2 * in[i].y || out[i].z != 2 * in[i].z ||
            out[i].w != 2 * in[i].w)
            return app_fail("element %ld is wrong", i);
    return app_pass("%ld elements", n);
}
