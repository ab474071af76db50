/* lir_unroll.c - short loops whose number of turns is known are written out four times.
 *
 * As ptxas does; the loop's own work (its counter, its branch, its steps of addresses) is then paid
 * once in four turns. A loop is a block that branches to itself on the comparison of a counter,
 * which starts with a constant, is stepped by one, and ends after a multiple of four turns.
 *
 * The copies of a turn are chained by renaming: each but the last writes words of its own, and
 * reads what the one before it wrote. What is left to the passes that follow: copies, sums of
 * constants, offsets of addresses. What they could not do is done here: a sum of a stepped word and
 * of words that the loop does not change is, k turns later, the sum of the first turn and k steps.
 */
#include "ptx/lir_passes.h"

enum {
    TURNS = 4,
    MOST = 60, /* instructions of a loop worth it: it is to fit into the instruction cache */
};

struct unroll {
    struct lir_fn *fn;
    struct lir_block *loop;
    lir_word *now;      /* [word] which word holds it at this place, of this copy; 0: itself */
    uint32_t *pred_now; /* [predicate] the same */
    lir_word *first;    /* [word] what the first copy called it, when it may be derived */
    uint32_t n_words, n_preds;    /* before anything was added */
    struct lir_inst *head, *tail; /* the copies, in no block yet */
    bool failed;
};

/* ---- which loops ---------------------------------------------------------------------------- */

static bool may_copy(const struct lir_inst *in) {
    if (in->guard != LIR_PT || lir_is_terminator(in)) return false;
    switch (in->m.op) {
    case MIR_CALL:
    case MIR_CS2R:
    case MIR_BSSY:
    case MIR_BSYNC:
    case MIR_BREAK:
    case MIR_YIELD:
    case MIR_NANOSLEEP:
    case MIR_SYS:
    case MIR_P2R:
    case MIR_R2P: return false;
    default: return true;
    }
}

static bool is_shape(const struct lir_block *b) {
    const struct lir_inst *last = b->last;
    uint32_t n = 0;
    if (!last || last->m.op != MIR_BRA || last->guard == LIR_PT || last->n_targets != 1 ||
        last->targets[0] != b || b->n_succ != 2 || b->no_unroll)
        return false;
    for (const struct lir_inst *in = b->first; in != last; in = in->next)
        if (!may_copy(in) || ++n > MOST) return false;
    return n > 0;
}

static bool constant_of(const struct lir_inst *in, unsigned i, int64_t *value) {
    const struct mir_src *s = &in->m.src[i];
    if (s->mods) return false;
    if (s->kind == MIR_SRC_IMM)
        *value = (int32_t)s->value;
    else if (s->kind == MIR_SRC_REG && in->src[i] == 0)
        *value = 0;
    else
        return false;
    return true;
}

/* w = w + constant. */
static bool is_step(const struct lir_inst *in, lir_word w, int64_t *by) {
    return in->m.op == MIR_IADD3 && in->dst == w && !(in->m.flags & MIR_X) && !in->pdst[0] &&
           in->m.src[0].kind == MIR_SRC_REG && in->src[0] == w && !in->m.src[0].mods &&
           constant_of(in, 1, by) && in->m.src[2].kind == MIR_SRC_REG && in->src[2] == 0 &&
           in->m.src[1].kind == MIR_SRC_IMM;
}

static bool writes(const struct lir_inst *in, lir_word w) {
    unsigned n = lir_dst_words(in);
    return n && w >= in->dst && w < in->dst + n;
}

/* The value with which a counter comes into the loop: looked for along the only way there. */
static bool start_of(const struct unroll *u, lir_word counter, int64_t *value) {
    const struct lir_block *b = u->loop, *before = NULL;
    if (b->n_pred != 2) return false;
    before = b->pred[b->pred[0] == b];
    for (uint32_t far = 0; far < u->fn->n_blocks; far++) {
        for (const struct lir_inst *in = before->last; in; in = in->prev)
            if (writes(in, counter))
                return in->m.op == MIR_MOV && in->guard == LIR_PT && constant_of(in, 0, value);
        if (before->n_pred != 1) return false;
        before = before->pred[0];
    }
    return false;
}

static bool is_written(const struct lir_inst *from, lir_word w) {
    for (const struct lir_inst *in = from; in; in = in->next)
        if (writes(in, w)) return true;
    return false;
}

/* Turns of the loop; 0: unknown. */
static int64_t turns_of(const struct unroll *u) {
    const struct lir_inst *last = u->loop->last, *compare = NULL;
    for (const struct lir_inst *in = last->prev; in && !compare; in = in->prev)
        if (in->pdst[0] == last->guard >> 1 || in->pdst[1] == last->guard >> 1) compare = in;
    int64_t limit, by, start;
    if (!compare || last->guard & 1 || compare->m.op != MIR_ISETP || compare->m.cmp != MIR_CMP_NE ||
        compare->pdst[0] != last->guard >> 1 || compare->pdst[1] || compare->psrc[0] != LIR_PT ||
        compare->m.flags || compare->m.src[0].kind != MIR_SRC_REG || compare->m.src[0].mods ||
        !constant_of(compare, 1, &limit))
        return 0;
    lir_word counter = compare->src[0];
    const struct lir_inst *step = NULL;
    for (const struct lir_inst *in = u->loop->first; in != compare && !step; in = in->next)
        if (is_step(in, counter, &by))
            step = in;
        else if (writes(in, counter))
            return 0;
    if (!step || by == 0 || is_written(step->next, counter) || !start_of(u, counter, &start))
        return 0;
    int64_t way = limit - start;
    return way % by ? 0 : way / by;
}

/* ---- stepped words -------------------------------------------------------------------------- */

/* What is added to the pair at w in a turn, if that is all that happens to it. */
static bool step_of(const struct unroll *u, lir_word w, int64_t *by) {
    const struct lir_inst *def[2] = {NULL, NULL};
    for (const struct lir_inst *in = u->loop->first; in; in = in->next) {
        for (unsigned k = 0; k < 2; k++)
            if (writes(in, w + k)) {
                if (def[k]) return false;
                def[k] = in;
            }
    }
    if (!def[0] || !def[1] || def[0]->m.op != MIR_MOV || def[1]->m.op != MIR_MOV ||
        def[0]->m.src[0].kind != MIR_SRC_REG || def[1]->m.src[0].kind != MIR_SRC_REG ||
        def[0]->src[0] == 0 || def[1]->src[0] != def[0]->src[0] + 1)
        return false;
    const struct lir_inst *sum = lir_def_of(u->fn, def[0]->src[0], 2);
    return sum && sum->block == u->loop && sum->m.op == LIR_ADD64 &&
           sum->m.src[0].kind == MIR_SRC_REG && sum->src[0] == w && !sum->m.src[0].mods &&
           sum->m.src[1].kind == MIR_SRC_IMM && constant_of(sum, 1, by);
}

static bool changes_in_loop(const struct unroll *u, const struct lir_inst *in, unsigned i) {
    unsigned n = lir_src_words(in, i);
    for (const struct lir_inst *d = u->loop->first; d; d = d->next)
        for (unsigned k = 0; k < n; k++)
            if (writes(d, in->src[i] + k)) return true;
    return false;
}

/* Is the result a sum of one stepped pair and of what the loop leaves alone? How far it gets. */
static bool is_derived(const struct unroll *u, const struct lir_inst *in, int64_t *by) {
    bool wide = in->m.op == MIR_IMAD && in->m.flags == MIR_WIDE;
    if (!wide && in->m.op != LIR_ADD64) return false;
    unsigned sums = wide ? 1u << 2 : 3u; /* operands that count as they are */
    bool found = false;
    if (!lir_word_info(u->fn, in->dst)->single || !lir_word_info(u->fn, in->dst + 1)->single)
        return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        if (in->m.src[i].kind != MIR_SRC_REG || !changes_in_loop(u, in, i)) continue;
        if (found || !(sums >> i & 1) || in->m.src[i].mods || !step_of(u, in->src[i], by))
            return false;
        found = true;
    }
    return found;
}

/* ---- copies --------------------------------------------------------------------------------- */

static void put(struct unroll *u, struct lir_inst *in) {
    in->block = u->loop;
    in->prev = u->tail;
    in->next = NULL;
    if (u->tail)
        u->tail->next = in;
    else
        u->head = in;
    u->tail = in;
}

static lir_word name_of(const struct unroll *u, lir_word w) {
    return w < u->n_words && u->now[w] ? u->now[w] : w;
}

/* A word that the next copy reads by another name: the group comes along. */
static lir_word new_name(struct unroll *u, lir_word *group_name, lir_word w) {
    lir_word g = u->fn->group[w];
    if (!group_name[g]) {
        group_name[g] = lir_new_words(u->fn, u->fn->group_size[w]);
        if (u->fn->scratch[g]) lir_mark_scratch(u->fn, group_name[g]);
    }
    return group_name[g] + (w - g);
}

static void rename_reads(struct unroll *u, struct lir_inst *in) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_words(in, i);
        if (!n) continue;
        lir_word w = in->src[i], to = name_of(u, w);
        for (unsigned k = 1; k < n; k++) u->failed |= name_of(u, w + k) != to + k;
        in->src[i] = to;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint32_t p = in->psrc[i] >> 1;
        if (p && u->pred_now[p]) in->psrc[i] = u->pred_now[p] << 1 | (in->psrc[i] & 1);
    }
}

/* `group_name`: names of this copy, NULL for the last one, which writes the words themselves. */
static void rename_writes(struct unroll *u, struct lir_inst *in, lir_word *group_name) {
    unsigned n = lir_dst_words(in);
    lir_word d = in->dst;
    if (n && group_name) in->dst = new_name(u, group_name, d);
    for (unsigned k = 0; k < n; k++) u->now[d + k] = in->dst + k;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t p = in->pdst[k];
        if (!p) continue;
        if (group_name) {
            in->pdst[k] = lir_new_pred(u->fn);
            u->fn->pred_scratch[in->pdst[k]] = u->fn->pred_scratch[p];
        }
        u->pred_now[p] = in->pdst[k];
    }
}

static void copy_turn(struct unroll *u, unsigned turn) {
    struct lir_fn *fn = u->fn;
    lir_word *group_name = NULL;
    if (turn + 1 < TURNS) group_name = ARENA_ARRAY(fn->arena, lir_word, u->n_words);
    for (const struct lir_inst *from = u->loop->first; from != u->loop->last; from = from->next) {
        struct lir_inst *in = lir_inst_create(fn, from->m.op);
        int64_t by = 0;
        bool derived = is_derived(u, from, &by);
        *in = *from;
        if (derived && turn && (int32_t)(by * turn) == by * turn) {
            struct mir_inst m = from->m;
            in->m = lir_inst_create(fn, LIR_ADD64)->m;
            in->m.ptx_count = m.ptx_count;
            in->m.ptx_line = m.ptx_line;
            in->m.loc = m.loc;
            lir_set_src(in, 0, lir_reg(u->first[from->dst]));
            lir_set_src(in, 1, lir_imm((uint32_t)(by * turn)));
            lir_set_src(in, 2, (struct lir_src){.kind = MIR_SRC_NONE});
        } else {
            rename_reads(u, in);
        }
        rename_writes(u, in, group_name);
        if (derived && turn == 0) u->first[from->dst] = in->dst;
        put(u, in);
    }
    u->tail->m.ptx_count = (uint16_t)(u->tail->m.ptx_count +
                                      (turn + 1 < TURNS ? u->loop->last->m.ptx_count : 0));
}

static void unroll_loop(struct lir_fn *fn, struct lir_block *loop) {
    struct unroll u = {.fn = fn, .loop = loop, .n_words = fn->n_words, .n_preds = fn->n_preds};
    if (!is_shape(loop)) return;
    int64_t turns = turns_of(&u);
    if (turns < 2 * TURNS || turns % TURNS) return;
    u.now = ARENA_ARRAY(fn->arena, lir_word, u.n_words);
    u.first = ARENA_ARRAY(fn->arena, lir_word, u.n_words);
    u.pred_now = ARENA_ARRAY(fn->arena, uint32_t, u.n_preds);
    for (unsigned turn = 0; turn < TURNS; turn++) copy_turn(&u, turn);
    if (u.failed) return; /* the copies belong to nobody */
    struct lir_inst *branch = loop->last;
    loop->first = u.head;
    loop->last = u.tail;
    lir_append(loop, branch);
}

void lir_unroll(struct lir_fn *fn) {
    lir_cfg_build(fn);
    lir_analyze(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++) unroll_loop(fn, fn->blocks[b]);
}
