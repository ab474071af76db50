// micro.h - shared by the microbenchmarks: the clock as PTX, and one line for each figure,
//
//   NAME: FIGURE key value unit
//
// which bench/microbench.sh compares with measurements of hardware.
#ifndef HEDDLE_APPS_MICROBENCH_MICRO_H
#define HEDDLE_APPS_MICROBENCH_MICRO_H

#include <cuda_runtime.h>

#include "../common/app.h"

typedef unsigned long long u64;
typedef unsigned u32;

#define DEVICE static __device__ __forceinline__

// Reads the clock; volatile, so that the compiler does not move it.
DEVICE u64 now() {
    u64 cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

// Clock values of a warp before and after the measured code.
struct span {
    u64 start, stop;
};

// The first lane of each warp stores the span of its warp.
DEVICE void note(span *spans, u64 start, u64 stop) {
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread % 32 != 0) return;
    spans[thread / 32].start = start;
    spans[thread / 32].stop = stop;
}

// Cycles from the earliest start to the latest stop of the warps.
static inline double cycles_of(const span *spans, int warps) {
    u64 first = spans[0].start, last = spans[0].stop;
    for (int w = 1; w < warps; w++) {
        if (spans[w].start < first) first = spans[w].start;
        if (spans[w].stop > last) last = spans[w].stop;
    }
    return (double)(last - first);
}

static int not_measured; // figures

// Prints a figure. A value that is not positive means that nothing was measured: prints FAIL, and
// measured() fails.
static inline void figure(const char *key, double value, const char *unit) {
    if (value > 0)
        printf(APP_NAME ": FIGURE %s %.2f %s\n", key, value, unit);
    else
        not_measured += app_fail("%s is %g %s", key, value, unit);
}

// The end of a benchmark: `what` were measured. @return the exit status
static inline int measured(const char *what) {
    return not_measured ? app_fail("%d figures", not_measured) : app_pass("%s", what);
}

#endif
