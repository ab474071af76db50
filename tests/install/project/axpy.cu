// axpy.cu - y = a x + y on the device, checked on the host.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void axpy(float a, const float *x, float *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    float *x, *y, *result = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) result[i] = (float)i;
    if (cudaMalloc(&x, n * sizeof *x) || cudaMalloc(&y, n * sizeof *y)) return 1;
    cudaMemcpy(x, result, n * sizeof *x, cudaMemcpyHostToDevice);
    cudaMemcpy(y, result, n * sizeof *y, cudaMemcpyHostToDevice);
    axpy<<<(n + 255) / 256, 256>>>(2, x, y, n);
    if (cudaMemcpy(result, y, n * sizeof *y, cudaMemcpyDeviceToHost)) return 1;
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += result[i] != 3.0f * (float)i;
    printf("axpy: %d of %d wrong\n", wrong, n);
    return wrong != 0;
}
