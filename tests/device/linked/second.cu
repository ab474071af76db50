// second.cu - see first.cu
#include "parts.h"

static __device__ int mine = 100;
static __device__ __noinline__ int helper(int x) {
    return x + mine;
}
__device__ int other(int x) {
    return helper(x) + 100;
}
__global__ void second(int *out) {
    out[3] = helper(twice(3));
    out[4] = 1000 + shared_counter;
    shared_counter++;
    out[5] = shared_counter;
}
void run_second(int *out) {
    second<<<1, 1>>>(out);
}
