// rma: puts, gets, values, signals: all types, by threads, warps, CTAs, the host and streams.
#include "shmem_test.h"

enum { N = 50 }; // elements

// Each step: all PEs clear their targets; they act; `to` must then hold the values of PE `pe`.
template <class T> __device__ __noinline__ void begin(T *to, T *from, uint64_t *signal) {
    SB(barrier_all)();
    for (int i = threadIdx.x; i < 2 * N; i += blockDim.x) {
        to[i] = (T)0.f;
        from[i] = test_value<T>(S(my_pe)(), i);
    }
    *signal = 5;
    SB(barrier_all)();
}
template <class T>
__device__ __noinline__ void end(const T *to, int pe, int stride, int from_stride,
        const char *what) {
    SB(barrier_all)();
    for (int i = threadIdx.x; i < 2 * N; i += blockDim.x) {
        const bool is_target = i % stride == 0 && i / stride < N;
        const T value = is_target ? test_value<T>(pe, i / stride * from_stride) : (T)0.f;
        EXPECT(test_equal(to[i], value), what);
    }
}
#define STEP(STATEMENT, PE, STRIDE, FROM_STRIDE)         \
    begin(to, from, signal);                             \
    STATEMENT;                                           \
    end(to, PE, STRIDE, FROM_STRIDE, #STATEMENT);
// The same by a thread, a warp, the CTA.
#define STEPS(CALL, ARGUMENTS, PE)                 \
    STEP(if (is_thread_0()) S(CALL) ARGUMENTS, PE, 1, 1) \
    STEP(if (is_warp_0()) SW(CALL) ARGUMENTS, PE, 1, 1)  \
    STEP(SB(CALL) ARGUMENTS, PE, 1, 1)
#define SIGNAL_STEP(STATEMENT, VALUE)                                            \
    begin(to, from, signal);                                                     \
    STATEMENT;                                                                   \
    if (is_thread_0()) {                                                         \
        EXPECT(S(signal_wait_until)(signal, SC(CMP_EQ), VALUE) == VALUE, "signal"); \
        for (int i = 0; i < N; i++)                                              \
            EXPECT(test_equal(to[i], test_value<T>(left, i)), #STATEMENT);       \
    }

#define MOVE(A, NAME, TYPE)                                                                        \
    __global__ void move_##NAME(void *target, void *source, uint64_t *signal) {                    \
        typedef TYPE T;                                                                            \
        T *to = (T *)target, *from = (T *)source;                                                  \
        const int me = S(my_pe)(), n = S(n_pes)(), right = (me + 1) % n, left = (me + n - 1) % n;  \
        STEPS(NAME##_put, (to, from, N, right), left)                                              \
        STEPS(NAME##_put_nbi, (to, from, N, right), left)                                          \
        STEPS(NAME##_get, (to, from, N, right), right)                                             \
        STEP(if (is_thread_0()) { S(NAME##_get_nbi)(to, from, N, right); S(quiet)(); }, \
                right, 1, 1) \
        STEP(if (is_warp_0()) { SW(NAME##_get_nbi)(to, from, N, right); SW(quiet)(); }, \
                right, 1, 1) \
        STEP(SB(NAME##_get_nbi)(to, from, N, right); SB(quiet)(), right, 1, 1)                     \
        STEP(if (is_thread_0()) S(NAME##_iput)(to, from, 2, 1, N, right), left, 2, 1)              \
        STEP(if (is_warp_0()) SW(NAME##_iput)(to, from, 1, 2, N, right), left, 1, 2)               \
        STEP(SB(NAME##_iput)(to, from, 2, 2, N, right), left, 2, 2)                                \
        STEP(if (is_thread_0()) S(NAME##_iget)(to, from, 2, 1, N, right), right, 2, 1)             \
        STEP(if (is_warp_0()) SW(NAME##_iget)(to, from, 1, 2, N, right), right, 1, 2)              \
        STEP(SB(NAME##_iget)(to, from, 2, 2, N, right), right, 2, 2)                               \
        STEP(if (threadIdx.x < N) S(NAME##_p)(to + threadIdx.x, from[threadIdx.x], right), \
                left, 1, 1) \
        STEP(if (threadIdx.x < N) to[threadIdx.x] = S(NAME##_g)(from + threadIdx.x, right), \
                right, 1, 1) \
        SIGNAL_STEP(if (is_thread_0()) S(NAME##_put_signal)(to, from, N, signal, 7,                \
                                                            SC(SIGNAL_SET), right), 7)             \
        SIGNAL_STEP(if (is_warp_0()) SW(NAME##_put_signal)(to, from, N, signal, 7,                 \
                                                           SC(SIGNAL_ADD), right), 12)             \
        SIGNAL_STEP(SB(NAME##_put_signal)(to, from, N, signal, 3, SC(SIGNAL_SET), right), 3)       \
        SIGNAL_STEP(if (is_thread_0()) S(NAME##_put_signal_nbi)(to, from, N, signal, 7,            \
                                                                SC(SIGNAL_ADD), right), 12)        \
        SIGNAL_STEP(SB(NAME##_put_signal_nbi)(to, from, N, signal, 9, SC(SIGNAL_SET), right), 9)   \
    }
// One of each for all types; everything for some.
#define MOVE_SHORT(A, NAME, TYPE)                                                                  \
    __global__ void short_move_##NAME(void *target, void *source, uint64_t *signal) {              \
        typedef TYPE T;                                                                            \
        T *to = (T *)target, *from = (T *)source;                                                  \
        const int me = S(my_pe)(), n = S(n_pes)(), right = (me + 1) % n, left = (me + n - 1) % n;  \
        STEP(if (is_thread_0()) S(NAME##_put)(to, from, N, right), left, 1, 1)                     \
        STEP(SB(NAME##_put_nbi)(to, from, N, right), left, 1, 1)                                   \
        STEP(if (is_warp_0()) SW(NAME##_get)(to, from, N, right), right, 1, 1)                     \
        STEP(SB(NAME##_iput)(to, from, 2, 1, N, right), left, 2, 1)                                \
        STEP(SB(NAME##_iget)(to, from, 1, 2, N, right), right, 1, 2)                               \
        STEP(if (threadIdx.x < N) S(NAME##_p)(to + threadIdx.x, from[threadIdx.x], right), \
                left, 1, 1) \
        STEP(if (threadIdx.x < N) to[threadIdx.x] = S(NAME##_g)(from + threadIdx.x, right), \
                right, 1, 1) \
        SIGNAL_STEP(SB(NAME##_put_signal)(to, from, N, signal, 3, SC(SIGNAL_SET), right), 3)       \
    }
#ifdef NVSHMEM_NAMES
#define TYPES(X) HEDDLE_SHMEM_NUMBERS(X, ) X(, half, __half) X(, bfloat16, __nv_bfloat16)
#else
#define TYPES(X) HEDDLE_SHMEM_NUMBERS(X, )
#endif
TYPES(MOVE_SHORT)
#define SOME_TYPES(X) X(, int, int) X(, double, double)
SOME_TYPES(MOVE)

// Elements of a size, and bytes.
template <int BYTES> struct block {
    unsigned char byte[BYTES];
    __host__ __device__ block(float v = 0) {
        for (int i = 0; i < BYTES; i++) byte[i] = (unsigned char)v;
    }
    __host__ __device__ operator float() const { return byte[0] == byte[BYTES - 1] ? byte[0] : -1; }
};
#define MOVE_SIZE(A, BITS, BYTES)                                                                 \
    __global__ void move_size##BITS(void *target, void *source, uint64_t *signal) {               \
        typedef block<BYTES> T;                                                                   \
        T *to = (T *)target, *from = (T *)source;                                                 \
        const int me = S(my_pe)(), n = S(n_pes)(), right = (me + 1) % n, left = (me + n - 1) % n; \
        STEPS(put##BITS, (to, from, N, right), left)                                              \
        STEP(SB(get##BITS)(to, from, N, right), right, 1, 1)                                      \
        STEP(if (is_thread_0()) { S(get##BITS##_nbi)(to, from, N, right); S(quiet)(); }, \
                right, 1, 1) \
        STEP(SB(iput##BITS)(to, from, 2, 1, N, right), left, 2, 1)                                \
        STEP(SB(iget##BITS)(to, from, 1, 2, N, right), right, 1, 2)                               \
        SIGNAL_STEP(SB(put##BITS##_signal)(to, from, N, signal, 3, SC(SIGNAL_SET), right), 3)     \
    }
HEDDLE_SHMEM_SIZES(MOVE_SIZE, )

__shared__ int shared_values[N];
__global__ void move_memory(void *target, void *source, uint64_t *signal) {
    typedef int T;
    T *to = (T *)target, *from = (T *)source;
    const int me = S(my_pe)(), n = S(n_pes)(), right = (me + 1) % n, left = (me + n - 1) % n;
    const size_t bytes = N * sizeof(int);
    STEPS(putmem, (to, from, bytes, right), left)
    STEPS(putmem_nbi, (to, from, bytes, right), left)
    STEPS(getmem, (to, from, bytes, right), right)
    SIGNAL_STEP(SB(putmem_signal)(to, from, bytes, signal, 3, SC(SIGNAL_SET), right), 3)
    SIGNAL_STEP(if (is_warp_0()) SW(putmem_signal_nbi)(to, from, bytes, signal, 3, SC(SIGNAL_ADD),
                                                       right), 8)
    // an order between a put and a value
    SIGNAL_STEP(if (is_thread_0()) {
        S(putmem_nbi)(to, from, bytes, right);
        S(fence)();
        S(uint64_p)(signal, 77, right);
    }, 77)
    // no bytes are a signal, and nothing else
    SIGNAL_STEP(if (is_thread_0()) {
        S(putmem)(to, from, 0, right);
        S(int_put)(to, from, N, right);
        S(putmem_signal)(to, from, 0, signal, 6, SC(SIGNAL_SET), right);
    }, 6)
    SIGNAL_STEP(if (is_thread_0()) {
        S(int_put)(to, from, N, right);
        SX(signal_op)(signal, 5, SC(SIGNAL_ADD), right);
    }, 10)
    if (is_thread_0()) EXPECT(S(signal_fetch)(signal) == 10, "signal_fetch");
    // variables of a thread, and shared memory
    STEP(if (is_thread_0()) {
        int own[N];
        for (int i = 0; i < N; i++) own[i] = from[i];
        S(int_put)(to, own, N, right);
    }, left, 1, 1)
    STEP(if (is_thread_0()) {
        int own[N];
        S(int_get)(own, from, N, right);
        for (int i = 0; i < N; i++) to[i] = own[i];
    }, right, 1, 1)
    STEP(
        if (threadIdx.x < N) shared_values[threadIdx.x] = from[threadIdx.x];
        __syncthreads();
        SB(int_put)(to, shared_values, N, right), left, 1, 1)
    STEP(
        SB(int_get)(shared_values, from, N, right);
        if (threadIdx.x < N) to[threadIdx.x] = shared_values[threadIdx.x], right, 1, 1)
    // any address, any length
    SB(barrier_all)();
    unsigned char *bytes_to = (unsigned char *)to, *bytes_from = (unsigned char *)from;
    for (int i = threadIdx.x; i < 300; i += blockDim.x) {
        bytes_to[i] = 0;
        bytes_from[i] = (unsigned char)(i * 3 + me);
    }
    SB(barrier_all)();
    SB(putmem)(bytes_to + 13, bytes_from + 6, 261, right);
    SB(barrier_all)();
    for (int i = threadIdx.x; i < 300; i += blockDim.x) {
        const bool is_target = i >= 13 && i < 13 + 261;
        EXPECT(bytes_to[i] == (is_target ? (unsigned char)((i - 7) * 3 + left) : 0), "bytes");
    }
    // many threads, many commands: more than a queue has places
    SB(barrier_all)();
    int *counters = to;
    if (threadIdx.x < 2) counters[threadIdx.x] = 0;
    SB(barrier_all)();
    for (int i = 0; i < 5; i++) {
        S(int_atomic_inc)(counters, right);
        S(int_atomic_fetch_add)(counters + 1, 2, right);
    }
    SB(barrier_all)();
    if (is_thread_0()) EXPECT(counters[0] == 5 * (int)blockDim.x, "many atomics");
    if (is_thread_0()) EXPECT(counters[1] == 10 * (int)blockDim.x, "many atomics with results");
}

// ---- the host

template <class T> __global__ void fill(T *to, T *from, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        to[i] = (T)0.f;
        from[i] = test_value<T>(S(my_pe)(), i);
    }
}
template <class T> static void host_expect(const T *to, int pe, int line) {
    T values[N];
    S(barrier_all)();
    CHECK(cudaMemcpy(values, to, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (!test_equal(values[i], test_value<T>(pe, i))) {
            printf("PE %d: wrong: element %d (line %d)\n", S(my_pe)(), i, line);
            test_host_failures++;
            break;
        }
}
#define HOST_STEP(STATEMENT, PE)             \
    S(barrier_all)();                        \
    fill<<<1, 64>>>(to, from, N);            \
    S(barrier_all)();                        \
    STATEMENT;                               \
    host_expect(to, PE, __LINE__);

static void host_moves(double *to, double *from, uint64_t *signal) {
    const int me = S(my_pe)(), n = S(n_pes)(), right = (me + 1) % n, left = (me + n - 1) % n;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    HOST_STEP(S(double_put)(to, from, N, right), left)
    HOST_STEP(S(double_put_nbi)(to, from, N, right), left)
    HOST_STEP(S(putmem)(to, from, N * sizeof *to, right), left)
    HOST_STEP(S(double_get)(to, from, N, right), right)
    HOST_STEP(S(getmem)(to, from, N * sizeof *to, right), right)
    HOST_STEP(S(double_iput)(to, from, 1, 1, N, right), left)
    HOST_STEP(S(double_iget)(to, from, 1, 1, N, right), right)
    HOST_STEP(for (int i = 0; i < N; i++) S(double_p)(to + i, test_value<double>(me, i),
            right), left)
    HOST_STEP(for (int i = 0; i < N; i++)
                  HOST_EXPECT(S(double_g)(from + i, right) == test_value<double>(right, i));
              S(double_put)(to, from, N, right), left)
    HOST_STEP(SX(putmem_on_stream)(to, from, N * sizeof *to, right, stream), left)
    HOST_STEP(SX(double_put_on_stream)(to, from, N, right, stream), left)
    HOST_STEP(SX(double_put_nbi_on_stream)(to, from, N, right, stream), left)
    HOST_STEP(SX(getmem_on_stream)(to, from, N * sizeof *to, right, stream), right)
    HOST_STEP(SX(double_get_on_stream)(to, from, N, right, stream), right)
    HOST_STEP(SX(double_get_nbi_on_stream)(to, from, N, right, stream);
              SX(quiet_on_stream)(stream), right)
    CHECK(cudaMemset(signal, 0, sizeof *signal));
    HOST_STEP(SX(putmem_signal_on_stream)(to, from, N * sizeof *to, signal, 4,
            SC(SIGNAL_ADD), right,
                                          stream);
              SX(signal_wait_until_on_stream)(signal, SC(CMP_GE), 4, stream);
              SX(signal_op_on_stream)(signal, 9, SC(SIGNAL_ADD), left, stream);
              SX(signal_wait_until_on_stream)(signal, SC(CMP_EQ), 13, stream);
              CHECK(cudaStreamSynchronize(stream)), left)
    HOST_STEP(S(double_put)(to, from, N, right);
              SX(signal_op)(signal, 2, SC(SIGNAL_SET), right);
              SX(uint64_wait_until_on_stream)(signal, SC(CMP_EQ), 2, stream);
              SX(barrier_all_on_stream)(stream); SX(sync_all_on_stream)(stream);
              S(fence)(); S(quiet)(), left)
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    S(init)();
    void *to = S(calloc)(2 * N, 16), *from = S(malloc)(2 * N * 16);
    uint64_t *signal = (uint64_t *)S(malloc)(sizeof(uint64_t));
#define RUN_SHORT(A, NAME, TYPE)                    \
    short_move_##NAME<<<1, 64>>>(to, from, signal); \
    FINISH();
#define RUN(A, NAME, TYPE)                        \
    move_##NAME<<<1, 64>>>(to, from, signal);     \
    FINISH();
#define RUN_SIZE(A, BITS, BYTES)                  \
    move_size##BITS<<<1, 64>>>(to, from, signal); \
    FINISH();
    TYPES(RUN_SHORT)
    SOME_TYPES(RUN)
    HEDDLE_SHMEM_SIZES(RUN_SIZE, )
    move_memory<<<1, 96>>>(to, from, signal);
    FINISH();
    host_moves((double *)to, (double *)from, signal);
    S(free)(to);
    S(free)(from);
    S(free)(signal);
    return test_end("rma");
}
