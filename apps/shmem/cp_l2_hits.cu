// cp_l2_hits: CTAs that stream through a large array beside CTAs that use the network: the stream
// takes the lines of L2 in which the command processor finds its queues. The report's counters of
// L2 and of the command processor show it.
#define APP_NAME "cp_l2_hits"
#include "shmem_app.h"

// CTAs whose number is a multiple of `every` use the network until `rounds` gets; the others stream
// until all of these have ended.
__global__ void beside(const int *remote, const float4 *stream, size_t count, int every, int rounds,
                       int *ended, float *sums, int *wrong, unsigned long long *ns) {
    if (blockIdx.x % every == 0) {
        if (threadIdx.x) return;
        const unsigned long long begin = app_now();
        for (int r = 0; r < rounds; r++)
            if (nvshmem_int_g(remote, 1) != 1234) atomicAdd(wrong, 1);
        atomicAdd(ns, app_now() - begin);
        __threadfence();
        atomicAdd(ended, 1);
        return;
    }
    const int networking = (gridDim.x + every - 1) / every;
    float sum = 0;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    do {
        for (int k = 0; k < 16; k++, i += (size_t)gridDim.x * blockDim.x) {
            const float4 v = stream[i % count];
            sum += v.x + v.y + v.z + v.w;
        }
    } while (*(volatile int *)ended < networking);
    if (sum != 0) sums[blockIdx.x] = sum; // the array has zeros
}

int main(int argc, char **argv) {
    long ctas = 8, every = 4, rounds = 4, megabytes = 16;
    const app_option options[] = {
        {"-c", "CTAs", &ctas, 1, 4096},
        {"-e", "one of so many uses the network, the others stream", &every, 1, 4096},
        {"-r", "gets of each of these", &rounds, 1, 100000},
        {"-m", "MiB that are streamed", &megabytes, 1, 4096},
    };
    app_start(argc, argv, "Streams beside the use of the network.", options, 4);
    const int me = app_begin_pe(2);
    int *value = app_symmetric<int>(1), *numbers = app_zeros_on_device<int>(2), wrong;
    const int own = 1234;
    const size_t count = ((size_t)megabytes << 20) / sizeof(float4);
    float4 *stream = app_zeros_on_device<float4>(count);
    float *sums = app_zeros_on_device<float>(ctas);
    unsigned long long *device_ns = app_zeros_on_device<unsigned long long>(1), ns;
    CHECK(cudaMemcpy(value, &own, sizeof own, cudaMemcpyHostToDevice));
    nvshmem_barrier_all();
    if (me == 0) {
        size_t shared = 0;
        int e = (int)every, r = (int)rounds, *wrongs = numbers + 1;
        const int *remote = value;
        const float4 *array = stream;
        size_t n = count;
        void *arguments[] = {&remote, &array, &n, &e, &r, &numbers, &sums, &wrongs, &device_ns};
        if (nvshmemx_collective_launch((const void *)beside, dim3(ctas), dim3(128),
                arguments, shared,
                                       0))
            return app_fail("the CTAs do not fit on the GPU at once");
        WAIT("beside");
    }
    nvshmem_barrier_all();
    app_to_host(&wrong, numbers + 1, 1);
    app_to_host(&ns, device_ns, 1);
    const long networking = (ctas + every - 1) / every;
    char result[120];
    snprintf(result, sizeof result, "%ld CTAs use the network, %ld stream: %.3f us for a get",
             networking, ctas - networking, ns / 1e3 / networking / rounds);
    return app_end_pe(wrong ? "values are not as expected" : NULL, result);
}
