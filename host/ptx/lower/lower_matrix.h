/* lower_matrix.h - fragments of matrices: what wmma, mma and their loads and stores agree on.
 *
 * A matrix product is tiles of eight rows of A by eight columns of B along `k` places of the
 * reduction; one word (a pair for doubles) a lane of each, as ops/op_matrix.c describes. A fragment
 * lists its tiles as mma.sync orders them: A's row tiles within each step along k, B's steps within
 * each column tile, C's row tiles within each column tile. PTX leaves wmma's order open. */
#ifndef PTX_LOWER_MATRIX_H
#define PTX_LOWER_MATRIX_H

#include "ptx/lower/lower.h"

enum mx_kind {
    MX_NONE,
    MX_F16,
    MX_BF16,
    MX_TF32,
    MX_S8,
    MX_U8,
    MX_S4,
    MX_U4,
    MX_B1,
    MX_F64,
    MX_F32,
    MX_S32,
    MX_E4M3,
    MX_E5M2
};

struct mx {
    unsigned m, n, k;  /* of the whole */
    bool a_col, b_col; /* layouts: the first and second of .row and .col */
    unsigned n_layouts;
    enum mx_kind kind[4]; /* types in the order written */
    unsigned n_kinds;
    bool satfinite, trans;
    unsigned bits_op; /* 1 xor, 2 and (b1) */
    char what;        /* wmma: 'a' 'b' 'c' 'd' of a load or store, 'm': mma */
    unsigned count;   /* .x1 .x2 .x4 */
    mir_round round;
    unsigned space; /* enum ptx_space */
};

/* Reads the words of the instruction; false and a refusal by name if one is not understood. */
bool mx_parse(struct lower *lo, struct mx *x);
unsigned mx_bits(enum mx_kind k); /* of an element */
unsigned mx_step(enum mx_kind k); /* places along k of a tile */
static inline unsigned mx_per_word(enum mx_kind k) {
    return mx_bits(k) >= 32 ? 1 : 32 / mx_bits(k);
}
/* Operands of a fragment as values; false and an error if it has another number of them. */
bool mx_fragment(struct lower *lo, const struct ptx_operand *o, unsigned n, unsigned bits,
                 struct value *out);
/* Writes words (pairs for 64 bits) to the registers of a fragment. */
void mx_result(struct lower *lo, const struct ptx_operand *o, unsigned n, unsigned bits,
               const struct value *v);

/* lower_fragment.c: wmma.load and wmma.store, their words parsed. */
void lower_wmma_load(struct lower *lo, struct mx *x);
void lower_wmma_store(struct lower *lo, struct mx *x);

#endif
