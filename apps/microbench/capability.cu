// micro_capability: what projection wants to know of a GPU (host/tables/capabilities.def). Prints
// the device's name, and one line for each figure, with the file's unit and how it was measured:
//
//   micro_capability: NAME text
//   micro_capability: VALUE key value unit how
//
// `heddle project --measure` runs it and makes a capability file of these lines. Bandwidths and
// rates are differences between a long and a short run, so that the launch does not count.
// Latencies and launches are read from the clock of an SM.
#define APP_NAME "micro_capability"
#include "capability_launches.h"

#include <mma.h>

// ---- geometry

static void geometry() {
    static const struct {
        const char *key;
        cudaDeviceAttr which;
        double scale;
        const char *unit;
    } rows[] = {
        {"gpu.compute_major", cudaDevAttrComputeCapabilityMajor, 1, "number"},
        {"gpu.compute_minor", cudaDevAttrComputeCapabilityMinor, 1, "number"},
        {"clock.boost", cudaDevAttrClockRate, 1e-3, "MHz"},
        {"sm.count", cudaDevAttrMultiProcessorCount, 1, "SMs"},
        {"sm.warps", cudaDevAttrMaxThreadsPerMultiProcessor, 1.0 / 32, "warps"},
        {"sm.ctas", cudaDevAttrMaxBlocksPerMultiprocessor, 1, "CTAs"},
        {"sm.registers", cudaDevAttrMaxRegistersPerMultiprocessor, 1, "registers"},
        {"sm.shared", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1, "bytes"},
        {"sm.shared_reserved", cudaDevAttrReservedSharedMemoryPerBlock, 1, "bytes"},
        {"l2.size", cudaDevAttrL2CacheSize, 1, "bytes"},
    };
    for (const auto &row : rows)
        value(row.key, attribute(row.which) * row.scale, row.unit, "cudaDeviceGetAttribute()");
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    value("dram.size", (double)total, "bytes", "cudaMemGetInfo()");
}

// ---- arithmetic

#define WARPS 16  // of an SM: four or more on each sub-core
#define CHAINS 4  // independent chains of a thread
#define STEPS 128 // instructions of each chain in a turn of the loop: fits into instruction caches

// COUNT instructions as a function: x is the chained operand, y is constant.
#define OPERATION(NAME, COUNT, TYPE, LETTER, TEXT)                          \
    struct NAME {                                                           \
        typedef TYPE type;                                                  \
        static const int count = COUNT;                                     \
        static __device__ __forceinline__ TYPE step(TYPE x, TYPE y) {       \
            TYPE result;                                                    \
            asm volatile(TEXT : "=" LETTER(result) : LETTER(x), LETTER(y)); \
            return result;                                                  \
        }                                                                   \
    };
namespace op {
OPERATION(hfma2, 1, u32, "r", "fma.rn.f16x2 %0, %1, %2, %2;")
OPERATION(hadd2, 1, u32, "r", "add.rn.f16x2 %0, %1, %2;")
OPERATION(ffma, 1, float, "f", "fma.rn.f32 %0, %1, %2, %2;")
OPERATION(fadd, 1, float, "f", "add.rn.f32 %0, %1, %2;")
OPERATION(dfma, 1, double, "d", "fma.rn.f64 %0, %1, %2, %2;")
OPERATION(dadd, 1, double, "d", "add.rn.f64 %0, %1, %2;")
// Two additions in a row would become one instruction with three operands.
OPERATION(xor_add, 2, u32, "r", "{ .reg .b32 t; xor.b32 t, %1, %2; add.s32 %0, t, %2; }")
OPERATION(ex2, 1, float, "f", "ex2.approx.ftz.f32 %0, %1;")
} // namespace op
#undef OPERATION

template <class Op>
__global__ void work(typename Op::type x, typename Op::type y, long turns,
                     typename Op::type *out) {
    typename Op::type chain[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) chain[c] = x;
#pragma unroll 1
    for (long t = 0; t < turns; t++) {
#pragma unroll
        for (int i = 0; i < STEPS / Op::count; i++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) chain[c] = Op::step(chain[c], y);
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        if (chain[c] == (typename Op::type)12345) out[0] = chain[c];
}

// Instructions of all threads in a second.
template <class Op>
static double per_second(const char *key, typename Op::type x, typename Op::type y) {
    typename Op::type *out = app_zeros_on_device<typename Op::type>(1);
    double time = beyond(key, length, 3 * length,
                         [&](long t) { work<Op><<<sms, 32 * WARPS>>>(x, y, t, out); });
    CHECK(cudaFree(out));
    return 2.0 * length * STEPS * CHAINS * 32 * WARPS * sms / time;
}

// As many multiply-adds as integer operations: two pipes, so that issue is the limit.
__global__ void mixed(float x, u32 y, long turns, float *out) {
    float f[CHAINS] = {x, x, x, x};
    u32 n[CHAINS] = {y, y, y, y};
#pragma unroll 1
    for (long t = 0; t < turns; t++) {
#pragma unroll
        for (int i = 0; i < STEPS / 2; i++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                f[c] = op::ffma::step(f[c], x);
                // of two kinds, which no assembler joins
                if (i % 2)
                    asm volatile("xor.b32 %0, %0, %1;" : "+r"(n[c]) : "r"(y));
                else
                    asm volatile("add.u32 %0, %0, %1;" : "+r"(n[c]) : "r"(y));
            }
    }
    float sum = f[0] + f[1] + f[2] + f[3];
    if (sum == 12345 || (n[0] ^ n[1] ^ n[2] ^ n[3]) == 12345) out[0] = sum;
}

#define TILE 16   // elements of a tile's side
#define PRODUCTS 16 // of a turn

__global__ void tensor(long turns, float *out) {
    namespace wmma = nvcuda::wmma;
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> c;
    wmma::fill_fragment(a, __float2half(0.5f));
    wmma::fill_fragment(b, __float2half(0.25f));
    wmma::fill_fragment(c, 0.0f);
#pragma unroll 1
    for (long t = 0; t < turns; t++) {
#pragma unroll
        for (int i = 0; i < PRODUCTS; i++) wmma::mma_sync(c, a, b, c);
    }
    if (c.x[0] == 12345.0f) wmma::store_matrix_sync(out, c, TILE, wmma::mem_row_major);
}

static void arithmetic() {
    const u32 halves = 0x38003800; // {0.5, 0.5}
    const char *how = "4 chains in each of 512 threads an SM";
    value("fp16.fma_max", 4e-12 * per_second<op::hfma2>("fp16.fma", halves, halves),
          "TFLOP/s", how);
    value("fp16.add_max", 2e-12 * per_second<op::hadd2>("fp16.add", halves, halves),
          "TFLOP/s", how);
    value("fp32.fma_max", 2e-12 * per_second<op::ffma>("fp32.fma", 1, 0.5f), "TFLOP/s", how);
    value("fp32.add_max", 1e-12 * per_second<op::fadd>("fp32.add", 1, 0.5f), "TFLOP/s", how);
    value("fp64.fma_max", 2e-12 * per_second<op::dfma>("fp64.fma", 1, 0.5), "TFLOP/s", how);
    value("fp64.add_max", 1e-12 * per_second<op::dadd>("fp64.add", 1, 0.5), "TFLOP/s", how);
    value("int32.add_max", 1e-12 * per_second<op::xor_add>("int32.add", 1, 3), "TOP/s",
          "xor and add in turn, 4 chains in each of 512 threads an SM");
    value("special.op_max", 1e-12 * per_second<op::ex2>("special.op", 0.5f, 1), "TOP/s",
          "ex2.approx.ftz, 4 chains in each of 512 threads an SM");
    float *out = app_zeros_on_device<float>(TILE * TILE);
    double time = beyond("issue.warp", length, 3 * length, [&](long t) {
        mixed<<<sms, 32 * WARPS>>>(0.5f, 3, t, out);
    });
    value("issue.warp_max", 2.0 * length * STEPS * CHAINS * WARPS * sms / time * 1e-9,
          "Ginst/s", "as many FP32 multiply-adds as integer operations");
    const long turns = 4 * length;
    time = beyond("tensor.fp16", turns, 3 * turns,
                  [&](long t) { tensor<<<sms, 32 * WARPS>>>(t, out); });
    value("tensor.fp16_max",
          2.0 * turns * PRODUCTS * 2 * TILE * TILE * TILE * WARPS * sms / time * 1e-12, "TFLOP/s",
          "wmma 16x16x16, a tile in each of 16 warps an SM");
    CHECK(cudaFree(out));
}

// ---- L1, shared memory, L2

#define THREADS 1024
#define READERS 256 // threads that read a CTA's 32 KB
#define FLOATS 8192

// One CTA per SM reads 32 KB repeatedly. `step` is 0, which the compiler does not know.
__global__ void reread(const float *a, u32 step, int rounds, float *out) {
    float sum = 0;
    a += threadIdx.x;
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
        a += step;
#pragma unroll
        for (int i = 0; i < FLOATS; i += READERS) sum += a[i];
        sum *= 1.5f;
    }
    if (sum == 12345) out[0] = sum; // so that the loads stay
}

__global__ void reread_shared(u32 step, int rounds, float *out) {
    __shared__ float a[FLOATS];
    for (int i = threadIdx.x; i < FLOATS; i += READERS) a[i] = 0.5f;
    __syncthreads();
    float sum = 0;
    const float *from = a + threadIdx.x;
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
        from += step;
#pragma unroll
        for (int i = 0; i < FLOATS; i += READERS) sum += from[i];
        sum *= 1.5f;
    }
    if (sum == 12345) out[0] = sum;
}

#define ROWS 32 // a CTA reads 8 KB of each at a time

// Each of two CTAs of an SM reads one of `slices` parts of all rows after the other. The two are
// half of the parts apart, so that neither finds in L1 what the other one has read.
__global__ void rows(const double *a, int slices, long parts, double *out) {
    double sum = 0;
    const int half = blockIdx.x < gridDim.x / 2 ? 0 : slices / 2;
    for (long p = 0; p < parts; p++) {
        const double *from = a + (blockIdx.x + half + p) % slices * THREADS + threadIdx.x;
#pragma unroll
        for (int i = 0; i < ROWS; i++) sum += from[(long)slices * THREADS * i];
    }
    if (sum == 12345) out[0] = sum;
}

static void caches(long l2_bytes) {
    float *a = app_zeros_on_device<float>(FLOATS), *out = app_zeros_on_device<float>(2);
    const double round = FLOATS * sizeof(float);
    const long rounds = 16 * length;
    double time = beyond("bandwidth.l1", rounds, 3 * rounds,
                         [&](long r) { reread<<<sms, READERS>>>(a, 0, (int)r, out); });
    value("bandwidth.l1_max", 2 * rounds * sms * round / time * 1e-9, "GB/s",
          "32 KB read by 256 threads of each SM, 4 bytes a lane");
    time = beyond("bandwidth.shared", rounds, 3 * rounds,
                  [&](long r) { reread_shared<<<sms, READERS>>>(0, (int)r, out); });
    value("bandwidth.shared_max", 2 * rounds * sms * round / time * 1e-9, "GB/s",
          "32 KB read by 256 threads of each SM, 4 bytes a lane");
    CHECK(cudaFree(a));
    // a third of L2 at most, or 8 MB, so that one of two partitions can hold it
    const long slice = ROWS * THREADS * sizeof(double);
    const long slices = std::max(std::min(8L << 20, l2_bytes / 3) / slice, 1L);
    double *b = app_zeros_on_device<double>(slices * slice / sizeof(double));
    const long parts = 2 * length;
    time = beyond("bandwidth.l2", parts, 3 * parts, [&](long p) {
        rows<<<2 * sms, THREADS>>>(b, (int)slices, p, (double *)out);
    });
    char how[96];
    snprintf(how, sizeof how, "%ld KB read by 2 CTAs of 1,024 threads on each SM",
             slices * slice >> 10);
    value("bandwidth.l2_max", 2.0 * parts * 2 * sms * slice / time * 1e-9, "GB/s", how);
    CHECK(cudaFree(b));
    CHECK(cudaFree(out));
}

// ---- device memory

// An element per thread, as programs do it.
__global__ void fill(double2 *a, const double2 *, const double2 *, long n) {
    long i = (long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) a[i] = make_double2(0.25, 0.5);
}

__global__ void read(double2 *a, const double2 *b, const double2 *, long n) {
    long i = (long)blockIdx.x * THREADS + threadIdx.x;
    if (i < n && b[i].x + b[i].y == 12345) a[i].x = 1;
}

__global__ void triad(double2 *a, const double2 *b, const double2 *c, long n) {
    long i = (long)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    double2 x = b[i], y = c[i];
    a[i] = make_double2(1.25 * x.x + y.x, 1.25 * x.y + y.y);
}

static int ctas_of(long n) { return (int)((n + THREADS - 1) / THREADS); }

// Each run reads and writes more than L2 holds, and finds and leaves L2 in the same state.
static void device_memory(long bytes) {
    static const struct {
        const char *key;
        void (*kernel)(double2 *, const double2 *, const double2 *, long);
        int arrays;
    } streams[] = {{"bandwidth.dram_max", triad, 3},
                   {"bandwidth.dram_read_max", read, 1},
                   {"bandwidth.dram_write_max", fill, 1}};
    for (const auto &s : streams) {
        const long n = bytes / s.arrays / (long)sizeof(double2);
        double2 *a[3];
        char how[96];
        for (double2 *&array : a) array = app_zeros_on_device<double2>(2 * n);
        double time = beyond(s.key, n, 2 * n, [&](long count) {
            s.kernel<<<ctas_of(count), THREADS>>>(a[0], a[1], a[2], count);
        });
        snprintf(how, sizeof how, "arrays of %ld MB beyond %ld MB, 16 bytes a lane", bytes >> 20,
                 bytes >> 20);
        value(s.key, (double)n * s.arrays * sizeof(double2) / time * 1e-9, "GB/s", how);
        for (double2 *array : a) CHECK(cudaFree(array));
    }
}

// ---- latencies

DEVICE u64 load64(u64 from) {
    u64 result;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(result) : "l"(from) : "memory");
    return result;
}

// Makes a chain of pointers `stride` bytes apart, without any access between them.
__global__ void link_chain(u64 chain, long loads, long stride) {
    for (long i = threadIdx.x; i < loads; i += blockDim.x)
        *(u64 *)(chain + i * stride) = chain + (i + 1) % loads * stride;
}

// Follows the chain `rounds` times, the last time with the clock.
__global__ void follow(u64 chain, int loads, int rounds, span *spans, u64 *end) {
    u64 p = chain, start = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        start = now();
        for (int i = 0; i < loads; i += 8)
            for (int k = 0; k < 8; k++) p = load64(p);
        if (p == 0) asm volatile("trap;"); // the branch waits for the last load
    }
    note(spans, start, now());
    *end = p;
}

// Cycles of a load of a chain over `bytes`, in the last of `rounds`. evict() is called before.
template <class Evict>
static double chase(long bytes, int loads, int rounds, Evict evict) {
    // an odd number of sectors, so that all banks and slices are used
    const long stride = bytes <= loads * 32 ? 32 : ((bytes / loads / 32 - 1) | 1) * 32;
    u64 chain;
    CHECK(cudaMalloc((void **)&chain, bytes));
    span *spans = app_zeros_on_device<span>(1), host;
    u64 *end = app_zeros_on_device<u64>(1), back;
    link_chain<<<1, 32>>>(chain, loads, stride);
    WAIT("link_chain");
    evict();
    follow<<<1, 1>>>(chain, loads, rounds, spans, end);
    WAIT("follow");
    app_to_host(&host, spans, 1);
    app_to_host(&back, end, 1);
    if (back != chain) exit(app_fail("the chain over %ld bytes ends elsewhere", bytes));
    CHECK(cudaFree((void *)chain));
    CHECK(cudaFree(spans));
    CHECK(cudaFree(end));
    return cycles_of(&host, 1) / loads;
}

// Each word holds its own address.
__global__ void follow_shared(int loads, span *spans, u32 *end) {
    __shared__ u32 words[32];
    u32 at = (u32)__cvta_generic_to_shared(words + threadIdx.x);
    words[threadIdx.x] = at;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < loads; i += 32)
        for (int k = 0; k < 32; k++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) : : "memory");
    if (at == 0xffffffff) asm volatile("trap;");
    note(spans, start, now());
    *end = at;
}

static double shared_cycles(int loads) {
    u32 *end = app_zeros_on_device<u32>(1);
    span *spans = app_zeros_on_device<span>(1), host;
    for (int i = 0; i < 2; i++) follow_shared<<<1, 32>>>(loads, spans, end);
    WAIT("follow_shared");
    app_to_host(&host, spans, 1);
    CHECK(cudaFree(end));
    CHECK(cudaFree(spans));
    return cycles_of(&host, 1);
}

static void latencies(long l2_bytes, long more_than_l2) {
    const long kb = 1024, mb = kb * kb, n = more_than_l2 / (long)sizeof(double2);
    double2 *a = app_zeros_on_device<double2>(n);
    auto nothing = [] {};
    auto evict = [&] {
        read<<<ctas_of(n), THREADS>>>(a, a, a, n);
        WAIT("read");
    };
    value("latency.l1", chase(8 * kb, 256, 2, nothing), "cycles", "chain of pointers over 8 KB");
    value("latency.shared", (shared_cycles(1088) - shared_cycles(64)) / 1024, "cycles",
          "chain of pointers in shared memory");
    // more lines than L1 has, so that none is there when its turn comes again
    if (l2_bytes >= 4 * mb)
        value("latency.l2", chase(2 * mb, 6144, 2, nothing), "cycles",
              "6,144 pointers over 2 MB, in the second round");
    value("latency.dram", chase(std::max(64 * mb, more_than_l2), 1024, 1, evict), "cycles",
          "1,024 pointers over more than L2, after a read of other data");
    CHECK(cudaFree(a));
}

static void copies() {
    const long bytes = 8L << 20;
    void *host, *device;
    CHECK(cudaMallocHost(&host, 3 * bytes));
    CHECK(cudaMalloc(&device, 3 * bytes));
    double time = beyond("link.bandwidth", bytes, 3 * bytes, [&](long n) {
        CHECK(cudaMemcpyAsync(device, host, n, cudaMemcpyHostToDevice, 0));
    });
    value("link.bandwidth", 2.0 * bytes / time * 1e-9, "GB/s", "pinned memory to device, 16 MB");
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

int main(int argc, char **argv) {
    enum { ARITHMETIC = 1, CACHES = 2, DRAM = 4, LATENCIES = 8, LAUNCHES = 16, COPIES = 32 };
    long what = 63;
    const app_option options[] = {
        {"-n", "length of the loops; 0: 1 on a simulated GPU, 200 on another one", &length, 0,
         100000},
        {"-w",
         "what, added up: 1 arithmetic, 2 caches, 4 DRAM, 8 latencies, 16 launches, 32 copies",
         &what, 0, 63},
    };
    app_start(argc, argv, "Measures what projection wants to know of a GPU.", options, 2);
    setvbuf(stdout, NULL, _IOLBF, 0); // whole lines, because others write into the same file
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (length == 0) length = strstr(properties.name, "(simulated)") ? 1 : 200;
    sms = attribute(cudaDevAttrMultiProcessorCount);
    ghz = attribute(cudaDevAttrClockRate) * 1e-6;
    const long l2 = attribute(cudaDevAttrL2CacheSize);
    printf(APP_NAME ": NAME %s\n", properties.name);
    geometry();
    if (what & ARITHMETIC) arithmetic();
    if (what & CACHES) caches(l2);
    if (what & DRAM) device_memory(length == 1 ? 3 * l2 : 8 * l2);
    if (what & LATENCIES) latencies(l2, 3 * l2);
    if (what & LAUNCHES) gaps();
    if (what & LAUNCHES) dispatch();
    if (what & COPIES) copies();
    return app_pass("loops of length %ld", length);
}
