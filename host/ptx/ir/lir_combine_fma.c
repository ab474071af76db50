/* lir_combine_fma.c - a product and the sum that reads it become one fused multiply-add. Part of
 * the combining pass: lir_combine calls combine_count_products once, then combine_fma for each
 * float instruction.
 *
 * PTX permits the fusion for mul, add and sub without a rounding modifier, and NVIDIA's compilers
 * make use of it: they write ".rn" where the two must stay apart (nvcc -fmad=false). A product is
 * fused only if every reader of it is such a sum, so that the product itself becomes dead.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_combine.h"

#include "common/arena.h"

/* Operations that belong together, and the vregs of their operands. */
struct fma_form {
    uint16_t sum, product, fused;
    unsigned vregs;
};

static const struct fma_form forms[] = {{MIR_FADD, MIR_FMUL, MIR_FFMA, 1},
                                        {MIR_DADD, MIR_DMUL, MIR_DFMA, 2},
                                        {MIR_HADD2, MIR_HMUL2, MIR_HFMA2, 1}};

/* The form of a sum that may be fused; NULL: `in` is not one. */
static const struct fma_form *form_of(const struct lir_inst *in) {
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        if (in->m.op == forms[i].sum) return in->contract ? &forms[i] : NULL;
    return NULL;
}

/* The product in operand i of the sum `in`, if the two may be fused; else NULL. Changes nothing. */
static struct lir_inst *product_of(const struct combine *c, const struct lir_inst *in, unsigned i,
                                   const struct fma_form *f) {
    struct lir_inst *d = source_def(c, in, i, f->vregs);
    if (!d || d->m.op != f->product || !d->contract) return NULL;
    if (d->m.type != in->m.type || (d->m.flags & MIR_FTZ) != (in->m.flags & MIR_FTZ) ||
        (d->m.flags & ~MIR_FTZ) || d->m.round != in->m.round)
        return NULL;
    if (d->m.src[0].kind != MIR_SRC_REG ||
        (d->m.src[1].kind != MIR_SRC_REG && in->m.src[1 - i].kind != MIR_SRC_REG))
        return NULL; /* one constant at most */
    unsigned mods = in->m.src[i].mods | d->m.src[0].mods | d->m.src[1].mods | in->m.src[1 - i].mods;
    return mods & ~MIR_SRC_NEG ? NULL : d; /* the fused form has no |a| */
}

/* Fills c->n_fusable for the whole function; allocates it in the function's arena. */
void combine_count_products(struct combine *c) {
    c->n_fusable = ARENA_ARRAY(c->fn->arena, uint32_t, c->fn->n_vregs);
    for (uint32_t b = 0; b < c->fn->n_blocks; b++)
        for (struct lir_inst *in = c->fn->blocks[b]->first; in; in = in->next) {
            const struct fma_form *f = form_of(in);
            for (unsigned i = 0; f && i < 2; i++)
                if (product_of(c, in, i, f)) c->n_fusable[in->src[i]]++;
        }
}

/* Makes the sum `in` a multiply-add if all readers of its product are such sums. */
bool combine_fma(struct combine *c, struct lir_inst *in) {
    const struct fma_form *f = form_of(in);
    for (unsigned i = 0; f && i < 2; i++) {
        struct lir_inst *d = product_of(c, in, i, f);
        if (!d || c->n_fusable[d->dst] != lir_vreg_info(c->fn, d->dst)->n_use) continue;
        struct lir_src a = lir_get_src(d, 0), b = lir_get_src(d, 1), rest = lir_get_src(in, 1 - i);
        a.mods ^= in->m.src[i].mods & MIR_SRC_NEG;
        lir_vreg dst = in->dst;
        lir_pref guard = in->guard;
        struct mir_inst was = in->m;
        lir_reset(in, f->fused);
        in->m.special = 0; /* the sum and the product, if they count, are no more */
        in->guard = guard;
        lir_set_dst(in, dst);
        in->m.type = was.type;
        in->m.flags = was.flags;
        in->m.round = was.round;
        in->contract = true;
        lir_set_src(in, 0, a);
        lir_set_src(in, 1, b);
        lir_set_src(in, 2, rest);
        return c->changed = true;
    }
    return false;
}
