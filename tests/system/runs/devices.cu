// devices.cu - two kernels on each GPU, on two streams that overlap, with copies and fills
// between; for the pages of runs on several GPUs.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T> __global__ void scale(T *data, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * factor + T(1);
}

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t e = (call);                                              \
        if (e != cudaSuccess) {                                              \
            std::printf("%s: %s\n", #call, cudaGetErrorString(e));           \
            return 1;                                                        \
        }                                                                    \
    } while (0)

// Runs both kernels on a GPU. @return the exit status.
static int use(int device, int n) {
    float *singles, first = 0;
    double *doubles, second = 0;
    cudaStream_t stream[2];
    CHECK(cudaSetDevice(device));
    for (cudaStream_t &s : stream) CHECK(cudaStreamCreate(&s));
    CHECK(cudaMalloc(&singles, n * sizeof *singles));
    CHECK(cudaMalloc(&doubles, n * sizeof *doubles));
    CHECK(cudaMemset(singles, 0, n * sizeof *singles));
    CHECK(cudaMemset(doubles, 0, n * sizeof *doubles));
    for (int i = 0; i < 3; i++) {
        scale<float><<<(n + 127) / 128, 128, 0, stream[0]>>>(singles, 2, n);
        scale<double><<<(n + 127) / 128, 128, 0, stream[1]>>>(doubles, 2, n);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&first, singles + n - 1, sizeof first, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&second, doubles + n - 1, sizeof second, cudaMemcpyDeviceToHost));
    std::printf("GPU %d: %g %g\n", device, first, second);
    return first == 7 && second == 7 ? 0 : 1;
}

int main() {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    for (int d = 0; d < devices; d++)
        if (use(d, 5000 + 1000 * d)) return 1;
    return 0;
}
