// micro_strides: cycles of an SM for a warp's load whose lanes read with a stride, and for loads of
// shared memory whose lanes share words. 32 warps of a CTA load from L1, or from shared memory, as
// fast as they can; each figure is the difference between a long and a short run, per load.
//
//   float.N, double.N   lanes read elements that are N apart, from L1. As in gpu-benches
//                       (gpu-strides), the source of hardware figures: two warps continue each
//                       other, and the eight loads of a round begin 0 to 28 elements behind a line
//   shared64.P, shared128.P   loads of 8 and 16 bytes; lane n reads element: uniform: 0, pairs:
//                       n / 2, quads: n / 4, apart: n / 4 * 2 + n % 2, modulo4: n % 4, step16: the
//                       one that is 16 * (n % 4) bytes away, distinct: n
#define APP_NAME "micro_strides"
#include "micro.h"

#define WARPS 32
#define DEEP 8 // loads of a round
#define SHORT 3
#define LONG 9 // rounds

DEVICE float load(const float *from) {
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    return value;
}
DEVICE double load(const double *from) {
    double value;
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(value) : "l"(from) : "memory");
    return value;
}

// The first round of each warp brings the lines into L1. `zero` is 0, which the compiler does not
// know.
template <class T>
__global__ void strided(const T *from, int stride, int zero, int rounds, span *spans, T *sums) {
    const T *at = from + threadIdx.x % 64 * stride;
    T sum = 0;
    for (int k = 0; k < DEEP; k++) sum += load(at + 4 * k);
    if (sum != 0) asm volatile("trap;"); // waits for them
    __syncthreads();
    u64 start = now();
    for (int r = 0; r < rounds; r++) {
        T value[DEEP];
        at += zero;
#pragma unroll
        for (int k = 0; k < DEEP; k++) value[k] = load(at + 4 * k);
#pragma unroll
        for (int k = 0; k < DEEP; k += 2) sum += value[k] * value[k + 1];
    }
    if (sum != 0) asm volatile("trap;");
    note(spans, start, now());
    sums[threadIdx.x] = sum;
}

template <class T> static double strided_cycles(int stride, int rounds) {
    T *from = app_zeros_on_device<T>(64 * stride + 4 * DEEP), *sums = app_zeros_on_device<T>(1024);
    span *spans = app_zeros_on_device<span>(WARPS), host[WARPS];
    strided<<<1, 32 * WARPS>>>(from, stride, 0, rounds, spans, sums);
    WAIT("strided");
    app_to_host(host, spans, WARPS);
    CHECK(cudaFree(from));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(spans));
    return cycles_of(host, WARPS);
}

template <class T> static void strides(const char *type, int most) {
    for (int stride = 0; stride <= most; stride++) {
        char key[32];
        snprintf(key, sizeof key, "%s.%d", type, stride);
        double cycles = strided_cycles<T>(stride, LONG) - strided_cycles<T>(stride, SHORT);
        figure(key, cycles / ((LONG - SHORT) * DEEP * WARPS), "cycles");
    }
}

// ---- shared memory

struct words {
    u32 x, y, z, w;
};

template <int BYTES> DEVICE u32 load_shared(u32 from) {
    words v = {0, 0, 0, 0};
    if (BYTES == 8)
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(v.x), "=r"(v.y)
                     : "r"(from)
                     : "memory");
    else
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(from)
                     : "memory");
    return v.x | v.y | v.z | v.w;
}

static const char *const patterns[] = {"uniform", "pairs",  "quads",   "apart",
                                       "modulo4", "step16", "distinct"};

// Bytes from the first element to that of the lane.
template <int BYTES> DEVICE u32 offset(int pattern, u32 lane) {
    switch (pattern) {
    case 0: return 0;
    case 1: return lane / 2 * BYTES;
    case 2: return lane / 4 * BYTES;
    case 3: return (lane / 4 * 2 + lane % 2) * BYTES;
    case 4: return lane % 4 * BYTES;
    case 5: return lane % 4 * 16;
    default: return lane * BYTES;
    }
}

template <int BYTES> __global__ void shared(int pattern, int rounds, span *spans, u32 *results) {
    __shared__ words all[32];
    if (threadIdx.x < 32) all[threadIdx.x] = {0, 0, 0, 0};
    u32 at = (u32)__cvta_generic_to_shared(all) + offset<BYTES>(pattern, threadIdx.x % 32);
    u32 any = 0;
    __syncthreads();
    u64 start = now();
    for (int r = 0; r < rounds; r++) {
        u32 value[DEEP];
#pragma unroll
        for (int k = 0; k < DEEP; k++) value[k] = load_shared<BYTES>(at);
#pragma unroll
        for (int k = 0; k < DEEP; k++) any |= value[k];
    }
    if (any) asm volatile("trap;"); // waits for them
    note(spans, start, now());
    results[threadIdx.x] = any;
}

template <int BYTES> static double shared_cycles(int pattern, int rounds) {
    u32 *results = app_zeros_on_device<u32>(32 * WARPS);
    span *spans = app_zeros_on_device<span>(WARPS), host[WARPS];
    shared<BYTES><<<1, 32 * WARPS>>>(pattern, rounds, spans, results);
    WAIT("shared");
    app_to_host(host, spans, WARPS);
    CHECK(cudaFree(results));
    CHECK(cudaFree(spans));
    return cycles_of(host, WARPS);
}

template <int BYTES> static void shared_loads() {
    for (int p = 0; p < (int)(sizeof patterns / sizeof *patterns); p++) {
        char key[32];
        snprintf(key, sizeof key, "shared%d.%s", 8 * BYTES, patterns[p]);
        double cycles = shared_cycles<BYTES>(p, LONG) - shared_cycles<BYTES>(p, SHORT);
        figure(key, cycles / ((LONG - SHORT) * DEEP * WARPS), "cycles");
    }
}

int main(int argc, char **argv) {
    enum { FLOATS = 1, DOUBLES = 2, SHARED = 4 };
    long what = FLOATS | DOUBLES | SHARED, most = 64;
    const app_option options[] = {
        {"-w", "what, added up: 1 floats, 2 doubles, 4 shared memory", &what, 1, 7},
        {"-n", "longest stride", &most, 0, 64},
    };
    app_start(argc, argv, "Measures loads of L1 with strides, and wide loads of shared memory.",
              options, 2);
    if (what & FLOATS) strides<float>("float", (int)most);
    if (what & DOUBLES) strides<double>("double", (int)most);
    if (what & SHARED) shared_loads<8>();
    if (what & SHARED) shared_loads<16>();
    char what_for[64];
    snprintf(what_for, sizeof what_for, "strides of up to %ld elements", most);
    return measured(what_for);
}
