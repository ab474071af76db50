// library.cu - host code in a .cu file may use the whole C++ standard library beside CUDA's
// definitions. Compiled only.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

__noinline__ __device__ float twice(float x) {
    return 2.0f * x;
}

__constant__ float factors[4];
__device__ int counter;

template <class T> __global__ void __launch_bounds__(256, 2) scale(T *data, int n, dim3 unused) {
    extern __shared__ unsigned char bytes[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dim3 whole = blockDim;
    bytes[threadIdx.x] = (unsigned char)(whole.x + unused.x);
    __syncthreads();
    if (i < n) data[i] = twice(std::max(data[i], (T)0)) * factors[i % 4] + bytes[0];
    if (i == 0) atomicAdd(&counter, min(n, 3));
}

// Calls the math functions by all their names.
__global__ void math(float *f, double *d, int *i) {
    f[0] = std::exp(f[1]) + expf(f[2]) + exp(f[3]) + std::pow(f[4], 2.0f) + powf(f[5], 0.5f);
    f[1] = std::sin(f[1]) + sinpif(f[2]) + rsqrtf(f[3]) + std::fmod(f[4], f[5]) +
           hypotf(f[6], f[7]);
    d[0] = std::exp(d[1]) + exp(i[1]) + std::log(i[2]) + pow(d[2], i[3]) + std::pow(d[3], 2);
    d[1] = std::atan2(d[1], d[2]) + tgamma(d[3]) + std::lgamma(d[4]) + norm3d(d[5], d[6], d[7]);
    d[2] = ldexp(d[1], 3) + std::frexp(d[2], i) + std::modf(d[3], d + 4) + nan("");
    sincosf(f[0], f + 1, f + 2);
    sincospi(d[0], d + 1, d + 2);
    i[0] = std::isnan(f[0]) + isinf(d[1]) + std::signbit(f[1]) + isfinite(d[2]) + ilogb(f[3]);
    i[1] = (int)lrintf(f[0]) + (int)llround(d[0]) + (int)std::lround(f[1]);
}

int main() {
    auto shared = std::make_shared<std::vector<float>>(16, 1.0f);
    std::map<std::string, double> table{{"pi", M_PI}};
    std::mt19937 random(1);
    (*shared)[0] = (float)std::sqrt(std::abs((double)random()) + sqrtf(2.0f) + table["pi"]);
    float *data;
    int *address;
    if (cudaMalloc(&data, 64) != cudaSuccess) return 1;
    cudaMemcpyToSymbol(factors, shared->data(), sizeof factors);
    cudaGetSymbolAddress((void **)&address, counter);
    cudaFuncSetAttribute(scale<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 256, 0);
    scale<<<1, 16, 256>>>(data, 16, dim3(1, 2));
    scale<float><<<dim3(1, 1, 1), dim3(16), 256, cudaStreamPerThread>>>(data, 16, 3);
    int n = 16;
    dim3 unused;
    void *arguments[] = {&data, &n, &unused};
    cudaLaunchKernel(scale<float>, dim3(1), dim3(16), arguments, 256, 0);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    std::cout << properties.name << ' ' << properties.clockRate << std::endl;
    return cudaFree(data) != cudaSuccess;
}
