/* lir_spill.c - moves values that find no register to local memory, and predicates to vregs.
 * lir_allocate calls it when it finds no place, and then starts again; contracts are in
 * lir_alloc.h.
 *
 * The vregs of lir_spill_groups are scratch and unspillable: each is live from one load to one use,
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
    in->m.flags |= MIR_SPILL;
    in->m.width = (uint8_t)(4 * vregs);
    in->m.type = vregs == 1 ? MIR_U32 : vregs == 2 ? MIR_U64 : MIR_B128;
    in->m.imm = (int32_t)at;
}

static bool in_group(lir_vreg w, lir_vreg g, unsigned n) {
    return w >= g && w < g + n;
}

/* Where a spilled group lives. */
struct home {
    const struct lir_inst *made; /* the definition of a constant, which lives nowhere; else NULL */
    uint32_t at;                 /* address in local memory */
};

/* Chooses the home of group g. Grows fn->local_bytes and fn->spill_bytes. */
static struct home find_home(struct lir_fn *fn, lir_vreg g) {
    const unsigned n = fn->group_size[g];
    struct home h = {.made = remake(fn, g)};
    if (h.made) return h;
    h.at = (fn->local_bytes + 4 * n - 1) & ~(4 * n - 1);
    fn->local_bytes = h.at + 4 * n;
    fn->spill_bytes += 4 * n;
    return h;
}

/* Loads group g from its home into t, before the instruction. */
static void load_before(struct lir_fn *fn, struct lir_inst *in, lir_vreg t, unsigned n,
                        const struct home *h) {
    struct lir_inst *load = lir_new_before(fn, in, h->made ? MIR_MOV : MIR_LDL);
    if (h->made)
        lir_set_src(load, 0, lir_get_src(h->made, 0));
    else
        set_access(load, h->at, n);
    lir_set_dst(load, t);
}

/* Stores t into the home of its group, behind the instruction. */
static void store_behind(struct lir_fn *fn, struct lir_inst *in, lir_vreg t, unsigned n,
                         const struct home *h) {
    struct lir_inst *store = lir_inst_create(fn, MIR_STL);
    store->m.ptx_line = in->m.ptx_line;
    store->m.loc = in->m.loc;
    store->m.cache = MIR_CACHE_WB;
    set_access(store, h->at, n);
    lir_set_src(store, 1, lir_reg(t));
    lir_insert_after(in, store);
}

/* Replaces group g in an instruction that names it by a new group, with a load before and a store
 * behind as needed. */
static void spill_here(struct lir_fn *fn, struct lir_inst *in, lir_vreg g, const struct home *h) {
    const unsigned n = fn->group_size[g];
    bool reads = false, writes = in->dst && in_group(in->dst, g, n);
    /* a definition of part of the group, or under a guard, keeps the rest */
    bool partial = writes && (lir_dst_vregs(in) < n || in->guard != LIR_PT);
    lir_vreg t = lir_new_vregs(fn, n);
    for (unsigned k = 0; k < n; k++) fn->scratch[t + k] = fn->unspillable[t + k] = true;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++)
        if (in->m.src[i].kind == MIR_SRC_REG && in->src[i] && in_group(in->src[i], g, n)) {
            in->src[i] = t + (in->src[i] - g);
            reads = true;
        }
    if (reads || partial) load_before(fn, in, t, n, h);
    if (!writes) return;
    in->dst = t + (in->dst - g);
    store_behind(fn, in, t, n, h);
}

void lir_spill_groups(struct lir_fn *fn, const bool *spilled, struct arena *arena) {
    const lir_vreg n = fn->n_vregs; /* before the new ones */
    struct home *home = ARENA_ARRAY(arena, struct home, n);
    for (lir_vreg g = 1; g < n; g++)
        if (spilled[g]) home[g] = find_home(fn, g);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next; /* behind the stores */
            for (unsigned i = 0; i <= MIR_MAX_SRC; i++) {
                lir_vreg w = i == MIR_MAX_SRC ? in->dst : 0;
                if (i < MIR_MAX_SRC && in->m.src[i].kind == MIR_SRC_REG) w = in->src[i];
                lir_vreg g = w && w < n ? fn->group[w] : 0;
                if (g && spilled[g] && in != home[g].made) spill_here(fn, in, g, &home[g]);
            }
        }
    for (lir_vreg g = 1; g < n; g++)
        if (spilled[g] && home[g].made) lir_remove((struct lir_inst *)(uintptr_t)home[g].made);
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
