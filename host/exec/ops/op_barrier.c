/* op_barrier.c - executes CTA barriers and fences.
 *
 * exec_op_BAR() and exec_op_MEMBAR() execute the rows BAR and MEMBAR of tables/mir_ops.def; the
 * interpreter (run.c) calls them on the thread that runs the CTA. exec_op_EXIT() (op_control.c)
 * calls the two public functions. A barrier's state lies in the CTA (struct exec_barrier). The last
 * warp that arrives releases the others: it sets their status, active lanes, pc and results. Faults
 * are reported by exec_raise(), which fills in the CTA's fault, sets the warp's status and returns
 * EX_FAULT.
 *
 * A thread at BAR first waits for the other live threads of its warp, then the warp arrives as one
 * (PTX, barrier). A barrier without a thread count completes when all live warps have arrived; a
 * barrier with a count, when that many have arrived. RED combines the predicates of the threads
 * that arrive. */
#include "exec/ops/op_barrier.h"
#include "exec/check/fault.h"
#include "exec/check/global_race.h"
#include "exec/check/shadow.h"
#include "exec/memory/in_flight.h"
#include "exec/ops/lane_groups.h"
#include "exec/warp/operand_macros.h"
#include "exec/warp/record.h"

/* True if as many warps have arrived as the barrier expects. */
static bool complete(const struct exec_cta *cta, const struct exec_barrier *b) {
    return b->arrived >= (b->expected ? b->expected : cta->live_warps);
}

/* RED: writes the combined predicate of b, or its count of threads, to the destinations of op in
 * these lanes of w. Other modes have no result. */
static void put_result(struct exec_warp *w, const struct exec_op *op, const struct exec_barrier *b,
                       uint32_t lanes) {
    if (op->sub < MIR_BAR_RED_POPC) return;
    bool p = op->sub == MIR_BAR_RED_AND ? !b->not_all : b->any;
    exec_put_pred(w, op->pdst[0], p ? UINT32_MAX : 0, lanes);
    reg_fill(exec_dst(w, op), op->sub == MIR_BAR_RED_POPC ? b->popc : p, lanes);
}

/* Gives the lanes of w at the barrier their result and lets them run: sets active and pc, clears
 * the warp's barrier state, and makes its status EXEC_RAN. Lanes that came apart go on in groups
 * (exec_choose()). */
static void release_warp(struct exec_warp *w, const struct exec_barrier *b) {
    if (w->bar_whole) {
        put_result(w, &w->code[w->bar_pc], b, w->at_bar);
        w->active = w->at_bar;
        w->pc = w->bar_pc + 1;
    } else {
        EACH_SET(l, w->at_bar) {
            put_result(w, &w->code[w->lane_pc[l]], b, UINT32_C(1) << l);
            w->lane_pc[l]++;
        }
    }
    bool whole = w->bar_whole;
    w->at_bar = 0;
    w->bar_waits = w->bar_whole = false;
    w->bar_pred = 0;
    if (w->status == EXEC_WAIT_BARRIER) w->status = EXEC_RAN;
    if (!whole) exec_choose(w);
}

/* Releases all warps that wait at b and clears it; tells the shadow memory, if there is one. */
static void release_all(struct exec_cta *cta, struct exec_barrier *b) {
    unsigned id = (unsigned)(b - cta->barrier);
    EACH_SET(i, b->waiting) {
        if (cta->shadow) exec_shadow_leave(&cta->warp[i], id);
        release_warp(&cta->warp[i], b);
    }
    if (cta->shadow) exec_shadow_renew(cta, id);
    *b = (struct exec_barrier){0};
}

/* The warp arrives at barrier w->bar_id if all its live lanes stand there (w->at_bar), once; the
 * last warp to arrive releases all, and MIR_BAR_ARV does not wait. Tells the shadow memory, if
 * there is one. @return true if the warp arrived in this call; then its lanes may already run again
 * (w->at_bar is 0). */
bool exec_barrier_check(struct exec_warp *w) {
    struct exec_cta *cta = w->cta;
    struct exec_barrier *b = &cta->barrier[w->bar_id];
    if (!w->at_bar || w->live & ~w->at_bar || w->bar_waits) return false;
    if (cta->shadow) exec_shadow_arrive(w, w->bar_id);
    b->expected = w->bar_expected;
    b->arrived++;
    b->popc += (uint32_t)__builtin_popcount(w->bar_pred & w->at_bar);
    b->any |= (w->bar_pred & w->at_bar) != 0;
    b->not_all |= (w->bar_pred & w->at_bar) != w->at_bar;
    if (w->bar_mode == MIR_BAR_ARV) {
        release_warp(w, b);
    } else {
        w->bar_waits = true;
        b->waiting |= UINT32_C(1) << w->index;
    }
    if (complete(cta, b)) release_all(cta, b);
    return true;
}

/* A warp of the CTA has ended, and cta->live_warps is already less: releases every barrier that is
 * complete without it. */
void exec_barrier_exit(struct exec_cta *cta) {
    for (unsigned i = 0; i < CTA_BARRIERS; i++) {
        struct exec_barrier *b = &cta->barrier[i];
        if (b->waiting && complete(cta, b)) release_all(cta, b);
    }
}

/* Sets *value to r in the first lane of mask. @return false: lanes of mask differ. */
static bool uniform(const warp_reg *r, uint32_t mask, uint32_t *value) {
    *value = r->u[__builtin_ctz(mask)];
    EACH_SET(l, mask) {
        if (r->u[l] != *value) return false;
    }
    return true;
}

/* EXEC_CHECK_SYNC: an aligned barrier demands that all threads of a warp arrive at the same
 * instruction, at any time. PTX leaves open what happens else. GPUs since Volta enforce bar.sync
 * per thread (NVIDIA's tuning guide for Volta): a thread waits for those of its warp that have not
 * exited, wherever they arrive. So the launch goes on if it has a list of findings. @return
 * EX_NEXT, or EX_FAULT: a lane waits at another instruction. */
static exec_code check_whole(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (!(w->cta->launch->checks & EXEC_CHECK_SYNC && op->flags & MIR_WHOLE)) return EX_NEXT;
    EACH_SET(l, w->at_bar) {
        if (w->lane_pc[l] == exec_pc(w, op)) continue;
        exec_status before = w->status;
        exec_raise(w, op, mask, HEDDLE_ERR_BARRIER,
                   "threads of a warp stand at different barriers");
        exec_fault_other(w->cta, false, w->index * MIR_WARP_SIZE + l, w->lane_pc[l]);
        return exec_found(w, before);
    }
    return EX_NEXT;
}

/* The lanes of mask reach CTA barrier a (imm if absent), for b threads if given; sub is the mode.
 * With timing first waits for posted and pending operations (EX_HELD). Writes the record, with
 * EXEC_REC_ARRIVE if the warp is complete with these lanes. Returns EX_STOP when the whole warp
 * waits, else EX_JUMP, with active and pc set. Lanes or warps that name different barriers, counts
 * or modes raise HEDDLE_ERR_BARRIER. */
exec_code exec_op_BAR(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg ta, tb;
    uint32_t id = (uint32_t)op->imm, threads = 0;
    if ((op->has_src & 1 && !uniform(exec_src(w, op, 0, &ta), mask, &id)) ||
        (op->has_src & 2 && !uniform(exec_src(w, op, 1, &tb), mask, &threads)))
        return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER, "lanes name different barriers");
    if (id >= CTA_BARRIERS)
        return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER, "there are 16 barriers, 0 to 15");
    if (op->sub > MIR_BAR_RED_OR)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "mode of BAR");
    if (op->has_src & 2 &&
        (threads == 0 || threads % MIR_WARP_SIZE || threads > EXEC_MAX_WARPS * MIR_WARP_SIZE))
        return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER,
                          "thread count is not a multiple of 32 up to 1,024");
    const bool goes_on = w->cta->launch->findings != NULL;
    if (!goes_on && check_whole(w, op, mask) != EX_NEXT) return EX_FAULT;
    uint8_t expected = (uint8_t)(threads / MIR_WARP_SIZE);
    if (op->sub == MIR_BAR_ARV && !expected)
        return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER, "arrival without a thread count");
    const struct exec_barrier *b = &w->cta->barrier[id];
    if (b->arrived && b->expected != expected)
        return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER,
                          "warps arrive at a barrier with different thread counts");
    if (w->at_bar && (w->bar_id != id || w->bar_mode != op->sub || w->bar_expected != expected))
        return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER,
                          "lanes of a warp arrive at different barriers");
    uint8_t wait = 0;
    if (w->timed && exec_order_point(w, op, HAZARD_DRAIN | HAZARD_PENDING, &wait) != EX_NEXT)
        return EX_HELD;
    if (goes_on) check_whole(w, op, mask); /* only now, so that it is counted once */

    w->bar_id = (uint8_t)id;
    w->bar_mode = op->sub;
    w->bar_expected = expected;
    w->bar_pred |= w->p[op->psrc[0]] & mask;
    w->at_bar |= mask;
    bool arrives = (w->live & ~w->at_bar) == 0;
    exec_record_plain(w, op, mask, wait, arrives ? EXEC_REC_ARRIVE : 0);
    if (w->trace) {
        struct exec_record *r = &w->trace->record[w->trace->num_records - 1];
        r->bar.id = (uint8_t)id;
        r->bar.warps = expected;
    }
    uint32_t pc = exec_pc(w, op);
    w->bar_pc = pc;
    w->bar_whole = mask == w->live;
    if (!w->bar_whole) {
        exec_park(w, w->active & ~mask, pc + 1);
        exec_park(w, mask, pc); /* release_warp() finds the destinations there and adds 1 */
    }
    exec_barrier_check(w);
    if (!w->at_bar) return EX_JUMP; /* released: active and pc are set */
    if (w->bar_whole) {
        w->active = 0;
        w->status = EXEC_WAIT_BARRIER;
        return EX_STOP;
    }
    return exec_go_on(w, op, mask);
}

/* A fence: with timing waits until posted and pending operations of the warp have been performed
 * (EX_HELD). Tells the race checks, if there are any, and writes the record. Other CTAs have to see
 * what the warp has stored, so a wide fence waits for all acknowledgements, those of plain stores
 * too, which have been performed already. */
exec_code exec_op_MEMBAR(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    uint8_t wait = 0;
    if (w->timed && exec_order_point(w, op, HAZARD_DRAIN | HAZARD_PENDING, &wait) != EX_NEXT)
        return EX_HELD;
    if (exec_is_wide(op)) wait |= EXEC_WAIT_POSTED;
    if (EXEC_UNLIKELY(w->cta->shadow)) exec_shadow_order(w);
    if (EXEC_UNLIKELY(w->cta->race)) exec_race_fence(w, op);
    exec_record_plain(w, op, mask, wait, 0);
    return EX_DONE;
}
