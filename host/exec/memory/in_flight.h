/* in_flight.h - posted and pending operations of a warp (timed launches only), and what has to
 * wait for them. Private to exec/.
 *
 * All functions read and write the warp: its operations in flight, wait state and sectors. */
#ifndef HEDDLE_EXEC_IN_FLIGHT_H
#define HEDDLE_EXEC_IN_FLIGHT_H

#include "exec/warp/exec_state.h"

enum { HAZARD_PENDING = 1, HAZARD_DRAIN = 2, HAZARD_CLOCKS = 4 };
/* Before any instruction, while warp->attention is set. @return EX_NEXT or EX_HELD. */
exec_code exec_hazard(struct exec_warp *w, const struct exec_op *op, uint32_t mask);
/* A fence, barrier or exit: waits for what HAZARD_* says. @return EX_NEXT and the record's wait
 * bits, or EX_HELD. */
exec_code exec_order_point(struct exec_warp *w, const struct exec_op *op, unsigned what,
                           uint8_t *wait);

/* The lanes of a memory instruction that go to one space. */
struct exec_part {
    uint8_t space, memory_class;
    bool strong, close; /* close: aligned, within a few KiB from `low`, plain memory */
    uint32_t mask;
    uint64_t low;
};
/* The same as exec_order_point for a memory instruction, whose parts may go in flight. */
exec_code exec_order_access(struct exec_warp *w, const struct exec_op *op,
                            const struct exec_part *part, unsigned parts, const uint64_t *address,
                            uint8_t *wait);
/* Puts a part in flight; exec_order_access() has made sure that there is room. @return the
 * operation's number. */
uint8_t exec_inflight_add(struct exec_warp *w, const struct exec_op *op,
                          const struct exec_part *part, const uint64_t *address);
/* Fills in the operands of an operation. */
void exec_inflight_capture(struct exec_inflight *s, const struct exec_warp *w,
                           const struct exec_op *op, const struct exec_part *part,
                           const uint64_t *address);

#endif
