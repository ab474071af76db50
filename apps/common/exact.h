// exact.h - arithmetic that gives the same bits on CPU and GPU, so that a program can repeat its
// kernels on the CPU and compare results without a tolerance.
//
// Compilers for GPUs fuse a product with the sum that follows, those for CPUs often do not, and the
// two sides have different libraries of functions. Code that uses this file calls fma() where it
// wants a fused operation and times() where it wants a product alone. Sums, quotients and roots
// are correctly rounded on both sides.
#ifndef HEDDLE_APPS_COMMON_EXACT_H
#define HEDDLE_APPS_COMMON_EXACT_H

#include <cmath>
#include <cstring>

#define BOTH __host__ __device__ static inline

// A product that no compiler fuses with a sum.
BOTH double times(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}
BOTH float times(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

// Spreads the bits of a number (the last steps of SplitMix64): neighbours get unrelated values.
BOTH unsigned long long exact_hash(unsigned long long x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// Random bits as a number of [0, 1).
BOTH double exact_unit(unsigned long long bits) { return (double)(bits >> 11) * 0x1p-53; }
BOTH float exact_unit_float(unsigned long long bits) { return (float)(bits >> 40) * 0x1p-24f; }

// The natural logarithm of a normal positive number, to some 1e-15 of its value.
BOTH double exact_log(double x) {
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    int power = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) { // m lies between the roots of 1/2 and 2
        m *= 0.5;
        power++;
    }
    // log m = 2 artanh s
    double s = (m - 1) / (m + 1), square = times(s, s), sum = 1.0 / 19;
    for (int odd = 17; odd > 0; odd -= 2) sum = fma(sum, square, 1.0 / odd);
    return fma((double)power, 0.69314718055994531, times(2 * s, sum));
}

// Sine and cosine of an angle of a few turns at most, to some 1e-7.
BOTH void exact_sine_cosine(float angle, float *sine, float *cosine) {
    float quarter = rintf(times(angle, 0.636619772f));
    float x = fmaf(quarter, -1.57079637f, angle);
    x = fmaf(quarter, 4.37113883e-8f, x); // the rest of pi/2
    float square = times(x, x);
    float s = fmaf(square, 2.75573192e-6f, -1.98412698e-4f);
    s = fmaf(square, s, 8.33333377e-3f);
    s = fmaf(square, s, -0.166666672f);
    s = fmaf(times(x, square), s, x);
    float c = fmaf(square, -2.75573192e-7f, 2.48015873e-5f);
    c = fmaf(square, c, -1.38888892e-3f);
    c = fmaf(square, c, 4.16666679e-2f);
    c = fmaf(square, c, -0.5f);
    c = fmaf(square, c, 1.0f);
    int turn = (int)quarter & 3;
    float a = turn & 1 ? c : s, b = turn & 1 ? s : c;
    *sine = turn & 2 ? -a : a;
    *cosine = turn == 1 || turn == 2 ? -b : b;
}

#endif
