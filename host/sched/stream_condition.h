/* stream_condition.h - streams that wait for a value in memory, and the times at which they look.
 *
 * The caller sets the first look; later ones follow in steps of a fixed interval of target time, so
 * that a result never depends on the length of windows. Owner: the scheduler, which calls
 * stream_conditions_add() during a window. The driving thread calls the others between windows,
 * through scheduler_next_look() and scheduler_look(). */
#ifndef HEDDLE_SCHED_STREAM_CONDITION_H
#define HEDDLE_SCHED_STREAM_CONDITION_H

#include <stdint.h>

#include "sched/ops.h"

/* The operations (OP_CONDITION) whose condition is not met yet. */
struct stream_conditions {
    uint64_t interval_ps; /* between two looks */
    struct op *first;     /* by ticket, linked by next_ready */
};

/* Adds an operation. The caller has set op->first_look_ps and op->look_ps. */
void stream_conditions_add(struct stream_conditions *c, struct op *op);
/* @return target time of the next look, not before now_ps; UINT64_MAX: no stream waits. `next_ps`:
 * nothing else happens before it; UINT64_MAX: nothing happens at all, and streams that have looked
 * wait until something does. Sets the next look of such streams when something does. */
uint64_t stream_conditions_next(struct stream_conditions *c, uint64_t now_ps, uint64_t next_ps);
/* Calls gpu_condition.met for the streams whose look is due. @return the operations whose condition
 * is met, by ticket (next_ready); they no longer wait. */
struct op *stream_conditions_look(struct stream_conditions *c, uint64_t now_ps, uint64_t next_ps);

#endif
