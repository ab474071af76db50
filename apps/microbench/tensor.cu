// micro_tensor: matrix products of one SM, by the kernel's own clock: a warp's wmma of 16 x 16 x 16
// halves, whose sums the next one adds to. TYPE: type of the sums, f32 or f16.
//
//   wmma.TYPE.latency      cycles of a wmma in a chain, one warp
//   wmma.TYPE.interval.N   cycles of a sub-core for each wmma, N warps of the SM
#define APP_NAME "micro_tensor"
#include "micro.h"

#include <mma.h>

#define SIZE 16 // rows, columns and depth
#define SUB_CORES 4
#define DEEP 16 // wmma of a round
#define SHORT 1
#define LONG 4 // rounds

using namespace nvcuda;

template <class T> __global__ void chain(const half *factors, int rounds, span *spans, T *sums) {
    wmma::fragment<wmma::matrix_a, SIZE, SIZE, SIZE, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, SIZE, SIZE, SIZE, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, SIZE, SIZE, SIZE, T> c;
    wmma::load_matrix_sync(a, factors, SIZE);
    wmma::load_matrix_sync(b, factors + SIZE * SIZE, SIZE);
    wmma::fill_fragment(c, (T)0.0f);
    wmma::mma_sync(c, a, b, c); // the loads have come
    if ((float)c.x[0] != 0) asm volatile("trap;");
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < DEEP; i++) wmma::mma_sync(c, a, b, c);
    float all = 0;
    for (int i = 0; i < c.num_elements; i++) all += (float)c.x[i];
    if (all != 0) asm volatile("trap;"); // waits for them
    note(spans, start, now());
    wmma::store_matrix_sync(sums + threadIdx.x / 32 * SIZE * SIZE, c, SIZE, wmma::mem_row_major);
}

template <class T> static double cycles(int warps, int rounds) {
    half *factors = app_zeros_on_device<half>(2 * SIZE * SIZE);
    T *sums = app_zeros_on_device<T>(32 * SIZE * SIZE);
    span *spans = app_zeros_on_device<span>(warps), host[32];
    chain<T><<<1, 32 * warps>>>(factors, rounds, spans, sums);
    WAIT("chain");
    app_to_host(host, spans, warps);
    CHECK(cudaFree(factors));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(spans));
    return cycles_of(host, warps);
}

template <class T> static void products(const char *type) {
    char key[48];
    snprintf(key, sizeof key, "wmma.%s.latency", type);
    figure(key, (cycles<T>(1, LONG) - cycles<T>(1, SHORT)) / ((LONG - SHORT) * DEEP), "cycles");
    for (int warps = SUB_CORES; warps <= 32; warps *= 2) {
        const double each = (LONG - SHORT) * DEEP * (double)warps / SUB_CORES;
        snprintf(key, sizeof key, "wmma.%s.interval.%d", type, warps);
        figure(key, (cycles<T>(warps, LONG) - cycles<T>(warps, SHORT)) / each, "cycles");
    }
}

int main(int argc, char **argv) {
    app_start(argc, argv, "Measures matrix products of a warp.", NULL, 0);
    products<float>("f32");
    products<half>("f16");
    return measured("wmma of 16 x 16 x 16 halves");
}
