// Shared by the transposes: fills a matrix, launches the kernel that APP_NAME's program defines,
// and checks the result.
#ifndef HEDDLE_APPS_SLOW_TRANSPOSE_H
#define HEDDLE_APPS_SLOW_TRANSPOSE_H

#include "../common/app.h"

#include <vector>

#define TILE 32 // a CTA transposes TILE x TILE elements, ROWS rows at a time
#define ROWS 8

typedef void (*transpose_kernel)(const float *in, float *out, int n);

static inline int transpose_run(int argc, char **argv, const char *purpose,
                                transpose_kernel kernel) {
    long n = 1024;
    const app_option options[] = {{"-n", "rows and columns, a multiple of 32", &n, TILE, 8192}};
    app_start(argc, argv, purpose, options, 1);
    if (n % TILE) return app_fail("-n must be a multiple of %d", TILE);
    std::vector<float> in(n * n), out(n * n);
    for (long i = 0; i < n * n; i++) in[i] = (float)i;
    float *device_in = app_to_device(in.data(), in.size()), *device_out;
    CHECK(cudaMalloc(&device_out, out.size() * sizeof(float)));
    kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(device_in, device_out, (int)n);
    WAIT(APP_NAME);
    app_to_host(out.data(), device_out, out.size());
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    for (long i = 0; i < n * n; i++)
        if (out[i] != in[i % n * n + i / n])
            return app_fail("element %ld is %g, not %g", i, out[i], in[i % n * n + i / n]);
    return app_pass("%ld x %ld", n, n);
}

#endif
