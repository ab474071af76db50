/* lir_hoist.c - constants that several blocks, or a loop, load into registers are loaded once. The
 * last pass of lir_optimize that changes instructions (lir_hoist_constants).
 *
 * The load goes to the nearest block that dominates all of them, outside of loops. It occupies a
 * register from there to the last use, so constants are hoisted only while register pressure is
 * low.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_liveness.h"
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

enum {
    MAX_CONSTANTS = 64, /* different constants considered; others stay where they are */
    PRESSURE_FEW = 20,  /* vregs live at most, those for constants included */
};

/* A constant that the function loads into registers, and all its loads together. */
struct shared {
    struct lir_src source;
    struct lir_block *above;      /* dominates the blocks of all loads */
    uint32_t n;                   /* loads */
    bool in_loop, several_blocks; /* a load is in a loop; loads are in different blocks */
    struct lir_block *first;      /* block of the first load */
    lir_vreg vreg;                /* holds the constant once hoisted, 0: not hoisted */
};

/* All constants of the function. */
struct constants {
    struct lir_fn *fn;
    struct shared s[MAX_CONSTANTS];
    unsigned n;
};

/* @return the instruction loads a constant into a single vreg of its own. */
static bool is_constant(const struct lir_fn *fn, const struct lir_inst *in) {
    if (in->m.op != MIR_MOV || in->guard != LIR_PT || in->dst == 0 || in->m.src[0].mods ||
        (in->m.src[0].kind != MIR_SRC_IMM && in->m.src[0].kind != MIR_SRC_CONST))
        return false;
    return fn->group_size[in->dst] == 1 && !fn->unspillable[in->dst] &&
           lir_vreg_info(fn, in->dst)->single;
}

/* The entry of constant `s`; `add`: makes one if there is none and room is left. NULL: none. */
static struct shared *find(struct constants *c, struct lir_src s, bool add) {
    for (unsigned i = 0; i < c->n; i++) {
        const struct lir_src *o = &c->s[i].source;
        if (o->kind == s.kind && o->bank == s.bank && o->value == s.value) return &c->s[i];
    }
    if (!add || c->n == MAX_CONSTANTS) return NULL;
    c->s[c->n] = (struct shared){.source = s};
    return &c->s[c->n++];
}

/* Fills `c` from all reachable blocks. */
static void collect(struct constants *c) {
    for (uint32_t b = 0; b < c->fn->n_blocks; b++) {
        struct lir_block *k = c->fn->blocks[b];
        if (!k->reachable) continue;
        for (const struct lir_inst *in = k->first; in; in = in->next) {
            if (!is_constant(c->fn, in)) continue;
            struct shared *s = find(c, lir_get_src(in, 0), true);
            if (!s) continue;
            if (s->n++ == 0) s->above = s->first = k;
            s->in_loop |= k->loop_depth > 0;
            s->several_blocks |= k != s->first;
            while (s->above && !lir_dominates(s->above, k)) s->above = s->above->idom;
        }
    }
}

/* Makes s->vreg and inserts its load into s->above: before a load of the same constant there, or
 * else before the block's terminator. */
static void place(struct lir_fn *fn, struct shared *s) {
    struct lir_inst *at = s->above->first, *mov = lir_inst_create(fn, MIR_MOV);
    while (at && !lir_is_terminator(at)) {
        struct lir_src o = lir_get_src(at, 0);
        if (is_constant(fn, at) && o.kind == s->source.kind && o.bank == s->source.bank &&
            o.value == s->source.value)
            break;
        at = at->next;
    }
    s->vreg = lir_new_vregs(fn, 1);
    lir_set_dst(mov, s->vreg);
    lir_set_src(mov, 0, s->source);
    if (!at) {
        lir_append(s->above, mov);
        return;
    }
    mov->m.ptx_line = at->m.ptx_line;
    mov->m.loc = at->m.loc;
    lir_insert_before(at, mov);
}

/* Removes all loads of hoisted constants and renames their vregs everywhere. n_vregs: vregs before
 * hoisting. */
static void replace(struct constants *c, uint32_t n_vregs) {
    struct lir_fn *fn = c->fn;
    lir_vreg *now = ARENA_ARRAY(fn->arena, lir_vreg, n_vregs);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (in->dst >= n_vregs || !is_constant(fn, in)) continue;
            const struct shared *s = find(c, lir_get_src(in, 0), false);
            if (!s || !s->vreg) continue;
            now[in->dst] = s->vreg;
            lir_remove(in);
        }
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->src[i] < n_vregs && now[in->src[i]]) in->src[i] = now[in->src[i]];
}

/* Does nothing in functions with calls. Hoists constants in loops first, while register pressure is
 * below PRESSURE_FEW. Builds control flow, definitions and liveness before it changes anything. */
void lir_hoist_constants(struct lir_fn *fn) {
    struct constants c = {.fn = fn};
    struct lir_liveness live;
    lir_cfg_build(fn);
    lir_analyze(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            if (in->m.op == MIR_CALL) return; /* subroutines are entered from many places */
    collect(&c);
    bool any = false;
    for (unsigned i = 0; i < c.n; i++) any |= c.s[i].in_loop || c.s[i].several_blocks;
    if (!any) return;
    lir_liveness_build(fn, &live, fn->arena);
    uint32_t pressure = lir_max_pressure(fn, &live), n_vregs = fn->n_vregs;
    any = false;
    for (unsigned loops = 0; loops < 2; loops++) /* those in loops first */
        for (unsigned i = 0; i < c.n && pressure < PRESSURE_FEW; i++) {
            struct shared *s = &c.s[i];
            if (loops ? s->in_loop || !s->several_blocks : !s->in_loop) continue;
            while (s->above && s->above->loop_depth > 0) s->above = s->above->idom;
            if (!s->above || s->vreg) continue;
            place(fn, s);
            pressure++;
            any = true;
        }
    if (any) replace(&c, n_vregs);
}
