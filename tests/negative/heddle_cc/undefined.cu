// A device function that is declared and not defined.
#include <cuda_runtime.h>

__device__ int elsewhere(int x);
__global__ void wrong(int *a) { a[0] = elsewhere(a[1]); }
