/* test_mpi_reduce.c - the operations of MPI on basic values (cuda/protocol/mpi_reduce.h), against
 * results worked out here, at odd addresses. */
#include <complex.h>
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "cuda/protocol/mpi_reduce.h"

/* a op b for whole numbers that fit every type. */
static long whole(enum mpi_op_kind op, long a, long b) {
    switch (op) {
    case OP_MAX: return a > b ? a : b;
    case OP_MIN: return a < b ? a : b;
    case OP_SUM: return a + b;
    case OP_PROD: return a * b;
    case OP_LAND: return a && b;
    case OP_LOR: return a || b;
    case OP_LXOR: return !a != !b;
    case OP_BAND: return a & b;
    case OP_BOR: return a | b;
    case OP_BXOR: return a ^ b;
    case OP_REPLACE: return a;
    default: return b; /* OP_NO_OP */
    }
}

/* Combines pairs of small values of a type, from `least` on. */
#define CHECK(basic, type, least)                                                         \
    for (enum mpi_op_kind op = OP_MAX; op < OP_USER; op++) {                              \
        char in[1 + 49 * sizeof(type)], inout[1 + 49 * sizeof(type)];                     \
        if (!mpi_reduce_takes(op, basic)) continue;                                       \
        for (int i = 0; i < 49; i++) {                                                    \
            const type a = (type)(i / 7 + (least)), b = (type)(i % 7 + (least));          \
            memcpy(in + 1 + (size_t)i * sizeof a, &a, sizeof a);                          \
            memcpy(inout + 1 + (size_t)i * sizeof b, &b, sizeof b);                       \
        }                                                                                 \
        mpi_reduce_basic(op, basic, in + 1, inout + 1, 49);                               \
        for (int i = 0; i < 49; i++) {                                                    \
            type got;                                                                     \
            memcpy(&got, inout + 1 + (size_t)i * sizeof got, sizeof got);                 \
            const long expected = whole(op, i / 7 + (least), i % 7 + (least));            \
            cr_assert(got == (type)expected, "%s, operation %d, %d", #basic, (int)op, i); \
        }                                                                                 \
        checked++;                                                                        \
    }                                                                                     \
    cr_assert_eq(mpi_basic_size(basic), sizeof(type));

Test(mpi_reduce, all_types) {
    int checked = 0;
    CHECK(BASIC_I8, int8_t, -3)
    CHECK(BASIC_U8, uint8_t, 0)
    CHECK(BASIC_I16, int16_t, -3)
    CHECK(BASIC_U16, uint16_t, 0)
    CHECK(BASIC_I32, int32_t, -3)
    CHECK(BASIC_U32, uint32_t, 0)
    CHECK(BASIC_I64, int64_t, -3)
    CHECK(BASIC_U64, uint64_t, 0)
    cr_assert_eq(checked, 8 * 12);
    CHECK(BASIC_F32, float, -3)
    CHECK(BASIC_F64, double, -3)
    CHECK(BASIC_F80, long double, -3)
    cr_assert_eq(checked, 8 * 12 + 3 * 6);
    CHECK(BASIC_C32, float _Complex, -3)
    CHECK(BASIC_C64, double _Complex, -3)
    CHECK(BASIC_C80, long double _Complex, -3)
    cr_assert_eq(checked, 8 * 12 + 3 * 6 + 3 * 4);
    CHECK(BASIC_BYTE, uint8_t, 0)
    cr_assert_eq(checked, 8 * 12 + 3 * 6 + 3 * 4 + 5);
}

Test(mpi_reduce, truths) {
    const bool in[] = {false, false, true, true};
    bool inout[] = {false, true, false, true};
    mpi_reduce_basic(OP_LXOR, BASIC_BOOL, in, inout, 4);
    cr_assert(!inout[0] && inout[1] && inout[2] && !inout[3]);
    cr_assert_not(mpi_reduce_takes(OP_SUM, BASIC_BOOL));
    cr_assert_not(mpi_reduce_takes(OP_MAX, BASIC_C64));
    cr_assert_not(mpi_reduce_takes(OP_BAND, BASIC_F64));
    cr_assert_not(mpi_reduce_takes(OP_MAXLOC, BASIC_I32));
}

Test(mpi_reduce, comparisons) {
    const double a = -1.5, b = 2;
    const uint8_t high = 200, low = 100;
    cr_assert_eq(mpi_reduce_compare(BASIC_F64, &a, &b), -1);
    cr_assert_eq(mpi_reduce_compare(BASIC_F64, &b, &a), 1);
    cr_assert_eq(mpi_reduce_compare(BASIC_F64, &a, &a), 0);
    cr_assert_eq(mpi_reduce_compare(BASIC_U8, &high, &low), 1);
    cr_assert_eq(mpi_reduce_compare(BASIC_I8, &high, &low), -1);
}
