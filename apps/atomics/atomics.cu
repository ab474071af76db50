// atomics: many threads add to a few counters in global memory, with one atomic each.
//
// Neighbouring threads use neighbouring counters, so a warp's atomic touches up to 32 of them.
#include <cuda_runtime.h>

#define APP_NAME "atomics"
#include "../common/app.h"

#include <vector>

__global__ void count(unsigned *counters, int mask, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counters[i & mask], 1u);
}

int main(int argc, char **argv) {
    long n = 65536, counter_count = 64, threads = 256;
    const app_option options[] = {
        {"-n", "additions", &n, 1, 1L << 28},
        {"-c", "counters, a power of two", &counter_count, 1, 1L << 20},
        {"-t", "threads per CTA", &threads, 1, 1024},
    };
    app_start(argc, argv, "Counts with atomic additions.", options, 3);
    if ((counter_count & (counter_count - 1)) != 0) {
        fprintf(stderr, APP_NAME ": -c must be a power of two, not %ld\n", counter_count);
        return 2;
    }

    unsigned *device = app_zeros_on_device<unsigned>(counter_count);
    count<<<(n + threads - 1) / threads, threads>>>(device, (int)counter_count - 1, (int)n);
    WAIT("count");
    std::vector<unsigned> counters(counter_count);
    app_to_host(counters.data(), device, counter_count);
    CHECK(cudaFree(device));

    for (long c = 0; c < counter_count; c++) {
        unsigned expected = (unsigned)(n / counter_count + (c < n % counter_count ? 1 : 0));
        if (counters[c] != expected) {
            return app_fail("counter %ld is %u, not %u", c, counters[c], expected);
        }
    }
    return app_pass("%ld additions on %ld counters", n, counter_count);
}
