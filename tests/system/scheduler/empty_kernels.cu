// empty_kernels.cu - empty kernels of few and of many CTAs, with which the costs of a launch and of
// dispatching CTAs are measured on hardware.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void nothing() {}

int main() {
    const int ctas[] = {1, 80, 640, 2048, 640}, threads[] = {32, 32, 256, 256, 1024};
    for (int i = 0; i < 5; i++) {
        nothing<<<ctas[i], threads[i]>>>();
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess) {
            printf("%d CTAs: %s\n", ctas[i], cudaGetErrorString(e));
            return 1;
        }
    }
    return 0;
}
