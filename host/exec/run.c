/* run.c - the interpreter: runs one warp, instruction by instruction, until its budget is used or
 * it has to wait. A warp of a cancelled launch runs the code's exit alone.
 *
 * The SM group (timed launches, timing/group_feed.c) and immediate.c call exec_warp_run() on the
 * thread that the warp belongs to.
 *
 * The loop is compiled twice, for timed and for immediate launches. The functions of the operations
 * do the work; the loop handles the guard, the record, the counts and the codes that they
 * return. */
#include "exec/memory/in_flight.h"
#include "exec/ops/lane_groups.h"
#include "exec/warp/record.h"

/* @return whether the warp can run now; if a wait is over, its status becomes EXEC_RAN. */
static bool resume(struct exec_warp *w) {
    if (w->status == EXEC_RAN) return true;
    if (!exec_warp_ready(w)) return false;
    w->status = EXEC_RAN;
    return true;
}

/* Runs at most `budget` instructions from w->pc. Changes the warp, its CTA's counts, and the trace;
 * the operations change memory and the CTA. @return w->status. */
static inline __attribute__((always_inline)) exec_status run(struct exec_warp *w, uint32_t budget,
                                                             const bool timed) {
    const struct exec_op *code = w->code, *op = code + w->pc;
    struct exec_trace *trace = w->trace;
    uint32_t active = w->active, left = budget;
    struct exec_counts *c = &w->cta->counts;
    uint64_t ptx = 0;
    while (left) {
        uint32_t mask = active & w->p[op->guard];
        if (timed) {
            if (trace && EXEC_UNLIKELY(trace->num_records + EXEC_TRACE_ROOM > trace->capacity))
                break;
            if (EXEC_UNLIKELY(w->attention) && exec_hazard(w, op, mask) != EX_NEXT) break;
        }
        if (EXEC_UNLIKELY(mask == 0)) { /* guard false in all lanes: it issues, nothing more */
            if (timed) exec_record_plain(w, op, 0, 0, 0);
            if (!(op->flags & MIR_IF)) ptx += op->ptx_count;
            left--;
            op++;
            continue;
        }
        exec_code code_of = op->fn(w, op, mask);
        if (EXEC_LIKELY(code_of == EX_NEXT)) {
            if (timed) exec_record_plain(w, op, mask, 0, 0);
        } else if (code_of >= EX_MOVED) { /* not executed */
            if (code_of != EX_MOVED) break;
            op = code + w->pc;
            active = w->active;
            continue;
        }
        left--;
        ptx += op->ptx_count;
        c->thread_inst[op->kind] += (unsigned)__builtin_popcount(mask);
        if (EXEC_LIKELY(code_of <= EX_DONE)) {
            op++;
        } else {
            op = code + w->pc;
            active = w->active;
            if (code_of == EX_STOP) break;
        }
    }
    w->pc = (uint32_t)(op - code);
    c->warp_inst += budget - left;
    w->executed += budget - left;
    c->ptx_warp_inst += ptx;
    return w->status;
}

/* Runs the warp for at most `budget` warp instructions and appends a record of each to `trace`
 * (NULL, or an immediate launch: none), which has room as exec.h says. A warp that still waits does
 * not run. Stops early when the trace is nearly full, when the warp must wait, has exited, or has a
 * fault. @return the warp's status: EXEC_RAN, EXEC_WAIT_INFLIGHT, _DRAIN, _BARRIER, EXEC_EXITED, or
 * EXEC_FAULT, where exec_cta_fault() has the fault. */
exec_status exec_warp_run(struct exec_warp *w, uint32_t budget, struct exec_trace *trace) {
    if (!resume(w)) return w->status;
    const struct exec_launch *launch = w->cta->launch;
    /* (immediate.c stops by itself, and says where the warps stand) */
    if (EXEC_UNLIKELY(w->leaves || (exec_launch_cancelled(launch) && !launch->immediate)))
        exec_leave(w);
    w->timed = !w->cta->launch->immediate;
    w->trace = w->timed ? trace : NULL;
    return w->timed ? run(w, budget, true) : run(w, budget, false);
}
