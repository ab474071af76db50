// atomics.cuh - litmus tests of the values of atomics: floating point, and every integer operation
// with the old value that it returns. litmus.cu lists the tests.
#ifndef HEDDLE_APPS_LITMUS_ATOMICS_CUH
#define HEDDLE_APPS_LITMUS_ATOMICS_CUH

#include "litmus.h"

// ---- float atomics: quarters add up exactly in any order ----

#define FA_CTAS 16
#define FA_THREADS 128
#define FA_N (FA_CTAS * FA_THREADS)

__global__ void float_atomics(float *sums, double *wide_sum, float *largest, spin spin) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i % 8], 0.25f * (float)(i % 16));
    atomicAdd(wide_sum, 0.125 * (double)i);
    if (i % 64 != 0) return;
    // Maximum, by compare and swap of the bits.
    unsigned *bits = (unsigned *)largest;
    float mine = (float)(i * 37 % 1009);
    unsigned seen = *(volatile unsigned *)bits;
    spin_until(spin, [&] {
        if (__uint_as_float(seen) >= mine) return true;
        unsigned found = atomicCAS(bits, seen, __float_as_uint(mine));
        bool done = found == seen;
        seen = found;
        return done;
    });
}

static bool run_float_atomics(trial &trial) {
    float *sums = trial.zeros<float>(8);
    double *wide_sum = trial.zeros<double>(1);
    float *largest = trial.zeros<float>(1);
    float_atomics<<<FA_CTAS, FA_THREADS>>>(sums, wide_sum, largest, trial.spins());
    if (!trial.finish("float_atomics")) return false;
    float most = 0.0f;
    for (unsigned i = 0; i < FA_N; i += 64) {
        float value = (float)(i * 37 % 1009);
        if (value > most) most = value;
    }
    return trial.same("sum", sums, 8, [](size_t s) {
        return 0.25f * (float)(FA_N / 16) * (float)(s + s + 8);
    }) && trial.same("double sum", wide_sum, 1, [](size_t) {
        return 0.125 * (double)FA_N * (FA_N - 1) / 2;
    }) && trial.same("largest", largest, 1, [=](size_t) { return most; });
}

// ---- integer atomics: the final values, and the old values that threads got ----

enum { IA_ADD, IA_SUB, IA_MIN, IA_MAX, IA_AND, IA_OR, IA_XOR, IA_INC, IA_DEC, IA_EXCH, IA_WORDS };
#define IA_THREADS 256
#define IA_N 512
#define IA_WRAP 99

__global__ void integer_atomics(unsigned *words, int *least, unsigned long long *wide,
                                unsigned *olds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *old = olds + i * 4;
    old[0] = atomicAdd(&words[IA_ADD], 1u);
    atomicSub(&words[IA_SUB], i);
    atomicMin(&words[IA_MIN], 100000u - i);
    atomicMax(&words[IA_MAX], i);
    atomicAnd(&words[IA_AND], ~(1u << i % 32));
    atomicOr(&words[IA_OR], 1u << i % 31);
    atomicXor(&words[IA_XOR], i);
    old[1] = atomicInc(&words[IA_INC], IA_WRAP);
    old[2] = atomicDec(&words[IA_DEC], IA_WRAP);
    old[3] = atomicExch(&words[IA_EXCH], i + 1);
    atomicMin(least, -(int)i);
    atomicAdd(wide, 1ull << 32 | i);
}

// Checks column c of the old values: each value below `values` must occur right(value) times.
template <class F>
static bool counts_are(trial &trial, const std::vector<unsigned> &olds, int c, const char *what,
                       unsigned values, F right) {
    std::vector<unsigned> seen(values, 0);
    for (unsigned i = 0; i < IA_N; i++) {
        unsigned old = olds[i * 4 + c];
        if (old >= values) return trial.fail("%s told thread %u of %u", what, i, old);
        seen[old]++;
    }
    for (unsigned v = 0; v < values; v++) {
        if (seen[v] != right(v)) {
            return trial.fail("%s told %u threads of %u, not %u", what, seen[v], v, right(v));
        }
    }
    return true;
}

static bool run_integer_atomics(trial &trial) {
    std::vector<unsigned> start(IA_WORDS, 0);
    start[IA_MIN] = start[IA_AND] = ~0u;
    unsigned *words = trial.zeros<unsigned>(IA_WORDS);
    CHECK(cudaMemcpy(words, start.data(), IA_WORDS * sizeof(unsigned), cudaMemcpyHostToDevice));
    int *least = trial.zeros<int>(1);
    unsigned long long *wide = trial.zeros<unsigned long long>(1);
    unsigned *olds = trial.zeros<unsigned>(4 * IA_N);
    integer_atomics<<<IA_N / IA_THREADS, IA_THREADS>>>(words, least, wide, olds);
    if (!trial.finish("integer_atomics")) return false;

    const unsigned sum = IA_N * (IA_N - 1) / 2;
    std::vector<unsigned> end(IA_WORDS), right(IA_WORDS, 0);
    right[IA_ADD] = IA_N;
    right[IA_SUB] = 0u - sum;
    right[IA_MIN] = 100000 - (IA_N - 1);
    right[IA_MAX] = IA_N - 1;
    right[IA_AND] = 0;
    right[IA_OR] = 0x7fffffffu;
    right[IA_XOR] = 0; // 0 ^ 1 ^ ... ^ 511
    right[IA_INC] = IA_N % (IA_WRAP + 1);
    // From 0 down to IA_WRAP, then on to 0 again.
    right[IA_DEC] = (IA_WRAP + 1 - IA_N % (IA_WRAP + 1)) % (IA_WRAP + 1);
    std::vector<unsigned> got(IA_WORDS);
    app_to_host(got.data(), words, IA_WORDS);
    right[IA_EXCH] = got[IA_EXCH]; // any thread may be last; the old values check the rest
    if (!trial.same("word", words, IA_WORDS, [&](size_t w) { return right[w]; }) ||
        !trial.same("least", least, 1, [](size_t) { return -(IA_N - 1); }) ||
        !trial.same("wide", wide, 1,
                    [=](size_t) { return (unsigned long long)IA_N << 32 | sum; })) {
        return false;
    }

    std::vector<unsigned> told(4 * IA_N);
    app_to_host(told.data(), olds, 4 * IA_N);
    // Exchanges form a chain from 0 to the last: each value except the last is returned once.
    std::vector<bool> seen(IA_N + 1, false);
    for (unsigned i = 0; i < IA_N; i++) {
        unsigned old = told[4 * i + 3];
        if (old > IA_N || seen[old] || old == got[IA_EXCH]) {
            return trial.fail("atomicExch told thread %u of %u", i, old);
        }
        seen[old] = true;
    }
    const unsigned wraps = IA_N / (IA_WRAP + 1), rest = IA_N % (IA_WRAP + 1);
    return counts_are(trial, told, 0, "atomicAdd", IA_N, [](unsigned) { return 1u; }) &&
           counts_are(trial, told, 1, "atomicInc", IA_WRAP + 1,
                      [=](unsigned v) { return wraps + (v < rest ? 1u : 0u); }) &&
           // 0 first, then from the top.
           counts_are(trial, told, 2, "atomicDec", IA_WRAP + 1, [=](unsigned v) {
               return wraps + (v == 0 || v > IA_WRAP + 1 - rest ? 1u : 0u);
           });
}

#endif
