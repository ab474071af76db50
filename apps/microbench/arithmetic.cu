// micro_arithmetic: latency and throughput of each arithmetic class, measured by the kernel's own
// clock.
//
// Latency: one warp, and each instruction uses the result of the one before. Throughput: eight or
// more warps on each sub-core do the same. Both are differences between a long and a short chain,
// so that code around the chain does not count. Operations that the compiler builds of several
// instructions are also measured as two or three independent ones (apart).
#define APP_NAME "micro_arithmetic"
#include "micro.h"

#define SHORT 16
#define LONG 48
#define BUSY_WARPS 32 // eight on each of four sub-cores, or sixteen on each of two

static long launches = 1; // of each kernel; the last one counts

// Sub-cores of an SM. CUDA has no query for it: the programming guide lists two schedulers for
// compute capability 6.0, and four for all others.
static int sub_cores() {
    int major, minor;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    return major == 6 && minor == 0 ? 2 : 4;
}

// An instruction as a function: x is the chained operand, y is constant.
#define OPERATION(NAME, TYPE, LETTER, TEXT)                                 \
    struct NAME {                                                           \
        typedef TYPE type;                                                  \
        static const char *name() { return #NAME; }                         \
        static __device__ __forceinline__ TYPE step(TYPE x, TYPE y) {       \
            TYPE result;                                                    \
            asm volatile(TEXT : "=" LETTER(result) : LETTER(x), LETTER(y)); \
            return result;                                                  \
        }                                                                   \
    };
namespace op { // a namespace, because CUDA has functions with some of these names
OPERATION(iadd, u32, "r", "add.s32 %0, %1, %2;")
OPERATION(lop3_iadd, u32, "r", "{ .reg .b32 t; xor.b32 t, %1, %2; add.s32 %0, t, %2; }")
OPERATION(shf, u32, "r", "shf.l.wrap.b32 %0, %1, %2, 7;")
OPERATION(imad, u32, "r", "mad.lo.s32 %0, %1, %2, %2;")
OPERATION(popc, u32, "r", "{ .reg .b32 t; popc.b32 t, %1; xor.b32 %0, t, %2; }")
OPERATION(fadd, float, "f", "add.rn.f32 %0, %1, %2;")
OPERATION(fmul, float, "f", "mul.rn.f32 %0, %1, %2;")
OPERATION(ffma, float, "f", "fma.rn.f32 %0, %1, %2, %2;")
OPERATION(hadd2, u32, "r", "add.rn.f16x2 %0, %1, %2;")
OPERATION(hmul2, u32, "r", "mul.rn.f16x2 %0, %1, %2;")
OPERATION(hfma2, u32, "r", "fma.rn.f16x2 %0, %1, %2, %2;")
OPERATION(dadd, double, "d", "add.rn.f64 %0, %1, %2;")
OPERATION(dmul, double, "d", "mul.rn.f64 %0, %1, %2;")
OPERATION(dfma, double, "d", "fma.rn.f64 %0, %1, %2, %2;")
OPERATION(sin_approx, float, "f", "sin.approx.ftz.f32 %0, %1;")
OPERATION(ex2_approx, float, "f", "ex2.approx.ftz.f32 %0, %1;")
OPERATION(lg2_approx, float, "f", "lg2.approx.ftz.f32 %0, %1;")
OPERATION(rsqrt_approx, float, "f", "rsqrt.approx.ftz.f32 %0, %1;")
OPERATION(sqrt_approx, float, "f", "sqrt.approx.ftz.f32 %0, %1;")
OPERATION(rcp_approx, float, "f", "rcp.approx.ftz.f32 %0, %1;")
OPERATION(rcp_rn, float, "f", "rcp.rn.f32 %0, %1;")
OPERATION(sqrt_rn, float, "f", "sqrt.rn.f32 %0, %1;")
OPERATION(div_rn, float, "f", "div.rn.f32 %0, %2, %1;")
OPERATION(div_s32, u32, "r", "div.s32 %0, %2, %1;")
OPERATION(rem_s32, u32, "r", "{ .reg .b32 t; rem.s32 t, %2, %1; add.s32 %0, t, 1; }")
OPERATION(drcp_rn, double, "d", "rcp.rn.f64 %0, %1;")
OPERATION(dsqrt_rn, double, "d", "sqrt.rn.f64 %0, %1;")
OPERATION(ddiv_rn, double, "d", "div.rn.f64 %0, %2, %1;")
// Operands that take the slow path: a dividend that is zero or subnormal.
OPERATION(div_rn_zero, float, "f", "div.rn.f32 %0, %1, %2;")
OPERATION(div_rn_subnormal, float, "f", "div.rn.f32 %0, %1, %2;")
OPERATION(ddiv_rn_zero, double, "d", "div.rn.f64 %0, %1, %2;")
OPERATION(shuffle, u32, "r", "shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;")
OPERATION(vote, u32, "r",
          "{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }")
OPERATION(warp_barrier, u32, "r", "{ bar.warp.sync 0xffffffff; mov.b32 %0, %1; }")
OPERATION(clock, u32, "r", "mov.u32 %0, %%clock;")
} // namespace op
#undef OPERATION

template <class Op, int LENGTH>
__global__ void chain(typename Op::type x, typename Op::type y, span *spans,
                      typename Op::type *results) {
    __syncthreads();
    u64 start = now();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) x = Op::step(x, y);
    // The branch waits for the end of the chain before the clock is read.
    if (x == (typename Op::type)12345) asm volatile("trap;");
    u64 stop = now();
    note(spans, start, stop);
    results[threadIdx.x] = x;
}

// Cycles of a chain of LENGTH instructions on `warps` warps of one SM.
template <class Op, int LENGTH>
static double run(int warps, typename Op::type x, typename Op::type y) {
    span *spans = app_zeros_on_device<span>(warps);
    typename Op::type *results = app_zeros_on_device<typename Op::type>(32 * warps);
    for (long l = 0; l < launches; l++) chain<Op, LENGTH><<<1, 32 * warps>>>(x, y, spans, results);
    WAIT(Op::name());
    span host[BUSY_WARPS];
    app_to_host(host, spans, warps);
    CHECK(cudaFree(spans));
    CHECK(cudaFree(results));
    return cycles_of(host, warps);
}

// Measures latency and interval of an operation and prints both. @return the latency
template <class Op> static double measure(typename Op::type x, typename Op::type y) {
    char key[64];
    double latency = (run<Op, LONG>(1, x, y) - run<Op, SHORT>(1, x, y)) / (LONG - SHORT);
    snprintf(key, sizeof key, "%s.latency", Op::name());
    figure(key, latency, "cycles");
    // divided by the instructions of a sub-core: one for each of its warps
    double all = run<Op, LONG>(BUSY_WARPS, x, y) - run<Op, SHORT>(BUSY_WARPS, x, y);
    snprintf(key, sizeof key, "%s.interval", Op::name());
    figure(key, all / (LONG - SHORT) / (BUSY_WARPS / sub_cores()), "cycles");
    return latency;
}

// Two or three independent operations between two reads of the clock, which does not wait for
// results of variable latency. This is how HPEC'19 measured operations that the compiler builds of
// several instructions. %5 to %7 are inputs, %2 to %4 results.
#define APART(NAME, TYPE, LETTER, COUNT, TEXT)                                        \
    struct NAME {                                                                     \
        typedef TYPE type;                                                            \
        static const int count = COUNT;                                               \
        static const char *key() { return #NAME ".apart"; }                           \
        static __device__ __forceinline__ u32 run(TYPE x, TYPE y, TYPE z, TYPE *result) {\
            u32 start, stop;                                                          \
            TYPE a, b, c;                                                             \
            asm volatile("mov.b" WIDTH_##LETTER " %4, %7; mov.u32 %0, %%clock;" TEXT  \
                         " mov.u32 %1, %%clock;"                                      \
                         : "=&r"(start), "=&r"(stop), "=&" NAME_##LETTER(a),          \
                           "=&" NAME_##LETTER(b), "=&" NAME_##LETTER(c)               \
                         : NAME_##LETTER(x), NAME_##LETTER(y), NAME_##LETTER(z));     \
            result[0] = a;                                                            \
            result[1] = b;                                                            \
            result[2] = c;                                                            \
            return stop - start;                                                      \
        }                                                                             \
    };
#define NAME_R "r"
#define NAME_F "f"
#define NAME_D "d"
#define WIDTH_R "32"
#define WIDTH_F "32"
#define WIDTH_D "64"
#define TWO(OP) OP " %2, %5; " OP " %3, %6;"
#define THREE(OP) TWO(OP) OP " %4, %7;"
namespace apart {
APART(rsqrt_approx, float, F, 3, THREE("rsqrt.approx.f32"))
APART(sqrt_approx, float, F, 3, THREE("sqrt.approx.f32"))
APART(rcp_approx, float, F, 3, THREE("rcp.approx.f32"))
APART(ex2_approx, float, F, 3, TWO("ex2.approx.f32") "ex2.approx.f32 %4, %3;")
APART(rcp_rn, float, F, 3, THREE("rcp.rn.f32"))
APART(sqrt_rn, float, F, 3, THREE("sqrt.rn.f32"))
APART(div_s32, u32, R, 2, "div.s32 %2, 2, %5; div.s32 %3, 6, %6;")
APART(rem_s32, u32, R, 2, "rem.s32 %2, 2, %5; rem.s32 %3, 6, %6;")
APART(drcp_rn, double, D, 2, TWO("rcp.rn.f64"))
APART(dsqrt_rn, double, D, 2, TWO("sqrt.rn.f64"))
} // namespace apart
#undef APART

#define BOTH_CLOCKS 8 // cycles between two adjacent reads

template <class Op>
__global__ void between(typename Op::type x, typename Op::type y, typename Op::type z,
                        typename Op::type *results, u32 *cycles) {
    *cycles = Op::run(x, y, z, results);
}

template <class Op> static void measure_apart() {
    typename Op::type *results = app_zeros_on_device<typename Op::type>(3);
    u32 *cycles = app_zeros_on_device<u32>(1), taken;
    for (long l = 0; l < launches; l++) between<Op><<<1, 1>>>(7, 5, 3, results, cycles);
    WAIT(Op::key());
    app_to_host(&taken, cycles, 1);
    CHECK(cudaFree(results));
    CHECK(cudaFree(cycles));
    figure(Op::key(), ((double)taken - BOTH_CLOCKS) / Op::count, "cycles");
}

// Instructions with three operands in one bank of the register file, or in both banks (even and odd
// registers). A 64-bit load puts its halves into an even and an odd register. No operand is
// repeated in the same slot of the next instruction, so the reuse cache holds none, and no two
// instructions are equal.
#define BANK_VALUES 6
#define BANK_WARPS 16
#define BANK_OPERATION(NAME, TYPE, LETTER, TEXT)                                            \
    struct NAME {                                                                           \
        typedef TYPE type;                                                                  \
        static const char *name() { return #NAME; }                                         \
        static __device__ __forceinline__ TYPE step(TYPE a, TYPE b, TYPE c) {               \
            TYPE result;                                                                    \
            asm volatile(TEXT : "=" LETTER(result) : LETTER(a), LETTER(b), LETTER(c));      \
            return result;                                                                  \
        }                                                                                   \
        static __device__ __forceinline__ void load(TYPE *even, TYPE *odd, const TYPE *at) { \
            asm volatile("ld.global.v2.b32 {%0, %1}, [%2];"                                 \
                         : "=" LETTER(*even), "=" LETTER(*odd)                              \
                         : "l"(at));                                                        \
        }                                                                                   \
    };
namespace bank {
BANK_OPERATION(ffma, float, "f", "fma.rn.f32 %0, %1, %2, %3;")
BANK_OPERATION(iadd3, u32, "r", "{ .reg .u32 t; add.u32 t, %1, %2; add.u32 %0, t, %3; }")
} // namespace bank
#undef BANK_OPERATION

template <class Op, int LENGTH, bool SAME>
__global__ void banks(const typename Op::type *values, span *spans, typename Op::type *results) {
    typename Op::type even[BANK_VALUES], odd[BANK_VALUES], result[LENGTH];
#pragma unroll
    for (int i = 0; i < BANK_VALUES; i++) Op::load(&even[i], &odd[i], values + 2 * i);
#pragma unroll
    for (int i = 0; i < BANK_VALUES; i++) // the branch waits for the load
        if (even[i] == (typename Op::type)12345) asm volatile("trap;");
    __syncthreads();
    u64 start = now();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) {
        const int c = i % BANK_VALUES, turn = i / BANK_VALUES, others = BANK_VALUES - 1;
        const int next = (turn + 1 + turn / others) % others;
        const int a = (c + 1 + turn % others) % BANK_VALUES, b = (c + 1 + next) % BANK_VALUES;
        result[i] = Op::step(even[a], even[b], SAME ? even[c] : odd[c]);
    }
    u64 stop = now();
    note(spans, start, stop);
    results += threadIdx.x;
#pragma unroll
    for (int i = 0; i < LENGTH; i++) results[32 * BANK_WARPS * i] = result[i];
#pragma unroll
    for (int i = 0; i < BANK_VALUES; i++) results[32 * BANK_WARPS * i] = odd[i];
}

template <class Op, int LENGTH, bool SAME> static double run_banks() {
    typedef typename Op::type type;
    span *spans = app_zeros_on_device<span>(BANK_WARPS);
    type *values = app_zeros_on_device<type>(2 * BANK_VALUES);
    type *results = app_zeros_on_device<type>(32 * BANK_WARPS * LENGTH);
    for (long l = 0; l < launches; l++)
        banks<Op, LENGTH, SAME><<<1, 32 * BANK_WARPS>>>(values, spans, results);
    WAIT(Op::name());
    span host[BANK_WARPS];
    app_to_host(host, spans, BANK_WARPS);
    CHECK(cudaFree(spans));
    CHECK(cudaFree(values));
    CHECK(cudaFree(results));
    return cycles_of(host, BANK_WARPS);
}

template <class Op, bool SAME> static void measure_banks() {
    char key[64];
    double all = run_banks<Op, LONG, SAME>() - run_banks<Op, SHORT, SAME>();
    snprintf(key, sizeof key, "%s.%s.interval", Op::name(), SAME ? "one_bank" : "two_banks");
    figure(key, all / (LONG - SHORT) / (BANK_WARPS / sub_cores()), "cycles");
}

// A loop of LENGTH dependent FFMAs of 16 bytes each. An iteration takes longer than they do by the
// branch back, by a miss at its start if the sub-core's instruction cache does not hold the loop,
// and by misses throughout if the SM's does not hold it either.
#define TURNS 3

// In pieces, because compilers unroll a long loop only partly.
template <int LENGTH> static __device__ __forceinline__ float steps(float x, float y) {
    const int piece = LENGTH > 1024 ? 1024 : LENGTH;
#pragma unroll
    for (int i = 0; i < piece; i++) x = op::ffma::step(x, y);
    return steps<LENGTH - piece>(x, y);
}
template <> __device__ __forceinline__ float steps<0>(float x, float) { return x; }

template <int LENGTH> __global__ void code(float x, float y, u64 *cycles, float *result) {
    u64 turns[2] = {0, 0}; // clock at the start of the last two iterations
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
        turns[0] = turns[1];
        turns[1] = now();
        x = steps<LENGTH>(x, y);
    }
    *cycles = turns[1] - turns[0];
    *result = x;
}

template <int LENGTH> static void measure_code(double latency) {
    char key[64];
    u64 *cycles = app_zeros_on_device<u64>(1), taken;
    float *result = app_zeros_on_device<float>(1);
    for (long l = 0; l < launches; l++) code<LENGTH><<<1, 1>>>(1, 0.5f, cycles, result);
    WAIT("code");
    app_to_host(&taken, cycles, 1);
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(result));
    snprintf(key, sizeof key, "code_%dKB.turn", LENGTH * 16 / 1024);
    figure(key, (double)taken - latency * LENGTH, "cycles");
}

int main(int argc, char **argv) {
    const app_option options[] = {
        {"-n", "launches of each kernel; the last one counts, its code is in caches", &launches, 1,
         10},
    };
    app_start(argc, argv, "Measures latency and throughput of arithmetic instructions.", options,
              1);
    const u32 half_one = 0x3c003c00; // {1, 1} in f16
    measure<op::iadd>(1, 3);
    measure<op::lop3_iadd>(1, 3);
    measure<op::shf>(1, 3);
    measure<op::imad>(1, 3);
    measure<op::popc>(1, 3);
    measure<op::fadd>(1, 0.5f);
    measure<op::fmul>(1, 1.0001f);
    double ffma = measure<op::ffma>(1, 0.5f);
    measure<op::hadd2>(half_one, half_one);
    measure<op::hmul2>(half_one, half_one);
    measure<op::hfma2>(half_one, half_one);
    measure<op::dadd>(1, 0.5);
    measure<op::dmul>(1, 1.0001);
    measure<op::dfma>(1, 0.5);
    measure<op::sin_approx>(1, 1);
    measure<op::ex2_approx>(0.5f, 1);
    measure<op::lg2_approx>(3, 1);
    measure<op::rsqrt_approx>(3, 1);
    measure<op::sqrt_approx>(3, 1);
    measure<op::rcp_approx>(3, 1);
    measure<op::rcp_rn>(3, 1);
    measure<op::sqrt_rn>(3, 1);
    measure<op::div_rn>(3, 7);
    measure<op::div_s32>(3, 100);
    measure<op::rem_s32>(3, 100);
    measure<op::drcp_rn>(3, 1);
    measure<op::dsqrt_rn>(3, 1);
    measure<op::ddiv_rn>(3, 7);
    measure<op::div_rn_zero>(0, 3);
    measure<op::div_rn_subnormal>(1e-39f, 1);
    measure<op::ddiv_rn_zero>(0, 3);
    measure<op::shuffle>(1, 1);
    measure<op::vote>(1, 1);
    measure<op::warp_barrier>(1, 1);
    measure<op::clock>(1, 1);
    measure_apart<apart::rsqrt_approx>();
    measure_apart<apart::sqrt_approx>();
    measure_apart<apart::rcp_approx>();
    measure_apart<apart::ex2_approx>();
    measure_apart<apart::rcp_rn>();
    measure_apart<apart::sqrt_rn>();
    measure_apart<apart::div_s32>();
    measure_apart<apart::rem_s32>();
    measure_apart<apart::drcp_rn>();
    measure_apart<apart::dsqrt_rn>();
    measure_banks<bank::ffma, true>();
    measure_banks<bank::ffma, false>();
    measure_banks<bank::iadd3, true>();
    measure_banks<bank::iadd3, false>();
    measure_code<512>(ffma);
    measure_code<3072>(ffma);
    measure_code<12288>(ffma);
    return measured("35 instructions, 10 of them apart too, 2 with operands in one bank");
}
