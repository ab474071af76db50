/* lir_webs.c - a vreg or predicate that is used for several unrelated values becomes several
 * (lir_split_webs). lir_optimize runs the pass before the passes that look for single vregs, which
 * then see through registers that the front end, or an unrolled loop, assigns again.
 *
 * A *web* is a set of definitions of one name, joined by the reads that more than one of them
 * reaches. A guarded definition keeps the old value in the other lanes, so it belongs to the web of
 * the definitions that reach it. Definitions of words that an instruction reads or writes together
 * belong together, too.
 *
 * The pass numbers the definitions of all groups in which a word is defined more than once, name by
 * name, works out which of them reach each block, and joins them in a table of parents. Then each
 * web of a group that has several becomes a group of its own; one whose words are only ever named
 * one at a time, and are of one word, becomes a lone vreg.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

#include <string.h>

#define NO_DEF UINT32_MAX /* no definition */

/* State of the pass. A name is a vreg, or n_vregs + a predicate. A definition is a number. */
struct webs {
    struct lir_fn *fn;
    uint32_t n_vregs, n_names; /* before the pass */
    uint32_t *begin;           /* [name] its definitions: begin[name] .. begin[name + 1] - 1 */
    uint32_t *next;            /* [name] its next definition in layout order, during a walk */
    uint32_t n, n_longs;       /* definitions; 64-bit words of a set of them */
    uint32_t *parent;          /* [definition] of the same web; itself: the web's root */
    bool *wide;                /* [definition] an operand of several words names it */
    uint32_t *name;            /* [definition] that it defines */
    uint32_t *becomes; /* [root] first vreg of the web's group, or predicate; 0: as it was */
    uint64_t **in;     /* [block id] definitions that reach its head */
    uint64_t *now;     /* those that reach the instruction at hand */
};

/* ---- sets and roots ------------------------------------------------------------------------- */

static void put(uint64_t *s, uint32_t i) {
    s[i / 64] |= UINT64_C(1) << i % 64;
}

/* Takes the definitions from `from` to `to` - 1 out of the set. */
static void take_out(uint64_t *s, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) s[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* The root of a definition's web. Shortens the way there. */
static uint32_t root(struct webs *w, uint32_t d) {
    while (w->parent[d] != d) {
        w->parent[d] = w->parent[w->parent[d]];
        d = w->parent[d];
    }
    return d;
}

/* Joins two webs; the root is the lower number. NO_DEF joins nothing. @return a member. */
static uint32_t join(struct webs *w, uint32_t a, uint32_t b) {
    if (a == NO_DEF || b == NO_DEF) return a == NO_DEF ? b : a;
    a = root(w, a);
    b = root(w, b);
    const uint32_t low = a < b ? a : b;
    w->parent[a] = w->parent[b] = low;
    return low;
}

/* Joins the definitions of the name that reach this point. @return one of them; NO_DEF: none. */
static uint32_t reaching(struct webs *w, uint32_t name) {
    uint32_t any = NO_DEF;
    for (uint32_t d = w->begin[name]; d < w->begin[name + 1]; d++)
        if (w->now[d / 64] >> d % 64 & 1) any = join(w, any, d);
    return any;
}

/* ---- definitions ---------------------------------------------------------------------------- */

/* Writes the names that the instruction defines into name[0..6). @return how many; the vregs come
 * first. */
static unsigned defined(const struct webs *w, const struct lir_inst *in, uint32_t *name) {
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) name[k] = in->dst + k;
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i]) name[n++] = w->n_vregs + in->pdst[i];
    return n;
}

/* @return a word of the group of vreg v has several definitions. */
static bool is_split(const struct lir_fn *fn, lir_vreg v) {
    const lir_vreg g = fn->group[v];
    bool several = false;
    for (unsigned k = 0; k < fn->group_size[g]; k++) several |= fn->vreg_info[g + k].n_def > 1;
    return several;
}

/* Numbers the definitions: fills begin, n and name. Needs lir_analyze. */
static void number(struct webs *w) {
    struct lir_fn *fn = w->fn;
    for (uint32_t name = 1; name < w->n_names; name++) {
        uint32_t n = 0;
        if (name < w->n_vregs)
            n = is_split(fn, name) ? fn->vreg_info[name].n_def : 0;
        else if (fn->pred_info[name - w->n_vregs].n_def > 1)
            n = fn->pred_info[name - w->n_vregs].n_def;
        w->begin[name + 1] = w->begin[name] + n;
    }
    w->n = w->begin[w->n_names];
    w->n_longs = (w->n + 63) / 64;
    w->name = ARENA_ARRAY(fn->arena, uint32_t, w->n);
    for (uint32_t name = 0; name < w->n_names; name++)
        for (uint32_t d = w->begin[name]; d < w->begin[name + 1]; d++) w->name[d] = name;
}

/* @return the instruction's definition of the name replaces its value in all lanes that matter. */
static bool ends_value(const struct webs *w, const struct lir_inst *in, uint32_t name) {
    return in->guard == LIR_PT || in->fresh ||
           (name < w->n_vregs ? w->fn->scratch[name] : w->fn->pred_scratch[name - w->n_vregs]);
}

/* Adds the definitions of the instruction, the next ones of their names, to the set, and takes out
 * those that they replace. */
static void define(struct webs *w, const struct lir_inst *in, uint64_t *set) {
    uint32_t name[6];
    const unsigned n = defined(w, in, name);
    for (unsigned k = 0; k < n; k++) {
        if (w->begin[name[k]] == w->begin[name[k] + 1]) continue;
        if (ends_value(w, in, name[k])) take_out(set, w->begin[name[k]], w->begin[name[k] + 1]);
        put(set, w->next[name[k]]++);
    }
}

/* Fills w->in: what reaches the end of a block is what it defines (`gen`), and what reaches its
 * head and is not replaced (`kept`). */
static void flow(struct webs *w) {
    struct lir_fn *fn = w->fn;
    const size_t bytes = w->n_longs * sizeof(uint64_t);
    uint64_t **gen = ARENA_ARRAY(fn->arena, uint64_t *, fn->n_blocks);
    uint64_t **kept = ARENA_ARRAY(fn->arena, uint64_t *, fn->n_blocks);
    uint32_t name[6];
    memcpy(w->next, w->begin, w->n_names * sizeof *w->next);
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        uint64_t *sets = ARENA_ARRAY(fn->arena, uint64_t, 3 * (size_t)w->n_longs);
        w->in[i] = sets;
        gen[i] = sets + w->n_longs;
        kept[i] = sets + 2 * (size_t)w->n_longs;
        memset(kept[i], 0xff, bytes);
        for (const struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            define(w, in, gen[i]);
            for (unsigned k = defined(w, in, name); k-- > 0;)
                if (ends_value(w, in, name[k]))
                    take_out(kept[i], w->begin[name[k]], w->begin[name[k] + 1]);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < fn->n_rpo; r++) {
            const struct lir_block *b = fn->rpo[r];
            for (uint32_t i = 0; i < b->n_succ; i++) {
                uint64_t *to = w->in[b->succ[i]->id];
                for (uint32_t k = 0; k < w->n_longs; k++) {
                    const uint64_t out = gen[b->id][k] | (w->in[b->id][k] & kept[b->id][k]);
                    changed |= (out & ~to[k]) != 0;
                    to[k] |= out;
                }
            }
        }
    }
}

/* ---- webs ----------------------------------------------------------------------------------- */

/* Joins the definitions that reach an operand of n words from v on. @return one of them; NO_DEF:
 * there is none, or the vregs have one definition each. */
static uint32_t read_operand(struct webs *w, lir_vreg v, unsigned n) {
    uint32_t d = NO_DEF;
    for (unsigned k = 0; k < n; k++) d = join(w, d, reaching(w, v + k));
    if (d != NO_DEF && n > 1) w->wide[d] = true;
    return d;
}

/* Joins the definitions that the instruction makes together, and those that they keep. */
static void join_defined(struct webs *w, const struct lir_inst *in) {
    uint32_t name[6], all = NO_DEF;
    const unsigned n = defined(w, in, name), vregs = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) {
        if (w->begin[name[k]] == w->begin[name[k] + 1]) continue;
        const uint32_t d = w->next[name[k]];
        if (!ends_value(w, in, name[k])) join(w, d, reaching(w, name[k]));
        if (k >= vregs || vregs == 1) continue;
        all = join(w, all, d);
        w->wide[d] = true;
    }
}

/* Calls read_operand for each operand and predicate that the instruction reads. With `rename`,
 * they read the names of their webs. */
static void read_all(struct webs *w, struct lir_inst *in, bool rename) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned n = lir_src_vregs(in, i);
        const uint32_t d = n ? read_operand(w, in->src[i], n) : NO_DEF;
        const uint32_t to = rename && d != NO_DEF ? w->becomes[root(w, d)] : 0;
        if (to)
            in->src[i] = to +
                         (w->fn->group_size[to] == 1 ? 0 : in->src[i] - w->fn->group[in->src[i]]);
    }
    lir_pref *pred[4] = {&in->psrc[0], &in->psrc[1], &in->psrc[2], &in->guard};
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t d = *pred[i] >> 1 ? reaching(w, w->n_vregs + (*pred[i] >> 1)) : NO_DEF;
        const uint32_t to = rename && d != NO_DEF ? w->becomes[root(w, d)] : 0;
        if (to) *pred[i] = to << 1 | (*pred[i] & 1);
    }
}

/* The instruction writes the names of its webs. */
static void rename_defined(struct webs *w, struct lir_inst *in, const uint32_t *definition) {
    const unsigned vregs = lir_dst_vregs(in);
    uint32_t to = vregs && definition[0] != NO_DEF ? w->becomes[root(w, definition[0])] : 0;
    if (to) in->dst = to + (w->fn->group_size[to] == 1 ? 0 : in->dst - w->fn->group[in->dst]);
    unsigned at = vregs;
    for (unsigned i = 0; i < 2; i++) {
        if (!in->pdst[i]) continue;
        const uint32_t d = definition[at++];
        to = d != NO_DEF ? w->becomes[root(w, d)] : 0;
        if (to) in->pdst[i] = to;
    }
}

/* Walks all instructions with w->now: joins webs, or with `rename` gives operands the names of
 * their webs. */
static void walk(struct webs *w, bool rename) {
    struct lir_fn *fn = w->fn;
    memcpy(w->next, w->begin, w->n_names * sizeof *w->next);
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        memcpy(w->now, w->in[i], w->n_longs * sizeof *w->now);
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            uint32_t name[6], definition[6];
            const unsigned n = defined(w, in, name);
            for (unsigned k = 0; k < n; k++)
                definition[k] = w->begin[name[k]] == w->begin[name[k] + 1] ? NO_DEF
                                                                           : w->next[name[k]];
            read_all(w, in, rename);
            if (!rename) join_defined(w, in);
            define(w, in, w->now);
            if (rename) rename_defined(w, in, definition);
        }
    }
}

/* Gives each web of a group with several webs a name. @return there is one. */
static bool name_webs(struct webs *w) {
    struct lir_fn *fn = w->fn;
    uint32_t *first = ARENA_ARRAY(fn->arena, uint32_t, w->n_names); /* [group] a root + 1 */
    bool *several = ARENA_ARRAY(fn->arena, bool, w->n_names);
    bool any = false;
    for (uint32_t d = 0; d < w->n; d++) {
        const uint32_t name = w->name[d], g = name < w->n_vregs ? fn->group[name] : name;
        const uint32_t r = root(w, d);
        w->wide[r] |= w->wide[d];
        if (!first[g]) first[g] = r + 1;
        several[g] |= first[g] != r + 1;
    }
    /* a web of several words named one at a time: they stay a group */
    for (uint32_t d = 0; d < w->n; d++) w->wide[root(w, d)] |= w->name[d] != w->name[root(w, d)];
    for (uint32_t d = 0; d < w->n; d++) {
        const uint32_t name = w->name[d], g = name < w->n_vregs ? fn->group[name] : name;
        if (root(w, d) != d || !several[g]) continue;
        any = true;
        if (name >= w->n_vregs) {
            w->becomes[d] = lir_new_pred(fn);
            fn->pred_scratch[w->becomes[d]] = fn->pred_scratch[name - w->n_vregs];
            continue;
        }
        w->becomes[d] = lir_new_vregs(fn, w->wide[d] ? fn->group_size[g] : 1);
        if (fn->scratch[name]) lir_mark_scratch(fn, w->becomes[d]);
    }
    return any;
}

/* Splits names into webs. Does nothing in functions with subroutines, which are entered from many
 * places. */
bool lir_split_webs(struct lir_fn *fn) {
    struct webs w = {.fn = fn, .n_vregs = fn->n_vregs, .n_names = fn->n_vregs + fn->n_preds};
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            if (in->m.op == MIR_CALL) return false;
    lir_analyze(fn);
    w.begin = ARENA_ARRAY(fn->arena, uint32_t, w.n_names + 1);
    w.next = ARENA_ARRAY(fn->arena, uint32_t, w.n_names);
    number(&w);
    if (!w.n) return false;
    w.parent = ARENA_ARRAY(fn->arena, uint32_t, w.n);
    w.wide = ARENA_ARRAY(fn->arena, bool, w.n);
    w.becomes = ARENA_ARRAY(fn->arena, uint32_t, w.n);
    w.in = ARENA_ARRAY(fn->arena, uint64_t *, fn->n_blocks);
    w.now = ARENA_ARRAY(fn->arena, uint64_t, w.n_longs);
    for (uint32_t d = 0; d < w.n; d++) w.parent[d] = d;
    flow(&w);
    walk(&w, false);
    if (!name_webs(&w)) return false;
    walk(&w, true);
    return true;
}
