// matrix_products: four products of square matrices as a beginner writes them, with a thread for
// each element of the result and no shared memory: gemm (C += A x B), syrk (C += A x A'), syr2k
// (C += A x B' + B x A'); and gram (C = A' x A) with a thread for each column, which uses only a
// few SMs.
//
// The matrices are read again and again, so that caches serve nearly all accesses. In syrk and
// syr2k the lanes of a warp read different rows, 32 lines with each load.
#include <cuda_runtime.h>

#define APP_NAME "matrix_products"
#include "../common/app.h"

#include <vector>

#define ROW int i = blockIdx.y * blockDim.y + threadIdx.y
#define COLUMN int j = blockIdx.x * blockDim.x + threadIdx.x

__global__ void gemm(const float *a, const float *b, float *c, int n) {
    ROW;
    COLUMN;
    if (i >= n || j >= n) return;
    for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

__global__ void syrk(const float *a, float *c, int n) {
    ROW;
    COLUMN;
    if (i >= n || j >= n) return;
    for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * a[j * n + k];
}

__global__ void syr2k(const float *a, const float *b, float *c, int n) {
    ROW;
    COLUMN;
    if (i >= n || j >= n) return;
    for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[j * n + k] + b[i * n + k] * a[j * n + k];
}

// Products of column i with itself and all later ones.
__global__ void gram(const float *a, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = i; j < n; j++) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += a[k * n + i] * a[k * n + j];
        c[i * n + j] = c[j * n + i] = sum;
    }
}

enum { GEMM, SYRK, SYR2K, GRAM, PRODUCTS };
static const char *const names[PRODUCTS] = {"gemm", "syrk", "syr2k", "gram"};

// The element that the CPU expects. `from`: what C held before.
static float expected(int product, const float *a, const float *b, float from, long i, long j,
                      long n) {
    float sum = product == GRAM ? 0.0f : from;
    for (long k = 0; k < n; k++) {
        switch (product) {
        case GEMM: sum += a[i * n + k] * b[k * n + j]; break;
        case SYRK: sum += a[i * n + k] * a[j * n + k]; break;
        case SYR2K: sum += a[i * n + k] * b[j * n + k] + b[i * n + k] * a[j * n + k]; break;
        default: sum += a[k * n + i] * a[k * n + j]; break;
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    long n = 64;
    const app_option options[] = {{"-n", "rows and columns", &n, 1, 4096}};
    app_start(argc, argv, "Multiplies square matrices without tiles.", options, 1);

    // Small multiples of a quarter: every product and sum is exact in any order.
    std::vector<float> a(n * n), b(n * n), c(n * n), got(n * n);
    for (long i = 0; i < n * n; i++) {
        a[i] = 0.25f * (float)(i * 7 % 13 - 6);
        b[i] = 0.25f * (float)(i * 5 % 11 - 5);
        c[i] = (float)(i % 17);
    }
    float *device_a = app_to_device(a.data(), n * n), *device_b = app_to_device(b.data(), n * n);
    dim3 block(32, 8), grid((unsigned)(n + 31) / 32, (unsigned)(n + 7) / 8);
    for (int product = 0; product < PRODUCTS; product++) {
        float *result = app_to_device(c.data(), n * n);
        switch (product) {
        case GEMM: gemm<<<grid, block>>>(device_a, device_b, result, (int)n); break;
        case SYRK: syrk<<<grid, block>>>(device_a, result, (int)n); break;
        case SYR2K: syr2k<<<grid, block>>>(device_a, device_b, result, (int)n); break;
        default: gram<<<(unsigned)(n + 255) / 256, 256>>>(device_a, result, (int)n); break;
        }
        WAIT(names[product]);
        app_to_host(got.data(), result, n * n);
        CHECK(cudaFree(result));
        for (long i = 0; i < n * n; i++) {
            float want = expected(product, a.data(), b.data(), c[i], i / n, i % n, n);
            if (got[i] != want)
                return app_fail("%s: c[%ld][%ld] is %g, not %g", names[product], i / n, i % n,
                                got[i], want);
        }
    }
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    return app_pass("%ld x %ld", n, n);
}
