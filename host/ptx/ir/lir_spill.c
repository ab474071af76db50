/* lir_spill.c - moves values that find no register to local memory, and predicates to vregs.
 * lir_allocate calls it when it finds no place, and then starts again; contracts are in
 * lir_alloc.h.
 *
 * The vregs of lir_spill_group are scratch and unspillable: each is live from one load to one use,
 * or from one definition to one store.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_alloc.h"
#include "ptx/ir/lir_edit.h"

/* The MOV of a constant into group g, if that is its only definition; else NULL. A constant is not
 * stored: it is loaded again before every use. */
static const struct lir_inst *remake(const struct lir_fn *fn, lir_vreg g) {
    const struct lir_info *v = &fn->vreg_info[g];
    if (fn->group_size[g] != 1 || !v->single || v->def->m.op != MIR_MOV) return NULL;
    unsigned kind = v->def->m.src[0].kind;
    return kind == MIR_SRC_IMM || kind == MIR_SRC_CONST ? v->def : NULL;
}

/* Makes `in` an access of `vregs` words at local byte address `at`. */
static void set_access(struct lir_inst *in, uint32_t at, unsigned vregs) {
    in->m.space = MIR_SPACE_LOCAL;
    in->m.width = (uint8_t)(4 * vregs);
    in->m.type = vregs == 1 ? MIR_U32 : vregs == 2 ? MIR_U64 : MIR_B128;
    in->m.imm = (int32_t)at;
}

static bool in_group(lir_vreg w, lir_vreg g, unsigned n) {
    return w >= g && w < g + n;
}

/* Moves group g to local memory: replaces it in each instruction by a new group, with a load before
 * and a store behind as needed. Grows fn->local_bytes and fn->spill_bytes; a constant is loaded
 * again instead. Needs lir_analyze; afterwards it and all live intervals are stale. */
void lir_spill_group(struct lir_fn *fn, lir_vreg g) {
    unsigned n = fn->group_size[g];
    const struct lir_inst *made = remake(fn, g);
    uint32_t at = (fn->local_bytes + 4 * n - 1) & ~(4 * n - 1);
    if (!made) {
        fn->local_bytes = at + 4 * n;
        fn->spill_bytes += 4 * n;
    }
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            bool reads = false, writes = in->dst && in_group(in->dst, g, n);
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                reads |= in->m.src[i].kind == MIR_SRC_REG && in->src[i] &&
                         in_group(in->src[i], g, n);
            if (in == made) continue;
            if (!reads && !writes) continue;
            /* a definition of part of the group, or under a guard, keeps the rest */
            bool partial = writes && (lir_dst_vregs(in) < n || in->guard != LIR_PT);
            lir_vreg t = lir_new_vregs(fn, n);
            for (unsigned k = 0; k < n; k++) fn->scratch[t + k] = fn->unspillable[t + k] = true;
            if (reads || partial) {
                struct lir_inst *load;
                if (made) {
                    load = lir_new_before(fn, in, MIR_MOV);
                    lir_set_src(load, 0, lir_get_src(made, 0));
                } else {
                    load = lir_new_before(fn, in, MIR_LDL);
                    set_access(load, at, n);
                }
                lir_set_dst(load, t);
            }
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->m.src[i].kind == MIR_SRC_REG && in->src[i] && in_group(in->src[i], g, n))
                    in->src[i] = t + (in->src[i] - g);
            if (!writes) continue;
            in->dst = t + (in->dst - g);
            struct lir_inst *store = lir_inst_create(fn, MIR_STL);
            store->m.ptx_line = in->m.ptx_line;
            store->m.loc = in->m.loc;
            store->m.cache = MIR_CACHE_WB;
            set_access(store, at, n);
            lir_set_src(store, 1, lir_reg(t));
            lir_insert_after(in, store);
            next = store->next;
        }
    if (made) lir_remove((struct lir_inst *)(uintptr_t)made);
}

/* Moves a predicate into a new vreg that holds 0 or 1: replaces it in each instruction by a new
 * predicate, with an ISETP before a read and a SEL behind a definition. Makes lir_analyze and live
 * intervals stale. */
void lir_spill_pred(struct lir_fn *fn, uint32_t pred) {
    lir_vreg w = lir_new_vregs(fn, 1);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            bool reads = in->guard >> 1 == pred, writes = false;
            for (unsigned i = 0; i < 3; i++) reads |= in->psrc[i] >> 1 == pred;
            for (unsigned i = 0; i < 2; i++) writes |= in->pdst[i] == pred;
            if (!reads && !writes) continue;
            uint32_t t = lir_new_pred(fn);
            if (reads || (writes && in->guard != LIR_PT)) {
                struct lir_inst *load = lir_new_before(fn, in, MIR_ISETP);
                load->m.type = MIR_U32;
                load->m.cmp = MIR_CMP_NE;
                load->pdst[0] = t;
                lir_set_src(load, 0, lir_reg(w));
                lir_set_src(load, 1, RZ_SOURCE);
            }
            if (in->guard >> 1 == pred) in->guard = lir_p(t) | (in->guard & 1);
            for (unsigned i = 0; i < 3; i++)
                if (in->psrc[i] >> 1 == pred) in->psrc[i] = lir_p(t) | (in->psrc[i] & 1);
            if (!writes) continue;
            for (unsigned i = 0; i < 2; i++)
                if (in->pdst[i] == pred) in->pdst[i] = t;
            struct lir_inst *store = lir_inst_create(fn, MIR_SEL);
            store->m.ptx_line = in->m.ptx_line;
            store->m.loc = in->m.loc;
            lir_set_dst(store, w);
            lir_set_src(store, 0, RZ_SOURCE);
            lir_set_src(store, 1, lir_imm(1));
            store->psrc[0] = lir_pnot(lir_p(t));
            lir_insert_after(in, store);
            next = store->next;
        }
}
