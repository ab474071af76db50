/* stream_condition.c - the streams that wait for a value in memory, and the times at which they
 * look at it; contracts in stream_condition.h. scheduler.c calls it: stream_conditions_add() on its
 * worker thread during a window, the others on the driving thread between windows. An operation
 * whose look_ps is UINT64_MAX has looked and waits until something can change memory. */
#include "sched/stream_condition.h"

#include <stddef.h>

/* Inserts the operation by ticket. */
void stream_conditions_add(struct stream_conditions *c, struct op *op) {
    struct op **link = &c->first;
    while (*link && (*link)->ticket < op->ticket) link = &(*link)->next_ready;
    op->next_ready = *link;
    *link = op;
}

/* @return the first of the operation's looks after ps: first_look_ps plus a multiple of the
 * interval. */
static uint64_t look_after(const struct stream_conditions *c, const struct op *op, uint64_t ps) {
    return op->first_look_ps + ((ps - op->first_look_ps) / c->interval_ps + 1) * c->interval_ps;
}

/* @return the time (ps) of the earliest look; UINT64_MAX: no stream waits; now_ps: all have looked,
 * and nothing happens before a caller asks again. Where streams have looked and something does
 * happen (at next_ps), sets their next look, after now_ps. */
uint64_t stream_conditions_next(struct stream_conditions *c, uint64_t now_ps, uint64_t next_ps) {
    uint64_t first = UINT64_MAX;
    for (struct op *op = c->first; op; op = op->next_ready) {
        if (op->look_ps == UINT64_MAX && next_ps != UINT64_MAX)
            op->look_ps = look_after(c, op, now_ps);
        if (op->look_ps < first) first = op->look_ps;
    }
    return c->first && first == UINT64_MAX ? now_ps : first;
}

/* Calls `met`, which reads memory, for every operation that is due at now_ps or has no next look;
 * removes those that are met from the list and sets the next look of the others. @return the
 * operations that are met, by ticket, linked by next_ready; NULL: none. */
struct op *stream_conditions_look(struct stream_conditions *c, uint64_t now_ps, uint64_t next_ps) {
    struct op *met = NULL, **tail = &met;
    for (struct op **link = &c->first; *link;) {
        struct op *op = *link;
        bool asks = op->look_ps <= now_ps || op->look_ps == UINT64_MAX;
        if (asks && op->condition.met(op->condition.user)) {
            *link = op->next_ready;
            op->next_ready = NULL;
            *tail = op;
            tail = &op->next_ready;
            continue;
        }
        if (asks) /* memory cannot change before next_ps */
            op->look_ps = next_ps == UINT64_MAX
                              ? UINT64_MAX
                              : look_after(c, op, next_ps > now_ps ? next_ps : now_ps);
        link = &op->next_ready;
    }
    return met;
}
