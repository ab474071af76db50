// allreduce: the sum of all PEs' arrays at all PEs, by rings.
//
// Where kernels have a network, by puts within one kernel, as follows. With --design inter-kernel
// and cpu there is one ring, of MPI's messages; what has come is added by a kernel, or by the CPU.
//
// Each CTA has a slice of the array and passes it around a ring of its own, in as many chunks as
// there are PEs. In the first n - 1 steps a PE adds what has come to its own chunk and sends it
// on; then each chunk is complete at one PE. In n - 1 more steps the complete chunks go around.
// What comes in the first half lands beside the array, a chunk for each step, so that no PE waits
// for room.
#define APP_NAME "allreduce"
#include "app_mpi.h"

__global__ void allreduce(float *array, float *landing, uint64_t *signals, size_t chunk,
                          unsigned long long *ns) {
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
    float *slice = array + blockIdx.x * chunk * n;
    float *landed = landing + blockIdx.x * chunk * n;
    uint64_t *signal = signals + blockIdx.x * 2 * n; // one for each step
    const unsigned long long begin = app_now();
    int c = me; // the chunk that is sent
    for (int step = 0; step < n - 1; step++) {
        nvshmemx_float_put_signal_nbi_block(landed + step * chunk, slice + c * chunk, chunk,
                                            signal + step, 1, NVSHMEM_SIGNAL_SET, right);
        c = (c + n - 1) % n;
        if (threadIdx.x == 0) nvshmem_signal_wait_until(signal + step, NVSHMEM_CMP_EQ, 1);
        __syncthreads();
        for (size_t i = threadIdx.x; i < chunk; i += blockDim.x)
            slice[c * chunk + i] += landed[step * chunk + i];
    }
    for (int step = n - 1; step < 2 * n - 2; step++) {
        nvshmemx_float_put_signal_nbi_block(slice + c * chunk, slice + c * chunk, chunk,
                                            signal + step, 1, NVSHMEM_SIGNAL_SET, right);
        c = (c + n - 1) % n;
        if (threadIdx.x == 0) nvshmem_signal_wait_until(signal + step, NVSHMEM_CMP_EQ, 1);
        __syncthreads();
    }
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

__global__ void add(float *to, const float *from, size_t count) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] += from[i];
}

// One ring over the whole array, in device or host memory; `combine` adds what has come. A chunk
// travels in pieces: each is added and sent on while the next ones are on their way. What is to be
// added lands in one half of `landing`, while the other one is used.
template <class COMBINE>
static void ring(const app_mpi *m, const problem *p, float *array, float *landing,
                 COMBINE combine) {
    enum { PIECE = 1 << 16 }; // elements
    const int right = (p->me + 1) % p->n, left = (p->me + p->n - 1) % p->n;
    const int adding = p->n - 1, steps = 2 * adding;
    const size_t chunk = p->all / p->n, pieces = (chunk + PIECE - 1) / PIECE;
    app_messages in = {m}, out = {m};
    const auto at = [&](float *begin, size_t i) { return begin + i * PIECE; };
    const auto length = [&](size_t i) {
        return i + 1 < pieces ? (size_t)PIECE : chunk - i * PIECE;
    };
    const auto chunk_of = [&](int step) { // what comes in this step
        return array + (p->me + 2 * p->n - step - 1) % p->n * chunk;
    };
    const auto landed = [&](int step) {
        return step < adding ? landing + step % 2 * chunk : chunk_of(step);
    };
    const auto receive = [&](int step) {
        for (size_t i = 0; i < pieces; i++) in.receive(at(landed(step), i), length(i), left);
    };
    if (!steps) return;
    receive(0);
    for (size_t i = 0; i < pieces; i++) out.send(at(chunk_of(-1), i), length(i), right);
    for (int step = 0; step < steps; step++) {
        if (step) out.wait(pieces); // those of the step before: their chunk is free
        if (step >= adding) receive(step);
        if (step + 1 < adding) receive(step + 1);
        for (size_t i = 0; i < pieces; i++) {
            in.wait(1);
            if (step < adding) combine(at(chunk_of(step), i), at(landed(step), i), length(i));
            if (step + 1 < steps) out.send(at(chunk_of(step), i), length(i), right);
        }
    }
    out.wait(pieces);
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
        ring(m, p, p->values.data(), landed.data(), [](float *to, const float *from, size_t n) {
            for (size_t i = 0; i < n; i++) to[i] += from[i];
            heddle_host_work(n, 3 * n * sizeof(float), 2 * n * sizeof(float));
        });
    else
        ring(m, p, array, landing, [&](float *to, const float *from, size_t n) {
            add<<<(n + p->threads - 1) / p->threads, p->threads>>>(to, from, n);
            CHECK(cudaDeviceSynchronize());
        });
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
