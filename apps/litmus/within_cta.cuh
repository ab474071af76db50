// within_cta.cuh - litmus tests within a CTA, or within one thread. litmus.cu lists the tests.
#ifndef HEDDLE_APPS_LITMUS_WITHIN_CTA_CUH
#define HEDDLE_APPS_LITMUS_WITHIN_CTA_CUH

#include "litmus.h"

// ---- shared flags: a token is passed around the warps through volatile shared memory ----

#define SF_WARPS 8
#define SF_LAPS 3

__global__ void shared_flags(unsigned *out, spin spin) {
    __shared__ volatile unsigned turn;
    __shared__ volatile unsigned sum;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) turn = sum = 0;
    __syncthreads();
    if (lane != 0) return;
    for (unsigned lap = 0; lap < SF_LAPS; lap++) {
        // in reverse order, so that the warps that start first must wait
        unsigned mine = lap * SF_WARPS + SF_WARPS - 1 - warp;
        if (!spin_until(spin, [&] { return turn == mine; })) return;
        sum = sum * 3 + warp;
        __threadfence_block();
        turn = mine + 1;
    }
    if (warp == 0) *out = sum;
}

static bool run_shared_flags(trial &trial) {
    unsigned *out = trial.zeros<unsigned>(1);
    shared_flags<<<1, SF_WARPS * 32>>>(out, trial.spins());
    return trial.finish("shared_flags") && trial.same("sum", out, 1, [](size_t) {
        unsigned sum = 0;
        for (int lap = 0; lap < SF_LAPS; lap++) {
            for (int warp = SF_WARPS - 1; warp >= 0; warp--) sum = sum * 3 + warp;
        }
        return sum;
    });
}

// ---- named barriers: producer warps arrive, consumer warps wait, two buffers ----

#define NB_HALF 64 // number of producers and of consumers
#define NB_ROUNDS 6

static __device__ __forceinline__ void barrier_wait(int id) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(2 * NB_HALF) : "memory");
}
static __device__ __forceinline__ void barrier_arrive(int id) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(2 * NB_HALF) : "memory");
}

// Barriers 1 and 2: buffers 0 and 1 are full. Barriers 3 and 4: they are empty.
__global__ void named_barriers(unsigned *out) {
    __shared__ unsigned buffer[2][NB_HALF];
    unsigned t = threadIdx.x % NB_HALF;
    if (threadIdx.x < NB_HALF) {
        for (int round = 0; round < NB_ROUNDS; round++) {
            int b = round % 2;
            if (round >= 2) barrier_wait(3 + b);
            buffer[b][t] = (blockIdx.x * NB_ROUNDS + round) * 100 + t;
            barrier_arrive(1 + b);
        }
    } else {
        for (int round = 0; round < NB_ROUNDS; round++) {
            int b = round % 2;
            barrier_wait(1 + b);
            unsigned other = NB_HALF - 1 - t; // the other warp's data
            out[(blockIdx.x * NB_ROUNDS + round) * NB_HALF + t] = buffer[b][other];
            if (round + 2 < NB_ROUNDS) barrier_arrive(3 + b);
        }
    }
}

static bool run_named_barriers(trial &trial) {
    const unsigned ctas = 4, n = ctas * NB_ROUNDS * NB_HALF;
    unsigned *out = trial.zeros<unsigned>(n);
    named_barriers<<<ctas, 2 * NB_HALF>>>(out);
    return trial.finish("named_barriers") && trial.same("received", out, n, [](size_t i) {
        return (unsigned)(i / NB_HALF) * 100 + (NB_HALF - 1 - (unsigned)i % NB_HALF);
    });
}

// ---- red, then a plain load: a thread sees its own additions, L1 or not ----

#define RL_THREADS 1024

__global__ void red_then_load(unsigned *x, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned before = x[i];
    atomicAdd(&x[i], 5u);
    unsigned once = x[i];
    atomicAdd(&x[i], 7u);
    atomicAdd(&x[i], 11u);
    unsigned thrice = x[i];
    out[i] = before * 10000 + once * 100 + thrice;
}

static bool run_red_then_load(trial &trial) {
    unsigned *x = trial.zeros<unsigned>(RL_THREADS);
    unsigned *out = trial.zeros<unsigned>(RL_THREADS);
    red_then_load<<<RL_THREADS / 128, 128>>>(x, out);
    return trial.finish("red_then_load") &&
           trial.same("seen", out, RL_THREADS, [](size_t) { return 5u * 100 + 23; }) &&
           trial.same("x", x, RL_THREADS, [](size_t) { return 23u; });
}

#endif
