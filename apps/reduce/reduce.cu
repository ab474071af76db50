// reduce: the sum of many ints, with four per thread, a tree in shared memory and one atomic per
// CTA.
#include <cuda_runtime.h>

#define APP_NAME "reduce"
#include "../common/app.h"

#include <vector>

#define THREADS 256
#define PER_THREAD 4

__global__ void reduce(const int *in, int *sum, int n) {
    __shared__ int partial[THREADS];
    int t = threadIdx.x;
    int first = blockIdx.x * (THREADS * PER_THREAD) + t;

    int mine = 0;
    for (int k = 0; k < PER_THREAD; k++) {
        int i = first + k * THREADS;
        if (i < n) mine += in[i];
    }
    partial[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, partial[0]);
}

int main(int argc, char **argv) {
    long n = 1L << 20;
    const app_option options[] = {{"-n", "elements", &n, 1, 1L << 30}};
    app_start(argc, argv, "Sums a vector of ints.", options, 1);

    std::vector<int> in(n);
    unsigned expected = 0; // wraps like the device's ints
    for (long i = 0; i < n; i++) {
        in[i] = (int)(i * 2654435761u >> 20) - 2048;
        expected += (unsigned)in[i];
    }
    int *device_in = app_to_device(in.data(), n);
    int *device_sum = app_zeros_on_device<int>(1);

    long per_cta = THREADS * PER_THREAD;
    reduce<<<(n + per_cta - 1) / per_cta, THREADS>>>(device_in, device_sum, (int)n);
    WAIT("reduce");
    int sum;
    app_to_host(&sum, device_sum, 1);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_sum));

    if (sum != (int)expected) return app_fail("the sum is %d, not %d", sum, (int)expected);
    return app_pass("sum of %ld ints is %d", n, sum);
}
