/* kernels.cu - kernels and hosts that wait for what never comes, by SHMEM; or that only take long.
 *
 * kernels WHAT: signal (each waits for a signal that nobody sends), slow (the signal comes, when a
 * PE's kernel has counted to LONG), barrier (half of the PEs skip a barrier in a kernel),
 * host_barrier (in the host), any (a CTA for each of several words, waits for any of two), clock (a
 * kernel waits with a time limit). */
#include <heddle_shmem.h>
#include <stdio.h>
#include <string.h>

enum { LONG = 3000, CTAS = 2 };

__global__ void wait_signal(uint64_t *signal) {
    if (threadIdx.x == 0)
        heddle_shmem_signal_wait_until(signal + blockIdx.x, HEDDLE_SHMEM_CMP_EQ, 7);
    __syncthreads();
}
__global__ void send_late(uint64_t *signal, unsigned *count, int pe) {
    for (int i = 0; i < LONG; i++) *(volatile unsigned *)count = i;
    for (int i = 0; i < CTAS; i++) heddle_shmem_uint64_p(signal + i, 7, pe);
    heddle_shmem_quiet();
}
__global__ void barrier() {
    heddle_shmem_barrier_all();
}
__global__ void wait_any(uint64_t *word) {
    heddle_shmem_uint64_wait_until_any(word + 2 * blockIdx.x, 2, NULL, HEDDLE_SHMEM_CMP_GT, 3);
}
__global__ void wait_limited(const volatile uint64_t *word) {
    const long long begin = clock64();
    while (*word == 0 && clock64() - begin < 200000) {
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    heddle_shmem_init();
    const int me = heddle_shmem_my_pe(), n = heddle_shmem_n_pes();
    uint64_t *word = (uint64_t *)heddle_shmem_calloc(16, sizeof *word);
    unsigned *count;
    if (cudaMalloc((void **)&count, sizeof *count)) return 9;
    if (!strcmp(what, "signal")) wait_signal<<<CTAS, 64>>>(word);
    if (!strcmp(what, "slow") && me) wait_signal<<<CTAS, 64>>>(word);
    if (!strcmp(what, "slow") && !me)
        for (int pe = 1; pe < n; pe++) send_late<<<1, 1>>>(word, count, pe);
    if (!strcmp(what, "barrier") && me < n / 2) barrier<<<1, 1>>>(); /* the others finalize */
    if (!strcmp(what, "host_barrier") && me >= n / 2) heddle_shmem_barrier_all();
    if (!strcmp(what, "any")) wait_any<<<CTAS, 32>>>(word);
    if (!strcmp(what, "clock")) wait_limited<<<1, 1>>>(word);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("PE %d: %s\n", me, cudaGetErrorString(error));
    if (!strcmp(what, "host_barrier") && me < n / 2) return 0; /* it ends, and does not come */
    heddle_shmem_finalize();
    return error != cudaSuccess;
}
