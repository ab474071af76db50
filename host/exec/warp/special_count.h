/* special_count.h - counts how often a launch executes its special operations (mir/mir_special.h).
 * Private to exec/.
 *
 * The interpreter's loop knows nothing of this: the function of a tagged instruction is replaced by
 * one that calls it and counts. A CTA counts for itself, on its own thread, and adds its counts to
 * the launch's when it is released. */
#ifndef HEDDLE_EXEC_SPECIAL_COUNT_H
#define HEDDLE_EXEC_SPECIAL_COUNT_H

#include "exec/warp/exec_state.h"

/* What stands behind a tagged instruction. */
struct exec_tagged {
    exec_fn fn;            /* executes it; NULL: the instruction has no tag */
    uint32_t place;        /* of its form in the function's list */
    uint32_t counts, slow; /* masks: all lanes if it counts them as such, else none */
};

/* Replaces the functions of the program's tagged instructions and allocates p->tagged, which the
 * owner releases with free(). Does nothing if the launch has no list or no special operation. */
void exec_special_prepare(struct exec_program *p, const struct exec_launch *launch);
/* Bytes of a CTA's counts. */
size_t exec_special_bytes(const struct exec_launch *launch);
/* Adds the CTA's counts to those of its launch. */
void exec_special_add(const struct exec_cta *cta);

#endif
