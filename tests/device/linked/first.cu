// first.cu - device code in two translation units (nvcc -rdc=true): local names of each, templates
// in both, functions and variables of the other unit.
#include <cstdio>

#include "parts.h"

__device__ int shared_counter = 5;
static __device__ int mine = 10;
static __device__ __noinline__ int helper(int x) {
    return x + mine;
}
__global__ void first(int *out) {
    out[0] = helper(twice(1));
    out[1] = other(7);
    out[2] = shared_counter;
}

int main() {
    const int expected[6] = {12, 207, 5, 106, 1005, 6};
    int *out, got[6];
    if (cudaMalloc(&out, sizeof got) != cudaSuccess) return 1;
    first<<<1, 1>>>(out);
    run_second(out);
    if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (int i = 0; i < 6; i++) {
        if (got[i] == expected[i]) continue;
        printf("linked: FAIL out[%d] is %d, not %d\n", i, got[i], expected[i]);
        return 3;
    }
    printf("linked: PASS 6 values\n");
    return 0;
}
