// quiet: it waits for what the whole PE has sent, whoever calls it; what has been waited for costs
// no second command.
#include "shmem_test.h"

enum { WORDS = 1 << 16, THREADS = 64 };
enum how { ONE_THREAD, MANY_THREADS, A_WARP, A_CTA, BARRIER, HOWS };

__device__ static void wait_for_all(int how) {
    if (how == ONE_THREAD && is_thread_0()) S(quiet)();
    if (how == MANY_THREADS && threadIdx.x % 3) S(quiet)();
    if (how == A_WARP && is_warp_0()) SW(quiet)();
    if (how == A_CTA) SB(quiet)();
    if (how == BARRIER) SB(barrier_all)();
}
__device__ static void see_all(const int *to, int pe, const char *what) {
    __syncthreads();
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) EXPECT(to[i] == pe * WORDS + i, what);
    __syncthreads();
}

// The last CTA gets from the right neighbour and waits for nothing; the first one waits for it.
__global__ void by_other_cta(int how, int *to, const int *from, int *begun) {
    const int right = (S(my_pe)() + 1) % S(n_pes)();
    if (blockIdx.x == gridDim.x - 1) {
        SB(int_get_nbi)(to, from, WORDS, right);
        __threadfence();
        if (is_thread_0()) atomicExch(begun, 1);
    }
    if (blockIdx.x) return;
    if (is_thread_0()) {
        while (!*(volatile int *)begun) {
        }
        __threadfence();
    }
    __syncthreads();
    wait_for_all(how);
    see_all(to, right, "another CTA's get");
    if (how == BARRIER) return;
    __shared__ unsigned before;
    if (is_thread_0()) before = commands();
    __syncthreads();
    wait_for_all(how);
    __syncthreads();
    if (is_thread_0()) EXPECT(commands() == before, "a quiet with nothing to wait for");
}

// Another kernel's get, which ended before.
__global__ void get(int *to, const int *from) {
    SB(int_get_nbi)(to, from, WORDS, (S(my_pe)() + 1) % S(n_pes)());
}
__global__ void by_other_kernel(const int *to) {
    if (is_thread_0()) S(quiet)();
    see_all(to, (S(my_pe)() + 1) % S(n_pes)(), "another kernel's get");
}

// All threads send and wait, each for itself.
__global__ void all_threads(int *to, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 1; r <= rounds; r++) {
        S(int_p)(to + i, r * 1000 + i, (S(my_pe)() + 1) % S(n_pes)());
        S(quiet)();
        if (S(n_pes)() > 1 && r == rounds)
            EXPECT(S(int_g)(to + i, (S(my_pe)() + 1) % S(n_pes)()) == r * 1000 + i, "a value");
    }
}

#ifndef NVSHMEM_NAMES
// What this CTA itself has sent: one command, in its queue, and none for what others have sent.
__global__ void of_context(int *to, const int *from) {
    const int right = (S(my_pe)() + 1) % S(n_pes)();
    SB(int_get_nbi)(to, from, WORDS, right);
    __shared__ unsigned before;
    if (is_thread_0()) before = commands();
    if (is_thread_0()) S(ctx_quiet)();
    if (is_thread_0()) EXPECT(commands() == before + 1, "ctx_quiet asks one queue");
    see_all(to, right, "this CTA's get");
    if (is_warp_0()) SW(ctx_quiet)();
    __syncthreads();
    if (is_thread_0()) EXPECT(commands() == before + 2, "ctx_quiet by a warp");
    SB(ctx_quiet)();
    if (is_thread_0()) EXPECT(commands() == before + 3, "ctx_quiet by a CTA");
}
#endif

int main() {
    S(init)();
    const int me = S(my_pe)(), n = S(n_pes)();
    int *from = (int *)S(malloc)(WORDS * sizeof(int)), *to = (int *)S(malloc)(WORDS * sizeof(int));
    int *values = new int[WORDS], *begun;
    for (int i = 0; i < WORDS; i++) values[i] = me * WORDS + i;
    CHECK(cudaMemcpy(from, values, WORDS * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&begun, sizeof *begun));
    S(barrier_all)();
    for (int how = 0; how < HOWS; how++) {
        CHECK(cudaMemset(to, 0, WORDS * sizeof(int)));
        CHECK(cudaMemset(begun, 0, sizeof *begun));
        by_other_cta<<<5, THREADS>>>(how, to, from, begun);
        FINISH();
    }
    CHECK(cudaMemset(to, 0, WORDS * sizeof(int)));
    get<<<3, THREADS>>>(to, from);
    by_other_kernel<<<1, THREADS>>>(to);
    FINISH();
#ifndef NVSHMEM_NAMES
    CHECK(cudaMemset(to, 0, WORDS * sizeof(int)));
    of_context<<<1, THREADS>>>(to, from);
    FINISH();
#endif
    S(barrier_all)();
    enum { CTAS = 3 };
    const int rounds = getenv("TEST_IS_TIMED") ? 1 : 4;
    all_threads<<<CTAS, THREADS>>>(to, rounds);
    S(barrier_all)();
    CHECK(cudaMemcpy(values, to, CTAS * THREADS * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < CTAS * THREADS && n > 1; i++) HOST_EXPECT(values[i] == rounds * 1000 + i);
    delete[] values;
    CHECK(cudaFree(begun));
    S(free)(to);
    S(free)(from);
    return test_end("quiet");
}
