/* mpi_reduce.c - the predefined operations of MPI on values of basic types; see mpi_reduce.h. */
#include "cuda/protocol/mpi_reduce.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>

typedef long double long_double;
typedef float _Complex float_complex;
typedef double _Complex double_complex;
typedef long double _Complex long_double_complex;
typedef uint8_t byte;

typedef void combine(const void *in, void *inout, size_t count);

static const size_t bytes_of[NUM_BASICS] = {
#define MPI_BASIC(name, type, class) sizeof(type),
#include "tables/mpi_types.def"
};

size_t mpi_basic_size(enum mpi_basic basic) {
    return bytes_of[basic];
}

/* Values may lie at any address. */
#define COMBINE(name, type, expression)                           \
    static void name(const void *in, void *inout, size_t count) { \
        const char *from = in;                                    \
        char *to = inout;                                         \
        for (size_t i = 0; i < count; i++) {                      \
            type a, b;                                            \
            memcpy(&a, from + i * sizeof a, sizeof a);            \
            memcpy(&b, to + i * sizeof b, sizeof b);              \
            b = (type)(expression);                               \
            memcpy(to + i * sizeof b, &b, sizeof b);              \
        }                                                         \
    }
#define REAL(name, type)                     \
    COMBINE(max_##name, type, a > b ? a : b) \
    COMBINE(min_##name, type, a < b ? a : b) \
    SUMS(name, type)
#define SUMS(name, type)             \
    COMBINE(sum_##name, type, a + b) \
    COMBINE(prod_##name, type, a *b)
#define BITS(name, type)             \
    COMBINE(band_##name, type, a &b) \
    COMBINE(bor_##name, type, a | b) \
    COMBINE(bxor_##name, type, a ^ b)
#define TRUTH(name, type)             \
    COMBINE(land_##name, type, a &&b) \
    COMBINE(lor_##name, type, a || b) \
    COMBINE(lxor_##name, type, !a != !b)
#define INTEGER(name, type) REAL(name, type) BITS(name, type) TRUTH(name, type)
#define COMPLEX(name, type) SUMS(name, type)
#define MPI_BASIC(name, type, class) class(name, type)
#include "tables/mpi_types.def"

#define ROW_REAL(name) \
    [OP_MAX] = max_##name, [OP_MIN] = min_##name, [OP_SUM] = sum_##name, [OP_PROD] = prod_##name
#define ROW_COMPLEX(name) [OP_SUM] = sum_##name, [OP_PROD] = prod_##name
#define ROW_BITS(name) [OP_BAND] = band_##name, [OP_BOR] = bor_##name, [OP_BXOR] = bxor_##name
#define ROW_TRUTH(name) [OP_LAND] = land_##name, [OP_LOR] = lor_##name, [OP_LXOR] = lxor_##name
#define ROW_INTEGER(name) ROW_REAL(name), ROW_BITS(name), ROW_TRUTH(name)

static combine *const combines[NUM_BASICS][OP_USER] = {
#define MPI_BASIC(name, type, class) [BASIC_##name] = {ROW_##class(name)},
#include "tables/mpi_types.def"
};

bool mpi_reduce_takes(enum mpi_op_kind op, enum mpi_basic basic) {
    return op < OP_USER && (op == OP_REPLACE || op == OP_NO_OP || combines[basic][op]);
}

void mpi_reduce_basic(enum mpi_op_kind op, enum mpi_basic basic, const void *in, void *inout,
                      size_t count) {
    if (op == OP_REPLACE) memcpy(inout, in, count * mpi_basic_size(basic));
    if (op != OP_REPLACE && op != OP_NO_OP) combines[basic][op](in, inout, count);
}

/* ---- comparisons */

#define MPI_BASIC(name, type, class) COMPARE_##class(name, type)
#define COMPARE_REAL(name, type)                              \
    static int compare_##name(const void *x, const void *y) { \
        type a, b;                                            \
        memcpy(&a, x, sizeof a);                              \
        memcpy(&b, y, sizeof b);                              \
        return (a > b) - (a < b);                             \
    }
#define COMPARE_INTEGER(name, type) COMPARE_REAL(name, type)
#define COMPARE_COMPLEX(name, type)
#define COMPARE_BITS(name, type)
#define COMPARE_TRUTH(name, type)
#include "tables/mpi_types.def"

#define ENTRY_REAL(name) [BASIC_##name] = compare_##name,
#define ENTRY_INTEGER(name) ENTRY_REAL(name)
#define ENTRY_COMPLEX(name)
#define ENTRY_BITS(name)
#define ENTRY_TRUTH(name)
static int (*const compare[NUM_BASICS])(const void *, const void *) = {
#define MPI_BASIC(name, type, class) ENTRY_##class(name)
#include "tables/mpi_types.def"
};

int mpi_reduce_compare(enum mpi_basic basic, const void *a, const void *b) {
    return compare[basic](a, b);
}
