/* op_control.c - executes branches, calls, exit, trap, and instructions that only take time.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). Branches and exits set the
 * warp's active lanes and pc, park the other lanes in lane_pc (exec_park()), and return EX_JUMP, or
 * EX_STOP when no lane can run. All but NOP and TRAP append their record to the warp's trace
 * themselves. Faults are reported by exec_raise(), which fills in the CTA's fault, sets the warp's
 * status and returns EX_FAULT. */
#include "exec/check/fault.h"
#include "exec/memory/in_flight.h"
#include "exec/ops/lane_groups.h"
#include "exec/ops/op_barrier.h"
#include "exec/warp/exec_state.h"
#include "exec/warp/record.h"

/* The lanes of mask go to imm, the others on to the next instruction. After a forward branch that
 * divides the warp the others run first, after a backward one the lanes of mask; in a loop with
 * YIELD those that leave it. */
exec_code exec_op_BRA(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    uint32_t pc = exec_pc(w, op), target = (uint32_t)op->imm, rest = w->active & ~mask;
    exec_record_plain(w, op, mask, 0, rest ? EXEC_REC_DIVERGED : 0);
    if (!rest) {
        if (target <= pc && w->active != w->live) return exec_backward(w, target);
        w->pc = target;
        return EX_JUMP;
    }
    if (w->yielded & w->active) {
        const uint32_t leave = target <= pc ? rest : mask, stay = w->active & ~leave;
        exec_park(w, stay, target <= pc ? target : pc + 1);
        w->yielded &= ~leave;
        w->active = leave;
        w->pc = target <= pc ? pc + 1 : target;
        return EX_JUMP;
    }
    if (target <= pc) { /* the loop goes on first, so that lanes that leave it meet behind it */
        exec_park(w, rest, pc + 1);
        w->active = mask;
        return exec_backward(w, target);
    }
    exec_park(w, mask, target);
    w->active = rest;
    w->pc = pc + 1;
    return EX_JUMP;
}

/* Each lane of mask goes to the instruction index in `target`. The first lane and those with the
 * same target run first. An index beyond the code raises ILLEGAL_ADDRESS with the index as
 * address. */
static exec_code branch_lanes(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                              const warp_reg *target) {
    uint32_t limit = w->cta->program->num_inst;
    EACH_SET(l, mask) {
        if (target->u[l] >= limit) {
            exec_raise(w, op, UINT32_C(1) << l, HEDDLE_ERR_ILLEGAL_ADDRESS,
                       "indirect branch to an instruction that is not there");
            w->cta->fault.address = target->u[l];
            return EX_FAULT;
        }
    }
    uint32_t pc = exec_pc(w, op), first = target->u[__builtin_ctz(mask)], with = 0;
    EACH_SET(l, mask) with |= (uint32_t)(target->u[l] == first) << l;
    exec_record_plain(w, op, mask, 0, with == w->active ? 0 : EXEC_REC_DIVERGED);
    exec_park(w, w->active & ~mask, pc + 1);
    EACH_SET(l, mask) w->lane_pc[l] = target->u[l];
    w->active = with;
    if (first <= pc && w->active != w->live) return exec_backward(w, first);
    w->pc = first;
    return EX_JUMP;
}
/* Indirect branch to index a. */
exec_code exec_op_BRX(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg t;
    return branch_lanes(w, op, mask, exec_src(w, op, 0, &t));
}
/* Return to index a, the low word of the pair that CALL has written. */
exec_code exec_op_RET(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg t[2];
    return branch_lanes(w, op, mask, exec_src(w, op, 0, t));
}
/* d: = index of the next instruction; then branches to imm. */
exec_code exec_op_CALL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg *d = exec_dst(w, op);
    reg_fill(d, exec_pc(w, op) + 1, mask);
    if (op->dst_words > 1) reg_fill(d + 1, 0, mask);
    return exec_op_BRA(w, op, mask);
}

/* The lanes of mask end. The last lanes of the warp, with timing, first wait until all operations
 * of the warp that are in flight have been performed (EX_HELD), and reduce the CTA's live warps.
 * Lanes at convergence barriers, warp syncs and CTA barriers that waited for the lanes of mask are
 * released. */
exec_code exec_op_EXIT(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    uint8_t wait = 0;
    if (w->timed && w->live == mask &&
        exec_order_point(w, op, HAZARD_DRAIN | HAZARD_PENDING | HAZARD_CLOCKS, &wait) != EX_NEXT)
        return EX_HELD;
    exec_record_plain(w, op, mask, wait, w->live == mask ? EXEC_REC_END : 0);
    w->live &= ~mask;
    w->spins = w->plain_spins = 0;
    if (w->live == 0) {
        w->cta->live_warps--;
        exec_barrier_exit(w->cta);
        return exec_choose(w);
    }
    exec_recheck(w);
    if (w->active & ~mask || !w->at_bar) return exec_go_on(w, op, mask);
    /* The remaining lanes may all stand at a CTA barrier: then the warp arrives now. */
    if (w->trace && !(w->live & ~w->at_bar)) {
        struct exec_record *r = &w->trace->record[w->trace->num_records - 1];
        r->flags |= EXEC_REC_ARRIVE;
        r->bar.id = w->bar_id;
        r->bar.warps = w->bar_expected;
    }
    exec_barrier_check(w);
    return w->at_bar ? exec_choose(w) : EX_JUMP; /* released: active and pc are set */
}

/* Raises HEDDLE_ERR_TRAP; MIR_TRAP_STACK: an alloca beyond the stack. */
exec_code exec_op_TRAP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub != MIR_TRAP_STACK) return exec_raise(w, op, mask, HEDDLE_ERR_TRAP, NULL);
    exec_raise(w, op, mask, HEDDLE_ERR_ILLEGAL_ADDRESS,
               "alloca or stackrestore goes beyond the thread's stack of 8 KiB");
    w->cta->fault.space = MIR_SPACE_LOCAL;
    return EX_FAULT;
}

/* Does nothing. */
exec_code exec_op_NOP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    (void)w;
    (void)op;
    (void)mask;
    return EX_NEXT;
}

/* Has no effect here, but is issued. */
exec_code exec_op_ULDC(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    exec_record_plain(w, op, mask, 0, 0);
    return EX_NEXT;
}

/* Lets another group of lanes of the warp run first. */
exec_code exec_op_YIELD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    exec_record_plain(w, op, mask, 0, 0);
    return exec_yield(w, exec_pc(w, op) + 1);
}

/* Records the shortest sleep of the lanes of mask, in nanoseconds, advances the clock of an
 * immediate launch (w->clock) by it, and yields to other lanes. */
exec_code exec_op_NANOSLEEP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg t;
    const warp_reg *a = exec_src(w, op, 0, &t);
    uint32_t shortest = UINT32_MAX; /* PTX: all wake up together, none has slept too long */
    EACH_SET(l, mask) shortest = a->u[l] < shortest ? a->u[l] : shortest;
    w->clock += shortest;
    exec_record_plain(w, op, mask, 0, 0);
    if (w->trace) w->trace->record[w->trace->num_records - 1].nanoseconds = shortest;
    return exec_yield(w, exec_pc(w, op) + 1);
}
