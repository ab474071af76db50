// wait: waits for and tests of variables that other PEs write.
#include "shmem_test.h"

enum { N = 8 };

// PE 0 waits for what its left neighbour sends it, one comparison after the other; then all others.
#define WAIT(A, NAME, TYPE) \
    __global__ void wait_##NAME(void *where) { \
        typedef TYPE T; \
        T *at = (T *)where; \
        const int right = (S(my_pe)() + 1) % S(n_pes)(); \
        for (int i = 0; i < N; i++) at[i] = 0; \
        S(barrier_all)(); \
        EXPECT(!S(NAME##_test)(at, SC(CMP_NE), (T)0), "test"); \
        S(barrier_all)(); \
        S(NAME##_p)(at, (T)5, right); \
        S(NAME##_wait_until)(at, SC(CMP_EQ), (T)5); \
        S(NAME##_wait_until)(at, SC(CMP_GE), (T)5); \
        S(NAME##_wait_until)(at, SC(CMP_LE), (T)5); \
        S(NAME##_wait_until)(at, SC(CMP_NE), (T)4); \
        S(NAME##_wait_until)(at, SC(CMP_GT), (T)4); \
        S(NAME##_wait_until)(at, SC(CMP_LT), (T)6); \
        EXPECT(S(NAME##_test)(at, SC(CMP_EQ), (T)5), "test"); \
        EXPECT(!S(NAME##_test)(at, SC(CMP_GT), (T)5), "test"); \
        EXPECT(!S(NAME##_test)(at, SC(CMP_LT), (T)5), "test"); \
        /* several */ \
        size_t indices[N]; \
        int status[N] = {1}; \
        T values[N]; \
        for (int i = 0; i < N; i++) values[i] = (T)(i + 1); \
        EXPECT(!S(NAME##_test_all)(at, N, status, SC(CMP_NE), (T)0), "test_all"); \
        EXPECT(S(NAME##_test_any)(at, N, status, SC(CMP_NE), (T)0) == SIZE_MAX, "test_any"); \
        EXPECT(S(NAME##_test_any)(at, N, NULL, SC(CMP_NE), (T)0) == 0, "test_any"); \
        EXPECT(S(NAME##_test_some)(at, N, indices, status, SC(CMP_NE), (T)0) == 0, "test_some"); \
        S(barrier_all)(); \
        S(NAME##_p)(at + 3, (T)4, right); \
        EXPECT(S(NAME##_wait_until_any)(at, N, status, SC(CMP_NE), (T)0) == 3, "wait_until_any"); \
        EXPECT(S(NAME##_wait_until_some)(at, N, indices, status, SC(CMP_NE), (T)0) == 1 && \
                   indices[0] == 3, "wait_until_some"); \
        EXPECT(S(NAME##_test_some_vector)(at, N, indices, status, SC(CMP_EQ), values) == 1 && \
                   indices[0] == 3, "test_some_vector"); \
        EXPECT(S(NAME##_wait_until_any_vector)(at, N, status, SC(CMP_EQ), values) == 3, \
               "wait_until_any_vector"); \
        EXPECT(S(NAME##_test_any_vector)(at, N, status, SC(CMP_EQ), values) == 3, \
               "test_any_vector"); \
        EXPECT(!S(NAME##_test_all_vector)(at, N, status, SC(CMP_EQ), values), "test_all_vector"); \
        S(barrier_all)(); \
        for (int i = N; i-- > 1;) S(NAME##_p)(at + i, (T)(i + 1), right); \
        S(NAME##_wait_until_all)(at, N, NULL, SC(CMP_NE), (T)0); \
        S(NAME##_wait_until_all_vector)(at, N, status, SC(CMP_EQ), values); \
        EXPECT(S(NAME##_test_all)(at, N, NULL, SC(CMP_NE), (T)0), "test_all"); \
        EXPECT(S(NAME##_wait_until_some_vector)(at, N, indices, status, SC(CMP_EQ), values) == \
                       N - 1 && indices[0] == 1 && indices[N - 2] == N - 1, "some_vector"); \
        for (int i = 0; i < N; i++) status[i] = 1; \
        EXPECT(S(NAME##_wait_until_any)(at, N, status, SC(CMP_EQ), (T)77) == SIZE_MAX, "all out"); \
        EXPECT(S(NAME##_wait_until_some)(at, N, indices, status, SC(CMP_EQ), (T)77) == 0, "out"); \
        S(NAME##_wait_until_all)(at, N, status, SC(CMP_EQ), (T)77); \
        S(barrier_all)(); \
    }
HEDDLE_SHMEM_INTEGERS(WAIT, )

// Values below zero are less, if the type has them.
__global__ void negative(int *a, unsigned *b, long long *c) {
    *a = -3;
    *b = (unsigned)-3;
    *c = -3;
    EXPECT(S(int_test)(a, SC(CMP_LT), 0), "int");
    EXPECT(!S(uint_test)(b, SC(CMP_LT), 1), "uint");
    EXPECT(S(longlong_test)(c, SC(CMP_LE), -3), "longlong");
}

// A ring: a token goes twice around, with a signal, by one warp of each PE.
__global__ void ring(uint64_t *signal, int *token) {
    const int me = S(my_pe)(), n = S(n_pes)(), right = (me + 1) % n;
    for (int round = 1; round <= 2; round++) {
        if (me == 0 && is_thread_0()) {
            *token += 1;
            S(int_put_signal)(token, token, 1, signal, round, SC(SIGNAL_SET), right % n);
        }
        if (is_thread_0()) S(signal_wait_until)(signal, SC(CMP_GE), round);
        __syncwarp();
        if (me != 0) {
            if (is_thread_0()) *token += 1;
            SW(int_put_signal)(token, token, 1, signal, round, SC(SIGNAL_SET), right);
        }
    }
    SB(barrier_all)();
    if (is_thread_0()) EXPECT(*token == (me ? n + me + 1 : 2 * n), "token");
}

int main() {
    S(init)();
    void *at = S(calloc)(N, 8);
    uint64_t *signal = (uint64_t *)S(calloc)(2, sizeof(uint64_t));
#define RUN(A, NAME, TYPE)      \
    wait_##NAME<<<1, 1>>>(at);  \
    FINISH();
    HEDDLE_SHMEM_INTEGERS(RUN, )
    negative<<<1, 1>>>((int *)at, (unsigned *)at + 1, (long long *)at + 1);
    FINISH();
    ring<<<1, 32>>>(signal, (int *)(signal + 1));
    FINISH();
    S(free)(signal);
    S(free)(at);
    return test_end("wait");
}
