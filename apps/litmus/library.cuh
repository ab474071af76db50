// library.cuh - litmus tests of patterns that libraries build on memory order: grid
// synchronization, look-back scans, warps in lockstep, device printf and the device heap. litmus.cu
// lists the tests.
#ifndef HEDDLE_APPS_LITMUS_LIBRARY_CUH
#define HEDDLE_APPS_LITMUS_LIBRARY_CUH

#include <cooperative_groups.h>
#include <string>
#include <unistd.h>

#include "litmus.h"

// ---- grid sync: a cooperative launch whose CTAs all wait for each other, several times ----

#define GS_CTAS 40
#define GS_THREADS 96
#define GS_ROUNDS 5

// A ring: in every round each CTA reads its left neighbour's numbers, so plain data must be visible
// after sync().
__global__ void grid_sync(unsigned *rings) {
    auto grid = cooperative_groups::this_grid();
    unsigned cta = blockIdx.x, t = threadIdx.x;
    for (unsigned round = 0; round < GS_ROUNDS; round++) {
        const unsigned *from = rings + round % 2 * GS_CTAS * GS_THREADS;
        unsigned *to = rings + (round + 1) % 2 * GS_CTAS * GS_THREADS;
        unsigned left = (cta + GS_CTAS - 1) % GS_CTAS;
        to[cta * GS_THREADS + t] = from[left * GS_THREADS + (t + 1) % GS_THREADS] + 1;
        grid.sync();
    }
}

static bool run_grid_sync(trial &trial) {
    const unsigned n = GS_CTAS * GS_THREADS;
    unsigned *rings = trial.zeros<unsigned>(2 * n);
    std::vector<unsigned> first(n);
    for (unsigned i = 0; i < n; i++) first[i] = 1000 * i;
    CHECK(cudaMemcpy(rings, first.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    void *arguments[] = {&rings};
    CHECK(cudaLaunchCooperativeKernel((const void *)grid_sync, dim3(GS_CTAS), dim3(GS_THREADS),
                                      arguments, 0, 0));
    return trial.finish("grid_sync") &&
           trial.same("ring", rings + GS_ROUNDS % 2 * n, n, [](size_t i) {
               unsigned cta = (i / GS_THREADS + GS_CTAS - GS_ROUNDS) % GS_CTAS;
               unsigned t = (i % GS_THREADS + GS_ROUNDS) % GS_THREADS;
               return 1000 * (cta * GS_THREADS + t) + GS_ROUNDS;
           });
}

// ---- look-back scan: a CTA adds up the sums that earlier CTAs have published so far ----

#define LS_CTAS 64
#define LS_THREADS 64

enum ls_status { LS_NOTHING, LS_OWN, LS_PREFIX }; // what a CTA has published

// Publish or read status and value together, in one access of two words.
static __device__ void ls_publish(uint2 *at, unsigned status, unsigned value) {
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(status), "r"(value)
                 : "memory");
}
static __device__ uint2 ls_look(const uint2 *at) {
    uint2 seen;
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(seen.x), "=r"(seen.y)
                 : "l"(at)
                 : "memory");
    return seen;
}

static __host__ __device__ unsigned ls_element(unsigned i) {
    return i * 2654435761u >> 20;
}

// Inclusive sums. CTAs take numbers in the order in which they start, so that a CTA only waits for
// CTAs that are running.
__global__ void lookback_scan(uint2 *published, unsigned *tickets, unsigned *out, spin spin) {
    __shared__ unsigned sums[LS_THREADS], number, before;
    unsigned t = threadIdx.x;
    if (t == 0) number = atomicAdd(tickets, 1u);
    __syncthreads();
    unsigned cta = number, at = cta * LS_THREADS + t;
    sums[t] = ls_element(at);
    __syncthreads();
    for (unsigned d = 1; d < LS_THREADS; d *= 2) {
        unsigned left = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    if (t == 0) {
        unsigned own = sums[LS_THREADS - 1], sum = 0;
        ls_publish(&published[cta], cta ? LS_OWN : LS_PREFIX, own);
        for (unsigned c = cta; c > 0;) {
            uint2 seen = make_uint2(LS_NOTHING, 0);
            if (!spin_until(spin, [&] {
                    seen = ls_look(&published[c - 1]);
                    return seen.x != LS_NOTHING;
                }))
                break;
            sum += seen.y;
            c = seen.x == LS_PREFIX ? 0 : c - 1;
        }
        if (cta) ls_publish(&published[cta], LS_PREFIX, sum + own);
        before = sum;
    }
    __syncthreads();
    out[at] = before + sums[t];
}

static bool run_lookback_scan(trial &trial) {
    const unsigned n = LS_CTAS * LS_THREADS;
    uint2 *published = trial.zeros<uint2>(LS_CTAS);
    unsigned *tickets = trial.zeros<unsigned>(1);
    unsigned *out = trial.zeros<unsigned>(n);
    lookback_scan<<<LS_CTAS, LS_THREADS>>>(published, tickets, out, trial.spins());
    unsigned sum = 0;
    return trial.finish("lookback_scan") && trial.same("sum", out, n, [&](size_t i) {
        return sum += ls_element((unsigned)i);
    });
}

// ---- lockstep: the last steps of a reduction without barriers, as in programs before Volta ----

#define WS_CTAS 20

__global__ void warp_reduction(unsigned *out) {
    __shared__ volatile unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = blockIdx.x * 64 + t;
    __syncthreads();
    if (t < 32) {
        sums[t] += sums[t + 32];
        sums[t] += sums[t + 16];
        sums[t] += sums[t + 8];
        sums[t] += sums[t + 4];
        sums[t] += sums[t + 2];
        sums[t] += sums[t + 1];
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}

static bool run_warp_reduction(trial &trial) {
    unsigned *out = trial.zeros<unsigned>(WS_CTAS);
    warp_reduction<<<WS_CTAS, 64>>>(out);
    return trial.finish("warp_reduction") && trial.same("sum", out, WS_CTAS, [](size_t cta) {
        return (unsigned)(cta * 64 * 64 + 64 * 63 / 2);
    });
}

// ---- printf: output in the order of each thread, and of the lanes of a warp ----

#define PO_CTAS 3
#define PO_ROUNDS 2

__global__ void printf_order(void) {
    for (int round = 0; round < PO_ROUNDS; round++)
        printf("%d %d %d %s %.2f\n", (int)blockIdx.x, round, (int)threadIdx.x,
               threadIdx.x % 2 ? "odd" : "even", threadIdx.x * 0.25);
}

// Captures what is written to standard output while `print` runs.
template <class F> static std::string output_of(F print) {
    std::string text;
    FILE *file = tmpfile();
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    if (!file || kept < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) exit(app_fail("no output"));
    print();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    for (int c; (c = getc(file)) != EOF;) text += (char)c;
    fclose(file);
    return text;
}

static bool run_printf_order(trial &trial) {
    std::string said = output_of([] {
        printf_order<<<PO_CTAS, 32>>>();
        WAIT("printf_order");
    });
    std::vector<int> seen(PO_CTAS, 0); // lines of each CTA so far
    const char *line = said.c_str();
    for (int lines = 0; lines < PO_CTAS * PO_ROUNDS * 32; lines++) {
        int cta, round, lane, n = 0;
        char parity[5];
        double quarter;
        if (sscanf(line, "%d %d %d %4s %lf\n%n", &cta, &round, &lane, parity, &quarter, &n) != 5 ||
            !n || cta < 0 || cta >= PO_CTAS)
            return trial.fail("line %d reads '%.30s'", lines, line);
        int next = seen[cta]++;
        if (round != next / 32 || lane != next % 32 || quarter != lane * 0.25 ||
            strcmp(parity, lane % 2 ? "odd" : "even") != 0)
            return trial.fail("line %d of CTA %d reads '%.*s'", next, cta, n - 1, line);
        line += n;
    }
    if (*line) return trial.fail("more was printed: '%.30s'", line);
    return trial.finish("printf_order");
}

// ---- device heap: lists that one kernel builds, and another reads and frees ----

#define DH_CTAS 4
#define DH_THREADS 32
#define DH_LENGTH 5

struct dh_node {
    unsigned value;
    dh_node *next;
};

__global__ void build_lists(dh_node **heads) {
    unsigned i = blockIdx.x * DH_THREADS + threadIdx.x;
    dh_node *list = nullptr;
    for (unsigned k = 0; k <= i % DH_LENGTH; k++) {
        dh_node *node = (dh_node *)malloc(sizeof(dh_node));
        if (!node) break;
        node->value = i * 10 + k;
        node->next = list;
        list = node;
    }
    heads[i] = list;
}
__global__ void take_down_lists(dh_node **heads, unsigned *sums) {
    // not the thread that built the list
    unsigned i = (blockIdx.x + 1) % DH_CTAS * DH_THREADS + threadIdx.x, sum = 0;
    for (dh_node *node = heads[i]; node;) {
        dh_node *next = node->next;
        sum += node->value;
        free(node);
        node = next;
    }
    sums[i] = sum;
}

static bool run_device_heap(trial &trial) {
    const unsigned n = DH_CTAS * DH_THREADS;
    dh_node **heads = trial.zeros<dh_node *>(n);
    unsigned *sums = trial.zeros<unsigned>(n);
    for (int again = 0; again < 2; again++) { // freed memory can be allocated again
        build_lists<<<DH_CTAS, DH_THREADS>>>(heads);
        take_down_lists<<<DH_CTAS, DH_THREADS>>>(heads, sums);
        if (!trial.finish("device_heap") || !trial.same("sum", sums, n, [](size_t i) {
                unsigned count = (unsigned)i % DH_LENGTH + 1;
                return (unsigned)i * 10 * count + count * (count - 1) / 2;
            }))
            return false;
    }
    return true;
}

#endif
