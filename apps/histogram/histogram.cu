// histogram: four independent atomics per thread whose results are not used.
//
// Such atomics return nothing: a thread may issue all four before the first is performed.
#include <cuda_runtime.h>

#define APP_NAME "histogram"
#include "../common/app.h"

#include <vector>

#define BINS 256

__global__ void histogram(const uchar4 *pixels, unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = pixels[i];
    atomicAdd(&bins[p.x], 1u);
    atomicAdd(&bins[p.y], 1u);
    atomicAdd(&bins[p.z], 1u);
    atomicAdd(&bins[p.w], 1u);
}

int main(int argc, char **argv) {
    long n = 16384, threads = 256;
    const app_option options[] = {
        {"-n", "threads in all, four bytes each", &n, 1, 1L << 26},
        {"-t", "threads per CTA", &threads, 1, 1024},
    };
    app_start(argc, argv, "Counts how often each byte value occurs.", options, 2);

    std::vector<uchar4> pixels(n);
    std::vector<unsigned> bins(BINS), expected(BINS, 0);
    unsigned state = 12345;
    for (long i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        // Squared, so that low values are more frequent than high ones.
        unsigned char b[4];
        for (int k = 0; k < 4; k++) {
            unsigned v = state >> (8 * k) & 255;
            b[k] = (unsigned char)(v * v >> 8);
            expected[b[k]]++;
        }
        pixels[i] = make_uchar4(b[0], b[1], b[2], b[3]);
    }
    uchar4 *device_pixels = app_to_device(pixels.data(), n);
    unsigned *device_bins = app_zeros_on_device<unsigned>(BINS);

    histogram<<<(n + threads - 1) / threads, threads>>>(device_pixels, device_bins, (int)n);
    WAIT("histogram");
    app_to_host(bins.data(), device_bins, BINS);
    CHECK(cudaFree(device_pixels));
    CHECK(cudaFree(device_bins));

    for (int v = 0; v < BINS; v++) {
        if (bins[v] != expected[v]) {
            return app_fail("bin %d is %u, not %u", v, bins[v], expected[v]);
        }
    }
    return app_pass("%ld bytes in %d bins", 4 * n, BINS);
}
