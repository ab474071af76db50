// jacobi2d: Jacobi's iteration on a grid of which each PE has some rows. Behind each iteration the
// PEs exchange the rows at their borders, and reduce the residual: the greatest change of a cell.
//
// Where kernels have a network, one kernel makes all iterations, and its CTAs exchange, reduce and
// wait for one another. With --design inter-kernel there is a kernel for each iteration, and MPI
// exchanges and reduces between them; with --design cpu the CPU computes.
//
// There are two grids, read and written in turn. A neighbour that is ahead by one iteration writes
// into the border of the other grid; it cannot be ahead by two, since it waits for this PE's rows.
#define APP_NAME "jacobi2d"
#include "app_mpi.h"

// All CTAs wait for one another; *arrived counts.
__device__ static void grid_wait(unsigned *arrived, unsigned times) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < times * gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

// One iteration of the CTA's rows, of rows 1 to `rows`. *residual becomes the greatest change, as
// bits of a float that is not negative, which compare as the float does.
__device__ static void iterate(const float *a, float *b, int rows, int columns,
                               unsigned *residual) {
    float most = 0;
    for (int r = 1 + blockIdx.x; r <= rows; r += gridDim.x) {
        const float *up = a + (size_t)(r - 1) * columns, *row = up + columns, *down = row + columns;
        float *to = b + (size_t)r * columns;
        for (int c = 1 + threadIdx.x; c < columns - 1; c += blockDim.x) {
            const float next = 0.25f * (up[c] + down[c] + row[c - 1] + row[c + 1]);
            most = fmaxf(most, fabsf(next - row[c]));
            to[c] = next;
        }
    }
    for (int lanes = 16; lanes; lanes /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, lanes));
    __shared__ unsigned cta;
    if (threadIdx.x == 0) cta = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicMax(&cta, __float_as_uint(most));
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(residual, cta);
}

enum { TURNS = 3 }; // words for residuals: of this iteration, the next one, and the one before

// Rows 1 to `rows` are this PE's; rows 0 and rows + 1 are the neighbours', or the edge. `residual`:
// TURNS words of this PE's, then the one of all PEs.
__global__ void jacobi(float *a, float *b, uint64_t *signals, float *residual, int rows,
                       int columns, int iterations, unsigned *arrived, unsigned long long *ns) {
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    unsigned waits = 0;
    const unsigned long long begin = app_now();
    for (int k = 1; k <= iterations; k++) {
        float *own = residual + k % TURNS;
        iterate(a, b, rows, columns, (unsigned *)own);
        grid_wait(arrived, ++waits);
        if (blockIdx.x == 0) {
            // signal 0: my first row's neighbour has sent, signal 1: my last row's
            if (me > 0)
                nvshmemx_float_put_signal_nbi_block(b + (size_t)(rows + 1) * columns, b + columns,
                                                    columns, signals + 1, k, NVSHMEM_SIGNAL_SET,
                                                    me - 1);
            if (me < n - 1)
                nvshmemx_float_put_signal_nbi_block(b, b + (size_t)rows * columns, columns, signals,
                                                    k, NVSHMEM_SIGNAL_SET, me + 1);
            if (threadIdx.x == 0) residual[(k + 1) % TURNS] = 0;
            nvshmemx_float_max_reduce_block(NVSHMEM_TEAM_WORLD, residual + TURNS, own, 1);
            if (threadIdx.x == 0 && me > 0) nvshmem_signal_wait_until(signals, NVSHMEM_CMP_GE, k);
            if (threadIdx.x == 0 && me < n - 1)
                nvshmem_signal_wait_until(signals + 1, NVSHMEM_CMP_GE, k);
        }
        grid_wait(arrived, ++waits);
        float *other = a;
        a = b;
        b = other;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        heddle_shmem_ctx_quiet();
        *ns = app_now() - begin;
    }
}

// What the grid begins with, by row of all PEs; its edges stay.
static float start_value(long row, long column) {
    return (float)((row * 13 + column * 7) % 64);
}

struct problem {
    long rows, columns, iterations, ctas, threads;
    int me, n;
    std::vector<float> own; // rows 0 to rows + 1 at the start
    std::vector<float> got; // at the end
    float residual;         // of the last iteration, all PEs'
    double us;              // of all iterations
    size_t cells() const { return (size_t)(rows + 2) * columns; }
};

// One iteration on the host, of rows 1 to `rows`. @return the residual.
static float host_step(const float *from, float *to, long rows, long columns) {
    float most = 0;
    for (long y = 1; y <= rows; y++)
        for (long x = 1; x < columns - 1; x++) {
            const float *p = from + y * columns + x;
            to[y * columns + x] = 0.25f * (p[-columns] + p[columns] + p[-1] + p[1]);
            most = fmaxf(most, fabsf(to[y * columns + x] - *p));
        }
    return most;
}

static const char *intra_kernel(problem *p) {
    const size_t bytes = p->cells() * sizeof(float);
    float *a = app_symmetric<float>(p->cells()), *b = app_symmetric<float>(p->cells());
    uint64_t *signals = app_symmetric<uint64_t>(2);
    float *residual = app_symmetric<float>(TURNS + 1);
    unsigned *arrived = app_zeros_on_device<unsigned>(1);
    unsigned long long *ns = app_zeros_on_device<unsigned long long>(1), time;
    CHECK(cudaMemcpy(a, p->own.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, p->own.data(), bytes, cudaMemcpyHostToDevice));
    nvshmem_barrier_all();
    int r = (int)p->rows, c = (int)p->columns, k = (int)p->iterations;
    void *arguments[] = {&a, &b, &signals, &residual, &r, &c, &k, &arrived, &ns};
    if (nvshmemx_collective_launch((const void *)jacobi, dim3(p->ctas), dim3(p->threads), arguments,
                                   0, 0))
        return "the CTAs do not fit on the GPU at once";
    CHECK(cudaDeviceSynchronize());
    app_to_host(p->got.data(), p->iterations % 2 ? b : a, p->cells());
    app_to_host(&p->residual, residual + TURNS, 1);
    app_to_host(&time, ns, 1);
    p->us = time / 1e3;
    return NULL;
}

__global__ void step(const float *a, float *b, int rows, int columns, unsigned *residual) {
    iterate(a, b, rows, columns, residual);
}

// The rows at the borders, in host or device memory: my first to the PE before me, my last to the
// one behind me.
static void exchange_rows(const app_mpi *m, const problem *p, float *grid) {
    const int before = p->me > 0 ? p->me - 1 : -1, behind = p->me < p->n - 1 ? p->me + 1 : -1;
    const size_t c = p->columns;
    app_messages all = {m};
    all.receive(grid, c, before);
    all.receive(grid + (p->rows + 1) * c, c, behind);
    all.send(grid + c, c, before);
    all.send(grid + p->rows * c, c, behind);
    all.wait(4);
}

static const char *between_kernels(problem *p, const app_mpi *m) {
    const size_t bytes = p->cells() * sizeof(float);
    float *a, *b;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMemcpy(a, p->own.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, p->own.data(), bytes, cudaMemcpyHostToDevice));
    std::vector<unsigned> zeros(p->iterations);
    unsigned *residual = app_to_device(zeros.data(), p->iterations); // a word for each iteration
    m->barrier(m->world);
    const double begin = m->wtime();
    for (long i = 0; i < p->iterations; i++) {
        float own;
        step<<<p->ctas, p->threads>>>(a, b, (int)p->rows, (int)p->columns, residual + i);
        CHECK(cudaMemcpy(&own, residual + i, sizeof own, cudaMemcpyDeviceToHost));
        exchange_rows(m, p, b);
        p->residual = app_greatest(m, own);
        std::swap(a, b);
    }
    p->us = (m->wtime() - begin) * 1e6;
    app_to_host(p->got.data(), a, p->cells());
    return NULL;
}

static const char *on_cpu(problem *p, const app_mpi *m) {
    const uint64_t cells = (uint64_t)p->rows * (p->columns - 2);
    std::vector<float> a = p->own, b = p->own;
    m->barrier(m->world);
    const double begin = m->wtime();
    for (long i = 0; i < p->iterations; i++) {
        const float own = host_step(a.data(), b.data(), p->rows, p->columns);
        // a cell is read, and its line is read before it is written
        heddle_host_work(7 * cells, 12 * cells, 8 * cells);
        exchange_rows(m, p, b.data());
        p->residual = app_greatest(m, own);
        a.swap(b);
    }
    p->us = (m->wtime() - begin) * 1e6;
    p->got = a;
    return NULL;
}

int main(int argc, char **argv) {
    problem p = {.rows = 32, .columns = 64, .iterations = 4, .ctas = 4, .threads = 64};
    const app_option options[] = {
        {"-r", "rows of a PE", &p.rows, 1, 65536},       {"-c", "columns", &p.columns, 3, 65536},
        {"-i", "iterations", &p.iterations, 1, 100000},  {"-b", "CTAs", &p.ctas, 1, 1024},
        {"-t", "threads per CTA", &p.threads, 32, 1024},
    };
    app_start(argc, argv, "Solves Laplace's equation by Jacobi's iteration.", options, 5);
    app_run run = app_begin_run();
    p.me = run.me;
    p.n = run.n;
    const size_t all = (size_t)(p.rows * p.n + 2) * p.columns;
    std::vector<float> whole(all), next;
    for (size_t i = 0; i < all; i++) whole[i] = start_value(i / p.columns, i % p.columns);
    const float *own = whole.data() + (size_t)p.me * p.rows * p.columns;
    p.own.assign(own, own + p.cells());
    p.got.resize(p.cells());
    const char *error = !run.uses_mpi ? intra_kernel(&p)
                        : run.on_cpu  ? on_cpu(&p, &run.mpi)
                                      : between_kernels(&p, &run.mpi);
    float residual = 0;
    for (long i = 0; i < p.iterations; i++) { // the same on the host
        next = whole;
        residual = host_step(whole.data(), next.data(), p.rows * p.n, p.columns);
        whole.swap(next);
    }
    own = whole.data() + (size_t)p.me * p.rows * p.columns;
    for (size_t i = p.columns; i < p.cells() - p.columns && !error; i++)
        if (p.got[i] != own[i]) error = "the grid is not as expected";
    if (!error && p.residual != residual) error = "the residual is not as expected";
    char result[120];
    snprintf(result, sizeof result, "%d PEs, %ld x %ld each: %.3f us for an iteration", p.n, p.rows,
             p.columns, p.us / p.iterations);
    return app_end_run(&run, error, result);
}
