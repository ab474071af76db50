/* lir_combine.h - what the files of the combining pass share; private to lir_combine*.c.
 *
 * Conventions: each combine_* function with an instruction `in` tries a rewrite of it. It reads the
 * definitions of the operands, changes `in` in place (place in the block, guard and PTX count
 * stay; lir_combine_address.c may also insert instructions and change the address's definition),
 * sets c->changed and returns whether it changed anything. Definitions that lose their last reader
 * stay for lir_dce to remove. Counts of uses are those of the last lir_analyze and may be too
 * high. */
#ifndef HEDDLE_PTX_LIR_COMBINE_H
#define HEDDLE_PTX_LIR_COMBINE_H

#include "ptx/ir/lir_analysis.h"

/* State of one run of the pass. */
struct combine {
    struct lir_fn *fn;
    bool changed;
    uint32_t *n_address; /* [vreg], n_known_vregs entries: reads of it as a 32-bit address */
    uint32_t *n_fusable; /* [vreg] of a product: sums that may be fused with it */
};

/* @return the source has no modifiers. */
static inline bool plain(struct lir_src s) {
    return s.mods == 0;
}

/* @return operand i is absent or reads 0; a negated RZ counts, a complemented one does not. */
static inline bool is_rz(const struct lir_inst *in, unsigned i) {
    return in->m.src[i].kind == MIR_SRC_NONE ||
           (in->m.src[i].kind == MIR_SRC_REG && in->src[i] == 0 &&
            !(in->m.src[i].mods & MIR_SRC_NOT));
}

/* The definition of operand i's n vregs; NULL if it is not the only one, or if its sources no
 * longer hold their values at `in`. */
static inline struct lir_inst *source_def(const struct combine *c, const struct lir_inst *in,
                                          unsigned i, unsigned n) {
    if (in->m.src[i].kind != MIR_SRC_REG) return NULL;
    struct lir_inst *def = lir_def_of(c->fn, in->src[i], n);
    return def && lir_sources_reach(c->fn, def, in) ? def : NULL;
}

/* @return the vreg has one use. */
static inline bool used_once(const struct combine *c, lir_vreg w) {
    return lir_vreg_info(c->fn, w)->n_use == 1;
}

/* ---- lir_combine_address.c ---- */

/* @return the instruction has an address operand, LDC included. */
bool combine_is_memory(const struct lir_inst *in);
/* Moves a constant summand of the address into the offset. May also change the definition of the
 * address (combine_separate_offset). */
bool combine_address(struct combine *c, struct lir_inst *in);
/* An LDC at a constant offset becomes a MOV of a constant operand, or two. */
bool combine_ldc(struct combine *c, struct lir_inst *in);
/* A 64-bit sum takes in another one with a constant, a product, an extension or a shift. */
bool combine_add64(struct combine *c, struct lir_inst *in);
/* A shifted extension becomes one IMAD.WIDE; two shifts become one. */
bool combine_shl64(struct combine *c, struct lir_inst *in);

/* ---- lir_combine_offset.c ---- */

/* Separates a constant offset from the definition of a 32-bit address that only memory accesses
 * read: `def` becomes the sum of a new vreg and that constant, and an instruction in front of it
 * computes the vreg. */
bool combine_separate_offset(struct combine *c, struct lir_inst *def);

/* ---- lir_combine_fma.c ---- */

/* Fills c->n_fusable. */
void combine_count_products(struct combine *c);
/* A sum takes in a product and becomes a multiply-add. */
bool combine_fma(struct combine *c, struct lir_inst *in);

#endif
