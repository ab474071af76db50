// shmem_bandwidth: bytes per second of puts and gets between PE 0 and PE 1, by size and by CTAs.
#define APP_NAME "shmem_bandwidth"
#include "shmem_app.h"

// Each CTA moves its own part, `rounds` times, and waits for all at the end.
__global__ void move(bool is_put, char *to, const char *from, size_t bytes, int rounds,
                     unsigned long long *ns) {
    const size_t at = blockIdx.x * bytes;
    const unsigned long long begin = app_now();
    for (int r = 0; r < rounds; r++) {
        if (is_put)
            nvshmemx_putmem_nbi_block(to + at, from + at, bytes, 1);
        else
            nvshmemx_getmem_nbi_block(to + at, from + at, bytes, 1);
    }
    if (threadIdx.x == 0) {
        heddle_shmem_ctx_quiet();
        atomicMax(ns, app_now() - begin);
    }
}

int main(int argc, char **argv) {
    long most = 65536, ctas = 4, rounds = 4;
    const app_option options[] = {
        {"-s", "bytes of the largest message", &most, 64, 1 << 26},
        {"-c", "CTAs", &ctas, 1, 1024},
        {"-r", "messages of each CTA", &rounds, 1, 10000},
    };
    app_start(argc, argv, "Measures the bandwidth of puts and gets.", options, 3);
    const int me = app_begin_pe(2);
    const size_t all = (size_t)most * ctas;
    char *to = app_symmetric<char>(all), *from = app_symmetric<char>(all);
    std::vector<char> data(all), got(all);
    unsigned long long *device_ns = app_zeros_on_device<unsigned long long>(1), ns;
    const char *error = NULL;
    for (size_t i = 0; i < all; i++) data[i] = (char)(i * 7 + me);
    CHECK(cudaMemcpy(from, data.data(), all, cudaMemcpyHostToDevice));
    for (int is_put = 1; is_put >= 0; is_put--) {
        for (long bytes = 64; bytes <= most; bytes *= 8) {
            CHECK(cudaMemset(to, 0, all));
            CHECK(cudaMemset(device_ns, 0, sizeof *device_ns));
            nvshmem_barrier_all();
            if (me == 0) {
                move<<<ctas, 32>>>(is_put, to, from, bytes, (int)rounds, device_ns);
                WAIT("move");
                app_to_host(&ns, device_ns, 1);
                printf("%s of %8ld bytes: %8.3f GB/s\n", is_put ? "puts" : "gets", bytes,
                       ns ? (double)bytes * ctas * rounds / ns : 0.);
            }
            nvshmem_barrier_all();
            if (me != (is_put ? 1 : 0)) continue;
            app_to_host(got.data(), to, all);
            for (size_t i = 0; i < all; i++) {
                const char expected = i < (size_t)bytes * ctas ? (char)(i * 7 + 1 - is_put) : 0;
                if (got[i] != expected) error = "bytes are not as expected";
            }
        }
    }
    return app_end_pe(error, "puts and gets");
}
