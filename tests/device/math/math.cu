// math.cu - runs every row of device_math.def on the simulated GPU, in float and double, and
// compares it with MPFR.
//
//   math [-n POINTS] [NAME]     POINTS random operands of each kind a function (default 500)
//
// Prints the largest error of each function in ulp beside its bound, with its operands, and fails
// when one is above. A NaN, a zero of the other sign or an infinity where MPFR has none counts as
// infinitely wrong; an infinity and a number are compared as if the range went on.
#include "reference.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

// The functions of others.def.
template <class T> __device__ T frexp_fraction(T x) {
    int e;
    return frexp(x, &e);
}
template <class T> __device__ T frexp_exponent(T x) {
    int e;
    frexp(x, &e);
    return (T)e;
}
template <class T> __device__ T modf_whole(T x) {
    T whole;
    modf(x, &whole);
    return whole;
}
template <class T> __device__ T modf_rest(T x) {
    T whole;
    return modf(x, &whole);
}
template <class T> __device__ T sincos_sine(T x) {
    T sine, cosine;
    sincos(x, &sine, &cosine);
    return sine;
}
template <class T> __device__ T sincos_cosine(T x) {
    T sine, cosine;
    sincos(x, &sine, &cosine);
    return cosine;
}
template <class T> __device__ T ilogb_value(T x) {
    return (T)ilogb(x);
}
template <class T> __device__ T llrint_value(T x) {
    return fabs(x) < (T)0x1p62 ? (T)llrint(x) : rint(x);
}
template <class T> __device__ T llround_value(T x) {
    return fabs(x) < (T)0x1p62 ? (T)llround(x) : round(x);
}
template <class T> __device__ T ldexp_value(T x, T y) {
    return ldexp(x, fabs(y) < 5000 ? (int)y : 1);
}
template <class T> __device__ T remquo_quotient(T x, T y) {
    int quotient;
    remquo(x, y, &quotient);
    return (T)quotient;
}

#define M1(name, f32, f64)                                                 \
    template <class T> __global__ void k_##name(const T *x, int n, T *y) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                     \
        if (i < n) y[i] = name(x[i]);                                      \
    }
#define M2(name, f32, f64)                                                 \
    template <class T> __global__ void k_##name(const T *x, int n, T *y) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                     \
        if (i < n) y[i] = name(x[i], x[i + n]);                            \
    }
#define M3(name, f32, f64)                                                 \
    template <class T> __global__ void k_##name(const T *x, int n, T *y) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                     \
        if (i < n) y[i] = name(x[i], x[i + n], x[i + 2 * n]);              \
    }
#define M4(name, f32, f64)                                                  \
    template <class T> __global__ void k_##name(const T *x, int n, T *y) {  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                      \
        if (i < n) y[i] = name(x[i], x[i + n], x[i + 2 * n], x[i + 3 * n]); \
    }
#include "device_math.def"
#include "others.def"
#undef M1
#undef M2
#undef M3
#undef M4

static void must(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "math: %s\n", cudaGetErrorString(error));
    exit(1);
}

static unsigned long long random_state = 0x9e3779b97f4a7c15ull;
static unsigned long long random_bits() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}
static double random_unit() {
    return (double)(random_bits() >> 11) * 0x1p-53;
}

// Operands where implementations switch or functions are special: limits, zeros, poles, interval
// ends.
static const double special[] = {0.0,
                                 1.0,
                                 0.5,
                                 2.0,
                                 3.0,
                                 10.0,
                                 0.25,
                                 0.29,
                                 0.4142,
                                 0.55,
                                 1.5,
                                 2.5,
                                 4.0,
                                 6.0,
                                 22.0,
                                 100.0,
                                 0.693147180559945,
                                 0.346573590279973,
                                 0.70710678,
                                 1.41421356,
                                 0.785398163397448,
                                 1.5707963267948966,
                                 3.141592653589793,
                                 6.283185307179586,
                                 1000.0,
                                 65536.0,
                                 1e5,
                                 1e9,
                                 1e10,
                                 1e15,
                                 1e22,
                                 1e30,
                                 1e38,
                                 1e100,
                                 1e300,
                                 88.7228,
                                 103.97,
                                 709.782712893384,
                                 745.13,
                                 38.53,
                                 308.25,
                                 44.85,
                                 323.3,
                                 127.0,
                                 128.0,
                                 149.0,
                                 150.0,
                                 1023.0,
                                 1024.0,
                                 1074.0,
                                 1075.0,
                                 171.624376956302,
                                 34.04,
                                 35.04,
                                 10.05,
                                 27.2,
                                 5.9,
                                 8192.0,
                                 268435456.0,
                                 4503599627370496.0,
                                 9007199254740992.0,
                                 8388608.0,
                                 16777216.0,
                                 1e-3,
                                 1e-5,
                                 1e-8,
                                 1e-10,
                                 1e-20,
                                 1e-38,
                                 1e-45,
                                 1e-300,
                                 4.9e-324,
                                 0.99999994,
                                 0.9999999999999999,
                                 1.1754943508222875e-38,
                                 2.2250738585072014e-308,
                                 3.4028234663852886e38,
                                 1.7976931348623157e308,
                                 5.31937264832654141671e255,
                                 16367173.0,
                                 37.5,
                                 1.4500000000000055, // where log gamma's terms cancel
                                 8.99993,
                                 123456789.0,
                                 HUGE_VAL,
                                 NAN};

template <class T> static T bits_of_type(unsigned long long bits) {
    T value;
    if (sizeof(T) == 4) bits >>= 32;
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> static T operand(int kind) {
    double sign = random_bits() & 1 ? -1 : 1;
    switch (kind) {
    case 0: return bits_of_type<T>(random_bits());
    case 1: return (T)(sign * random_unit());
    case 2: return (T)(sign * 30 * random_unit());
    case 3: return (T)(sign * 800 * random_unit());
    case 4: return (T)(sign * exp2(40 * random_unit() - 20) * (1 + random_unit()));
    case 5: return (T)(sign * (random_bits() % 64) / 4);
    case 6: return (T)(1 + sign * exp2(-24 * random_unit()));
    // Near a multiple of pi/2: the nearest number, and near a halfway case of rounding.
    case 7: return (T)((double)(long long)(sign * exp2(20 * random_unit())) * 1.5707963267948966);
    default: return (T)((double)(random_bits() % 2000) * 0.5 * sign);
    }
}
enum { KINDS = 9 };

// Operands with wrong results in the past: the float product of ldexp was rounded twice.
static const double once_wrong[][2] = {{-0x1.5798eep-27, -103}, {0x1.8c3a5p-20, -120}};

// Returns the operands of a function: n values of the first, then n of the next.
template <class T> static std::vector<T> operands(int arity, int points, int *n) {
    std::vector<T> edges;
    for (double value : special) {
        for (T v : {(T)value, nextafter((T)value, (T)0), nextafter((T)value, (T)HUGE_VAL)}) {
            edges.push_back(v);
            edges.push_back(-v);
        }
    }
    std::vector<std::vector<T>> of(arity);
    if (arity == 1) {
        of[0] = edges;
    } else {
        for (auto &operands : once_wrong) {
            for (int i = 0; i < arity; i++) of[i].push_back((T)operands[i % 2]);
        }
        for (int i = 0; i < 8 * points; i++) {
            for (auto &list : of) {
                list.push_back(edges[random_bits() % edges.size()]);
            }
        }
    }
    int random = KINDS * points * (arity == 1 ? 2 : 4);
    for (int i = 0; i < random; i++) {
        int kind = i % KINDS;
        for (auto &list : of) {
            // Operands of the same size, of the same value, or unrelated ones.
            int choice = (int)(random_bits() % 4);
            T v = operand<T>(choice == 0 ? (int)(random_bits() % KINDS) : kind);
            if (choice == 1 && &list != &of[0]) v = of[0].back() * (T)(1 + random_unit() * 1e-3);
            list.push_back(v);
        }
    }
    *n = (int)of[0].size();
    std::vector<T> all;
    for (auto &list : of) all.insert(all.end(), list.begin(), list.end());
    return all;
}

template <class T>
static bool check(const char *name, int arity, double bound, mpfr_function reference,
                  void (*kernel)(const T *, int, T *), int points) {
    int n;
    std::vector<T> x = operands<T>(arity, points, &n), y(n);
    T *device_x, *device_y;
    must(cudaMalloc(&device_x, x.size() * sizeof(T)));
    must(cudaMalloc(&device_y, n * sizeof(T)));
    must(cudaMemcpy(device_x, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<(n + 127) / 128, 128>>>(device_x, n, device_y);
    must(cudaGetLastError());
    must(cudaMemcpy(y.data(), device_y, n * sizeof(T), cudaMemcpyDeviceToHost));
    must(cudaFree(device_x));
    must(cudaFree(device_y));

    double largest = 0;
    int worst = 0, above = 0;
    for (int i = 0; i < n; i++) {
        reference_operands operand = {{}, sizeof(T) == 4};
        for (int a = 0; a < arity; a++) operand.value[a] = x[i + a * n];
        double error = reference_error(reference, arity, &operand, y[i]);
        // Rounding to nearest is half an ulp already: CUDA counts from the rounded result.
        error = bound == 0 || error > 1e9 ? (error > 0.5 ? error : 0) : error;
        above += !(error <= bound + 0.5 * (bound == 0));
        if (!(error <= largest)) {
            largest = error;
            worst = i;
        }
    }
    printf("%-12s %-6s %9.3f %5g %7d", name, sizeof(T) == 4 ? "float" : "double", largest, bound,
           n);
    if (above) {
        printf("  ABOVE %d times, worst:", above);
        for (int a = 0; a < arity; a++) printf(" %a", (double)x[worst + a * n]);
        printf(" -> %a (%.9g)", (double)y[worst], (double)y[worst]);
    }
    printf("\n");
    return above == 0;
}

int main(int argc, char **argv) {
    int points = 500;
    setvbuf(stdout, NULL, _IOLBF, 0);
    reference_start();
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
            points = atoi(argv[++i]);
        } else {
            only = argv[i];
        }
    }
    int functions = 0, wrong = 0;
    printf("function     type   error/ulp bound operands\n");
#define ROW(arity, name, f32, f64)                                                              \
    if (!only || strcmp(only, #name) == 0) {                                                    \
        wrong += !check<float>(#name, arity, f32, reference_##name, k_##name<float>, points);   \
        wrong += !check<double>(#name, arity, f64, reference_##name, k_##name<double>, points); \
        functions += 2;                                                                         \
    }
#define M1(name, f32, f64) ROW(1, name, f32, f64)
#define M2(name, f32, f64) ROW(2, name, f32, f64)
#define M3(name, f32, f64) ROW(3, name, f32, f64)
#define M4(name, f32, f64) ROW(4, name, f32, f64)
#include "device_math.def"
#include "others.def"
    if (wrong || functions == 0) {
        printf("math: FAIL %d of %d\n", wrong, functions);
        return 1;
    }
    printf("math: PASS %d functions\n", functions);
    return 0;
}
