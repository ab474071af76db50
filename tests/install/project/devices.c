/* devices.c - prints the GPU's name: a C program of the host's compiler that calls CUDA. */
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void) {
    struct cudaDeviceProp p;
    int count = 0;
    if (cudaGetDeviceCount(&count) || count < 1 || cudaGetDeviceProperties(&p, 0)) return 1;
    printf("devices: %d, %s\n", count, p.name);
    return 0;
}
