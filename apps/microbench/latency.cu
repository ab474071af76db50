// micro_latency: loads, shared memory, barriers, atomics and fences, measured by the kernel's own
// clock.
//
//   latency.N        cycles of a load in a chain of pointers over N KB, one lane; footprints that
//                    fit into a cache are read beforehand
//   cyclic.N         the same over all lines of N KB in a scattered order, in the second round
//   issue.N          cycles between two clock reads around N independent loads from L1
//   issue4.interval  cycles between such loads when four warps issue them, on all sub-cores
//   shared.*         a chain through shared memory; a load with an N-way bank conflict
//   barrier.N        a CTA barrier of N warps
//   atomic.latency   a chain of atomic additions, each using the result of the one before
//   fence.cta        a fence of the CTA's scope
//   fence.gpu, .sys  a fence of the GPU's, the system's scope, and the store before it
#define APP_NAME "micro_latency"
#include "micro.h"

#include <vector>

#define SECTOR 32 // bytes
#define CHAIN 256 // loads of a chain
#define SHORT 8
#define LONG 24

static long launches = 1; // of kernels without a chain of global loads; the last one counts

DEVICE u64 load64(u64 from) {
    u64 value;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
DEVICE u32 load32(u64 from) {
    u32 value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
DEVICE u32 load_shared(u32 from) {
    u32 value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
    return value;
}

// ---- a chain of pointers

__global__ void follow(u64 chain, long footprint, bool warm, span *spans, u64 *end) {
    if (warm) {
        u64 sum = 0; // of addresses: never odd
        for (long at = threadIdx.x * SECTOR; at < footprint; at += blockDim.x * SECTOR)
            sum += load64(chain + at);
        if (sum & 1) asm volatile("trap;");
        __syncthreads();
    }
    if (threadIdx.x != 0) return;
    u64 p = chain, start = now();
    for (int i = 0; i < CHAIN; i += 8)
        for (int k = 0; k < 8; k++) p = load64(p);
    if (p == 0) asm volatile("trap;"); // the branch waits for the last load
    note(spans, start, now());
    *end = p;
}

static void chase(long kb, bool warm) {
    long footprint = kb * 1024, sectors = footprint / CHAIN / SECTOR;
    if (sectors > 1) sectors = (sectors - 1) | 1; // odd, so that all banks and slices are used
    long stride = sectors * SECTOR;
    u64 chain;
    CHECK(cudaMalloc((void **)&chain, footprint));
    std::vector<u64> cells(footprint / sizeof(u64), 0);
    for (long i = 0; i < CHAIN; i++)
        cells[i * stride / sizeof(u64)] = chain + (i + 1) % CHAIN * stride;
    CHECK(cudaMemcpy((void *)chain, cells.data(), footprint, cudaMemcpyHostToDevice));
    span *spans = app_zeros_on_device<span>(1), host;
    u64 *end = app_zeros_on_device<u64>(1), back;
    follow<<<1, 32>>>(chain, footprint, warm, spans, end);
    WAIT("follow");
    app_to_host(&host, spans, 1);
    app_to_host(&back, end, 1);
    if (back != chain) exit(app_fail("the chain over %ld KB does not end where it began", kb));
    CHECK(cudaFree((void *)chain));
    CHECK(cudaFree(spans));
    CHECK(cudaFree(end));
    char key[64];
    snprintf(key, sizeof key, "latency.%ldKB", kb);
    figure(key, cycles_of(&host, 1) / CHAIN, "cycles");
}

// One lane follows the whole chain once, and a second time with the clock.
__global__ void follow_round(u64 chain, long lines, span *spans, u64 *end) {
    if (threadIdx.x != 0) return;
    u64 p = chain;
    for (long i = 0; i < lines; i += 8)
        for (int k = 0; k < 8; k++) p = load64(p);
    if (p == 0) asm volatile("trap;");
    u64 start = now();
    for (long i = 0; i < lines; i += 8)
        for (int k = 0; k < 8; k++) p = load64(p);
    if (p == 0) asm volatile("trap;");
    note(spans, start, now());
    *end = p;
}

// Measures cyclic.N. The order is such that a cache smaller than the chain never holds the next
// line.
static void round_trip(long kb) {
    const long lines = kb * 8, step = (long)(0.618 * lines) | 1;
    u64 chain;
    CHECK(cudaMalloc((void **)&chain, lines * 128));
    std::vector<u64> cells(lines * 16, 0);
    long at = 0, count = 0;
    do { // an odd step visits all lines if their number is a power of two, else nearly all
        long next = (at + step) % lines;
        cells[at * 16] = chain + next * 128;
        at = next;
        count++;
    } while (at != 0);
    count = count / 8 * 8;
    CHECK(cudaMemcpy((void *)chain, cells.data(), lines * 128, cudaMemcpyHostToDevice));
    span *spans = app_zeros_on_device<span>(1), host;
    u64 *end = app_zeros_on_device<u64>(1);
    follow_round<<<1, 32>>>(chain, count, spans, end);
    WAIT("follow_round");
    app_to_host(&host, spans, 1);
    CHECK(cudaFree((void *)chain));
    CHECK(cudaFree(spans));
    CHECK(cudaFree(end));
    char key[64];
    snprintf(key, sizeof key, "cyclic.%ldKB", kb);
    figure(key, cycles_of(&host, 1) / count, "cycles");
}

// ---- independent loads

template <int COUNT> __global__ void loads(u64 from, span *spans, u32 *sums) {
    u32 value[COUNT ? COUNT : 1] = {0}, sum = load32(from + 4 * (threadIdx.x % 32));
    if (sum == 1) asm volatile("trap;"); // waits until all sectors of the line are in L1
    __syncthreads();
    u64 start = now();
#pragma unroll
    for (int i = 0; i < COUNT; i++) value[i] = load32(from + 4 * i);
    u64 stop = now();
    for (int i = 0; i < COUNT; i++) sum += value[i];
    note(spans, start, stop);
    sums[threadIdx.x] = sum;
}

template <int COUNT> static double issue(int warps) {
    u32 *zero = app_zeros_on_device<u32>(32), *sums = app_zeros_on_device<u32>(32 * warps);
    span *spans = app_zeros_on_device<span>(warps), host[4];
    for (long l = 0; l < launches; l++) loads<COUNT><<<1, 32 * warps>>>((u64)zero, spans, sums);
    WAIT("loads");
    app_to_host(host, spans, warps);
    CHECK(cudaFree(zero));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(spans));
    double longest = 0;
    for (int w = 0; w < warps; w++)
        if (cycles_of(&host[w], 1) > longest) longest = cycles_of(&host[w], 1);
    return longest;
}

static void issues() {
    const double elapsed[] = {issue<0>(1), issue<1>(1), issue<2>(1), issue<3>(1), issue<4>(1),
                              issue<5>(1), issue<6>(1), issue<7>(1), issue<8>(1)};
    for (int n = 0; n < 9; n++) {
        char key[32];
        snprintf(key, sizeof key, "issue.%d", n);
        figure(key, elapsed[n], "cycles");
    }
    figure("issue.interval", (issue<LONG>(1) - issue<12>(1)) / (LONG - 12), "cycles");
    figure("issue4.interval", (issue<LONG>(4) - issue<12>(4)) / (LONG - 12), "cycles");
}

// ---- shared memory

// Each word holds its own address. Lane l reads word l * ways: a bank conflict of `ways` lanes.
template <int LENGTH, bool CHAINED> __global__ void shared(int ways, span *spans, u32 *results) {
    __shared__ u32 words[32 * 32];
    u32 base = (u32)__cvta_generic_to_shared(words);
    for (u32 i = threadIdx.x; i < 32 * 32; i += 32) words[i] = base + 4 * i;
    __syncthreads();
    u32 value[LENGTH], at = base + threadIdx.x % 32 * ways * 4, same = at;
    u64 start = now();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) {
        value[i] = load_shared(at);
        if (CHAINED) at = value[i];
    }
    // The branch waits for a load after the others, which no compiler moves above the store.
    asm volatile("st.shared.u32 [%0], %0;" ::"r"(at) : "memory");
    if (load_shared(at) == 0xffffffff) asm volatile("trap;");
    u64 stop = now();
    for (int i = 0; i < LENGTH; i++) same &= value[i];
    note(spans, start, stop);
    results[threadIdx.x] = same;
}

template <int LENGTH, bool CHAINED> static double shared_cycles(int ways) {
    u32 *results = app_zeros_on_device<u32>(32);
    span *spans = app_zeros_on_device<span>(1), host;
    for (long l = 0; l < launches; l++) shared<LENGTH, CHAINED><<<1, 32>>>(ways, spans, results);
    WAIT("shared");
    app_to_host(&host, spans, 1);
    CHECK(cudaFree(results));
    CHECK(cudaFree(spans));
    return cycles_of(&host, 1);
}

template <bool CHAINED> static double shared_cost(int ways) {
    const int most = CHAINED ? LONG : 16; // values that fit into registers until they are used
    return (shared_cycles<most, CHAINED>(ways) - shared_cycles<SHORT, CHAINED>(ways)) /
           (most - SHORT);
}

// ---- barriers, atomics, fences

template <int LENGTH> __global__ void barriers(span *spans) {
    __syncthreads();
    u64 start = now();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) asm volatile("bar.sync 0;" ::: "memory");
    note(spans, start, now());
}

template <int LENGTH> __global__ void atomics(u64 at, span *spans, u32 *sums) {
    u32 value = 0;
    u64 start = now();
#pragma unroll
    for (int i = 0; i < LENGTH; i++)
        asm volatile("atom.global.add.u32 %0, [%1], %2;"
                     : "=r"(value)
                     : "l"(at), "r"(value)
                     : "memory");
    if (value != 0) asm volatile("trap;");
    note(spans, start, now());
    sums[threadIdx.x] = value;
}

enum fence { FENCE_CTA, FENCE_GPU, FENCE_SYS };

template <int LENGTH, fence SCOPE> __global__ void fences(u64 at, span *spans) {
    u64 start = now();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) {
        if (SCOPE != FENCE_CTA)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        if (SCOPE == FENCE_CTA) asm volatile("fence.acq_rel.cta;" ::: "memory");
        if (SCOPE == FENCE_GPU) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        if (SCOPE == FENCE_SYS) asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
    note(spans, start, now());
}

template <int LENGTH> static double barrier_cycles(int warps) {
    span *spans = app_zeros_on_device<span>(warps), host[32];
    for (long l = 0; l < launches; l++) barriers<LENGTH><<<1, 32 * warps>>>(spans);
    WAIT("barriers");
    app_to_host(host, spans, warps);
    CHECK(cudaFree(spans));
    return cycles_of(host, warps);
}

template <int LENGTH> static double atomic_cycles() {
    u32 *zero = app_zeros_on_device<u32>(1), *sums = app_zeros_on_device<u32>(1);
    span *spans = app_zeros_on_device<span>(1), host;
    for (long l = 0; l < launches; l++) atomics<LENGTH><<<1, 1>>>((u64)zero, spans, sums);
    WAIT("atomics");
    app_to_host(&host, spans, 1);
    CHECK(cudaFree(zero));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(spans));
    return cycles_of(&host, 1);
}

template <int LENGTH, fence SCOPE> static double cycles_of_fences(u32 *word) {
    span *spans = app_zeros_on_device<span>(1), host;
    for (long l = 0; l < launches; l++) fences<LENGTH, SCOPE><<<1, 1>>>((u64)word, spans);
    WAIT("fences");
    app_to_host(&host, spans, 1);
    CHECK(cudaFree(spans));
    return cycles_of(&host, 1);
}

template <fence SCOPE> static void fence_figure(const char *key, u32 *word) {
    const double more = cycles_of_fences<LONG, SCOPE>(word) - cycles_of_fences<SHORT, SCOPE>(word);
    figure(key, more / (LONG - SHORT), "cycles");
}

int main(int argc, char **argv) {
    long cyclic = 0;
    const app_option options[] = {
        {"-c", "KB of a chain over all lines, and nothing else; 0: all but that", &cyclic, 0,
         1L << 20},
        {"-n", "launches of the other kernels, the last of which counts", &launches, 1, 10},
    };
    app_start(argc, argv, "Measures latencies of memory, barriers, atomics and fences.", options,
              2);
    if (cyclic) {
        round_trip(cyclic);
        return app_pass("a chain over %ld KB", cyclic);
    }
    const long in_caches[] = {8, 16, 32, 64, 96, 192, 256, 512, 1024, 2048, 4096};
    for (long kb : in_caches) chase(kb, true);
    chase(16384, false);
    chase(65536, false);
    issues();
    figure("shared.latency", shared_cost<true>(1), "cycles");
    for (int ways = 1; ways <= 32; ways *= 2) {
        char key[32];
        snprintf(key, sizeof key, "shared.%dway", ways);
        figure(key, shared_cost<false>(ways), "cycles");
    }
    for (int warps = 1; warps <= 32; warps *= 2) {
        char key[32];
        snprintf(key, sizeof key, "barrier.%d", warps);
        figure(key, (barrier_cycles<LONG>(warps) - barrier_cycles<SHORT>(warps)) / (LONG - SHORT),
               "cycles");
    }
    figure("atomic.latency", (atomic_cycles<LONG>() - atomic_cycles<SHORT>()) / (LONG - SHORT),
           "cycles");
    u32 *word = app_zeros_on_device<u32>(1);
    fence_figure<FENCE_CTA>("fence.cta", word);
    fence_figure<FENCE_GPU>("fence.gpu", word);
    fence_figure<FENCE_SYS>("fence.sys", word);
    CHECK(cudaFree(word));
    return measured("chains over 13 footprints");
}
