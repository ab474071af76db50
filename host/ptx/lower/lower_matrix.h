/* lower_matrix.h - the layout of fragments, on which wmma, mma and their loads and stores agree.
 *
 * A matrix product is split into tiles: eight rows of A by eight columns of B along `k` places of
 * the reduction. Each lane holds one word of a tile (a pair for doubles), as ops/op_matrix.c
 * describes. A fragment lists its tiles in the order of mma.sync: A's row tiles within each step
 * along k, B's steps within each column tile, C's row tiles within each column tile. PTX leaves the
 * order of wmma open, so wmma uses this one too. */
#ifndef PTX_LOWER_MATRIX_H
#define PTX_LOWER_MATRIX_H

#include "ptx/lower/lower.h"

/* Types of elements. */
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

/* The modifiers of a matrix instruction. */
struct mx {
    unsigned m, n, k;  /* shape of the whole product */
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

/* Reads the modifiers of lo->inst into *x. Reports one that is not supported by name.
 * @return false: reported. */
bool mx_parse(struct lower *lo, struct mx *x);
unsigned mx_bits(enum mx_kind k); /* bits of an element */
unsigned mx_step(enum mx_kind k); /* places of a tile along k */
/* Elements of a word; 1 for those of 64 bits. */
static inline unsigned mx_per_word(enum mx_kind k) {
    return mx_bits(k) >= 32 ? 1 : 32 / mx_bits(k);
}
/* Reads the n registers of a fragment. Reports another number of them. @return false: reported. */
bool mx_fragment(struct lower *lo, const struct ptx_operand *o, unsigned n, unsigned bits,
                 struct value *out);
/* Emits moves of words (pairs for 64 bits) to the registers of a fragment. */
void mx_result(struct lower *lo, const struct ptx_operand *o, unsigned n, unsigned bits,
               const struct value *v);

/* lower_fragment.c: emit wmma.load and wmma.store; mx_parse() has filled *x. */
void lower_wmma_load(struct lower *lo, struct mx *x);
void lower_wmma_store(struct lower *lo, struct mx *x);

#endif
