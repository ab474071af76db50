// vector_add: c[i] = a[i] + b[i], one thread per element. The first program to try.
#include <cuda_runtime.h>

#define APP_NAME "vector_add"
#include "../common/app.h"

#include <vector>

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    long n = 163840, threads = 256, launches = 1;
    const app_option options[] = {
        {"-n", "elements", &n, 1, 1L << 28},
        {"-t", "threads per CTA", &threads, 1, 1024},
        {"-r", "launches, one after the other", &launches, 1, 1000},
    };
    app_start(argc, argv, "Adds two vectors of floats.", options, 3);

    std::vector<float> a(n), b(n), c(n);
    for (long i = 0; i < n; i++) {
        a[i] = 0.5f * (float)(i % 1013);
        b[i] = 0.1f * (float)(i % 727);
    }
    float *device_a = app_to_device(a.data(), n);
    float *device_b = app_to_device(b.data(), n);
    float *device_c;
    CHECK(cudaMalloc(&device_c, n * sizeof(float)));

    const long ctas = (n + threads - 1) / threads;
    for (long r = 0; r < launches; r++) {
        vector_add<<<ctas, threads>>>(device_a, device_b, device_c, (int)n);
        WAIT("vector_add");
    }
    app_to_host(c.data(), device_c, n);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));

    for (long i = 0; i < n; i++) {
        float expected = a[i] + b[i];
        if (c[i] != expected) return app_fail("c[%ld] is %g, not %g", i, c[i], expected);
    }
    return app_pass("%ld elements", n);
}
