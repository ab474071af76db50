// A program as nvcc links it by default: the CUDA runtime is inside.
__global__ void nothing() {}
int main() {
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
