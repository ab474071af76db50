/* lower_matrix.h - the layout of fragments, on which wmma, mma and their loads and stores agree.
 *
 * A matrix product is split into tiles: eight rows of A by eight columns of B along `k` places of
 * the reduction. Each lane holds one word of a tile (a pair for doubles), as ops/op_matrix.c
 * describes. A fragment lists its tiles in the order of mma.sync: A's row tiles within each step
 * along k, B's steps within each column tile, C's row tiles within each column tile. PTX leaves the
 * order of wmma open, so wmma uses this one too, pair of row tiles by pair, and computes m8n32 as
 * its transpose, m32n8.
 *
 * Products of halves by wmma on Volta (mx.quads) and mma.m8n8k4 have other fragments
 * (lower_quads.c). */
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
    bool quads;     /* wmma in Volta's form */
    bool swapped;   /* the transpose of what the program wrote: A is its B, rows are its columns */
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

/* Register of A's fragment that holds row tile l of `lines` at step s of `steps`. */
static inline unsigned mx_a_at(unsigned lines, unsigned steps, unsigned l, unsigned s) {
    return lines == 1 ? s : (l & ~1u) * steps + 2 * s + (l & 1u);
}

/* lower_fragment.c: emit wmma.load and wmma.store; mx_parse() has filled *x. */
void lower_wmma_load(struct lower *lo, struct mx *x);
void lower_wmma_store(struct lower *lo, struct mx *x);

/* lower_quads.c: the same for Volta's fragments, and the products. Loads fill out[] and *words; a
 * store takes v[]. */
void lower_quads_load(struct lower *lo, struct mx *x, struct value *out, unsigned *words);
void lower_quads_store(struct lower *lo, struct mx *x, const struct value *v);
void lower_quads_wmma(struct lower *lo, struct mx *x);
void lower_quads_mma(struct lower *lo, struct mx *x);
/* @return registers of a fragment of accumulators of type k (F16 or F32). */
static inline unsigned mx_quads_words(enum mx_kind k) {
    return k == MX_F16 ? 4 : 8;
}

/* lower_matrix_operand.c: conversion of accumulators in v from halves, two in a word, to floats,
 * and the reverse; `words`: of halves. */
void mx_widen(struct lower *lo, struct value *v, unsigned words);
void mx_narrow(struct lower *lo, struct value *v, unsigned words);

/* ---- lower_walk.c --------------------------------------------------------------------------- */

/* A place in the matrix in memory: the lane's base plus (line, place) of a tile. Lines are `stride`
 * apart. */
struct walk {
    struct address at;
    struct lir_src lane;   /* bytes from the base to the lane's first element */
    struct lir_src stride; /* bytes between lines */
    bool fixed;            /* the stride is a constant, stride_bytes */
    uint32_t stride_bytes;
    unsigned bits;              /* of an element */
    struct lir_src summed;      /* base + lane; NONE: not emitted yet */
    struct lir_block *at_entry; /* where lowering goes on behind walk_set_lane(); NULL: there */
    uint32_t pending;           /* lo->pending there */
};

/* Fills *w from the address and the stride, which counts elements; without an operand the stride
 * is default_stride. Sets lo->mods.space and lo->mods.sem. Reports other spaces than global,
 * shared and generic. @return false: reported. */
bool walk_begin(struct lower *lo, struct walk *w, const struct mx *x,
                const struct ptx_operand *address, const struct ptx_operand *stride, unsigned bits,
                unsigned default_stride);
/* The lane's number. From here to walk_set_lane() code goes to the kernel's entry, so that it does
 * not run again in each iteration of a loop, unless a subroutine is being lowered. */
struct lir_src walk_lane(struct lower *lo, struct walk *w);
/* Sets w->lane to the bytes from the base: lines * stride + place * place_bytes. At the kernel's
 * entry if the stride is a constant. */
void walk_set_lane(struct lower *lo, struct walk *w, struct lir_src lines, struct lir_src place,
                   unsigned place_bytes);
/* A load of `width` bytes (1 to 16), `line` lines and `bytes` bytes after the lane's first element.
 * @return its value, in new registers. */
struct value walk_load(struct lower *lo, struct walk *w, unsigned line, unsigned bytes,
                       unsigned width);
struct value walk_rows(struct lower *lo, struct walk *w, unsigned line, unsigned bytes, unsigned n,
                       bool transposed);
/* A store of v there. Sets lo->mods.cache. */
void walk_store(struct lower *lo, struct walk *w, unsigned line, unsigned bytes, unsigned width,
                const struct value *v);
/* a * factor + c, low word; a >> by, unsigned; a & bits; bytes of high:low that the nibbles of
 * `selector` select. @return a new register. */
struct lir_src mx_multiply_add(struct lower *lo, struct lir_src a, struct lir_src factor,
                               struct lir_src c);
struct lir_src mx_shift_right(struct lower *lo, struct lir_src a, unsigned by);
struct lir_src mx_and(struct lower *lo, struct lir_src a, uint32_t bits);
struct lir_src mx_pack(struct lower *lo, struct lir_src low, uint32_t selector,
                       struct lir_src high);

#endif
