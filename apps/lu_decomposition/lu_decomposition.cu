// lu_decomposition: A = L x U in place, without pivoting, in blocks of 16 x 16.
//
// Each of n / 16 steps launches three kernels: one small CTA factors the diagonal block, the blocks
// right of it and below it (the perimeter) are solved against it, and the rest (the internal
// blocks) is updated. The last step has only the diagonal block: 46 launches for 256 x 256.
#include <cuda_runtime.h>

#define APP_NAME "lu_decomposition"
#include "../common/app.h"

#include <math.h>
#include <vector>

#define BLOCK 16

// Factors block (k, k) with 16 threads, one per row.
__global__ void lu_diagonal(float *a, int n, int k) {
    __shared__ float tile[BLOCK][BLOCK + 1];
    int t = threadIdx.x;
    float *corner = a + (size_t)k * BLOCK * n + k * BLOCK;
    for (int row = 0; row < BLOCK; row++) tile[row][t] = corner[row * n + t];
    __syncthreads();
    for (int step = 0; step < BLOCK - 1; step++) {
        if (t > step) {
            float factor = tile[t][step] / tile[step][step];
            tile[t][step] = factor;
            for (int column = step + 1; column < BLOCK; column++) {
                tile[t][column] -= factor * tile[step][column];
            }
        }
        __syncthreads();
    }
    for (int row = 0; row < BLOCK; row++) corner[row * n + t] = tile[row][t];
}

// Threads 0 to 15 of CTA b solve the block in row k, column k + 1 + b, one column each; threads 16
// to 31 solve the block in row k + 1 + b, column k, one row each.
__global__ void lu_perimeter(float *a, int n, int k) {
    __shared__ float diagonal[BLOCK][BLOCK + 1];
    __shared__ float right[BLOCK][BLOCK + 1];
    __shared__ float below[BLOCK][BLOCK + 1];
    int t = threadIdx.x % BLOCK;
    bool is_right = threadIdx.x < BLOCK;
    int other = (k + 1 + blockIdx.x) * BLOCK;
    const float *corner = a + (size_t)k * BLOCK * n + k * BLOCK;
    float *right_corner = a + (size_t)k * BLOCK * n + other;
    float *below_corner = a + (size_t)other * n + k * BLOCK;

    for (int row = 0; row < BLOCK; row++) {
        if (is_right) {
            right[row][t] = right_corner[row * n + t];
        } else {
            below[row][t] = below_corner[row * n + t];
        }
    }
    for (int row = is_right ? 0 : 1; row < BLOCK; row += 2) {
        diagonal[row][t] = corner[row * n + t];
    }
    __syncthreads();

    if (is_right) { // L x = right
        for (int row = 1; row < BLOCK; row++) {
            float value = right[row][t];
            for (int i = 0; i < row; i++) value -= diagonal[row][i] * right[i][t];
            right[row][t] = value;
        }
    } else { // x U = below
        for (int column = 0; column < BLOCK; column++) {
            float value = below[t][column];
            for (int i = 0; i < column; i++) value -= below[t][i] * diagonal[i][column];
            below[t][column] = value / diagonal[column][column];
        }
    }
    __syncthreads();

    for (int row = 0; row < BLOCK; row++) {
        if (is_right) {
            right_corner[row * n + t] = right[row][t];
        } else {
            below_corner[row * n + t] = below[row][t];
        }
    }
}

// Subtracts the product of two perimeter blocks from an internal block, one element per thread.
__global__ void lu_internal(float *a, int n, int k) {
    __shared__ float right[BLOCK][BLOCK];
    __shared__ float below[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = (k + 1 + blockIdx.x) * BLOCK + tx;
    int row = (k + 1 + blockIdx.y) * BLOCK + ty;
    right[ty][tx] = a[(size_t)(k * BLOCK + ty) * n + column];
    below[ty][tx] = a[(size_t)row * n + k * BLOCK + tx];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < BLOCK; i++) sum += below[ty][i] * right[i][tx];
    a[(size_t)row * n + column] -= sum;
}

// Launches all steps and waits. @return the number of launches
static int factor_on_device(float *a, int n) {
    int launches = 0, blocks = n / BLOCK;
    for (int k = 0; k < blocks; k++) {
        lu_diagonal<<<1, BLOCK>>>(a, n, k);
        launches++;
        int rest = blocks - 1 - k;
        if (rest == 0) break;
        lu_perimeter<<<rest, 2 * BLOCK>>>(a, n, k);
        lu_internal<<<dim3(rest, rest), dim3(BLOCK, BLOCK)>>>(a, n, k);
        launches += 2;
    }
    WAIT("lu_internal");
    return launches;
}

// Largest |L x U - A| over all elements; *where is its index.
static double residual(const std::vector<float> &a, const std::vector<float> &lu, long n,
                       long *where) {
    double worst = 0.0;
    std::vector<double> row(n);
    *where = 0;
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) row[j] = 0.0;
        for (long k = 0; k <= i; k++) {
            double l = k == i ? 1.0 : lu[i * n + k];
            for (long j = k; j < n; j++) row[j] += l * lu[k * n + j];
        }
        for (long j = 0; j < n; j++) {
            double off = fabs(row[j] - a[i * n + j]);
            // a NaN counts as an infinite difference
            if (!(off <= worst)) {
                worst = off == off ? off : INFINITY;
                *where = i * n + j;
            }
        }
    }
    return worst;
}

int main(int argc, char **argv) {
    long n = 256;
    const app_option options[] = {{"-n", "rows and columns, a multiple of 16", &n, 16, 8192}};
    app_start(argc, argv, "Factors a matrix into L and U.", options, 1);
    if (n % BLOCK != 0) {
        fprintf(stderr, APP_NAME ": -n must be a multiple of %d, not %ld\n", BLOCK, n);
        return 2;
    }

    // Random in [-1, 1] with a heavy diagonal, so that no pivoting is needed.
    std::vector<float> a(n * n), lu(n * n);
    unsigned state = 1;
    for (long i = 0; i < n * n; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
        if (i / n == i % n) a[i] += (float)n;
    }
    float *device = app_to_device(a.data(), n * n);
    int launches = factor_on_device(device, (int)n);
    app_to_host(lu.data(), device, n * n);
    CHECK(cudaFree(device));

    long where;
    double worst = residual(a, lu, n, &where);
    double allowed = 1e-6 * (double)n;
    if (!(worst <= allowed)) {
        return app_fail("L x U differs from A by %g (allowed %g) at [%ld][%ld]", worst, allowed,
                        where / n, where % n);
    }
    return app_pass("%ld x %ld, %d launches, largest difference %.2g", n, n, launches, worst);
}
