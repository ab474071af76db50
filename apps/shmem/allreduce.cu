// allreduce: the sum of all PEs' arrays at all PEs, by rings (ring_sum.h).
//
// Where kernels have a network, by puts within one kernel: each CTA has a slice of the array and
// passes it around a ring of its own. With --design inter-kernel and cpu there is one ring, of
// MPI's messages; what has come is added by a kernel, or by the CPU.
#define APP_NAME "allreduce"
#include "ring_sum.h"

__global__ void allreduce(float *array, float *landing, uint64_t *signals, size_t chunk,
                          unsigned long long *ns) {
    const int n = nvshmem_n_pes();
    const size_t slice = blockIdx.x * chunk * n;
    const unsigned long long begin = app_now();
    ring_sum(array + slice, landing + slice, signals + blockIdx.x * 2 * n, chunk, 1);
    if (threadIdx.x == 0) {
        heddle_shmem_ctx_quiet();
        atomicMax(ns, app_now() - begin);
    }
}

struct problem {
    long rings, threads;
    int me, n;
    size_t chunk, all;         // elements
    std::vector<float> values; // before and after
    double us;
};

static const char *intra_kernel(problem *p) {
    float *array = app_symmetric<float>(p->all), *landing = app_symmetric<float>(p->all);
    uint64_t *signals = app_symmetric<uint64_t>(p->rings * 2 * p->n);
    unsigned long long *ns = app_zeros_on_device<unsigned long long>(1), time;
    CHECK(cudaMemcpy(array, p->values.data(), p->all * sizeof(float), cudaMemcpyHostToDevice));
    nvshmem_barrier_all();
    void *arguments[] = {&array, &landing, &signals, &p->chunk, &ns};
    if (nvshmemx_collective_launch((const void *)allreduce, dim3(p->rings), dim3(p->threads),
                                   arguments, 0, 0))
        return "the CTAs do not fit on the GPU at once";
    CHECK(cudaDeviceSynchronize());
    app_to_host(p->values.data(), array, p->all);
    app_to_host(&time, ns, 1);
    p->us = time / 1e3;
    return NULL;
}

static const char *by_mpi(problem *p, const app_mpi *m, bool on_cpu) {
    const size_t bytes = p->all * sizeof(float), part = 2 * bytes / p->n;
    std::vector<float> landed(on_cpu ? 2 * p->all / p->n : 0);
    float *array = NULL, *landing = NULL;
    if (!on_cpu) {
        CHECK(cudaMalloc(&array, bytes));
        CHECK(cudaMalloc(&landing, part));
        CHECK(cudaMemcpy(array, p->values.data(), bytes, cudaMemcpyHostToDevice));
    }
    m->barrier(m->world);
    const double begin = m->wtime();
    if (on_cpu)
        ring_sum_on_cpu({m, p->me, p->n, p->all, p->values.data(), landed.data()});
    else
        ring_sum_by_kernels({m, p->me, p->n, p->all, array, landing}, p->threads);
    p->us = (m->wtime() - begin) * 1e6;
    if (!on_cpu) app_to_host(p->values.data(), array, p->all);
    return NULL;
}

int main(int argc, char **argv) {
    long elements = 8192;
    problem p = {.rings = 4, .threads = 128};
    const app_option options[] = {
        {"-n", "elements, rounded up to a multiple of rings x PEs", &elements, 1, 1L << 28},
        {"-c", "rings, a CTA each", &p.rings, 1, 1024},
        {"-t", "threads per CTA", &p.threads, 32, 1024},
    };
    app_start(argc, argv, "Adds up the arrays of all PEs.", options, 3);
    app_run run = app_begin_run();
    p.me = run.me;
    p.n = run.n;
    p.chunk = (elements + p.rings * p.n - 1) / (p.rings * p.n);
    p.all = p.chunk * p.rings * p.n;
    p.values.resize(p.all);
    for (size_t i = 0; i < p.all; i++) p.values[i] = (float)(i % 1021 + p.me * 3);
    const char *error = run.uses_mpi ? by_mpi(&p, &run.mpi, run.on_cpu) : intra_kernel(&p);
    for (size_t i = 0; i < p.all && !error; i++)
        if (p.values[i] != (float)(i % 1021) * p.n + 3.f * (p.n * (p.n - 1) / 2))
            error = "the sum is not as expected";
    char result[120];
    snprintf(result, sizeof result, "%zu elements, %d PEs, %ld rings: %.3f us", p.all, p.n, p.rings,
             p.us);
    return app_end_run(&run, error, result);
}
