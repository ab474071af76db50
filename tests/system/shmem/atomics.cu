// atomics: all operations and types, on other PEs' memory, one after the other and from many
// threads.
#include "shmem_test.h"

// Words of a PE, as one type after the other. The right neighbour's are changed, and looked at
// there.
template <class T> __device__ void set(T *at, T value) {
    SB(barrier_all)();
    if (is_thread_0()) *(volatile T *)at = value;
    SB(barrier_all)();
}
template <class T> __device__ void expect(const T *at, T value, const char *what) {
    SB(barrier_all)();
    if (is_thread_0()) EXPECT(*(const volatile T *)at == value, what);
}
// Changes 12 to AFTER. EXPECT_OLD: and gets 12.
#define STEP(STATEMENT, AFTER)   \
    set(at, (T)12);              \
    if (is_thread_0()) STATEMENT; \
    expect(at, (T)(AFTER), #STATEMENT);
#define OLD(CALL) EXPECT((CALL) == (T)12, #CALL)

#define VALUES(A, NAME, TYPE)                                         \
    __global__ void values_##NAME(void *where) {                      \
        typedef TYPE T;                                               \
        T *at = (T *)where;                                           \
        const int right = (S(my_pe)() + 1) % S(n_pes)();              \
        STEP(OLD(S(NAME##_atomic_fetch)(at, right)), 12)              \
        STEP(S(NAME##_atomic_set)(at, (T)5, right), 5)                \
        STEP(OLD(S(NAME##_atomic_swap)(at, (T)6, right)), 6)          \
    }
#define NUMBERS(A, NAME, TYPE)                                        \
    __global__ void numbers_##NAME(void *where) {                     \
        typedef TYPE T;                                               \
        T *at = (T *)where;                                           \
        const int right = (S(my_pe)() + 1) % S(n_pes)();              \
        STEP(S(NAME##_atomic_add)(at, (T)-20, right), -8)             \
        STEP(S(NAME##_atomic_inc)(at, right), 13)                     \
        STEP(OLD(S(NAME##_atomic_fetch_add)(at, (T)3, right)), 15)    \
        STEP(OLD(S(NAME##_atomic_fetch_inc)(at, right)), 13)          \
        STEP(OLD(S(NAME##_atomic_compare_swap)(at, (T)12, (T)-1, right)), -1) \
        STEP(OLD(S(NAME##_atomic_compare_swap)(at, (T)11, (T)-1, right)), 12) \
    }
#define BITS(A, NAME, TYPE)                                           \
    __global__ void bits_##NAME(void *where) {                        \
        typedef TYPE T;                                               \
        T *at = (T *)where;                                           \
        const int right = (S(my_pe)() + 1) % S(n_pes)();              \
        STEP(S(NAME##_atomic_and)(at, (T)6, right), 4)                \
        STEP(S(NAME##_atomic_or)(at, (T)3, right), 15)                \
        STEP(S(NAME##_atomic_xor)(at, (T)10, right), 6)               \
        STEP(OLD(S(NAME##_atomic_fetch_and)(at, (T)6, right)), 4)     \
        STEP(OLD(S(NAME##_atomic_fetch_or)(at, (T)3, right)), 15)     \
        STEP(OLD(S(NAME##_atomic_fetch_xor)(at, (T)10, right)), 6)    \
    }
HEDDLE_SHMEM_ATOMIC_VALUES(VALUES, )
HEDDLE_SHMEM_ATOMIC_NUMBERS(NUMBERS, )
HEDDLE_SHMEM_ATOMIC_BITS(BITS, )

// All threads of all PEs take tickets of PE 0: each number is taken once.
__global__ void tickets(unsigned *next, unsigned *taken) {
    const unsigned ticket = S(uint_atomic_fetch_inc)(next, 0);
    S(uint_atomic_inc)(taken + ticket, 0);
}

int main() {
    S(init)();
    enum { CTAS = 3, THREADS = 70 };
    const int n = S(n_pes)(), all = n * CTAS * THREADS;
    unsigned *words = (unsigned *)S(calloc)(all + 1, sizeof(unsigned));
    void *at = S(calloc)(1, 8);
#define RUN(KIND, NAME, TYPE)   \
    KIND##_##NAME<<<1, 64>>>(at); \
    FINISH();
    HEDDLE_SHMEM_ATOMIC_VALUES(RUN, values)
    HEDDLE_SHMEM_ATOMIC_NUMBERS(RUN, numbers)
    HEDDLE_SHMEM_ATOMIC_BITS(RUN, bits)
    tickets<<<CTAS, THREADS>>>(words, words + 1);
    FINISH();
    S(barrier_all)();
    if (S(my_pe)() == 0) {
        unsigned *values = new unsigned[all + 1];
        CHECK(cudaMemcpy(values, words, (all + 1) * sizeof *values, cudaMemcpyDeviceToHost));
        HOST_EXPECT(values[0] == (unsigned)all);
        for (int i = 0; i < all; i++) HOST_EXPECT(values[i + 1] == 1);
        delete[] values;
    }
    S(free)(at);
    S(free)(words);
    return test_end("atomics");
}
