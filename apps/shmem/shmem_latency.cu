// shmem_latency: how long one thread of PE 0 waits for a put, a get, a value or an atomic at PE 1.
#define APP_NAME "shmem_latency"
#include "shmem_app.h"

enum kind { PUT, GET, P, G, ATOMIC, KINDS };
static const char *const names[KINDS] = {"put", "get", "p and quiet", "g", "atomic fetch_add"};

__global__ void measure(int kind, long long *remote, long long *local, size_t bytes, int rounds,
                        unsigned long long *ns, long long *sum) {
    long long seen = 0;
    const unsigned long long begin = app_now();
    for (int r = 0; r < rounds; r++) {
        if (kind == PUT) nvshmem_putmem(remote, local, bytes, 1);
        if (kind == GET) nvshmem_getmem(local, remote, bytes, 1);
        if (kind == P) {
            nvshmem_longlong_p(remote, r + 1, 1);
            heddle_shmem_ctx_quiet();
        }
        if (kind == G) seen += nvshmem_longlong_g(remote, 1);
        if (kind == ATOMIC) seen += nvshmem_longlong_atomic_fetch_add(remote, 1, 1);
    }
    *ns = app_now() - begin;
    *sum = seen;
}

// What lies at PE 1 and is there after the measurement; what came back.
static bool is_right(int kind, long rounds, long long remote, long long local, long long sum) {
    switch (kind) {
    case PUT: return remote == 7;
    case GET: return local == 5;
    case P: return remote == rounds;
    case G: return sum == 5 * rounds;
    default: return sum == 5 * rounds + rounds * (rounds - 1) / 2 && remote == 5 + rounds;
    }
}

int main(int argc, char **argv) {
    long most = 4096, rounds = 5;
    const app_option options[] = {
        {"-s", "bytes of the largest put and get", &most, 8, 1 << 24},
        {"-r", "rounds of each", &rounds, 1, 100000},
    };
    app_start(argc, argv, "Measures the latency of single operations.", options, 2);
    const int me = app_begin_pe(2);
    long long *memory = app_symmetric<long long>(most / 8 * 2), *local = memory + most / 8;
    unsigned long long *device_ns = app_zeros_on_device<unsigned long long>(1), ns;
    long long *device_sum = app_zeros_on_device<long long>(1), sum;
    const char *error = NULL;
    for (int kind = 0; kind < KINDS; kind++) {
        for (long bytes = 8; bytes <= (kind <= GET ? most : 8); bytes *= 4) {
            const long long at_remote = 5, at_local = 7;
            CHECK(cudaMemcpy(memory, &at_remote, 8, cudaMemcpyHostToDevice));
            CHECK(cudaMemcpy(local, &at_local, 8, cudaMemcpyHostToDevice));
            nvshmem_barrier_all();
            if (me == 0) {
                measure<<<1, 1>>>(kind, memory, local, bytes, (int)rounds, device_ns, device_sum);
                WAIT("measure");
                app_to_host(&ns, device_ns, 1);
                app_to_host(&sum, device_sum, 1);
                const long long remote = nvshmem_longlong_g(memory, 1);
                long long here;
                app_to_host(&here, local, 1);
                if (!is_right(kind, rounds, remote, here, sum)) error = names[kind];
                printf("%-16s %8ld bytes %10.3f us\n", names[kind], bytes, ns / 1e3 / rounds);
            }
            nvshmem_barrier_all();
        }
    }
    return app_end_pe(error, "all operations");
}
