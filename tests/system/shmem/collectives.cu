// collectives: all kinds, types, operations and groups; short and long, odd lengths, in place.
#include "shmem_test.h"

enum { MOST = 6000, TEAM_MOST = 8 }; // elements of a PE, PEs

// Every PE's source, of n elements, and its target cleared. Between them and others' calls, a
// barrier.
template <class T> __device__ __noinline__ void begin(T *to, T *from, int n, int all) {
    const int me = S(my_pe)();
    SB(barrier_all)();
    for (int i = threadIdx.x; i < n; i += blockDim.x) from[i] = test_value<T>(me, i);
    for (int i = threadIdx.x; i < all; i += blockDim.x) to[i] = (T)0.f;
    SB(barrier_all)();
}

// ---- broadcast, fcollect, alltoall
template <class T> __device__ __noinline__ void is_broadcast(const T *to, int n, int root) {
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        EXPECT(test_equal(to[i], test_value<T>(root, i)), "broadcast");
}
template <class T> __device__ __noinline__ void is_fcollect(const T *to, int n) {
    __syncthreads();
    for (int i = threadIdx.x; i < n * S(n_pes)(); i += blockDim.x)
        EXPECT(test_equal(to[i], test_value<T>(i / n, i % n)), "fcollect");
}
template <class T> __device__ __noinline__ void is_alltoall(const T *to, int n) {
    __syncthreads();
    for (int i = threadIdx.x; i < n * S(n_pes)(); i += blockDim.x)
        EXPECT(test_equal(to[i], test_value<T>(i / n, S(my_pe)() * n + i % n)), "alltoall");
}
#define WORLD SC(TEAM_WORLD)
#define SPREAD(A, NAME, TYPE)                                                                   \
    __global__ void spread_##NAME(void *target, void *source, int n) {                          \
        typedef TYPE T;                                                                         \
        T *to = (T *)target, *from = (T *)source;                                               \
        const int pes = S(n_pes)(), last = pes - 1;                                             \
        begin(to, from, n, n);                                                                  \
        if (is_thread_0()) S(NAME##_broadcast)(WORLD, to, from, n, last);                       \
        is_broadcast(to, n, last);                                                              \
        begin(to, from, n, n);                                                                  \
        SB(NAME##_broadcast)(WORLD, to, from, n, 0);                                            \
        is_broadcast(to, n, 0);                                                                 \
        begin(to, from, n, n * pes);                                                            \
        if (is_warp_0()) SW(NAME##_fcollect)(WORLD, to, from, n);                               \
        is_fcollect(to, n);                                                                     \
        begin(to, from, n, n * pes);                                                            \
        SB(NAME##_fcollect)(WORLD, to, from, n);                                                \
        is_fcollect(to, n);                                                                     \
        begin(to, from, n * pes, n * pes);                                                      \
        if (is_thread_0()) S(NAME##_alltoall)(WORLD, to, from, n);                              \
        is_alltoall(to, n);                                                                     \
        begin(to, from, n * pes, n * pes);                                                      \
        SB(NAME##_alltoall)(WORLD, to, from, n);                                                \
        is_alltoall(to, n);                                                                     \
    }
#ifdef NVSHMEM_NAMES
#define TYPES(X, A) HEDDLE_SHMEM_NUMBERS(X, A) X(A, half, __half) X(A, bfloat16, __nv_bfloat16)
#else
#define TYPES(X, A) HEDDLE_SHMEM_NUMBERS(X, A)
#endif
TYPES(SPREAD, )
// bytes
__global__ void spread_memory(char *to, char *from, int n) {
    begin(to, from, n, n);
    SB(broadcastmem)(WORLD, to, from, n, 0);
    is_broadcast(to, n, 0);
    begin(to, from, n, n * S(n_pes)());
    SB(fcollectmem)(WORLD, to, from, n);
    is_fcollect(to, n);
    begin(to, from, n * S(n_pes)(), n * S(n_pes)());
    if (is_warp_0()) SW(alltoallmem)(WORLD, to, from, n);
    is_alltoall(to, n);
}

// ---- reductions
struct test_sum { template <class T> __host__ __device__ static T of(T a, T b) { return a + b; } };
struct test_prod { template <class T> __host__ __device__ static T of(T a, T b) { return a * b; } };
struct test_min { template <class T> __host__ __device__ static T of(T a,
        T b) { return b < a ? b : a; } };
struct test_max { template <class T> __host__ __device__ static T of(T a,
        T b) { return a < b ? b : a; } };
struct test_and { template <class T> __host__ __device__ static T of(T a, T b) { return a & b; } };
struct test_or { template <class T> __host__ __device__ static T of(T a, T b) { return a | b; } };
struct test_xor { template <class T> __host__ __device__ static T of(T a, T b) { return a ^ b; } };

// Of the values that lie `first` into each source.
template <class T, class OP>
__device__ __noinline__ void is_reduced(const T *to, int n, int first, const char *what) {
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        T value = test_value<T>(0, first + i);
        for (int pe = 1; pe < S(n_pes)(); pe++) value = OP::of(value, test_value<T>(pe, first + i));
        EXPECT(test_equal(to[i], value), what);
    }
}
#define REDUCE(OP, NAME, TYPE)                                                                  \
    __global__ void reduce_##NAME##_##OP(void *target, void *source) {                          \
        typedef TYPE T;                                                                         \
        T *to = (T *)target, *from = (T *)source;                                               \
        const int n = 45;                                                                       \
        begin(to, from, n, n);                                                                  \
        SB(NAME##_##OP##_reduce)(WORLD, to, from, n);                                           \
        is_reduced<T, test_##OP>(to, n, 0, #NAME " " #OP);                                      \
    }
#define REDUCE_FULLY(OP, NAME, TYPE)                                                            \
    __global__ void fully_##NAME##_##OP(void *target, void *source, int n) {                    \
        typedef TYPE T;                                                                         \
        T *to = (T *)target, *from = (T *)source;                                               \
        const int pes = S(n_pes)(), me = S(my_pe)();                                            \
        begin(to, from, n, n);                                                                  \
        if (is_thread_0()) S(NAME##_##OP##_reduce)(WORLD, to, from, n);                         \
        is_reduced<T, test_##OP>(to, n, 0, "thread");                                           \
        begin(to, from, n, n);                                                                  \
        if (is_warp_0()) SW(NAME##_##OP##_reduce)(WORLD, to, from, n);                          \
        is_reduced<T, test_##OP>(to, n, 0, "warp");                                             \
        begin(to, from, n, n);                                                                  \
        SB(NAME##_##OP##_reduce)(WORLD, from, from, n);                                         \
        is_reduced<T, test_##OP>(from, n, 0, "in place");                                       \
        for (int i = 0; i < 3; i++) { /* one after the other, without a barrier between */     \
            begin(to, from, n, n);                                                              \
            SB(NAME##_##OP##_reduce)(WORLD, to, from, n / 3);                                   \
            SB(NAME##_##OP##_reduce)(WORLD, to + n / 3, from + n / 3, n / 3);                   \
            SB(NAME##_##OP##_reduce)(WORLD, to + n / 3 * 2, from + n / 3 * 2, n - n / 3 * 2);   \
            is_reduced<T, test_##OP>(to, n, 0, "three");                                        \
        }                                                                                       \
        begin(to, from, n * pes, n);                                                            \
        SB(NAME##_##OP##_reducescatter)(WORLD, to, from, n);                                    \
        is_reduced<T, test_##OP>(to, n, n * me, "reducescatter");                               \
        begin(to, from, n * pes, n);                                                            \
        if (is_thread_0()) S(NAME##_##OP##_reducescatter)(WORLD, to, from, n);                  \
        is_reduced<T, test_##OP>(to, n, n * me, "reducescatter of a thread");                   \
    }
TYPES(REDUCE, sum)
TYPES(REDUCE, prod)
TYPES(REDUCE, min)
TYPES(REDUCE, max)
HEDDLE_SHMEM_INTEGERS(REDUCE, and)
HEDDLE_SHMEM_INTEGERS(REDUCE, or)
HEDDLE_SHMEM_INTEGERS(REDUCE, xor)
REDUCE_FULLY(sum, int, int)
REDUCE_FULLY(max, double, double)
REDUCE_FULLY(xor, uchar, unsigned char)

#ifdef NVSHMEM_NAMES
// The greatest value of each element, and the PE that has it; of equal ones the first.
__global__ void maxloc(double2 *to, double2 *from, int n) {
    SB(barrier_all)();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        from[i] = make_double2((S(my_pe)() * 7 + i) % 5, S(my_pe)());
        to[i] = make_double2(-1, -1);
    }
    SB(barrier_all)();
    SB(double2_maxloc_reduce)(WORLD, to, from, n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int first = 0;
        for (int pe = 1; pe < S(n_pes)(); pe++)
            if ((pe * 7 + i) % 5 > (first * 7 + i) % 5) first = pe;
        EXPECT(to[i].x == (first * 7 + i) % 5 && to[i].y == first, "maxloc");
    }
}
#endif

// ---- the host
static void host_collectives(int *to, int *from) {
    const int me = S(my_pe)(), n = S(n_pes)(), count = 100;
    int *values = new int[count * n];
    int error = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < count * n; i++) values[i] = 1000 * me + i;
    CHECK(cudaMemcpy(from, values, count * n * sizeof *values, cudaMemcpyHostToDevice));
#define HOST_STEP(STATEMENT, COUNT, VALUE)                                                        \
    S(barrier_all)();                                                                             \
    STATEMENT;                                                                                    \
    CHECK(cudaStreamSynchronize(stream));                                                         \
    CHECK(cudaMemcpy(values, to, (COUNT) * sizeof *values, cudaMemcpyDeviceToHost));              \
    for (int i = 0; i < (COUNT); i++) HOST_EXPECT(values[i] == (VALUE));
    const int sum = 1000 * (n * (n - 1) / 2);
    HOST_STEP(error |= S(int_broadcast)(WORLD, to, from, count, 0), count, i)
    HOST_STEP(error |= S(int_fcollect)(WORLD, to, from, count), count * n,
            1000 * (i / count) + i % count)
    HOST_STEP(error |= S(int_alltoall)(WORLD, to, from, count), count * n,
              1000 * (i / count) + count * me + i % count)
    HOST_STEP(error |= S(int_sum_reduce)(WORLD, to, from, count), count, sum + n * i)
    HOST_STEP(error |= S(int_sum_reducescatter)(WORLD, to, from, count), count,
            sum + n * (count * me + i))
    HOST_STEP(error |= SX(int_broadcast_on_stream)(WORLD, to, from, count, n - 1, stream), count,
              1000 * (n - 1) + i)
    HOST_STEP(error |= SX(fcollectmem_on_stream)(WORLD, to, from, count * sizeof(int), stream),
              count * n, 1000 * (i / count) + i % count)
    HOST_STEP(error |= SX(int_alltoall_on_stream)(WORLD, to, from, count, stream), count * n,
              1000 * (i / count) + count * me + i % count)
    HOST_STEP(error |= SX(int_max_reduce_on_stream)(WORLD, to, from, count, stream), count,
              1000 * (n - 1) + i)
    HOST_STEP(error |= SX(int_min_reducescatter_on_stream)(WORLD, to, from, count, stream), count,
              count * me + i)
    HOST_EXPECT(!error);
    CHECK(cudaStreamDestroy(stream));
    delete[] values;
}

int main() {
    S(init)();
    char *to = (char *)S(malloc)(MOST * TEAM_MOST * 8),
            *from = (char *)S(malloc)(MOST * TEAM_MOST * 8);
#define RUN_SPREAD(A, NAME, TYPE)             \
    spread_##NAME<<<1, 64>>>(to, from, 37);   \
    FINISH();
#define RUN_REDUCE(OP, NAME, TYPE)                \
    reduce_##NAME##_##OP<<<1, 64>>>(to, from);    \
    FINISH();
    TYPES(RUN_SPREAD, )
    spread_int<<<1, 128>>>(to, from, 3000);
    spread_memory<<<1, 70>>>(to, from, 501);
    spread_memory<<<1, 128>>>(to + 3, from + 1, 5003);
    FINISH();
    TYPES(RUN_REDUCE, sum)
    TYPES(RUN_REDUCE, prod)
    TYPES(RUN_REDUCE, min)
    TYPES(RUN_REDUCE, max)
    HEDDLE_SHMEM_INTEGERS(RUN_REDUCE, and)
    HEDDLE_SHMEM_INTEGERS(RUN_REDUCE, or)
    HEDDLE_SHMEM_INTEGERS(RUN_REDUCE, xor)
    const int sizes[] = {1, 2, 100, 1000, MOST - 1};
    for (int i = 0; i < 5; i++) {
        fully_int_sum<<<1, 128>>>(to, from, sizes[i]);
        fully_double_max<<<1, 128>>>(to, from, sizes[i]);
        fully_uchar_xor<<<1, 128>>>(to, from, sizes[i]);
        FINISH();
    }
    fully_double_max<<<1, 128>>>(to, from, MOST);
    FINISH();
#ifdef NVSHMEM_NAMES
    maxloc<<<1, 64>>>((double2 *)to, (double2 *)from, 1);
    maxloc<<<1, 64>>>((double2 *)to, (double2 *)from, 300);
    FINISH();
#endif
    host_collectives((int *)to, (int *)from);
    S(free)(to);
    S(free)(from);
    return test_end("collectives");
}
