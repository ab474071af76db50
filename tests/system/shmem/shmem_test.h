// Shared by the tests of SHMEM: each is compiled with Heddle's names and, with -DNVSHMEM_NAMES,
// with those of NVSHMEM.
//
// A test prints "PE n: NAME: ok", or what is wrong, and exits with 1.
#ifndef HEDDLE_TESTS_SHMEM_TEST_H
#define HEDDLE_TESTS_SHMEM_TEST_H

#ifdef NVSHMEM_NAMES
#include <nvshmem.h>
#include <nvshmemx.h>
#define S(name) nvshmem_##name
#define SX(name) nvshmemx_##name
#define SW(name) nvshmemx_##name##_warp
#define SB(name) nvshmemx_##name##_block
#define SC(name) NVSHMEM_##name
#else
#include <heddle_shmem.h>
#define S(name) heddle_shmem_##name
#define SX(name) heddle_shmem_##name
#define SW(name) heddle_shmem_##name##_warp
#define SB(name) heddle_shmem_##name##_wg
#define SC(name) HEDDLE_SHMEM_##name
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Commands that kernels of this PE have written so far.
__device__ inline unsigned commands() {
    unsigned sum = 0;
    for (unsigned q = 0; q < heddle_shmem_core::self()->num_queues; q++)
        sum += *(volatile unsigned *)&heddle_shmem_core::queue_number(q).producer->write_idx;
    return sum;
}

__device__ int test_failures;
static int test_host_failures;

// Notes what is wrong, and goes on.
#define EXPECT(holds, what)                                                         \
    do {                                                                            \
        if (!(holds)) {                                                             \
            if (atomicAdd(&test_failures, 1) < 5)                                   \
                printf("PE %d: wrong: %s (line %d)\n", S(my_pe)(), what, __LINE__); \
        }                                                                           \
    } while (0)
#define HOST_EXPECT(holds)                                                        \
    do {                                                                          \
        if (!(holds)) {                                                           \
            printf("PE %d: wrong: %s (line %d)\n", S(my_pe)(), #holds, __LINE__); \
            test_host_failures++;                                                 \
        }                                                                         \
    } while (0)
#define CHECK(call)                                                                    \
    do {                                                                               \
        cudaError_t error_ = (call);                                                   \
        if (error_ != cudaSuccess) {                                                   \
            printf("%s: %s (line %d)\n", #call, cudaGetErrorString(error_), __LINE__); \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

// Waits for a kernel.
#define FINISH()                        \
    do {                                \
        CHECK(cudaGetLastError());      \
        CHECK(cudaDeviceSynchronize()); \
    } while (0)

// A value for element i of PE pe that all types can hold: 0 to 100.
template <class T> __host__ __device__ inline T test_value(int pe, size_t i) {
    return (T)(float)((pe * 31 + (int)i * 7 + 1) % 101);
}
template <class T> __host__ __device__ inline bool test_equal(T a, T b) {
    return (float)a == (float)b;
}
// bool of a test in the threads of a group
__device__ inline bool is_thread_0() {
    return threadIdx.x == 0;
}
__device__ inline bool is_warp_0() {
    return threadIdx.x < 32;
}

static inline int test_end(const char *name) {
    int failures;
    const int pe = S(my_pe)();
    CHECK(cudaMemcpyFromSymbol(&failures, test_failures, sizeof failures));
    S(barrier_all)();
    S(finalize)();
    if (failures || test_host_failures) {
        printf("PE %d: %s: %d wrong\n", pe, name, failures + test_host_failures);
        return 1;
    }
    printf("PE %d: %s: ok\n", pe, name);
    return 0;
}

#endif
