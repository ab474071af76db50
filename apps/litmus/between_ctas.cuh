// between_ctas.cuh - litmus tests whose threads are in different CTAs and communicate through
// global memory. litmus.cu lists the tests.
#ifndef HEDDLE_APPS_LITMUS_BETWEEN_CTAS_CUH
#define HEDDLE_APPS_LITMUS_BETWEEN_CTAS_CUH

#include "litmus.h"

#define WARP 32

// ---- message passing: plain data, then a flag stored with release and loaded with acquire ----

#define MP_PAIRS 32
#define MP_ROUNDS 4

static __host__ __device__ unsigned mp_value(unsigned pair, unsigned round, unsigned lane) {
    return (pair * 1000 + round) * 64 + lane + 1;
}

// Even CTAs consume, odd ones produce: the consumer is dispatched first and spins.
__global__ void message_passing(unsigned *data, unsigned *ready, unsigned *taken, unsigned *out,
                                spin spin) {
    unsigned pair = blockIdx.x / 2, lane = threadIdx.x;
    bool is_producer = blockIdx.x % 2;
    unsigned *box = data + pair * WARP;
    for (unsigned round = 1; round <= MP_ROUNDS; round++) {
        bool go = true;
        if (is_producer) {
            box[lane] = mp_value(pair, round, lane);
            __syncwarp();
            if (lane == 0) {
                __nv_atomic_store_n(&ready[pair], round, __NV_ATOMIC_RELEASE,
                                    __NV_THREAD_SCOPE_DEVICE);
                go = spin_until(spin, [&] {
                    return __nv_atomic_load_n(&taken[pair], __NV_ATOMIC_ACQUIRE,
                                              __NV_THREAD_SCOPE_DEVICE) == round;
                });
            }
        } else {
            if (lane == 0) {
                go = spin_until(spin, [&] {
                    return __nv_atomic_load_n(&ready[pair], __NV_ATOMIC_ACQUIRE,
                                              __NV_THREAD_SCOPE_DEVICE) == round;
                });
            }
            __syncwarp();
            out[(pair * MP_ROUNDS + round - 1) * WARP + lane] = box[lane];
            __syncwarp();
            if (lane == 0) {
                __nv_atomic_store_n(&taken[pair], round, __NV_ATOMIC_RELEASE,
                                    __NV_THREAD_SCOPE_DEVICE);
            }
        }
        if (!__all_sync(~0u, go)) return;
    }
}

static bool run_message_passing(trial &trial) {
    unsigned *data = trial.zeros<unsigned>(MP_PAIRS * WARP);
    unsigned *ready = trial.zeros<unsigned>(MP_PAIRS);
    unsigned *taken = trial.zeros<unsigned>(MP_PAIRS);
    unsigned *out = trial.zeros<unsigned>(MP_PAIRS * MP_ROUNDS * WARP);
    message_passing<<<2 * MP_PAIRS, WARP>>>(data, ready, taken, out, trial.spins());
    return trial.finish("message_passing") &&
           trial.same("received", out, MP_PAIRS * MP_ROUNDS * WARP, [](size_t i) {
               return mp_value(i / WARP / MP_ROUNDS, i / WARP % MP_ROUNDS + 1, i % WARP);
           });
}

// ---- last block: plain partial sums, a fence, a counter; the last CTA adds them up ----

#define LB_CTAS 64
#define LB_THREADS 128

__global__ void last_block(unsigned *partial, unsigned *tickets, unsigned *sum, unsigned launch) {
    __shared__ unsigned values[LB_THREADS];
    __shared__ bool is_last;
    unsigned t = threadIdx.x;
    values[t] = blockIdx.x * LB_THREADS + t + launch;
    __syncthreads();
    for (unsigned half = LB_THREADS / 2; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = values[0];
        __threadfence();
        // The last increment wraps to 0, ready for the next launch.
        is_last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    values[t] = t < gridDim.x ? partial[t] : 0;
    __syncthreads();
    for (unsigned half = LB_THREADS / 2; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();
    }
    if (t == 0) sum[launch] = values[0];
}

static bool run_last_block(trial &trial) {
    const unsigned launches = 3, n = LB_CTAS * LB_THREADS;
    unsigned *partial = trial.zeros<unsigned>(LB_CTAS);
    unsigned *tickets = trial.zeros<unsigned>(1);
    unsigned *sum = trial.zeros<unsigned>(launches);
    for (unsigned launch = 0; launch < launches; launch++) {
        last_block<<<LB_CTAS, LB_THREADS>>>(partial, tickets, sum, launch);
    }
    return trial.finish("last_block") && trial.same("sum", sum, launches, [=](size_t l) {
        return n * (n - 1) / 2 + n * (unsigned)l;
    });
}

// ---- lock handover: acquired by CAS, released by a plain store after a fence ----

#define LH_WARPS 64

struct handover {
    unsigned order;     // position among the holders of the lock, from 0
    long long acquired; // clock64 after the lock was taken
    long long released; // clock64 before it is released
};

__global__ void lock_handover(unsigned *lock, volatile unsigned *count, handover *out, spin spin) {
    if (threadIdx.x != 0) return;
    if (!spin_until(spin, [&] { return atomicCAS(lock, 0u, 1u) == 0; })) return;
    long long acquired = clock64();
    __threadfence();
    unsigned order = *count;
    *count = order + 1;
    long long released = clock64();
    __threadfence();
    *lock = 0;
    out[blockIdx.x].order = order;
    out[blockIdx.x].acquired = acquired;
    out[blockIdx.x].released = released;
}

static bool run_lock_handover(trial &trial) {
    unsigned *lock = trial.zeros<unsigned>(1);
    unsigned *count = trial.zeros<unsigned>(1);
    handover *device = trial.zeros<handover>(LH_WARPS);
    lock_handover<<<LH_WARPS, WARP>>>(lock, count, device, trial.spins());
    if (!trial.finish("lock_handover")) return false;
    if (!trial.same("count", count, 1, [](size_t) { return (unsigned)LH_WARPS; })) return false;

    std::vector<handover> out(LH_WARPS);
    app_to_host(out.data(), device, LH_WARPS);
    std::vector<const handover *> by_order(LH_WARPS, nullptr);
    long long inside = 0;
    for (int w = 0; w < LH_WARPS; w++) {
        unsigned order = out[w].order;
        if (order >= LH_WARPS || by_order[order]) {
            return trial.fail("warp %d had the lock as number %u, as another did", w, order);
        }
        by_order[order] = &out[w];
        inside += out[w].released - out[w].acquired;
    }
    // Total time from the first holder to the last; the clocks of all SMs must be equal.
    long long all = by_order[LH_WARPS - 1]->released - by_order[0]->acquired;
    printf(APP_NAME ": lock_handover %d warps %lld cycles critical_section %.1f cycles\n", LH_WARPS,
           all, (double)inside / LH_WARPS);
    return true;
}

// ---- ldcg spin: flag and data are read bypassing L1 ----

#define LC_PAIRS 16

__global__ void ldcg_spin(unsigned *data, unsigned *flag, unsigned *out, spin spin) {
    unsigned pair = blockIdx.x / 2, lane = threadIdx.x;
    unsigned at = pair * WARP + lane;
    if (blockIdx.x % 2) {
        data[at] = at * 3 + 7;
        __threadfence();
        __syncwarp();
        if (lane == 0) __stcg(&flag[pair], 1u);
        return;
    }
    bool go = true;
    if (lane == 0) go = spin_until(spin, [&] { return __ldcg(&flag[pair]) == 1; });
    if (!__all_sync(~0u, go)) return;
    __threadfence();
    out[at] = __ldcg(&data[at]);
}

static bool run_ldcg_spin(trial &trial) {
    unsigned *data = trial.zeros<unsigned>(LC_PAIRS * WARP);
    unsigned *flag = trial.zeros<unsigned>(LC_PAIRS);
    unsigned *out = trial.zeros<unsigned>(LC_PAIRS * WARP);
    ldcg_spin<<<2 * LC_PAIRS, WARP>>>(data, flag, out, trial.spins());
    return trial.finish("ldcg_spin") && trial.same("received", out, LC_PAIRS * WARP,
                                                   [](size_t i) { return (unsigned)i * 3 + 7; });
}

// ---- grid barrier: all CTAs meet at a counter, several times ----

#define GB_CTAS 80
#define GB_THREADS 64
#define GB_PHASES 4

static __host__ __device__ unsigned gb_value(unsigned phase, unsigned cta) {
    return (phase + 1) * 10000 + cta;
}

__global__ void grid_barrier(unsigned *slots, unsigned *arrived, unsigned *out, spin spin) {
    __shared__ bool go;
    unsigned cta = blockIdx.x, ctas = gridDim.x;
    for (unsigned phase = 0; phase < GB_PHASES; phase++) {
        unsigned *slot = slots + phase * ctas;
        if (threadIdx.x == GB_THREADS - 1) slot[cta] = gb_value(phase, cta);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1u);
            volatile unsigned *seen = arrived;
            unsigned all = (phase + 1) * ctas;
            go = spin_until(spin, [&] { return *seen >= all; });
            __threadfence();
        }
        __syncthreads();
        if (!go) return;
        if (threadIdx.x < 2) {
            unsigned other = (cta + 1 + 36 * threadIdx.x) % ctas;
            out[(phase * ctas + cta) * 2 + threadIdx.x] = slot[other];
        }
    }
}

static bool run_grid_barrier(trial &trial) {
    const unsigned n = GB_PHASES * GB_CTAS;
    unsigned *slots = trial.zeros<unsigned>(n);
    unsigned *arrived = trial.zeros<unsigned>(1);
    unsigned *out = trial.zeros<unsigned>(2 * n);
    grid_barrier<<<GB_CTAS, GB_THREADS>>>(slots, arrived, out, trial.spins());
    return trial.finish("grid_barrier") && trial.same("seen", out, 2 * n, [](size_t i) {
        unsigned phase = i / 2 / GB_CTAS, cta = i / 2 % GB_CTAS;
        return gb_value(phase, (cta + 1 + 36 * (i % 2)) % GB_CTAS);
    });
}

#endif
