// cntk: training on several nodes as the network sees it. In each iteration the GPU computes for a
// given time; then the gradients of all PEs are added up by rings (ring_sum.h). The workloads and
// the sizes of their reductions are in host/tables/cntk_workloads.def.
//
// Where kernels have a network, computing and reducing are one kernel, and each CTA has a ring.
// With --design inter-kernel a kernel computes, then MPI sends and kernels add; with --design cpu
// the gradients are copied to the host, where the CPU adds, and back.
//
// Computing is time alone: its threads sleep, so that it disturbs no cache. Gradients appear
// between iterations, where no time counts. An iteration's time includes the launch of its kernels.
// Where the host does nothing in an iteration, it is ahead: it has launched the kernel before its
// turn.
#define APP_NAME "cntk"
#include "ring_sum.h"

enum workload {
#define WORKLOAD(NAME, name, parameters, gradients, ...) NAME,
#include "../../host/tables/cntk_workloads.def"
};
static const char *const names[] = {
#define WORKLOAD(NAME, name, parameters, gradients, ...) name,
#include "../../host/tables/cntk_workloads.def"
};
static const double elements[] = {
// of a reduction
#define WORKLOAD(NAME, name, parameters, gradients, ...) (double)(parameters) / (gradients),
#include "../../host/tables/cntk_workloads.def"
};

enum { CTAS = 32 }; // of kernels that do not wait for one another
// Bytes of a message: those of 64 MiB in 48 rings on 32 nodes, the largest point of Figure 10.
enum { MESSAGE = (64 << 20) / (48 * 32) };

__device__ static void compute(unsigned long long ns) {
    if (threadIdx.x == 0) {
        const unsigned long long end = app_now() + ns;
        for (unsigned long long now = app_now(); now < end; now = app_now())
            __nanosleep((unsigned)min(end - now, 1000000ull)); // the most that it takes
    }
    __syncthreads();
}

// An iteration. *reducing becomes the longest time of a ring in ns.
__global__ void train(float *array, float *landing, uint64_t *signals, size_t chunk, uint64_t round,
                      unsigned long long compute_ns, unsigned long long *reducing) {
    const int n = nvshmem_n_pes();
    const size_t slice = blockIdx.x * chunk * n;
    compute(compute_ns);
    const unsigned long long begin = app_now();
    ring_sum(array + slice, landing + slice, signals + blockIdx.x * 2 * n, chunk, round);
    if (threadIdx.x == 0) {
        heddle_shmem_ctx_quiet();
        atomicMax(reducing, app_now() - begin);
    }
}

__global__ void compute_alone(unsigned long long ns) {
    compute(ns);
}

__host__ __device__ static float gradient(size_t i, int pe, long round) {
    return (float)((i + round) % 1021 + pe * 3);
}

__global__ void make_gradients(float *array, size_t count, int pe, long round) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        array[i] = gradient(i, pe, round);
}

struct problem {
    long workload, iterations, compute_ns, percent, rings, threads;
    int me, n;
    size_t chunk, all;                // elements
    double iterating_us, reducing_us; // of all iterations
};

static const char *check_round(const problem *p, const float *array, long round) {
    std::vector<float> got(p->all);
    app_to_host(got.data(), array, p->all);
    for (size_t i = 0; i < p->all; i++)
        if (got[i] != gradient(i, 0, round) * p->n + 3.f * (p->n * (p->n - 1) / 2))
            return "the sum is not as expected";
    return NULL;
}

static const char *intra_kernel(problem *p) {
    float *array = app_symmetric<float>(p->all), *landing = app_symmetric<float>(p->all);
    uint64_t *signals = app_symmetric<uint64_t>(p->rings * 2 * p->n);
    unsigned long long *ns = app_zeros_on_device<unsigned long long>(p->iterations);
    std::vector<unsigned long long> reducing_ns(p->iterations);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    const char *error = NULL;
    for (long k = 1; k <= p->iterations; k++) {
        uint64_t round = k;
        unsigned long long compute_ns = p->compute_ns, *reducing = ns + k - 1;
        void *arguments[] = {&array, &landing, &signals, &p->chunk, &round, &compute_ns, &reducing};
        nvshmem_barrier_all();
        make_gradients<<<CTAS, p->threads>>>(array, p->all, p->me, k);
        CHECK(cudaEventRecord(begin, 0));
        if (nvshmemx_collective_launch((const void *)train, dim3(p->rings), dim3(p->threads),
                                       arguments, 0, 0))
            return "the CTAs do not fit on the GPU at once";
        CHECK(cudaEventRecord(end, 0));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        p->iterating_us += ms * 1e3;
        if (!error) error = check_round(p, array, k);
    }
    app_to_host(reducing_ns.data(), ns, p->iterations);
    for (unsigned long long each : reducing_ns) p->reducing_us += each / 1e3;
    return error;
}

static const char *by_mpi(problem *p, const app_mpi *m, bool on_cpu) {
    const size_t bytes = p->all * sizeof(float), part = 2 * bytes / p->n;
    float *array, *landing, *host;
    CHECK(cudaMalloc(&array, bytes));
    CHECK(cudaMalloc(&landing, part));
    CHECK(cudaMallocHost(&host, bytes + part)); // for a copy, and what is to be added
    const char *error = NULL;
    for (long k = 1; k <= p->iterations; k++) {
        make_gradients<<<CTAS, p->threads>>>(array, p->all, p->me, k);
        WAIT("make_gradients");
        m->barrier(m->world);
        const double begin = m->wtime();
        compute_alone<<<CTAS, p->threads>>>(p->compute_ns);
        WAIT("compute_alone");
        const double computed = m->wtime();
        if (on_cpu) {
            app_to_host(host, array, p->all);
            ring_sum_on_cpu({m, p->me, p->n, p->all, host, host + p->all});
            CHECK(cudaMemcpy(array, host, bytes, cudaMemcpyHostToDevice));
        } else {
            ring_sum_by_kernels({m, p->me, p->n, p->all, array, landing}, p->threads);
        }
        const double end = m->wtime();
        p->iterating_us += (end - begin) * 1e6;
        p->reducing_us += (end - computed) * 1e6;
        if (!error) error = check_round(p, array, k);
    }
    return error;
}

// So many rings that messages have MESSAGE bytes, but no more than have room on the GPU.
static long rings_for(size_t count, const problem *p, bool uses_mpi) {
    const long rings = (long)(count * sizeof(float) / ((size_t)MESSAGE * p->n));
    int most = 1;
    if (uses_mpi) return 1; // one ring, whatever it is told
    if (nvshmemx_collective_launch_query_gridsize((const void *)train, dim3(p->threads), NULL, 0,
                                                  &most)) {
        app_fail("no CTA fits on the GPU");
        exit(1);
    }
    return rings < 1 ? 1 : rings < most ? rings : most;
}

int main(int argc, char **argv) {
    problem p = {.workload = CIFAR, .iterations = 2, .percent = 100, .threads = 256};
    const long last = sizeof names / sizeof *names - 1;
    const app_option options[] = {
        {"-w", "workload", &p.workload, 0, last, names},
        {"-i", "iterations", &p.iterations, 1, 1000},
        {"-k", "ns of computing in an iteration", &p.compute_ns, 0, 1000000000},
        {"-p", "size of a reduction, in percent of the workload's", &p.percent, 1, 1000},
        {"-c", "rings, a CTA each; 0: for messages of 43 KB, as far as they have room", &p.rings, 0,
         1024},
        {"-t", "threads per CTA", &p.threads, 32, 1024},
    };
    app_start(argc, argv, "Trains: computes, then adds up the gradients of all PEs.", options, 6);
    app_run run = app_begin_run();
    p.me = run.me;
    p.n = run.n;
    const size_t wanted = (size_t)(elements[p.workload] * p.percent / 100 + 0.5);
    if (!p.rings) p.rings = rings_for(wanted, &p, run.uses_mpi);
    p.chunk = (wanted + p.rings * p.n - 1) / (p.rings * p.n);
    p.all = p.chunk * p.rings * p.n;
    const char *error = run.uses_mpi ? by_mpi(&p, &run.mpi, run.on_cpu) : intra_kernel(&p);
    char result[160];
    snprintf(result, sizeof result,
             "%s, %d PEs, %zu elements, %ld rings: %.3f us an iteration, reducing %.3f us, %.1f %%",
             names[p.workload], p.n, p.all, p.rings, p.iterating_us / p.iterations,
             p.reducing_us / p.iterations, 100 * p.reducing_us / p.iterating_us);
    return app_end_run(&run, error, result);
}
