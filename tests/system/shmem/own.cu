// own: this PE itself as the target: what is written is there when the call returns, in all memory
// of the GPU, and no command has been written.
#include "shmem_test.h"

enum { N = 75 }; // elements

// Each step: the target is cleared, the CTA acts, and the values are looked at.
template <class T> __device__ __noinline__ void begin(T *to, T *from, uint64_t *signal) {
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * N; i += blockDim.x) {
        to[i] = (T)0.f;
        from[i] = test_value<T>(3, i);
    }
    *signal = 5;
    __syncthreads();
}
template <class T>
__device__ __noinline__ void end(const T *to, int stride, int from_stride, const char *what) {
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * N; i += blockDim.x) {
        const bool is_target = i % stride == 0 && i / stride < N;
        const T value = is_target ? test_value<T>(3, i / stride * from_stride) : (T)0.f;
        EXPECT(test_equal(to[i], value), what);
    }
}
#define STEP(STATEMENT, STRIDE, FROM_STRIDE) \
    begin(to, from, signal);                 \
    STATEMENT;                               \
    end(to, STRIDE, FROM_STRIDE, #STATEMENT);
#define STEPS(CALL, ARGUMENTS, STRIDE, FROM_STRIDE)                 \
    STEP(if (is_thread_0()) S(CALL) ARGUMENTS, STRIDE, FROM_STRIDE) \
    STEP(if (is_warp_0()) SW(CALL) ARGUMENTS, STRIDE, FROM_STRIDE)  \
    STEP(SB(CALL) ARGUMENTS, STRIDE, FROM_STRIDE)
// The signal is there as well; nobody waits for it.
#define SIGNAL_STEP(STATEMENT, VALUE) \
    STEP(STATEMENT, 1, 1)             \
    EXPECT(*signal == VALUE, #STATEMENT);

#define MOVE(A, NAME, TYPE)                                                                    \
    __global__ void move_##NAME(void *target, void *source, uint64_t *signal) {                \
        typedef TYPE T;                                                                        \
        T *to = (T *)target, *from = (T *)source;                                              \
        const int me = S(my_pe)();                                                             \
        const unsigned before = commands();                                                    \
        STEPS(NAME##_put, (to, from, N, me), 1, 1)                                             \
        STEPS(NAME##_put_nbi, (to, from, N, me), 1, 1)                                         \
        STEPS(NAME##_get, (to, from, N, me), 1, 1)                                             \
        STEPS(NAME##_get_nbi, (to, from, N, me), 1, 1)                                         \
        STEPS(NAME##_iput, (to, from, 2, 1, N, me), 2, 1)                                      \
        STEPS(NAME##_iget, (to, from, 1, 2, N, me), 1, 2)                                      \
        STEP(if (threadIdx.x < N) S(NAME##_p)(to + threadIdx.x, from[threadIdx.x], me), 1, 1)  \
        STEP(if (threadIdx.x < N) to[threadIdx.x] = S(NAME##_g)(from + threadIdx.x, me), 1, 1) \
        SIGNAL_STEP(if (is_thread_0())                                                         \
                        S(NAME##_put_signal)(to, from, N, signal, 7, SC(SIGNAL_SET), me),      \
                    7)                                                                         \
        SIGNAL_STEP(if (is_warp_0())                                                           \
                        SW(NAME##_put_signal)(to, from, N, signal, 7, SC(SIGNAL_ADD), me),     \
                    12)                                                                        \
        SIGNAL_STEP(SB(NAME##_put_signal_nbi)(to, from, N, signal, 9, SC(SIGNAL_ADD), me), 14) \
        EXPECT(commands() == before, "no commands");                                           \
    }
#define TYPES(X)        \
    X(, uint8, uint8_t) \
    X(, short, short)   \
    X(, float, float)   \
    X(, double, double)
TYPES(MOVE)

__shared__ int shared_values[N];
// What is not global memory; addresses and lengths of all kinds.
__global__ void move_memory(void *target, void *source, uint64_t *signal) {
    int *to = (int *)target, *from = (int *)source;
    const int me = S(my_pe)();
    const unsigned before = commands();
    int own[N];
    for (int i = 0; i < N; i++) own[i] = is_thread_0() ? test_value<int>(3, i) : -1;
    STEP(if (is_thread_0()) S(int_put)(to, own, N, me), 1, 1)
    STEP(SB(int_put)(to, own, N, me), 1, 1) // the first thread's
    STEP(
        if (is_thread_0()) {
            S(int_get)(own, from, N, me);
            for (int i = 0; i < N; i++) to[i] = own[i];
        },
        1, 1)
    STEP(if (threadIdx.x < N) shared_values[threadIdx.x] = from[threadIdx.x]; __syncthreads();
         SB(int_put_nbi)(to, shared_values, N, me), 1, 1)
    STEP(SB(int_get)(shared_values, from, N, me);
         if (threadIdx.x < N) to[threadIdx.x] = shared_values[threadIdx.x], 1, 1)
    SIGNAL_STEP(SB(putmem_signal)(to, from, N * sizeof(int), signal, 3, SC(SIGNAL_SET), me), 3)
    SIGNAL_STEP(
        if (is_thread_0()) {
            S(int_put)(to, from, N, me);
            SX(signal_op)(signal, 5, SC(SIGNAL_ADD), me);
        },
        10)
    unsigned char *bytes_to = (unsigned char *)to, *bytes_from = (unsigned char *)from;
    for (int k = 0; k < 20; k++) {
        const int at = k, begin = k * 3 % 20, bytes = 200 + k;
        __syncthreads();
        for (int i = threadIdx.x; i < 300; i += blockDim.x) {
            bytes_to[i] = 0;
            bytes_from[i] = (unsigned char)(i * 3 + 1);
        }
        __syncthreads();
        SB(putmem)(bytes_to + at, bytes_from + begin, bytes, me);
        for (int i = threadIdx.x; i < 300; i += blockDim.x) {
            const int value = i < at || i >= at + bytes ? 0 : (i - at + begin) * 3 + 1;
            EXPECT(bytes_to[i] == (unsigned char)value, "bytes");
        }
    }
    EXPECT(commands() == before, "no commands");
}

// Changes 12 to AFTER.
#define AMO(STATEMENT, AFTER) \
    *at = (T)12;              \
    STATEMENT;                \
    EXPECT(*at == (T)(AFTER), #STATEMENT);
#define OLD(CALL) EXPECT((CALL) == (T)12, #CALL)
#define ATOMICS(A, NAME, TYPE)                                            \
    __global__ void atomics_##NAME(void *where) {                         \
        typedef TYPE T;                                                   \
        T *at = (T *)where;                                               \
        const int me = S(my_pe)();                                        \
        const unsigned before = commands();                               \
        AMO(OLD(S(NAME##_atomic_fetch)(at, me)), 12)                      \
        AMO(S(NAME##_atomic_set)(at, (T)5, me), 5)                        \
        AMO(OLD(S(NAME##_atomic_swap)(at, (T)6, me)), 6)                  \
        AMO(S(NAME##_atomic_add)(at, (T)-20, me), -8)                     \
        AMO(OLD(S(NAME##_atomic_fetch_add)(at, (T)3, me)), 15)            \
        AMO(OLD(S(NAME##_atomic_compare_swap)(at, (T)12, (T)-1, me)), -1) \
        AMO(OLD(S(NAME##_atomic_compare_swap)(at, (T)11, (T)-1, me)), 12) \
        AMO(S(NAME##_atomic_and)(at, (T)6, me), 4)                        \
        AMO(OLD(S(NAME##_atomic_fetch_or)(at, (T)3, me)), 15)             \
        AMO(S(NAME##_atomic_xor)(at, (T)10, me), 6)                       \
        EXPECT(commands() == before, "no commands");                      \
    }
ATOMICS(, uint, unsigned)
ATOMICS(, int64, int64_t)
__global__ void atomics_float(void *where) {
    typedef float T;
    T *at = (T *)where;
    AMO(OLD(S(float_atomic_swap)(at, 2.5f, S(my_pe)())), 2.5)
    AMO(S(float_atomic_set)(at, -1.f, S(my_pe)()), -1)
}

// One CTA waits for the other's data, without a fence of its own.
__global__ void wait_for_other(int *to, const int *from, uint64_t *signal) {
    if (blockIdx.x == 1) SB(int_put_signal)(to, from, N, signal, 1, SC(SIGNAL_SET), S(my_pe)());
    if (blockIdx.x == 1) return;
    if (is_thread_0()) S(signal_wait_until)(signal, SC(CMP_EQ), 1);
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        EXPECT(to[i] == test_value<int>(3, i), "data before the signal");
}

// All threads of all PEs add to a word of PE 0, those of PE 0 in two ways.
__global__ void add(unsigned *word, unsigned long long *wide) {
    for (int i = 0; i < 3; i++) {
        S(uint_atomic_inc)(word, 0);
        S(ulonglong_atomic_fetch_add)(wide, 1ull << 32, 0);
        if (S(my_pe)() == 0) atomicAdd(word, 1000);
    }
}

// Values into memory that has gone right behind the kernel, as programs have it that use the own
// PE where there is no neighbour.
__global__ void values(float *to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    S(float_p)(to + i, i + .5f, S(my_pe)());
}
static void memory_that_goes() {
    enum { CTAS = 6, THREADS = 64, ALL = CTAS * THREADS };
    for (int round = 0; round < 3; round++) {
        float *to, got[ALL];
        CHECK(cudaMalloc(&to, sizeof got));
        values<<<CTAS, THREADS>>>(to);
        CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(to));
        for (int i = 0; i < ALL; i++) HOST_EXPECT(got[i] == i + .5f);
    }
}

int main() {
    S(init)();
    void *to, *from;
    uint64_t *signal;
    CHECK(cudaMalloc(&to, 2 * N * sizeof(double)));
    CHECK(cudaMalloc(&from, 2 * N * sizeof(double)));
    CHECK(cudaMalloc(&signal, sizeof *signal));
#define RUN(A, NAME, TYPE)                    \
    move_##NAME<<<1, 96>>>(to, from, signal); \
    FINISH();
    TYPES(RUN)
    move_memory<<<1, 96>>>(to, from, signal);
    FINISH();
    atomics_uint<<<1, 1>>>(to);
    atomics_int64<<<1, 1>>>(to);
    atomics_float<<<1, 1>>>(to);
    FINISH();
    int data[N];
    for (int i = 0; i < N; i++) data[i] = test_value<int>(3, i);
    CHECK(cudaMemcpy(from, data, sizeof data, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(to, 0, sizeof data));
    CHECK(cudaMemset(signal, 0, sizeof *signal));
    wait_for_other<<<2, 64>>>((int *)to, (const int *)from, signal);
    FINISH();
    memory_that_goes();

    enum { CTAS = 3, THREADS = 70, ADDS = 3 * CTAS * THREADS };
    unsigned long long *wide = (unsigned long long *)S(calloc)(1, sizeof *wide), wide_got;
    unsigned *word = (unsigned *)S(calloc)(1, sizeof *word), got;
    add<<<CTAS, THREADS>>>(word, wide);
    S(barrier_all)();
    CHECK(cudaMemcpy(&got, word, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&wide_got, wide, sizeof wide_got, cudaMemcpyDeviceToHost));
    if (S(my_pe)() == 0) {
        HOST_EXPECT(got == (unsigned)ADDS * (S(n_pes)() + 1000));
        HOST_EXPECT(wide_got == (unsigned long long)ADDS * S(n_pes)() << 32);
    }
    // the host's calls, behind an error of the program's own, which stays to be asked for
    CHECK(cudaGetLastError());
    HOST_EXPECT(cudaMemcpy(to, from, 4, (cudaMemcpyKind)77) != cudaSuccess);
    S(int_put)((int *)to, (int *)from, N, S(my_pe)());
    HOST_EXPECT(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
    int got_values[N];
    CHECK(cudaMemcpy(got_values, to, sizeof got_values, cudaMemcpyDeviceToHost));
    HOST_EXPECT(!memcmp(got_values, data, sizeof data));
    HOST_EXPECT(S(int_g)((int *)to + 4, S(my_pe)()) == data[4]);
    S(free)(word);
    S(free)(wide);
    CHECK(cudaFree(to));
    CHECK(cudaFree(from));
    CHECK(cudaFree(signal));
    return test_end("own");
}
