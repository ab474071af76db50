/* in_flight.h - posted and pending operations of a warp (timed launches only), and what has to wait
 * for them. Private to exec/.
 *
 * All functions run on the warp's thread and read and write the warp: its operations in flight,
 * wait state, sectors and, where they return EX_HELD, its status. */
#ifndef HEDDLE_EXEC_IN_FLIGHT_H
#define HEDDLE_EXEC_IN_FLIGHT_H

#include "exec/warp/exec_state.h"

/* What an order point waits for: pending operations, posted ones, reads of clocks. */
enum { HAZARD_PENDING = 1, HAZARD_DRAIN = 2, HAZARD_CLOCKS = 4 };
/* Called before any instruction while warp->attention is set: waits for pending operations whose
 * registers op uses in lanes of mask. @return EX_NEXT or EX_HELD. */
exec_code exec_hazard(struct exec_warp *w, const struct exec_op *op, uint32_t mask);
/* A fence, barrier or exit: waits for the operations that HAZARD_* names. @return EX_NEXT, with
 * *wait set to the record's wait bits, or EX_HELD. */
exec_code exec_order_point(struct exec_warp *w, const struct exec_op *op, unsigned what,
                           uint8_t *wait);

/* The lanes of a memory instruction that access one space. */
struct exec_part {
    uint8_t space, memory_class; /* mir_space, mir_memory_class_t: how it is performed */
    /* strong: it accesses a sector whose strong bit is set; close: it is aligned, within a few KiB
     * from `low`, in plain memory */
    bool strong, close;
    uint32_t mask;
    uint32_t stray; /* lanes whose bytes are in no allocation, but in a mapped page */
    uint64_t low;   /* lowest address, if close */
};
/* The same as exec_order_point() for a memory instruction, whose parts may go in flight. `address`
 * holds the lanes' addresses. */
exec_code exec_order_access(struct exec_warp *w, const struct exec_op *op,
                            const struct exec_part *part, unsigned parts, const uint64_t *address,
                            uint8_t *wait);
/* Puts a part in flight: takes an operation from the CTA's pool, captures its operands, marks its
 * sectors strong, and tells the race check. exec_order_access() has made sure that there is room.
 * @return the operation's number. */
uint8_t exec_inflight_add(struct exec_warp *w, const struct exec_op *op,
                          const struct exec_part *part, const uint64_t *address);
/* Fills *s with the operation: lanes, addresses, and the operands read from registers. Only *s is
 * written. */
void exec_inflight_capture(struct exec_inflight *s, const struct exec_warp *w,
                           const struct exec_op *op, const struct exec_part *part,
                           const uint64_t *address);

#endif
