// vector_accumulate: a long chain of dependent additions per thread, with almost no memory traffic.
//
// It shows the issue rate of an SM: 84 CTAs of 256 threads, which each add their input 2,000 times.
#include <cuda_runtime.h>

#define APP_NAME "vector_accumulate"
#include "../common/app.h"

#include <vector>

__global__ void vector_accumulate(const float *a, const float *b, float *c, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i] + b[i];
    float sum = 0.0f;
// One addition per iteration: loop control is part of the workload.
#pragma unroll 1
    for (int r = 0; r < rounds; r++) sum += x;
    c[i] = sum;
}

int main(int argc, char **argv) {
    long ctas = 84, threads = 256, rounds = 2000;
    const app_option options[] = {
        {"-c", "CTAs", &ctas, 1, 1L << 20},
        {"-t", "threads per CTA", &threads, 1, 1024},
        {"-r", "additions per thread", &rounds, 1, 1L << 24},
    };
    app_start(argc, argv, "Adds the sum of two inputs many times in a register.", options, 3);

    long n = ctas * threads;
    std::vector<float> a(n), b(n), c(n), expected(n, 0.0f);
    for (long i = 0; i < n; i++) {
        a[i] = 0.5f * (float)(i % 61);
        b[i] = 0.01f * (float)(i % 37);
    }
    float *device_a = app_to_device(a.data(), n);
    float *device_b = app_to_device(b.data(), n);
    float *device_c;
    CHECK(cudaMalloc(&device_c, n * sizeof(float)));

    vector_accumulate<<<ctas, threads>>>(device_a, device_b, device_c, (int)rounds);
    WAIT("vector_accumulate");
    app_to_host(c.data(), device_c, n);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));

    // The same order of additions in each thread, hence the same bits.
    for (long r = 0; r < rounds; r++) {
        for (long i = 0; i < n; i++) expected[i] += a[i] + b[i];
    }
    for (long i = 0; i < n; i++) {
        if (c[i] != expected[i]) return app_fail("c[%ld] is %g, not %g", i, c[i], expected[i]);
    }
    return app_pass("%ld threads x %ld additions", n, rounds);
}
