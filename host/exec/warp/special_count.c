/* special_count.c - counts how often a launch executes its special operations: replaces the
 * functions of tagged instructions by one that counts; see special_count.h. Runs in the executor.
 * program.c prepares a launch's program on one thread, before its CTAs run; cta.c asks for the
 * bytes of a CTA's counts, and adds them to the launch's with atomics when the CTA is released, on
 * the thread that releases it. Sums do not depend on the order. */
#include "exec/warp/special_count.h"

#include "common/memory.h"
#include "mir/mir_special.h"

/* The exec_fn of a tagged instruction: executes it by its own function, and adds the lanes of
 * `mask` to the CTA's counts (w->cta->special), unless it was not executed or faulted. @return the
 * code of its own function. The CTA runs on one thread at a time. */
static exec_code counted(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const struct exec_tagged *t = &w->cta->program->tagged[exec_pc(w, op)];
    struct exec_special *s = &w->cta->special[t->place];
    exec_code code = t->fn(w, op, mask);
    if (EXEC_UNLIKELY(code >= EX_MOVED)) return code;
    s->warps += t->counts & 1;
    s->threads += (unsigned)__builtin_popcount(mask & t->counts);
    s->slow_threads += (unsigned)__builtin_popcount(mask & t->slow);
    return code;
}

/* Replaces the functions of the program's tagged instructions by counted() and allocates p->tagged,
 * which the owner of the program frees. Does nothing if the launch wants no counts or the function
 * has no special operation. Out of memory ends the process. */
void exec_special_prepare(struct exec_program *p, const struct exec_launch *launch) {
    if (!launch->special || !launch->function->num_special) return;
    p->tagged = heddle_alloc_array(p->num_inst, sizeof *p->tagged, "special operations");
    for (uint32_t pc = 0; pc < p->num_inst; pc++) {
        struct exec_op *op = &p->code[pc];
        uint16_t tag = op->inst->special;
        if (!tag) continue;
        p->tagged[pc] = (struct exec_tagged){
            .fn = op->fn,
            .place = (tag & MIR_SPECIAL_NUMBER) - 1u,
            .counts = tag & MIR_SPECIAL_COUNTS ? UINT32_MAX : 0,
            .slow = tag & MIR_SPECIAL_SLOW ? UINT32_MAX : 0,
        };
        op->fn = counted;
    }
}

/* @return bytes of the counts that a CTA of the launch needs; 0: nothing is counted. */
size_t exec_special_bytes(const struct exec_launch *launch) {
    return launch->program->tagged ? launch->function->num_special * sizeof(struct exec_special)
                                   : 0;
}

/* Adds the CTA's counts to launch->special, which CTAs of all threads share, with relaxed
 * atomics. */
void exec_special_add(const struct exec_cta *cta) {
    if (!cta->special) return;
    for (uint32_t i = 0; i < cta->launch->function->num_special; i++) {
        const struct exec_special *from = &cta->special[i];
        struct exec_special *to = &cta->launch->special[i];
        __atomic_fetch_add(&to->warps, from->warps, __ATOMIC_RELAXED);
        __atomic_fetch_add(&to->threads, from->threads, __ATOMIC_RELAXED);
        __atomic_fetch_add(&to->slow_threads, from->slow_threads, __ATOMIC_RELAXED);
    }
}
