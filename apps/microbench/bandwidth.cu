// micro_bandwidth: bandwidth of L1, L2 and DRAM for the whole GPU, latency of a load under that
// traffic, and cost of launches. Events give the times; each figure is the difference between a
// long and a short run, so that the launch does not count.
//
//   l1.read, l2.read        all SMs read data in their L1; data in L2 and rarely in L1
//   dram_X.warps.N          with N warps per SM: init writes, read reads an array, scale does both,
//                           triad reads two and writes one
//   loaded.N.bandwidth|latency   all SMs except one read, a round of eight loads every N cycles;
//                           the other one measures the latency of a chain of pointers
//   launch.interval.N       time from kernel to kernel in a stream, N CTAs each
#define APP_NAME "micro_bandwidth"
#include "events.h"
#include "micro.h"

#include <vector>

#define FLOATS_PER_MB (1L << 18)

static int sms;

// ---- caches, measured as in gpu-benches (gpu-cache, gpu-l2-cache), the source of hardware figures

DEVICE float load(const float *from) {
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    return value;
}

#define L1_THREADS 256
#define L1_FLOATS 8192 // 32 KB

// One CTA per SM reads 32 KB repeatedly. `step` is 0, which the compiler does not know.
__global__ void reread(const float *a, u32 step, int rounds, float *out) {
    float sum = 0;
    a += threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        a += step;
#pragma unroll
        for (int i = 0; i < L1_FLOATS; i += L1_THREADS) sum += a[i];
        sum *= 1.5f;
    }
    if (sum == 12345) out[0] = sum; // so that the loads stay
}

static void l1(int rounds) {
    float *a = app_zeros_on_device<float>(L1_FLOATS), *out = app_zeros_on_device<float>(1);
    double time = beyond("l1.read", rounds, 3 * rounds,
                         [&](long r) { reread<<<sms, L1_THREADS>>>(a, 0, (int)r, out); });
    figure("l1.read", 2.0 * rounds * sms * L1_FLOATS * sizeof(float) / time * 1e-9, "GB/s");
    CHECK(cudaFree(a));
    CHECK(cudaFree(out));
}

#define L2_THREADS 1024
#define L2_ROWS 32 // a CTA reads 8 KB of each row

// Two CTAs per SM at a time, many in succession; each reads one of `slices` parts of all rows.
__global__ void rows(const double *a, int slices, double *out) {
    double sum = 0;
    a += blockIdx.x % slices * L2_THREADS + threadIdx.x;
#pragma unroll
    for (int i = 0; i < L2_ROWS; i++) sum += a[(long)slices * L2_THREADS * i];
    if (sum == 12345) out[0] = sum; // it is read
}

static void l2(long mb, int ctas) {
    const long slice = L2_ROWS * L2_THREADS * sizeof(double), slices = mb * 1024 * 1024 / slice;
    double *a = app_zeros_on_device<double>(slices * slice / sizeof(double));
    double *out = app_zeros_on_device<double>(1);
    double time = beyond("l2.read", ctas, 3 * ctas,
                         [&](long c) { rows<<<(int)c * sms, L2_THREADS>>>(a, (int)slices, out); });
    figure("l2.read", 2.0 * ctas * sms * slice / time * 1e-9, "GB/s");
    CHECK(cudaFree(a));
    CHECK(cudaFree(out));
}

// ---- DRAM, measured as in gpu-benches (gpu-stream): an element per thread, two CTAs per SM at a
// time, many in succession. Unused shared memory limits the CTAs to two.

extern __shared__ double kept[];

__global__ void init(double *a, const double *, const double *, int n, int never) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[i] = 0.25;
    if (never) kept[threadIdx.x] = a[0];
}

__global__ void read(double *a, const double *b, const double *, int n, int never) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double value = b[i];
    if (never || value == 123.0) a[i] = kept[threadIdx.x] = value;
}

__global__ void scale(double *a, const double *b, const double *, int n, int never) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[i] = 1.25 * b[i];
    if (never) kept[threadIdx.x] = a[0];
}

__global__ void triad(double *a, const double *b, const double *c, int n, int never) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[i] = 1.25 * b[i] + c[i];
    if (never) kept[threadIdx.x] = a[0];
}

static const struct stream {
    const char *name;
    void (*kernel)(double *, const double *, const double *, int, int);
    int arrays;
} stream_kernels[] = {
    {"init", init, 1}, {"read", read, 1}, {"scale", scale, 2}, {"triad", triad, 3}};

// Runs on arrays of `mb` MB in total, then three times as much. Both are larger than L2, and each
// finds and leaves L2 in the same state.
static void dram(const stream &s, long mb, int warps, int shared) {
    const int n = (int)(3 * mb * FLOATS_PER_MB / 2 / s.arrays), block = 32 * warps / 2;
    double *a[3];
    for (double *&array : a) array = app_zeros_on_device<double>(n);
    char key[64];
    snprintf(key, sizeof key, "dram_%s.warps.%d", s.name, warps);
    CHECK(cudaFuncSetAttribute((const void *)s.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
    auto run = [&](int count) {
        return seconds(key, [&] {
            s.kernel<<<(count + block - 1) / block, block, shared>>>(a[0], a[1], a[2], count, 0);
        });
    };
    run(n / 3);
    double shorter = run(n / 3), longer = run(n);
    double bytes = (double)(n - n / 3) * s.arrays * sizeof(double);
    figure(key, bytes / (longer - shorter) * 1e-9, "GB/s");
    for (double *array : a) CHECK(cudaFree(array));
}

// ---- latency of a load under traffic

DEVICE u64 load64(u64 from) {
    u64 value;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

#define DEEP 8   // loads of a round
#define WARPS 32 // of a CTA

// CTA 0 follows the chain; the others read in rounds until it is done, spread evenly over `pause`
// cycles.
__global__ void loaded(const float *a, long n, long pause, u64 chain, int loads, span *spans,
                       u64 *reads, volatile int *done, float *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x != 0) return;
        u64 p = chain, start = now();
        for (int i = 0; i < loads; i += 8)
            for (int k = 0; k < 8; k++) p = load64(p);
        if (p == 0) asm volatile("trap;");
        note(spans, start, now());
        *done = 1;
        return;
    }
    float sum = 0;
    u64 count = 0;
    const long each = WARPS * 32 * DEEP, stride = (gridDim.x - 1) * each;
    long i = (blockIdx.x - 1) * each % n;
    long warp = (blockIdx.x - 1) * WARPS + threadIdx.x / 32;
    u64 next = now() + pause * warp / ((gridDim.x - 1) * WARPS);
    while (now() < next) {
    }
    while (!*done) {
        float value[DEEP];
#pragma unroll
        for (int k = 0; k < DEEP; k++) value[k] = load(a + i + k * WARPS * 32 + threadIdx.x);
#pragma unroll
        for (int k = 0; k < DEEP; k++) sum += value[k];
        i += stride; // less than n; reads end at most `each` after n
        if (i >= n) i -= n;
        count++;
        for (next += pause; now() < next;) {
        }
    }
    if (threadIdx.x % 32 == 0) atomicAdd(reads, DEEP * count);
    if (sum == 12345) out[0] = sum;
}

static void load_under_traffic(long mb, int loads, double ghz) {
    long n = mb * FLOATS_PER_MB, stride = mb * 1024 * 1024 / loads / 32;
    stride = ((stride - 1) | 1) * 32;
    float *a = app_zeros_on_device<float>(n + WARPS * 32 * DEEP);
    float *out = app_zeros_on_device<float>(1);
    u64 chain, host_reads;
    CHECK(cudaMalloc((void **)&chain, mb * 1024 * 1024));
    std::vector<u64> cells(mb * 1024 * 1024 / sizeof(u64), 0);
    for (long i = 0; i < loads; i++)
        cells[i * stride / sizeof(u64)] = chain + (i + 1) % loads * stride;
    // the first four load a V100's memory to a quarter, half, three quarters and nine tenths
    const long pauses[] = {16000, 8000, 5400, 4500, 3300};
    for (long pause : pauses) {
        CHECK(cudaMemcpy((void *)chain, cells.data(), mb * 1024 * 1024, cudaMemcpyHostToDevice));
        span *spans = app_zeros_on_device<span>(1), host;
        u64 *reads = app_zeros_on_device<u64>(1);
        int *done = app_zeros_on_device<int>(1);
        loaded<<<sms, WARPS * 32>>>(a, n, pause, chain, loads, spans, reads, done, out);
        WAIT("loaded");
        app_to_host(&host, spans, 1);
        app_to_host(&host_reads, reads, 1);
        double cycles = cycles_of(&host, 1);
        char key[64];
        snprintf(key, sizeof key, "loaded.%ld.bandwidth", pause);
        figure(key, (double)host_reads * 128 / cycles * ghz, "GB/s");
        snprintf(key, sizeof key, "loaded.%ld.latency", pause);
        figure(key, cycles / loads, "cycles");
        CHECK(cudaFree(spans));
        CHECK(cudaFree(reads));
        CHECK(cudaFree(done));
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(out));
    CHECK(cudaFree((void *)chain));
}

// ---- launches

__global__ void nothing() {}

static void launches(int ctas) {
    auto run = [&](int count) {
        return seconds("nothing", [&] {
            for (int i = 0; i < count; i++) nothing<<<ctas, 128>>>();
        });
    };
    char key[64];
    snprintf(key, sizeof key, "launch.interval.%d", ctas);
    double shorter = run(5), longer = run(25);
    figure(key, (longer - shorter) / 20 * 1e6, "us");
}

int main(int argc, char **argv) {
    enum { KEPT = 2048 }; // shared memory that a CTA takes in addition
    enum { L1 = 1, L2 = 2, DRAM = 4, LOADED = 8, LAUNCHES = 16 };
    long mb = 16, loads = 480, rounds = 8, what = L1 | L2 | DRAM | LOADED | LAUNCHES;
    const app_option options[] = {
        {"-m", "MB of the short run's arrays, more than L2; the long one has three times as much",
         &mb, 1, 512},
        {"-r", "length of the short runs on caches; the long ones are three times as long", &rounds,
         4, 1000},
        {"-l", "loads of the chain beside the traffic, a multiple of 8; 0: none", &loads, 0, 4096},
        {"-w", "what, added up: 1 L1, 2 L2, 4 DRAM, 8 loads under load, 16 launches", &what, 1, 31},
    };
    app_start(argc, argv, "Measures bandwidths, latencies under load, and launches.", options, 4);
    int khz, l2_bytes, shared;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    if (what & L1) l1(4 * (int)rounds);
    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
    if (what & L2) l2(l2_bytes > 32 << 20 ? 8 : 4, (int)rounds / 2);
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    for (const stream &s : stream_kernels)
        for (int warps = 8; what & DRAM && warps <= 64; warps *= 2)
            dram(s, mb, warps, shared / 2 - KEPT);
    if (what & LOADED && loads >= 8)
        load_under_traffic(l2_bytes > 8 << 20 ? 64 : 16, (int)loads / 8 * 8, khz * 1e-6);
    const int ctas[] = {1, 80, 1000};
    for (int n : ctas)
        if (what & LAUNCHES) launches(n);
    char what_for[64];
    snprintf(what_for, sizeof what_for, "arrays of %ld and %ld MB", mb, 3 * mb);
    return measured(what_for);
}
