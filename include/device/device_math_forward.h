// Declares the device's math functions before <cmath>: clang treats the constexpr functions of
// libstdc++ as functions for host and device, unless a device function of the same signature is
// declared already.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_FORWARD_H
#define HEDDLE_DEVICE_DEVICE_MATH_FORWARD_H

#include "device_sync.h"

#define M1(name, f32, f64)                          \
    static __inline__ __device__ float name(float); \
    static __inline__ __device__ double name(double);
#define M2(name, f32, f64)                                 \
    static __inline__ __device__ float name(float, float); \
    static __inline__ __device__ double name(double, double);
#define M3(name, f32, f64)                                        \
    static __inline__ __device__ float name(float, float, float); \
    static __inline__ __device__ double name(double, double, double);
#define M4(name, f32, f64)                                               \
    static __inline__ __device__ float name(float, float, float, float); \
    static __inline__ __device__ double name(double, double, double, double);
#include "device_math.def"
#undef M1
#undef M2
#undef M3
#undef M4
static __inline__ __device__ float frexp(float, int *);
static __inline__ __device__ double frexp(double, int *);
static __inline__ __device__ float ldexp(float, int);
static __inline__ __device__ double ldexp(double, int);
static __inline__ __device__ float scalbn(float, int);
static __inline__ __device__ double scalbn(double, int);
static __inline__ __device__ float scalbln(float, long);
static __inline__ __device__ double scalbln(double, long);
static __inline__ __device__ float modf(float, float *);
static __inline__ __device__ double modf(double, double *);
static __inline__ __device__ float remquo(float, float, int *);
static __inline__ __device__ double remquo(double, double, int *);
static __inline__ __device__ int ilogb(float);
static __inline__ __device__ int ilogb(double);
static __inline__ __device__ long lrint(float);
static __inline__ __device__ long lrint(double);
static __inline__ __device__ long long llrint(float);
static __inline__ __device__ long long llrint(double);
static __inline__ __device__ long lround(float);
static __inline__ __device__ long lround(double);
static __inline__ __device__ long long llround(float);
static __inline__ __device__ long long llround(double);

#include "device_math_std.h"

#endif
