// service_rate: CTAs in a closed loop of small gets: how many the command processor serves. Each
// CTA has one get under way, so that its rate is bounded by latency, and all together by the
// service.
#define APP_NAME "service_rate"
#include "shmem_app.h"

__global__ void gets(const int *remote, int *wrong, int rounds, int pe, unsigned long long *begin,
                     unsigned long long *end) {
    if (threadIdx.x) return;
    atomicMin(begin, app_now());
    for (int r = 0; r < rounds; r++)
        if (nvshmem_int_g(remote + blockIdx.x,
                pe) != (int)blockIdx.x + 1000 * pe) atomicAdd(wrong, 1);
    atomicMax(end, app_now());
}

int main(int argc, char **argv) {
    long ctas = 16, rounds = 8, threads = 64;
    const app_option options[] = {
        {"-c", "CTAs", &ctas, 1, 4096},
        {"-r", "gets of each CTA", &rounds, 1, 100000},
        {"-t", "threads per CTA", &threads, 1, 1024},
    };
    app_start(argc, argv, "Measures how many small gets a PE can make.", options, 3);
    const int me = app_begin_pe(2);
    int *values = app_symmetric<int>(ctas), *wrong = app_zeros_on_device<int>(1), count;
    std::vector<int> own(ctas);
    for (long i = 0; i < ctas; i++) own[i] = (int)i + 1000 * me;
    CHECK(cudaMemcpy(values, own.data(), ctas * sizeof(int), cudaMemcpyHostToDevice));
    const unsigned long long limits[2] = {~0ull, 0};
    unsigned long long *times = app_to_device(limits, 2), time[2];
    nvshmem_barrier_all();
    if (me == 0) {
        gets<<<ctas, threads>>>(values, wrong, (int)rounds, 1, times, times + 1);
        WAIT("gets");
    }
    nvshmem_barrier_all();
    app_to_host(&count, wrong, 1);
    app_to_host(time, times, 2);
    const double us = (time[1] - time[0]) / 1e3;
    char result[120];
    snprintf(result, sizeof result, "%ld CTAs: %.3f gets/us, %.3f us each", ctas,
             us > 0 ? ctas * rounds / us : 0., us / rounds);
    return app_end_pe(count ? "values are not as expected" : NULL, result);
}
