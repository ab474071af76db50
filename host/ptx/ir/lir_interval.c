/* lir_interval.c - live intervals: the positions of the code at which a vreg's value is needed.
 * lir_allocate calls lir_intervals_build in every round; contracts and positions are in
 * lir_alloc.h.
 *
 * The builder walks each block backwards. A read opens a segment, a definition closes it and adds
 * it to the vreg's or predicate's live interval.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_alloc.h"
#include "ptx/ir/lir_liveness.h"

#include <string.h>

/* State of the walk. */
struct builder {
    struct lir_fn *fn;
    struct lir_intervals *l;
    uint32_t *open;      /* [vreg] end of the segment being built downwards, 0 = not live */
    uint32_t *open_pred; /* [pred] */
    uint32_t *value;     /* [vreg] what it holds, for lir_segment.value */
};

/* Adds the segment [from, to), which lies before all others of the interval, or extends the first
 * one. Segments come from the last to the first; reverse() puts them in order at the end. */
static void add(struct builder *b, struct lir_interval *interval, uint32_t from, uint32_t to,
                uint32_t value) {
    if (interval->n && interval->s[interval->n - 1].from == to &&
        interval->s[interval->n - 1].value == value) {
        interval->s[interval->n - 1].from = from;
        return;
    }
    *ARENA_PUSH(b->l->arena, interval->s, interval->n,
                interval->cap) = (struct lir_segment){from, to, value};
}

/* Reverses the order of the interval's segments. */
static void reverse(struct lir_interval *interval) {
    for (uint32_t i = 0, j = interval->n; i + 1 < j; i++) {
        struct lir_segment t = interval->s[i];
        interval->s[i] = interval->s[--j];
        interval->s[j] = t;
    }
}

/* A definition by instruction number `pos`: closes the open segment if the definition ends it (an
 * unguarded one, or of a scratch vreg). *open: see builder.open. */
static void define(struct builder *b, struct lir_interval *interval, uint32_t *open, uint32_t pos,
                   bool ends, uint32_t value) {
    uint32_t at = 2 * pos + 1;
    if (*open == 0) {
        add(b, interval, at, at + 1, value); /* written, never read: needs a register even so */
    } else if (ends) {
        add(b, interval, at, *open, value);
        *open = 0;
    }
}

/* Takes one instruction into account: its definitions, then its reads. */
static void step(struct builder *b, const struct lir_inst *in) {
    struct lir_fn *fn = b->fn;
    const bool ends = in->guard == LIR_PT || in->fresh;
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) {
        lir_vreg w = in->dst + k;
        define(b, &b->l->vreg[w], &b->open[w], in->pos, ends || fn->scratch[w], b->value[w]);
    }
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i])
            define(b, &b->l->pred[in->pdst[i]], &b->open_pred[in->pdst[i]], in->pos,
                   ends || fn->pred_scratch[in->pdst[i]], in->pdst[i]);
    uint32_t end = 2 * in->pos + 1;
    bool late = mir_class_pipe(lir_class(in)) == MIR_PIPE_MIO;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++) {
            if (late && b->l->vreg[in->src[i] + k].late < end)
                b->l->vreg[in->src[i] + k].late = end;
            if (b->open[in->src[i] + k] == 0) b->open[in->src[i] + k] = end;
        }
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1 && b->open_pred[in->psrc[i] >> 1] == 0)
            b->open_pred[in->psrc[i] >> 1] = end;
    if (in->guard >> 1 && b->open_pred[in->guard >> 1] == 0) b->open_pred[in->guard >> 1] = end;
}

/* The vreg whose value w holds: a single copy of a single vreg holds that vreg's value. */
static uint32_t value_of(const struct lir_fn *fn, lir_vreg w) {
    for (unsigned guard = 0; guard < 16; guard++) {
        const struct lir_info *v = &fn->vreg_info[w];
        if (!v->single || v->def->m.op != MIR_MOV || v->def->m.src[0].kind != MIR_SRC_REG ||
            v->def->m.src[0].mods || v->def->src[0] == 0 || !fn->vreg_info[v->def->src[0]].single)
            break;
        w = v->def->src[0];
    }
    return w;
}

/* Where the interval of a vreg, or of predicate name - n_vregs, that is live now ends. */
static uint32_t *open_of(const struct builder *b, uint32_t name) {
    return name < b->fn->n_vregs ? &b->open[name] : &b->open_pred[name - b->fn->n_vregs];
}

/* The name is live from `from` on, if it is at all. */
static void end_at(struct builder *b, uint32_t name, uint32_t from) {
    uint32_t *open = open_of(b, name);
    const bool is_vreg = name < b->fn->n_vregs;
    const uint32_t p = is_vreg ? 0 : name - b->fn->n_vregs;
    if (*open)
        add(b, is_vreg ? &b->l->vreg[name] : &b->l->pred[p], from, *open,
            is_vreg ? b->value[name] : p);
    *open = 0;
}

/* Works out the live intervals of all vregs and predicates into *l, in `arena`. Builds control
 * flow, definitions and liveness, numbers the instructions (in->pos, a number left free before each
 * block), then walks the blocks from the last to the first. */
void lir_intervals_build(struct lir_fn *fn, struct lir_intervals *l, struct arena *arena) {
    struct lir_liveness live;
    struct builder b = {.fn = fn, .l = l};
    lir_cfg_build(fn);
    lir_analyze(fn);
    lir_liveness_build(fn, &live, arena);
    l->arena = arena;
    l->vreg = ARENA_ARRAY(arena, struct lir_interval, fn->n_vregs);
    l->pred = ARENA_ARRAY(arena, struct lir_interval, fn->n_preds);
    b.open = ARENA_ARRAY(arena, uint32_t, fn->n_vregs);
    b.open_pred = ARENA_ARRAY(arena, uint32_t, fn->n_preds);
    b.value = ARENA_ARRAY(arena, uint32_t, fn->n_vregs);
    for (uint32_t w = 1; w < fn->n_vregs; w++) b.value[w] = value_of(fn, w);
    /* a position in front of every block, so that empty blocks have an extent */
    uint32_t pos = 0;
    uint32_t *begin = ARENA_ARRAY(arena, uint32_t, fn->n_blocks + 1);
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        begin[i] = pos++;
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) in->pos = pos++;
    }
    begin[fn->n_blocks] = pos;
    l->n_positions = 2 * pos + 2;
    for (uint32_t i = fn->n_blocks; i-- > 0;) {
        const uint32_t from = 2 * begin[i], to = 2 * begin[i + 1];
        for (uint32_t k = 0; k < live.n_longs; k++)
            for (uint64_t m = live.out[i][k]; m; m &= m - 1)
                *open_of(&b, live.name[64 * k + (uint32_t)__builtin_ctzll(m)]) = to;
        for (const struct lir_inst *in = fn->blocks[i]->last; in; in = in->prev) step(&b, in);
        for (uint32_t k = 0; k < live.n_longs; k++)
            for (uint64_t m = live.in[i][k]; m; m &= m - 1)
                end_at(&b, live.name[64 * k + (uint32_t)__builtin_ctzll(m)], from);
    }
    for (uint32_t w = 0; w < fn->n_vregs; w++) reverse(&l->vreg[w]);
    for (uint32_t p = 0; p < fn->n_preds; p++) reverse(&l->pred[p]);
}

/* @return whether the intervals overlap where they hold different values. Steps through both lists
 * of segments together. */
bool lir_intervals_conflict(const struct lir_interval *a, const struct lir_interval *b) {
    uint32_t i = 0, j = 0;
    while (i < a->n && j < b->n) {
        const struct lir_segment *x = &a->s[i], *y = &b->s[j];
        if (x->from < y->to && y->from < x->to && x->value != y->value) return true;
        if (x->to < y->to)
            i++;
        else
            j++;
    }
    return false;
}

/* Makes *a the union of both: merges the two ordered lists of segments into a new one in `arena`;
 * segments may overlap afterwards. *b stays. */
void lir_interval_merge(struct arena *arena, struct lir_interval *a, const struct lir_interval *b) {
    struct lir_interval m = {0};
    uint32_t i = 0, j = 0;
    if (b->n == 0) return;
    m.cap = a->n + b->n;
    m.s = ARENA_ARRAY(arena, struct lir_segment, m.cap);
    while (i < a->n || j < b->n) {
        bool from_a = j == b->n || (i < a->n && a->s[i].from <= b->s[j].from);
        m.s[m.n++] = from_a ? a->s[i++] : b->s[j++];
    }
    *a = m;
}
