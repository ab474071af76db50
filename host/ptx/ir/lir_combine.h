/* lir_combine.h - what the files of the combining pass share. Inside host/ptx alone. */
#ifndef HEDDLE_PTX_LIR_COMBINE_H
#define HEDDLE_PTX_LIR_COMBINE_H

#include "ptx/ir/lir_analysis.h"

struct combine {
    struct lir_fn *fn;
    bool changed;
    uint32_t *n_address; /* [vreg] reads of it as a 32-bit address, n_known_vregs of them */
    uint32_t *n_fusable; /* [vreg] of a product: sums that may take it into one operation */
};

static inline bool plain(struct lir_src s) {
    return s.mods == 0;
}

static inline bool is_rz(const struct lir_inst *in, unsigned i) {
    return in->m.src[i].kind == MIR_SRC_NONE ||
           (in->m.src[i].kind == MIR_SRC_REG && in->src[i] == 0 &&
            !(in->m.src[i].mods & MIR_SRC_NOT));
}

/* The definition of operand i's n vregs, if its sources may be read here instead. */
static inline struct lir_inst *source_def(const struct combine *c, const struct lir_inst *in,
                                          unsigned i, unsigned n) {
    if (in->m.src[i].kind != MIR_SRC_REG) return NULL;
    struct lir_inst *def = lir_def_of(c->fn, in->src[i], n);
    return def && lir_sources_reach(c->fn, def, in) ? def : NULL;
}

static inline bool used_once(const struct combine *c, lir_vreg w) {
    return lir_vreg_info(c->fn, w)->n_use == 1;
}

/* lir_combine_address.c. Each returns whether it changed the instruction. */

/* An instruction with an address operand. */
bool combine_is_memory(const struct lir_inst *in);
bool combine_address(struct combine *c, struct lir_inst *in);
/* A constant operand that is loaded at a known place needs no load. */
bool combine_ldc(struct combine *c, struct lir_inst *in);
bool combine_add64(struct combine *c, struct lir_inst *in);
/* An extended index, scaled: one wide multiplication. */
bool combine_shl64(struct combine *c, struct lir_inst *in);

/* lir_combine_offset.c: separates a constant offset from the definition of a 32-bit address that
 * only memory accesses read. The definition is then a sum of a register and that constant. */
bool combine_separate_offset(struct combine *c, struct lir_inst *def);

/* lir_combine_fma.c: products and sums. The first fills n_fusable. */
void combine_count_products(struct combine *c);
bool combine_fma(struct combine *c, struct lir_inst *in);

#endif
