// micro_intensity: kernels from bound by device memory to bound by multiply-adds, for their power
// (bench/power.sh). As in gpu-benches' gpu-roofline, the source of hardware figures: each thread
// reads two arrays, and does -n dependent multiply-adds for each pair of elements.
#define APP_NAME "micro_intensity"
#include "events.h"
#include "micro.h"

#define THREADS 256

// Two elements of each array at a time, for two independent chains. The program that the V100's
// figures are of, with 64 bits, told the compiler to unroll no loop; the others' left it to the
// compiler.
template <typename T, int N>
__global__ void chains(const T *a, const T *b, int elements, T *out) {
    const long first = (long)blockIdx.x * THREADS * elements + threadIdx.x;
    T sum = 0;
#pragma unroll(sizeof(T) == 8 ? 1 : 4)
    for (int i = 0; i < elements; i += 2) {
        const long at = first + (long)i * THREADS;
        const T a0 = a[at], b0 = b[at], a1 = a[at + THREADS], b1 = b[at + THREADS];
        T x = a0 - b0, y = a1 - b1;
#pragma unroll
        for (int n = 0; n < N; n++) {
            x = x * a0 - b0;
            y = y * a1 - b1;
        }
        sum += x + y;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Three launches: the first warms up, the last one reads three times as much as the one before.
// Each reads memory that no other has read. Figures are the difference between the last two.
template <typename T> static void run(long n, long ctas, long elements) {
    const struct {
        int n;
        void (*kernel)(const T *, const T *, int, T *);
    } kernels[] = {{0, chains<T, 0>},     {1, chains<T, 1>},     {4, chains<T, 4>},
                   {8, chains<T, 8>},     {16, chains<T, 16>},   {24, chains<T, 24>},
                   {40, chains<T, 40>},   {64, chains<T, 64>},   {128, chains<T, 128>},
                   {256, chains<T, 256>}, {512, chains<T, 512>}};
    bool found = false;
    for (const auto &k : kernels) {
        if (k.n != n) continue;
        int sms, fit;
        CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, k.kernel, THREADS, 0));
        if (!ctas) ctas = sms * fit;
        const size_t step = (size_t)ctas * THREADS * elements;
        size_t from = 0;
        T *a, *b, *out = app_zeros_on_device<T>(ctas);
        CHECK(cudaMalloc((void **)&a, 5 * step * sizeof(T))); // not filled: L2 has none of it
        CHECK(cudaMalloc((void **)&b, 5 * step * sizeof(T)));
        found = true;
        const double time = beyond("chains", 1, 3, [&](long parts) {
            k.kernel<<<(int)ctas, THREADS>>>(a + from, b + from, (int)(parts * elements), out);
            from += parts * step;
        });
        figure("bandwidth", 2.0 * 2 * step * sizeof(T) / time * 1e-9, "GB/s");
        if (n) figure("arithmetic", 2.0 * 2 * n * step / time * 1e-9, "GFLOP/s");
        CHECK(cudaFree(a));
        CHECK(cudaFree(b));
        CHECK(cudaFree(out));
    }
    if (!found) not_measured += app_fail("-n %ld: 0, 1, 4, 8, 16, 24, 40, 64, 128, 256 or 512", n);
}

int main(int argc, char **argv) {
    long n = 0, ctas = 0, elements = 4, bits = 32;
    const app_option options[] = {
        {"-n", "multiply-adds for each pair of elements", &n, 0, 512},
        {"-c", "CTAs of 256 threads; 0: as many as fit the GPU at a time", &ctas, 0, 100000},
        {"-e", "elements of each array for a thread of a short launch, an even number", &elements,
         2, 1000},
        {"-b", "bits of an element: 32 or 64", &bits, 32, 64},
    };
    app_start(argc, argv, "Runs multiply-adds on two arrays of device memory.", options, 4);
    if (bits == 64)
        run<double>(n, ctas, elements / 2 * 2);
    else
        run<float>(n, ctas, elements / 2 * 2);
    char what[64];
    snprintf(what, sizeof what, "%ld multiply-adds for a pair of %ld bits", n, bits);
    return measured(what);
}
