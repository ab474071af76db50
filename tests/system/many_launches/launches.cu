// launches.cu N EVERY - launches small kernels N times, of two names and two shapes in turn, copies
// a word to the device before every EVERY-th (0: never), and waits at the end alone.
#include <cstdio>
#include <cstdlib>

__global__ void often(int *out) {
    if (out) atomicAdd(out, 1);
}
__global__ void seldom(int *out) {
    if (out) atomicAdd(out, 1);
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 0, every = argc > 2 ? atoi(argv[2]) : 0;
    int *count, *word, got = 0;
    cudaMalloc(&count, sizeof *count);
    cudaMalloc(&word, sizeof *word);
    cudaMemset(count, 0, sizeof *count);
    for (int i = 0; i < n; i++) {
        if (every && i % every == 0) cudaMemcpyAsync(word, &i, sizeof i, cudaMemcpyHostToDevice);
        if (i % 10)
            often<<<1, i % 2 ? 1 : 2>>>(i % 2 ? count : nullptr);
        else
            seldom<<<1, 1>>>(count);
    }
    cudaMemcpy(&got, count, sizeof got, cudaMemcpyDeviceToHost);
    printf("%d launches counted %d: %s\n", n, got, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
