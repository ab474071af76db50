// sleep.cuh - litmus tests of time: the length of sleeps, and a lock whose waiters back off
// exponentially. litmus.cu lists the tests.
#ifndef HEDDLE_APPS_LITMUS_SLEEP_CUH
#define HEDDLE_APPS_LITMUS_SLEEP_CUH

#include "litmus.h"

// ---- sleep: measured by the clocks around it; PTX allows 0 to twice the requested time ----

#define SL_SLEEPS 4

struct sleep_times {
    long long cycles, ns;
};

static __host__ __device__ unsigned sl_asked(unsigned i) {
    return i == 0 ? 0 : i == 1 ? 100 : i == 2 ? 3000 : 50000;
}

static __device__ __forceinline__ long long sl_timer() {
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

// Warps of the first CTA sleep SL_SLEEPS times concurrently, those of the second CTA once.
__global__ void sleeping(sleep_times *out) {
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (unsigned i = 0; i < (blockIdx.x ? 1 : SL_SLEEPS); i++) {
        unsigned n = blockIdx.x ? 2 : i;
        long long from = sl_timer(), cycle = clock64();
        __nanosleep(sl_asked(n));
        long long cycles = clock64() - cycle, ns = sl_timer() - from;
        if (threadIdx.x % 32 == 0) {
            out[warp * SL_SLEEPS + n].cycles = cycles;
            out[warp * SL_SLEEPS + n].ns = ns;
        }
    }
}

static bool run_sleep(trial &trial) {
    const unsigned warps = 8, n = warps * SL_SLEEPS;
    sleep_times *device = trial.zeros<sleep_times>(n);
    sleeping<<<2, 32 * warps / 2>>>(device);
    if (!trial.finish("sleep")) return false;
    std::vector<sleep_times> out(n);
    app_to_host(out.data(), device, n);
    for (unsigned i = 0; i < n; i++) {
        long long asked = sl_asked(i % SL_SLEEPS), ns = out[i].ns;
        // 500 ns for reading the clocks
        if (ns < 0 || ns > 2 * asked + 500)
            return trial.fail("warp %u slept %lld ns instead of %lld", i / SL_SLEEPS, ns, asked);
    }
    printf(APP_NAME ": sleep of 100, 3000, 50000 ns: %lld, %lld, %lld cycles\n", out[1].cycles,
           out[2].cycles, out[3].cycles);
    return true;
}

// ---- backoff: a thread that does not get the lock sleeps, twice as long each time ----

#define BO_CTAS 24

__global__ void backoff(unsigned *lock, unsigned *count, unsigned *out, spin spin) {
    if (threadIdx.x != 0) return;
    unsigned ns = 8;
    bool got = spin_until(spin, [&] {
        if (atomicCAS(lock, 0u, 1u) == 0) return true;
        __nanosleep(ns);
        if (ns < 256) ns *= 2;
        return false;
    });
    if (!got) return;
    __threadfence();
    unsigned order = *count;
    *count = order + 1;
    __threadfence();
    atomicExch(lock, 0u);
    out[order] = 1;
}

static bool run_backoff(trial &trial) {
    unsigned *lock = trial.zeros<unsigned>(1);
    unsigned *count = trial.zeros<unsigned>(1);
    unsigned *out = trial.zeros<unsigned>(BO_CTAS);
    backoff<<<BO_CTAS, 32>>>(lock, count, out, trial.spins());
    return trial.finish("backoff") &&
           trial.same("count", count, 1, [](size_t) { return (unsigned)BO_CTAS; }) &&
           trial.same("turns", out, BO_CTAS, [](size_t) { return 1u; });
}

#endif
