/* lir_unroll.c - which loops are unrolled, and how often: as ptxas does. lir_optimize runs the pass
 * (lir_unroll) once per level of nesting.
 *
 * Innermost loops only. The pass is repeated, so that a loop whose inner loops were unrolled in
 * full is considered next, as are inner loops whose bounds have become constants. With N iterations
 * of some weight (unroll_limits.def):
 *
 *   N known, all of it small:   N copies, no loop
 *   N known:                    N % q copies, then a loop of q iterations of N / q copies each; q
 *                               is the least for which all copies together are within the limit
 *   N unknown, until a counter  while (4 iterations are left) 4 copies; if (2 are left) 2 copies;
 *   passes a limit:             then the original loop for the rest (lir_unroll_open.c)
 *
 * Counter and branch then cost once for several iterations, addresses become offsets, and loads
 * need not wait for each other.
 *
 * The pass builds a new layout of the function's blocks (u->layout), in which copies take the place
 * of unrolled loops, and installs it at the end (redirect).
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"
#include "ptx/ir/lir_loop.h"

enum {
#define UNROLL_FULL(iterations, weight)
#define UNROLL_LIMIT(name, value, meaning) LIMIT_##name = value,
#include "ptx/ir/unroll_limits.def"
#undef UNROLL_FULL
#undef UNROLL_LIMIT
};

/* State of one run of the pass. */
struct unroll {
    struct lir_fn *fn;
    struct lir_loop loop;       /* the present one */
    struct lir_liveness live;   /* of the function before the pass */
    struct loop_blocks layout;  /* the new layout so far */
    struct lir_block **instead; /* [block id] block that replaces a header; NULL: none */
};

/* ---- weight --------------------------------------------------------------------------------- */

/* Weight of an iteration: of all its instructions; numbers of loads from shared and other
 * memory. */
struct weight {
    uint32_t all, shared, global;
};

/* @return the instruction belongs to counter, test or branch of the loop, or is a copy; these weigh
 * nothing. */
static bool is_overhead(const struct lir_loop *l, const struct lir_inst *in) {
    if (in == l->latch->last || in->m.op == MIR_MOV) return true;
    if (in->pdst[0] && in->pdst[0] == l->latch->last->guard >> 1) return true;
    if (!l->test.found) return false;
    if (l->test.wide)
        return (in->m.op == LIR_ADD64 && in->src[0] == l->test.counter) ||
               (in->pdst[0] && in->pdst[0] == l->test.low);
    return lir_dst_vregs(in) == 1 && in->dst == l->test.counter;
}

/* Operands that are neither absent nor RZ. */
static unsigned inputs(const struct lir_inst *in) {
    unsigned n = 0;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++)
        n += in->m.src[i].kind != MIR_SRC_NONE && (in->m.src[i].kind != MIR_SRC_REG || in->src[i]);
    return n;
}

/* The instruction's weight. ptxas weighs an iteration before it combines instructions, so a
 * combined instruction counts as its parts. */
static uint32_t weight_of(const struct lir_inst *in) {
    if (in->m.op >= MIR_OP_COUNT) return 1;
    switch (lir_mem(in)) {
    case MIR_MEM_RED:
    case MIR_MEM_ATOM: return LIMIT_ATOMIC;
    case MIR_MEM_BARRIER: return LIMIT_BARRIER;
    case MIR_MEM_LOAD:
    case MIR_MEM_STORE: return in->m.imm ? 2 : 1; /* the sum of the address */
    default: break;
    }
    switch (in->m.op) {
    case MIR_FFMA:
    case MIR_DFMA:
    case MIR_HFMA2: return in->contract ? 2 : 1;
    case MIR_IADD3:
    case MIR_LOP3: return inputs(in) == 3 ? 2 : 1;
    case MIR_LEA: return inputs(in) >= 2 ? 2 : 1;
    case MIR_IMAD: return in->m.flags & MIR_WIDE && inputs(in) == 3 ? 2 : 1;
    default: return 1;
    }
}

/* The weight of an iteration. */
static struct weight weigh(const struct lir_loop *l) {
    struct weight w = {0};
    for (uint32_t i = 0; i < l->n_blocks; i++) {
        w.all += l->block[i]->ghost;
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            if (is_overhead(l, in)) continue;
            w.all += weight_of(in);
            if (lir_mem(in) != MIR_MEM_LOAD) continue;
            w.shared += in->m.op == MIR_LDS;
            w.global += in->m.op != MIR_LDS;
        }
    }
    return w;
}

/* @return unroll_limits.def allows full unrolling of so many iterations of that weight. */
static bool fits_in_full(uint64_t iterations, uint32_t weight) {
#define UNROLL_FULL(t, w) \
    if (iterations <= (t)) return weight <= (w);
#define UNROLL_LIMIT(name, value, meaning)
#include "ptx/ir/unroll_limits.def"
#undef UNROLL_FULL
#undef UNROLL_LIMIT
    return false;
}

/* Iterations (q) of the loop that remains after partial unrolling; 0: it is not unrolled. */
static uint64_t iterations_left(uint64_t iterations, uint32_t weight) {
    enum { FAR = 4096 };
    if (weight > LIMIT_PART_ITERATION) return 0;
    uint64_t most = LIMIT_PART_ALL / (weight ? weight : 1);
    uint64_t q = iterations / most;
    if (q < 2) q = 2;
    for (uint64_t end = q + FAR; q < end && iterations / q >= 2; q++)
        if (iterations / q + iterations % q <= most) return q;
    return 0;
}

/* The largest weight at which a loop of unknown trip count is unrolled. */
static uint32_t open_limit(const struct weight *w) {
    uint32_t limit = LIMIT_OPEN_ITERATION + LIMIT_OPEN_SHARED * w->shared;
    if (limit > LIMIT_OPEN_MOST) limit = LIMIT_OPEN_MOST;
    return w->global && limit < LIMIT_OPEN_GLOBAL ? LIMIT_OPEN_GLOBAL : limit;
}

/* Appends blocks to the new layout. */
static void put_all(struct unroll *u, const struct loop_blocks *blocks) {
    for (uint32_t i = 0; i < blocks->n; i++)
        *ARENA_PUSH(u->fn->arena, u->layout.block, u->layout.n, u->layout.cap) = blocks->block[i];
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Appends the blocks that replace a loop of known trip count to `out`, and notes their weight or
 * that they must not be unrolled again. @return false: it stays as it is */
static bool unroll_known(struct lir_loop *l, uint64_t iterations, uint32_t weight,
                         struct loop_blocks *out) {
    if (iterations == 1 || fits_in_full(iterations, weight)) {
        if (!lir_loop_copy(l, (uint32_t)iterations, LOOP_COPY_FIRST | LOOP_COPY_LAST, out))
            return false;
        out->block[0]->ghost += 1 + LIMIT_GHOST * (uint32_t)iterations;
        return true;
    }
    uint64_t q = iterations_left(iterations, weight);
    if (q == 0 || l->breaks) return false;
    if (iterations % q && !lir_loop_copy(l, (uint32_t)(iterations % q), LOOP_COPY_FIRST, out))
        return false;
    uint32_t begin = out->n;
    if (!lir_loop_copy(l, (uint32_t)(iterations / q), LOOP_COPY_AGAIN, out)) return false;
    out->block[begin]->no_unroll = true;
    return true;
}

/* Makes liveness and the tables by vreg, predicate and block, when the first loop is found. */
static void analyze(struct unroll *u) {
    struct lir_fn *fn = u->fn;
    if (u->loop.vreg) return;
    lir_liveness_build(fn, &u->live, fn->arena);
    u->loop.vreg = ARENA_ARRAY(fn->arena, struct loop_vreg, fn->n_vregs);
    u->loop.pred = ARENA_ARRAY(fn->arena, struct loop_pred, fn->n_preds);
    u->instead = ARENA_ARRAY(fn->arena, struct lir_block *, fn->n_blocks);
}

/* Unrolls the present loop into the new layout. @return false: it stays as it is, and the layout is
 * unchanged */
static bool unroll_loop(struct unroll *u) {
    struct lir_loop *l = &u->loop;
    struct loop_blocks made = {0};
    l->inst = ARENA_ARRAY(u->fn->arena, struct loop_inst, l->latch->last->pos - l->first_pos + 1);
    lir_loop_vregs(l, &u->live);
    lir_loop_induction(l);
    struct weight w = weigh(l);
    uint64_t iterations = lir_loop_trip_count(l);
    bool done = iterations ? unroll_known(l, iterations, w.all, &made)
                           : w.all <= open_limit(&w) && lir_loop_open(l, &made);
    if (!done) return false;
    put_all(u, &made);
    u->instead[l->header->id] = made.block[0];
    return true;
}

/* Installs the new layout: branches to replaced headers get their new targets, and control flow is
 * built. */
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

/* Looks at each block as a latch, in layout order, and builds the new layout as it goes. @return it
 * unrolled a loop; then the new layout is installed */
bool lir_unroll(struct lir_fn *fn) {
    struct unroll u = {.fn = fn};
    uint32_t done = 0; /* blocks already in the new layout, or replaced there */
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
