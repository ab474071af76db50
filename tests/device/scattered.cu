// scattered.cu - a warp loads from 32 lines at a time: the core asks the host for line words again
// and again, and gets packets with them. It asks for packets only in the loop without loads behind
// that, when the host has sent every number of them.
#include "check.h"

const int LOADS = 150, BUFFER = 32 * 32;

// n loads, each followed by EXTRA instructions, then a loop without loads.
template <int EXTRA> __global__ void scatter(const int *in, int *out, int n, int rounds) {
    int sum = 0, at = threadIdx.x * 32;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        sum += in[at + i % 8 * BUFFER];
#pragma unroll
        for (int e = 0; e < EXTRA; e++) asm volatile("add.s32 %0, %0, %1;" : "+r"(sum) : "r"(i));
    }
#pragma unroll 1
    for (int i = 0; i < rounds; i++) asm volatile("add.s32 %0, %0, 1;" : "+r"(sum));
    out[threadIdx.x] = sum;
}

template <int EXTRA> static void sweep(const int *in, int *out) {
    for (int n = 1; n <= LOADS && !wrong; n++) {
        int sum = -1;
        scatter<EXTRA><<<1, 32>>>(in, out, n, 64);
        CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost) == cudaSuccess);
        CHECK(sum == EXTRA * n * (n - 1) / 2 + 64);
    }
}

int main() {
    int *in, *out;
    CHECK(cudaMalloc(&in, 8 * BUFFER * sizeof *in) == cudaSuccess);
    CHECK(cudaMalloc(&out, 32 * sizeof *out) == cudaSuccess);
    CHECK(cudaMemset(in, 0, 8 * BUFFER * sizeof *in) == cudaSuccess);
    sweep<0>(in, out);
    sweep<1>(in, out);
    printf(wrong ? "scattered: FAIL %d\n" : "scattered: PASS %d wrong\n", wrong);
    return wrong != 0;
}
