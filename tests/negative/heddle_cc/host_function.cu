// A C function that only the host has, called by a kernel: clang refuses the call.
#include <cuda_runtime.h>

__global__ void wrong(float *a) { a[0] =     j0f(a[1]); }
