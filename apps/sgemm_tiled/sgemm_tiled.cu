// sgemm_tiled: C = A x B for square float matrices, with 16 x 16 tiles in shared memory.
//
// One thread per element of C; each tile of A and B is loaded once per CTA.
#include <cuda_runtime.h>

#define APP_NAME "sgemm_tiled"
#include "../common/app.h"

#include <vector>

#define TILE 16

__global__ void sgemm_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;

    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        tile_a[ty][tx] = a[row * n + t + tx];
        tile_b[ty][tx] = b[(t + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main(int argc, char **argv) {
    long n = 256;
    const app_option options[] = {{"-n", "rows and columns, a multiple of 16", &n, 16, 8192}};
    app_start(argc, argv, "Multiplies two square matrices.", options, 1);
    if (n % TILE != 0) {
        fprintf(stderr, APP_NAME ": -n must be a multiple of %d, not %ld\n", TILE, n);
        return 2;
    }

    // Multiples of a quarter: every product and sum is exact in any order.
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (long i = 0; i < n * n; i++) {
        a[i] = 0.25f * (float)(i * 7 % 13 - 6);
        b[i] = 0.25f * (float)(i * 5 % 11 - 5);
    }
    float *device_a = app_to_device(a.data(), n * n);
    float *device_b = app_to_device(b.data(), n * n);
    float *device_c;
    CHECK(cudaMalloc(&device_c, n * n * sizeof(float)));

    sgemm_tiled<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(device_a, device_b, device_c,
                                                                (int)n);
    WAIT("sgemm_tiled");
    app_to_host(c.data(), device_c, n * n);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));

    std::vector<float> expected(n);
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) expected[j] = 0.0f;
        for (long k = 0; k < n; k++) {
            for (long j = 0; j < n; j++) expected[j] += a[i * n + k] * b[k * n + j];
        }
        for (long j = 0; j < n; j++) {
            float got = c[i * n + j];
            if (got != expected[j]) {
                return app_fail("c[%ld][%ld] is %g, not %g", i, j, got, expected[j]);
            }
        }
    }
    return app_pass("%ld x %ld", n, n);
}
