/* lir_unroll.c - which loops are written out, and how often: as ptxas does.
 *
 * Innermost loops alone; the pass is repeated, so that a loop whose inner loops have been written
 * out in full has its turn, and inner loops whose bounds have become constants have theirs. With N
 * turns of some weight (unroll_limits.def):
 *
 *   N known, all of it small:   N copies, no loop
 *   N known:                    N % q copies, then a loop of q turns of N / q copies each; q is
 *                               the least for which all copies together are within the limit
 *   N unknown, until a counter  while (4 turns are left) 4 copies; if (2 are left) 2 copies;
 *   passes a limit:             the loop as it was, for what is left
 *
 * A turn then pays for its counter and its branch once in several turns, its addresses become
 * offsets, and its loads need not wait for each other. */
#include "ptx/lir_loop.h"

enum {
#define UNROLL_FULL(turns, weight)
#define UNROLL_LIMIT(name, value, meaning) LIMIT_##name = value,
#include "ptx/unroll_limits.def"
#undef UNROLL_FULL
#undef UNROLL_LIMIT
};

struct unroll {
    struct lir_fn *fn;
    struct lir_loop loop; /* at hand */
    struct lir_live live;
    struct loop_blocks layout;  /* what it will be */
    struct lir_block **instead; /* [block id] where ways in lead now; NULL: as they did */
};

/* ---- weight --------------------------------------------------------------------------------- */

struct weight {
    uint32_t all, shared, global; /* of a turn; its loads */
};

static bool is_overhead(const struct lir_loop *l, const struct lir_inst *in) {
    if (in == l->latch->last || in->m.op == MIR_MOV) return true;
    if (in->pdst[0] && in->pdst[0] == l->latch->last->guard >> 1) return true;
    return l->test.found && lir_dst_words(in) == 1 && in->dst == l->test.counter;
}

static struct weight weigh(const struct lir_loop *l) {
    struct weight w = {0};
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            if (is_overhead(l, in)) continue;
            bool memory = lir_touches_memory(in);
            w.all += memory ? 2 : 1;
            if (!memory || mir_op_mem(in->m.op) != MIR_MEM_LOAD) continue;
            w.shared += in->m.op == MIR_LDS;
            w.global += in->m.op != MIR_LDS;
        }
    return w;
}

static bool fits_in_full(uint64_t turns, uint32_t weight) {
#define UNROLL_FULL(t, w) \
    if (turns <= (t)) return weight <= (w);
#define UNROLL_LIMIT(name, value, meaning)
#include "ptx/unroll_limits.def"
#undef UNROLL_FULL
#undef UNROLL_LIMIT
    return false;
}

/* Turns of the loop that is left when N turns are written out in part; 0: it stays as it is. */
static uint64_t turns_left(uint64_t turns, uint32_t weight) {
    enum { FAR = 4096 };
    if (weight > LIMIT_PART_TURN) return 0;
    uint64_t most = LIMIT_PART_ALL / (weight ? weight : 1);
    uint64_t q = turns / most;
    if (q < 2) q = 2;
    for (uint64_t end = q + FAR; q < end && turns / q >= 2; q++)
        if (turns / q + turns % q <= most) return q;
    return 0;
}

static uint32_t open_limit(const struct weight *w) {
    uint32_t limit = LIMIT_OPEN_TURN + LIMIT_OPEN_SHARED * w->shared;
    if (limit > LIMIT_OPEN_MOST) limit = LIMIT_OPEN_MOST;
    return w->global && limit < LIMIT_OPEN_GLOBAL ? LIMIT_OPEN_GLOBAL : limit;
}

/* ---- loops of unknown length ---------------------------------------------------------------- */

static struct lir_block *new_block(struct unroll *u) {
    struct lir_block *b = lir_block_create(u->fn);
    *ARENA_PUSH(u->fn->arena, u->layout.block, u->layout.n, u->layout.cap) = b;
    return b;
}

static struct lir_inst *emit(struct unroll *u, struct lir_block *b, unsigned op) {
    const struct lir_inst *bra = u->loop.latch->last;
    struct lir_inst *in = lir_inst_create(u->fn, op);
    in->m.ptx_line = bra->m.ptx_line;
    in->m.loc = bra->m.loc;
    lir_append(b, in);
    return in;
}

static lir_word emit_sum(struct unroll *u, struct lir_block *b, struct lir_src a, uint32_t plus) {
    if (plus == 0 && a.kind == MIR_SRC_REG) return a.value;
    struct lir_inst *in = emit(u, b, MIR_IADD3);
    lir_set_dst(in, lir_new_words(u->fn, 1));
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, lir_imm(plus));
    lir_set_src(in, 2, RZ_SOURCE);
    return in->dst;
}

/* p = a cmp b and q */
static uint32_t emit_test(struct unroll *u, struct lir_block *b, struct lir_src x, unsigned cmp,
                          struct lir_src y, bool is_signed, uint32_t q) {
    struct lir_inst *in = emit(u, b, MIR_ISETP);
    in->m.cmp = (uint8_t)cmp;
    in->m.bop = MIR_AND;
    in->m.type = is_signed ? MIR_S32 : MIR_U32;
    in->pdst[0] = lir_new_pred(u->fn);
    in->psrc[0] = lir_p(q);
    lir_set_src(in, 0, x);
    lir_set_src(in, 1, y);
    return in->pdst[0];
}

static void emit_branch(struct unroll *u, struct lir_block *b, lir_pref guard,
                        struct lir_block *to) {
    struct lir_inst *in = emit(u, b, MIR_BRA);
    in->guard = guard;
    in->n_targets = 1;
    in->targets = ARENA_ARRAY(u->fn->arena, struct lir_block *, 1);
    in->targets[0] = to;
}

/* Until when four turns are left: counter cmp limit, exactly, without overflow. */
struct bound {
    unsigned cmp;
    bool is_signed;
    uint32_t minus;    /* what is taken from the loop's limit */
    unsigned safe_cmp; /* the sum does not overflow if limit safe_cmp safe */
    uint32_t safe;
};

/* With the counter y, four turns are left if y + plus + 2 steps is within the limit, for then the
 * tests of the first three turns pass. Not equal: while it is below (above) it. */
static bool bound_of(const struct loop_test *t, struct bound *b) {
    bool up = t->step > 0;
    int64_t minus = (int64_t)t->plus + 2 * (int64_t)t->step;
    uint32_t least = t->is_signed || t->cmp == MIR_CMP_NE ? 0x80000000u : 0;
    *b = (struct bound){.cmp = t->cmp,
                        .is_signed = least != 0,
                        .minus = (uint32_t)minus,
                        .safe_cmp = up ? MIR_CMP_GE : MIR_CMP_LE,
                        .safe = (up ? least : ~least) + (uint32_t)minus};
    if (t->cmp == MIR_CMP_NE) b->cmp = up ? MIR_CMP_LT : MIR_CMP_GT;
    bool way = up ? b->cmp == MIR_CMP_LT || b->cmp == MIR_CMP_LE
                  : b->cmp == MIR_CMP_GT || b->cmp == MIR_CMP_GE;
    bool even = up ? t->plus >= 0
                   : t->plus <= 0; /* the counter itself is no further than its test */
    return way && even && minus >= -(1 << 24) && minus <= 1 << 24;
}

/* The original test, of the turn whose counter is `y` plus `plus`. */
static uint32_t emit_own_test(struct unroll *u, struct lir_block *b, int64_t plus) {
    const struct loop_test *t = &u->loop.test;
    lir_word x = emit_sum(u, b, lir_reg(t->counter), (uint32_t)plus);
    return emit_test(u, b, lir_reg(x), t->cmp, t->limit, t->is_signed, 0);
}

static void put_all(struct unroll *u, const struct loop_blocks *blocks) {
    for (uint32_t i = 0; i < blocks->n; i++)
        *ARENA_PUSH(u->fn->arena, u->layout.block, u->layout.n, u->layout.cap) = blocks->block[i];
}

static bool unroll_open(struct unroll *u) {
    struct lir_loop *l = &u->loop;
    const struct loop_test *t = &l->test;
    struct bound is;
    struct loop_blocks four = {0}, two = {0}, one = {0};
    if (!t->found || l->breaks || !bound_of(t, &is)) return false;
    if (!lir_loop_copy(l, 4, LOOP_COPY_AGAIN, &four) || !lir_loop_copy(l, 2, 0, &two) ||
        !lir_loop_copy(l, 1, LOOP_COPY_AGAIN, &one))
        return false;
    struct lir_src counter = lir_reg(t->counter), limit = t->limit;
    struct lir_block *entry = new_block(u);
    if (limit.kind == MIR_SRC_CONST) {
        struct lir_inst *m = emit(u, entry, MIR_MOV);
        lir_set_dst(m, lir_new_words(u->fn, 1));
        lir_set_src(m, 0, limit);
        limit = lir_reg(m->dst);
    }
    struct lir_src bound = lir_reg(emit_sum(u, entry, limit, 0 - is.minus));
    uint32_t p = emit_test(u, entry, limit, is.safe_cmp, lir_imm(is.safe), is.is_signed, 0);
    p = emit_test(u, entry, counter, is.cmp, bound, is.is_signed, p);
    put_all(u, &four);
    struct lir_block *after = new_block(u), *some = new_block(u);
    emit_branch(u, entry, lir_pnot(lir_p(p)), some);
    struct lir_block *end = four.block[four.n - 1];
    struct lir_inst *again = end->last;
    lir_unlink(again); /* another test takes the place of its own */
    again->guard = lir_p(emit_test(u, end, counter, is.cmp, bound, is.is_signed, 0));
    lir_append(end, again);
    p = emit_own_test(u, after, (int64_t)t->plus - t->step);
    emit_branch(u, after, lir_pnot(lir_p(p)), l->exit);
    p = emit_own_test(u, some, t->plus);
    emit_branch(u, some, lir_pnot(lir_p(p)), one.block[0]);
    put_all(u, &two);
    struct lir_block *left = new_block(u);
    p = emit_own_test(u, left, (int64_t)t->plus - t->step);
    emit_branch(u, left, lir_pnot(lir_p(p)), l->exit);
    put_all(u, &one);
    four.block[0]->no_unroll = one.block[0]->no_unroll = true;
    u->instead[l->header->id] = entry;
    return true;
}

/* ---- loops of known length ------------------------------------------------------------------ */

static bool unroll_known(struct unroll *u, uint64_t turns, uint32_t weight) {
    struct lir_loop *l = &u->loop;
    struct loop_blocks first = {0}, rest = {0};
    if (turns == 1 || fits_in_full(turns, weight)) {
        if (!lir_loop_copy(l, (uint32_t)turns, LOOP_COPY_FIRST | LOOP_COPY_LAST, &first))
            return false;
    } else {
        uint64_t q = turns_left(turns, weight);
        if (q == 0 || l->breaks) return false;
        if (turns % q && !lir_loop_copy(l, (uint32_t)(turns % q), LOOP_COPY_FIRST, &first))
            return false;
        if (!lir_loop_copy(l, (uint32_t)(turns / q), LOOP_COPY_AGAIN, &rest)) return false;
        rest.block[0]->no_unroll = true;
    }
    put_all(u, &first);
    put_all(u, &rest);
    u->instead[l->header->id] = first.n ? first.block[0] : rest.block[0];
    return true;
}

/* ---- the pass ------------------------------------------------------------------------------- */

static void analyze(struct unroll *u) {
    struct lir_fn *fn = u->fn;
    if (u->loop.word) return;
    lir_live_build(fn, &u->live, fn->arena);
    u->loop.word = ARENA_ARRAY(fn->arena, struct loop_word, fn->n_words);
    u->loop.pred = ARENA_ARRAY(fn->arena, struct loop_pred, fn->n_preds);
    u->instead = ARENA_ARRAY(fn->arena, struct lir_block *, fn->n_blocks);
}

static bool unroll_loop(struct unroll *u) {
    struct lir_loop *l = &u->loop;
    l->inst = ARENA_ARRAY(u->fn->arena, struct loop_inst, l->latch->last->pos - l->first_pos + 1);
    lir_loop_words(l, &u->live);
    lir_loop_steps(l);
    struct weight w = weigh(l);
    uint64_t turns = lir_loop_turns(l);
    if (turns) return unroll_known(u, turns, w.all);
    return w.all <= open_limit(&w) && unroll_open(u);
}

static void redirect(struct unroll *u) {
    struct lir_fn *fn = u->fn;
    for (uint32_t b = 0; b < u->layout.n; b++) {
        struct lir_inst *last = u->layout.block[b]->last;
        for (uint32_t k = 0; last && k < last->n_targets; k++) {
            uint32_t id = last->targets[k]->id; /* new blocks have none yet */
            if (id < fn->n_blocks && u->instead[id]) last->targets[k] = u->instead[id];
        }
    }
    fn->blocks = u->layout.block;
    fn->n_blocks = u->layout.n;
    fn->cap_blocks = u->layout.cap;
    lir_cfg_build(fn);
}

bool lir_unroll(struct lir_fn *fn) {
    struct unroll u = {.fn = fn};
    uint32_t done = 0; /* blocks that are in the new layout, or given up */
    bool changed = false;
    lir_cfg_build(fn);
    lir_analyze(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        if (!lir_loop_at(fn, b, &u.loop) || u.loop.header->no_unroll) continue;
        analyze(&u);
        struct loop_blocks before = {.block = fn->blocks + done, .n = u.loop.header->id - done};
        put_all(&u, &before);
        done = u.loop.header->id;
        if (!unroll_loop(&u)) continue;
        done = b + 1;
        changed = true;
    }
    if (!changed) return false;
    struct loop_blocks behind = {.block = fn->blocks + done, .n = fn->n_blocks - done};
    put_all(&u, &behind);
    redirect(&u);
    return true;
}
