// intrinsics.cu - one kernel for each row of intrinsics.def; check_intrinsics.c reads their PTX.
#include <cuda_runtime.h>

#define T(name, statement, ptx)                                                                   \
    extern "C" __global__ void t_##name(int *i, unsigned *u, long long *l, unsigned long long *q, \
                                        float *f, double *d, float4 *f4, uint2 *u2) {             \
        statement;                                                                                \
    }
#if defined(__FAST_MATH__)
#define P(name, statement, ptx)
#define F T
#else
#define P T
#define F(name, statement, ptx)
#endif
#include "intrinsics.def"
