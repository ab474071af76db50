/* lir_ifconvert.c - fewer branches: short blocks become guarded, two branches become one.
 * ptx_compile.c runs the pass (lir_if_convert) once per kernel, behind lir_optimize.
 *
 * Short sides of a branch become guarded instructions, the side that is jumped over and, where
 * there is one, that which is jumped to:
 *
 *       @p BRA T                              @p BRA M
 *       a            @!p a                    a            @!p a
 *       BRA M   ==>  @p  b                 M:         ==>
 *    T: b
 *    M:
 *
 * NVIDIA's compiler does the same: it saves the branch and the convergence barrier, and loads of
 * both sides, and of what follows, are in flight together. Its limits were found with ptxas 13.0
 * for sm_75, sm_80 and sm_90, by sides of 0 to 30 FFMAs, IMADs, DFMAs, loads, stores, and mixtures
 * of them: both sides and the jump between them have at most 20 instructions, no atomic is among
 * them, and something follows: before the kernel's end lanes that skip the rest end at once. The
 * PTX count of the guarded instructions holds only when a lane executes them (MIR_IF).
 *
 * Where a side has a guard of its own, the comparison that makes it takes in the guard of
 * the side (as its third operand) and runs in all lanes:
 *
 *       @p BRA M; FSETP q, a, b, PT; @q c; M:    ==>    FSETP q, a, b, !p; @q c
 *
 * A branch over nothing but a jump, as the end of loops often is, takes the jump's target:
 *
 *       @p BRA M; BRA L; M:    ==>    @!p BRA L; M:
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_liveness.h"
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

enum { MAX_LENGTH = 20, MAX_ROUNDS = 4 }; /* instructions of both sides; levels of nesting */

/* A branch and what it decides about. */
struct fork {
    struct lir_block *b;      /* ends in the branch */
    struct lir_block *then;   /* the block behind b, which the branch jumps over */
    struct lir_block *other;  /* the block behind that, if it is the branch's target and leads
                              * where `then` leads; NULL: the branch leads there itself */
    struct lir_block *behind; /* where lanes meet */
};

/* The comparison in block `side` that makes the instruction's guard, if it may take in the guard of
 * the side: then the instruction needs no other one. NULL: the guard is another. */
static struct lir_inst *maker_of(const struct lir_fn *fn, const struct lir_inst *in,
                                 const struct lir_block *side) {
    const struct lir_info *info = &fn->pred_info[in->guard >> 1];
    struct lir_inst *d = info->def;
    if (!info->single || d->block != side || in->m.ptx_count || in->guard & 1) return NULL;
    if (d->m.op != MIR_ISETP && d->m.op != MIR_FSETP && d->m.op != MIR_DSETP) return NULL;
    return d->psrc[0] == LIR_PT && d->m.bop == MIR_AND ? d : NULL;
}

/* @return the instruction of block `side` may get a guard on predicate p: it does not write p, acts
 * on each lane alone, and has no guard but of the kind above. */
static bool can_be_guarded(const struct lir_fn *fn, const struct lir_inst *in,
                           const struct lir_block *side, uint32_t p) {
    enum { /* slow paths are subroutines on hardware */
           NEVER = MIR_CALLS | MIR_SLOW_PATH | MIR_CONVERGENCE | MIR_EXCHANGE | MIR_PAUSE |
                   MIR_ALL_PREDICATES
    };
    if (in->guard != LIR_PT && !maker_of(fn, in, side)) return false;
    if (in->pdst[0] == p || in->pdst[1] == p) return false;
    if (lir_traits(in) & NEVER || mir_class_pipe(lir_class(in)) == MIR_PIPE_TENSOR) return false;
    mir_mem m = lir_mem(in);
    return m != MIR_MEM_BARRIER && m != MIR_MEM_FENCE && m != MIR_MEM_CLOCK && m != MIR_MEM_SYS &&
           m != MIR_MEM_ATOM && m != MIR_MEM_RED;
}

/* @return the number of the block's instructions, an unconditional branch at its end included,
 * unless that leads to the next block; MAX_LENGTH + 1: too many, or one cannot be guarded. */
static unsigned length_of(const struct lir_fn *fn, const struct lir_block *side, uint32_t p) {
    unsigned n = 0;
    for (const struct lir_inst *in = side->first; in; in = in->next) {
        if (lir_is_terminator(in)) {
            if (in->m.op != MIR_BRA || in->guard != LIR_PT) return MAX_LENGTH + 1;
            if (in->targets[0] != fn->blocks[side->id + 1]) n++;
        } else if (++n > MAX_LENGTH || !can_be_guarded(fn, in, side, p)) {
            return MAX_LENGTH + 1;
        }
    }
    return n;
}

/* @return one way leads into the block, from b, and one out of it, to `behind`. */
static bool lies_between(const struct lir_block *side, const struct lir_block *behind) {
    return side->n_pred == 1 && side->n_succ == 1 && side->succ[0] == behind;
}

/* Finds the sides of the branch at the end of `b`. @return they are short and can be guarded. */
static bool find_fork(const struct lir_fn *fn, struct lir_block *b, struct fork *f) {
    const struct lir_inst *bra = b->last;
    if (!bra || bra->m.op != MIR_BRA || bra->guard == LIR_PT || b->id + 2 >= fn->n_blocks)
        return false;
    const uint32_t p = bra->guard >> 1;
    *f = (struct fork){b, fn->blocks[b->id + 1], NULL, bra->targets[0]};
    if (bra->targets[0] != fn->blocks[b->id + 2]) return false;
    if (lies_between(f->then, f->behind)) /* lanes that skip all the rest rather end */
        return !lir_only_exits(f->behind) && length_of(fn, f->then, p) <= MAX_LENGTH;
    if (b->id + 3 >= fn->n_blocks) return false;
    f->other = f->behind;
    f->behind = fn->blocks[b->id + 3];
    return !lir_only_exits(f->behind) && lies_between(f->then, f->behind) &&
           lies_between(f->other, f->behind) &&
           length_of(fn, f->then, p) + length_of(fn, f->other, p) <= MAX_LENGTH;
}

/* What lanes that skip a side still need. */
struct skipping {
    const struct lir_liveness *live;
    const struct lir_block *side, *instead, *behind; /* they go to `instead` */
    bool again; /* lanes may come to the side again, in a loop */
};

/* @return lanes that skip the side must keep the old value of `name` (as in lir_liveness), which
 * `n_def` instructions define. They need not if it is dead where they go; or if the side has the
 * only definition and the value is not live before it, for they have none then, unless they passed
 * it in an earlier iteration. */
static bool keeps_old(const struct skipping *s, uint32_t name, uint32_t n_def) {
    if (!lir_live_name(s->live, s->live->in[s->instead->id], name)) return false;
    if (n_def > 1 || lir_live_name(s->live, s->live->in[s->side->id], name)) return true;
    return s->again && lir_live_name(s->live, s->live->in[s->behind->id], name);
}

/* Marks the instruction's results of which no lane that skips it needs an old value. */
static void mark_fresh(const struct lir_fn *fn, const struct skipping *s, struct lir_inst *in) {
    in->fresh = true;
    const unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++)
        if (keeps_old(s, in->dst + k, fn->vreg_info[in->dst + k].n_def)) in->fresh = false;
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t p = in->pdst[k];
        if (p && keeps_old(s, s->live->n_vregs + p, fn->pred_info[p].n_def)) in->fresh = false;
    }
}

/* Gives the PTX count that the side lost with removed instructions to its first one. */
static void settle_count(struct lir_fn *fn, struct lir_block *side) {
    if (!side->lost_count) return;
    if (!side->first) {
        struct lir_inst *nop = lir_inst_create(fn, MIR_NOP);
        nop->m.ptx_line = side->lost_line;
        nop->m.loc = side->lost_loc;
        lir_append(side, nop);
    }
    side->first->m.ptx_count = (uint16_t)(side->first->m.ptx_count + side->lost_count);
    side->lost_count = 0;
}

/* `in` has a guard of its own: lets the comparison that makes it, which stands before `in` under
 * the side's `guard`, run in all lanes and take in the side's guard instead. What both count counts
 * with another instruction under the side's guard. */
static void take_guard_in(struct lir_fn *fn, struct lir_inst *in, lir_pref guard) {
    struct lir_inst *comparison = fn->pred_info[in->guard >> 1].def, *heir = comparison->next;
    while (heir != in && heir->guard != guard) heir = heir->next;
    if (heir == in) {
        heir = lir_new_before(fn, in, MIR_NOP);
        heir->guard = guard;
        heir->m.flags |= MIR_IF;
    }
    heir->m.ptx_count = (uint16_t)(heir->m.ptx_count + in->m.ptx_count + comparison->m.ptx_count);
    in->m.ptx_count = comparison->m.ptx_count = 0;
    comparison->m.flags &= (uint16_t)~MIR_IF;
    comparison->guard = LIR_PT;
    comparison->psrc[0] = guard;
    comparison->fresh = false;
}

/* Moves the instructions of `side` to the end of `b`, under `guard`. `s`: lanes that skip it. */
static void move_side(struct lir_fn *fn, struct lir_block *b, struct lir_block *side,
                      lir_pref guard, const struct skipping *s) {
    if (side->last && lir_is_terminator(side->last)) lir_remove(side->last);
    settle_count(fn, side);
    for (struct lir_inst *in = side->first, *next; in; in = next) {
        next = in->next;
        lir_unlink(in);
        lir_append(b, in);
        if (in->guard != LIR_PT) {
            take_guard_in(fn, in, guard);
            continue;
        }
        in->guard = guard;
        in->m.flags |= MIR_IF;
        mark_fresh(fn, s, in);
    }
}

/* Moves the sides to the end of the block with the branch, and removes the branch. Control flow
 * and lir_analyze become stale. */
static void convert(struct lir_fn *fn, const struct fork *f, const struct lir_liveness *live) {
    struct lir_inst *bra = f->b->last;
    const lir_pref taken = bra->guard;
    const bool again = lir_leads_to(fn, f->then, f->b);
    const struct skipping then = {live, f->then, f->other ? f->other : f->behind, f->behind, again};
    lir_remove(bra);
    move_side(fn, f->b, f->then, lir_pnot(taken), &then);
    if (!f->other) return;
    /* lanes of `then` come by here, with all that they take along */
    const struct skipping other = {live, f->other, f->behind, f->behind, again};
    move_side(fn, f->b, f->other, taken, &other);
}

/* Replaces the branch at the end of blocks[i] and the jump behind it by one branch with the
 * opposite guard. @return false: they do not have that form */
static bool turn_round(struct lir_fn *fn, uint32_t i) {
    if (i + 2 >= fn->n_blocks) return false;
    struct lir_block *b = fn->blocks[i], *jump = fn->blocks[i + 1];
    struct lir_inst *bra = b->last, *to = jump->first;
    if (!bra || bra->m.op != MIR_BRA || bra->guard == LIR_PT) return false;
    if (!to || to->next || to->m.op != MIR_BRA || to->guard != LIR_PT || jump->n_pred != 1)
        return false;
    if (bra->targets[0] != fn->blocks[i + 2]) return false;
    lir_pref guard = lir_pnot(bra->guard);
    if (bra->prev) {
        lir_remove(bra); /* its count goes to the instruction before, which always runs with it */
        lir_unlink(to);
        to->m.flags |= MIR_IF;
        to->m.ptx_count = (uint16_t)(to->m.ptx_count + jump->lost_count);
    } else { /* the jump's count goes to where it leads, if no other way leads there */
        struct lir_block *there = to->targets[0];
        if (there->n_pred != 1) return false;
        there->lost_count += to->m.ptx_count + jump->lost_count;
        there->lost_line = to->m.ptx_line;
        there->lost_loc = to->m.loc;
        lir_unlink(bra);
        lir_unlink(to);
        to->m.ptx_count = bra->m.ptx_count;
    }
    to->guard = guard;
    jump->lost_count = 0;
    lir_append(b, to);
    return true;
}

/* Turns branches over jumps round, then guards short blocks, again and again as inner blocks
 * vanish. Builds control flow anew after each round that changed something. */
void lir_if_convert(struct lir_fn *fn) {
    bool turned = false;
    for (uint32_t i = 0; i < fn->n_blocks; i++) turned |= turn_round(fn, i);
    if (turned) {
        lir_cfg_build(fn);
        lir_merge_blocks(fn);
    }
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        struct lir_liveness live;
        bool changed = false;
        lir_analyze(fn);
        lir_liveness_build(fn, &live, fn->arena);
        for (uint32_t i = 0; i < fn->n_blocks; i++) {
            struct fork f;
            if (!find_fork(fn, fn->blocks[i], &f)) continue;
            convert(fn, &f, &live);
            changed = true;
            i += f.other ? 2 : 1; /* the sides are empty now */
        }
        if (!changed) break;
        lir_cfg_build(fn);
        lir_merge_blocks(fn);
    }
}
