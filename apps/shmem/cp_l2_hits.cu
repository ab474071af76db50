// cp_l2_hits: CTAs that stream through a large array beside CTAs that use the network: the stream
// takes the lines of L2 in which the command processor finds its queues. The report's counters of
// the command processor (loads, load_hits) and of pins (l2_pins) show it. With
// --set l2.max_pinned_ways=0 no command is kept in L2.
#define APP_NAME "cp_l2_hits"
#include "shmem_app.h"

enum kind { GET, PUT, VALUE, NUM_KINDS };
static const char *const kind_names[NUM_KINDS] = {"get", "put", "value"};

// One message to or from the CTA's own place at PE 1. The CTA waits for a get or a put, and polls
// its command meanwhile, which brings the line back into L2; it does not wait for a value.
__device__ static void send(int kind, int round, int *remote, int *own, int *wrong) {
    int *there = remote + blockIdx.x, *here = own + blockIdx.x;
    switch (kind) {
    case GET:
        if (nvshmem_int_g(there, 1) != -1) atomicAdd(wrong, 1);
        break;
    case PUT:
        *here = round + 1;
        nvshmem_int_put(there, here, 1, 1);
        break;
    default: nvshmem_int_p(there, round + 1, 1);
    }
}

// CTAs whose number is a multiple of `every` use the network for `rounds` messages, `pace` ns apart
// at least; the others stream until all of these have ended.
__global__ void beside(int kind, int pace, int *remote, int *own, const float4 *stream,
                       size_t count, int every, int rounds, int *ended, float *sums, int *wrong,
                       unsigned long long *ns) {
    if (blockIdx.x % every == 0) {
        if (threadIdx.x) return;
        const unsigned long long begin = app_now();
        for (int r = 0; r < rounds; r++) {
            send(kind, r, remote, own, wrong);
            while (app_now() - begin < (unsigned long long)(r + 1) * pace) {
            }
        }
        heddle_shmem_ctx_quiet();
        atomicAdd(ns, app_now() - begin);
        __threadfence();
        atomicAdd(ended, 1);
        return;
    }
    const int networking = (gridDim.x + every - 1) / every;
    float sum = 0;
    // a division for each load would hold the stream up
    const size_t step = (size_t)gridDim.x * blockDim.x % count;
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) % count;
    do {
        for (int k = 0; k < 16; k++) {
            const float4 v = stream[i];
            sum += v.x + v.y + v.z + v.w;
            i += step;
            if (i >= count) i -= count;
        }
    } while (*(volatile int *)ended < networking);
    if (sum != 0) sums[blockIdx.x] = sum; // the array has zeros
}

int main(int argc, char **argv) {
    long ctas = 8, every = 4, rounds = 4, megabytes = 16, kind = GET, pace = 0, threads = 128;
    const app_option options[] = {
        {"-c", "CTAs", &ctas, 1, 4096},
        {"-e", "one of so many uses the network, the others stream", &every, 1, 4096},
        {"-r", "messages of each of these", &rounds, 1, 100000},
        {"-m", "MiB that are streamed", &megabytes, 1, 4096},
        {"-k", "kind of message: 0 get, 1 put, 2 value (a put that nobody waits for)", &kind, 0,
         NUM_KINDS - 1},
        {"-t", "threads per CTA", &threads, 32, 1024},
        {"-p", "ns from one message of a CTA to the next, at least", &pace, 0, 1000000},
    };
    app_start(argc, argv, "Streams beside the use of the network.", options, 7);
    const int me = app_begin_pe(2);
    int *values = app_symmetric<int>(ctas), *numbers = app_zeros_on_device<int>(2), wrong;
    int *own = app_zeros_on_device<int>(ctas);
    const size_t count = ((size_t)megabytes << 20) / sizeof(float4);
    float4 *stream = app_zeros_on_device<float4>(count);
    float *sums = app_zeros_on_device<float>(ctas);
    unsigned long long *device_ns = app_zeros_on_device<unsigned long long>(1), ns;
    CHECK(cudaMemset(values, 0xff, ctas * sizeof *values));
    nvshmem_barrier_all();
    if (me == 0) {
        size_t shared = 0;
        int k = (int)kind, p = (int)pace, e = (int)every, r = (int)rounds, *wrongs = numbers + 1;
        const float4 *array = stream;
        size_t n = count;
        void *arguments[] = {&k, &p, &values,  &own,  &array,  &n,
                             &e, &r, &numbers, &sums, &wrongs, &device_ns};
        if (nvshmemx_collective_launch((const void *)beside, dim3(ctas), dim3(threads), arguments,
                                       shared, 0))
            return app_fail("the CTAs do not fit on the GPU at once");
        WAIT("beside");
    }
    nvshmem_barrier_all();
    app_to_host(&wrong, numbers + 1, 1);
    app_to_host(&ns, device_ns, 1);
    std::vector<int> landed(ctas);
    app_to_host(landed.data(), values, ctas);
    for (long c = 0; kind != GET && me == 1 && c < ctas; c += every) wrong += landed[c] != rounds;
    const long networking = (ctas + every - 1) / every;
    char result[120];
    snprintf(result, sizeof result, "%ld CTAs use the network, %ld stream: %.3f us for a %s",
             networking, ctas - networking, ns / 1e3 / networking / rounds, kind_names[kind]);
    return app_end_pe(wrong ? "values are not as expected" : NULL, result);
}
