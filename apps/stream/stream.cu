// stream: bandwidth of device memory for writes, reads, copies and combinations (init, read, scale,
// triad). Each kernel moves three arrays of doubles, which should be larger than L2: -n 2097152 is
// 48 MB. With -r 2, the second launch of each kernel finds L2 in the state in which it leaves it:
// the dirty lines that it leaves behind make up for those that it had to write back.
#include <cuda_runtime.h>

#define APP_NAME "stream"
#include "../common/app.h"

#include <vector>

__global__ void init(double *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 0.5 * (i % 64);
}

// Eight values per thread; the sum is never negative, so nothing is stored.
__global__ void read(const double *a, double *never, int part) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= part) return;
    double sum = a[i];
    for (int k = 1; k < 8; k++) sum += a[i + k * part];
    if (sum < 0) *never = sum;
}

__global__ void scale(const double *a, double *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 1.25 * a[i];
}

__global__ void triad(const double *a, const double *b, double *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = 1.5 * a[i] + b[i];
}

int main(int argc, char **argv) {
    long n = 32768, threads = 256, launches = 1;
    const app_option options[] = {
        {"-n", "elements of an array, a multiple of 8", &n, 8, 1L << 26},
        {"-t", "threads per CTA", &threads, 1, 1024},
        {"-r", "launches of each kernel", &launches, 1, 1000},
    };
    app_start(argc, argv, "Writes, reads, copies and combines arrays of doubles.", options, 3);
    if (n % 8) return app_fail("-n %ld is no multiple of 8", n);

    double *a;
    CHECK(cudaMalloc(&a, 3 * n * sizeof(double)));
    double *b = a + n, *c = b + n, *half = a + 3 * n / 2;
    const long part = 3 * n / 8;
    auto ctas = [=](long count) { return (count + threads - 1) / threads; };
    for (long r = 0; r < launches; r++) init<<<ctas(3 * n), threads>>>(a, (int)(3 * n));
    WAIT("init");
    for (long r = 0; r < launches; r++) read<<<ctas(part), threads>>>(a, c, (int)part);
    WAIT("read");
    for (long r = 0; r < launches; r++)
        scale<<<ctas(3 * n / 2), threads>>>(a, half, (int)(3 * n / 2));
    WAIT("scale");
    for (long r = 0; r < launches; r++) triad<<<ctas(n), threads>>>(a, b, c, (int)n);
    WAIT("triad");

    std::vector<double> result(n);
    app_to_host(result.data(), c, n);
    CHECK(cudaFree(a));
    for (long i = 0; i < n; i++) {
        // scale wrote the second half of b from the beginning of a
        double first = 0.5 * (double)(i % 64);
        double second = i < n / 2 ? 0.5 * (double)((n + i) % 64)
                                  : 1.25 * 0.5 * (double)((i - n / 2) % 64);
        double expected = 1.5 * first + second;
        if (result[i] != expected) return app_fail("c[%ld] is %g, not %g", i, result[i], expected);
    }
    return app_pass("%ld elements", n);
}
