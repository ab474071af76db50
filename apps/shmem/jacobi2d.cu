// jacobi2d: Jacobi's iteration on a grid of which each PE has some rows. One kernel makes all
// iterations: its CTAs exchange the rows at the borders with the neighbours and wait for one
// another.
//
// There are two grids, read and written in turn. A neighbour that is ahead by one iteration writes
// into the border of the other grid; it cannot be ahead by two, since it waits for this PE's rows.
#define APP_NAME "jacobi2d"
#include "shmem_app.h"

// All CTAs wait for one another; *arrived counts.
__device__ static void grid_wait(unsigned *arrived, unsigned times) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < times * gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

// Rows 1 to `rows` are this PE's; rows 0 and rows + 1 are the neighbours', or the edge.
__global__ void jacobi(float *a, float *b, uint64_t *signals, int rows, int columns, int iterations,
                       unsigned *arrived, unsigned long long *ns) {
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    unsigned waits = 0;
    const unsigned long long begin = app_now();
    for (int k = 1; k <= iterations; k++) {
        for (int r = 1 + blockIdx.x; r <= rows; r += gridDim.x) {
            const float *up = a + (size_t)(r - 1) * columns, *row = up + columns,
                        *down = row + columns;
            float *to = b + (size_t)r * columns;
            for (int c = 1 + threadIdx.x; c < columns - 1; c += blockDim.x)
                to[c] = 0.25f * (up[c] + down[c] + row[c - 1] + row[c + 1]);
        }
        grid_wait(arrived, ++waits);
        if (blockIdx.x == 0) {
            // signal 0: my first row's neighbour has sent, signal 1: my last row's
            if (me > 0)
                nvshmemx_float_put_signal_nbi_block(b + (size_t)(rows + 1) * columns, b + columns,
                                                    columns, signals + 1, k, NVSHMEM_SIGNAL_SET,
                                                    me - 1);
            if (me < n - 1)
                nvshmemx_float_put_signal_nbi_block(b, b + (size_t)rows * columns, columns, signals,
                                                    k, NVSHMEM_SIGNAL_SET, me + 1);
            if (threadIdx.x == 0 && me > 0)
                nvshmem_signal_wait_until(signals, NVSHMEM_CMP_GE, k);
            if (threadIdx.x == 0 && me < n - 1)
                nvshmem_signal_wait_until(signals + 1, NVSHMEM_CMP_GE, k);
        }
        grid_wait(arrived, ++waits);
        float *other = a;
        a = b;
        b = other;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        nvshmem_quiet();
        *ns = app_now() - begin;
    }
}

// What the grid begins with, by row of all PEs; its edges stay.
static float start_value(long row, long column) {
    return (float)((row * 13 + column * 7) % 64);
}

int main(int argc, char **argv) {
    long rows = 32, columns = 64, iterations = 4, ctas = 4, threads = 64;
    const app_option options[] = {
        {"-r", "rows of a PE", &rows, 1, 65536},
        {"-c", "columns", &columns, 3, 65536},
        {"-i", "iterations", &iterations, 1, 100000},
        {"-b", "CTAs", &ctas, 1, 1024},
        {"-t", "threads per CTA", &threads, 32, 1024},
    };
    app_start(argc, argv, "Solves Laplace's equation by Jacobi's iteration.", options, 5);
    const int me = app_begin_pe(1), n = nvshmem_n_pes();
    const size_t cells = (size_t)(rows + 2) * columns, all = (size_t)(rows * n + 2) * columns;
    float *a = app_symmetric<float>(cells), *b = app_symmetric<float>(cells);
    uint64_t *signals = app_symmetric<uint64_t>(2);
    unsigned *arrived = app_zeros_on_device<unsigned>(1);
    unsigned long long *ns = app_zeros_on_device<unsigned long long>(1), time;
    std::vector<float> whole(all), next;
    for (size_t i = 0; i < all; i++) whole[i] = start_value(i / columns, i % columns);
    const float *own = whole.data() + (size_t)me * rows * columns;
    CHECK(cudaMemcpy(a, own, cells * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, own, cells * sizeof(float), cudaMemcpyHostToDevice));
    nvshmem_barrier_all();
    int r = (int)rows, c = (int)columns, k = (int)iterations;
    void *arguments[] = {&a, &b, &signals, &r, &c, &k, &arrived, &ns};
    if (nvshmemx_collective_launch((const void *)jacobi, dim3(ctas), dim3(threads),
            arguments, 0, 0))
        return app_fail("the CTAs do not fit on the GPU at once");
    WAIT("jacobi");
    std::vector<float> got(cells);
    app_to_host(got.data(), iterations % 2 ? b : a, cells);
    app_to_host(&time, ns, 1);
    for (long i = 0; i < iterations; i++) { // the same on the host
        next = whole;
        for (long y = 1; y <= rows * n; y++)
            for (long x = 1; x < columns - 1; x++) {
                const float *p = whole.data() + y * columns + x;
                next[y * columns + x] = 0.25f * (p[-columns] + p[columns] + p[-1] + p[1]);
            }
        whole.swap(next);
    }
    const char *error = NULL;
    own = whole.data() + (size_t)me * rows * columns;
    for (size_t i = columns; i < cells - columns; i++)
        if (got[i] != own[i]) error = "the grid is not as expected";
    char result[120];
    snprintf(result, sizeof result, "%d PEs, %ld x %ld each: %.3f us for an iteration", n, rows,
             columns, time / 1e3 / iterations);
    return app_end_pe(error, result);
}
