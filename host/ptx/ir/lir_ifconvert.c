/* lir_ifconvert.c - fewer branches: short blocks become guarded, two branches become one.
 * ptx_compile.c runs the pass (lir_if_convert) once per kernel, behind lir_optimize.
 *
 * A short block that a branch jumps over becomes guarded instructions:
 *
 *       @p BRA M            @!p a
 *       a            ==>    @!p b
 *       b
 *    M:                     M:
 *
 * NVIDIA's compiler does the same: it saves the branch and the convergence barrier. The PTX count
 * of the guarded instructions holds only when a lane executes them (MIR_IF).
 *
 * A branch over nothing but a jump, as the end of loops often is, takes the jump's target:
 *
 *       @p BRA M; BRA L; M:    ==>    @!p BRA L; M:
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_liveness.h"
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

enum { MAX_LENGTH = 6, MAX_ROUNDS = 4 }; /* instructions of a guarded block; levels of nesting */

/* @return the instruction may get a guard on predicate p: it has none, does not write p, and acts
 * on each lane alone. */
static bool can_be_guarded(const struct lir_inst *in, uint32_t p) {
    enum { /* slow paths are subroutines on hardware */
           NEVER = MIR_CALLS | MIR_SLOW_PATH | MIR_CONVERGENCE | MIR_EXCHANGE | MIR_PAUSE |
                   MIR_ALL_PREDICATES
    };
    if (in->guard != LIR_PT || in->pdst[0] == p || in->pdst[1] == p) return false;
    if (lir_traits(in) & NEVER || mir_class_pipe(lir_class(in)) == MIR_PIPE_TENSOR) return false;
    mir_mem m = lir_mem(in);
    return m != MIR_MEM_BARRIER && m != MIR_MEM_FENCE && m != MIR_MEM_CLOCK && m != MIR_MEM_SYS;
}

/* The block behind `b` if the branch at b's end jumps over it and nothing else, and it is short and
 * can be guarded; else NULL. */
static struct lir_block *skipped(const struct lir_fn *fn, const struct lir_block *b) {
    const struct lir_inst *bra = b->last;
    if (!bra || bra->m.op != MIR_BRA || bra->guard == LIR_PT || b->id + 2 >= fn->n_blocks)
        return NULL;
    struct lir_block *then = fn->blocks[b->id + 1];
    if (bra->targets[0] != fn->blocks[b->id + 2]) return NULL;
    if (then->n_pred != 1 || then->n_succ != 1 || then->succ[0] != bra->targets[0]) return NULL;
    uint32_t p = bra->guard >> 1;
    unsigned n = 0;
    for (const struct lir_inst *in = then->first; in; in = in->next) {
        if (lir_is_terminator(in)) {
            if (in->m.op != MIR_BRA || in->guard != LIR_PT) return NULL;
            continue; /* to the block that follows anyway */
        }
        if (++n > MAX_LENGTH || !can_be_guarded(in, p)) return NULL;
    }
    return then;
}

/* @return lanes that skip the block must keep the old value of its result, `name` as in
 * lir_liveness. They need not if no value is live before the block: a value live behind it then has
 * this definition alone, and lanes that skip it have none, unless they passed it in an earlier
 * iteration of a loop (`again`). */
static bool keeps_old(const struct lir_liveness *live, const struct lir_block *then,
                      const struct lir_block *behind, uint32_t name, bool again) {
    return lir_live_name(live, live->in[then->id], name) ||
           (again && lir_live_name(live, live->in[behind->id], name));
}

/* Moves the instructions of `then` to the end of `b`, under the opposite of its branch's guard, and
 * removes the branch. Marks results scratch whose old value nothing needs. Control flow and
 * lir_analyze become stale. */
static void convert(struct lir_fn *fn, struct lir_block *b, struct lir_block *then,
                    const struct lir_liveness *live) {
    struct lir_inst *bra = b->last;
    lir_pref guard = lir_pnot(bra->guard);
    const struct lir_block *behind = bra->targets[0];
    const bool again = lir_leads_to(fn, then, b);
    if (then->last && lir_is_terminator(then->last)) lir_remove(then->last);
    if (then->lost_count) {
        if (!then->first) {
            struct lir_inst *nop = lir_inst_create(fn, MIR_NOP);
            nop->m.ptx_line = then->lost_line;
            nop->m.loc = then->lost_loc;
            lir_append(then, nop);
        }
        then->first->m.ptx_count = (uint16_t)(then->first->m.ptx_count + then->lost_count);
        then->lost_count = 0;
    }
    lir_remove(bra);
    for (struct lir_inst *in = then->first, *next; in; in = next) {
        next = in->next;
        in->guard = guard;
        in->m.flags |= MIR_IF;
        unsigned n = lir_dst_vregs(in);
        for (unsigned k = 0; k < n; k++) {
            lir_vreg w = in->dst + k;
            if (fn->vreg_info[w].n_def == 1 && !keeps_old(live, then, behind, w, again))
                fn->scratch[w] = true;
        }
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t p = in->pdst[k], name = live->n_vregs + p;
            if (p && fn->pred_info[p].n_def == 1 && !keeps_old(live, then, behind, name, again))
                fn->pred_scratch[p] = true;
        }
        lir_unlink(in);
        lir_append(b, in);
    }
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
            struct lir_block *then = skipped(fn, fn->blocks[i]);
            if (!then) continue;
            convert(fn, fn->blocks[i], then, &live);
            changed = true;
            i++; /* the block that was jumped over is empty now */
        }
        if (!changed) break;
        lir_cfg_build(fn);
        lir_merge_blocks(fn);
    }
}
