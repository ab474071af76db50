// message_rate: how many 8-byte puts per microsecond PE 0 sends to PE 1, from many CTAs.
#define APP_NAME "message_rate"
#include "shmem_app.h"

// Thread t of all sends its messages to its own words.
__global__ void send(long long *remote, int rounds, unsigned long long *begin,
                     unsigned long long *end) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) atomicMin(begin, app_now());
    for (int r = 0; r < rounds; r++)
        nvshmem_longlong_p(remote + (size_t)thread * rounds + r, thread * 1000ll + r + 1, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        heddle_shmem_ctx_quiet();
        atomicMax(end, app_now());
    }
}

int main(int argc, char **argv) {
    long ctas = 8, threads = 4, rounds = 8;
    const app_option options[] = {
        {"-c", "CTAs", &ctas, 1, 4096},
        {"-t", "threads per CTA, which all send", &threads, 1, 1024},
        {"-r", "messages of each thread", &rounds, 1, 900},
    };
    app_start(argc, argv, "Measures the rate of short messages.", options, 3);
    const int me = app_begin_pe(2);
    const size_t all = (size_t)ctas * threads * rounds;
    long long *words = app_symmetric<long long>(all);
    const unsigned long long limits[2] = {~0ull, 0};
    unsigned long long *times = app_to_device(limits, 2), time[2];
    nvshmem_barrier_all();
    if (me == 0) {
        send<<<ctas, threads>>>(words, (int)rounds, times, times + 1);
        WAIT("send");
    }
    nvshmem_barrier_all();
    const char *error = NULL;
    std::vector<long long> got(all);
    app_to_host(got.data(), words, all);
    for (size_t i = 0; i < all && me == 1; i++)
        if (got[i] != (long long)(i / rounds) * 1000 + (long long)(i % rounds) + 1)
            error = "a message has not arrived";
    app_to_host(time, times, 2);
    const double us = (time[1] - time[0]) / 1e3;
    char result[120];
    snprintf(result, sizeof result, "%zu messages: %.3f messages/us", all, us > 0 ? all / us : 0.);
    return app_end_pe(error, result);
}
