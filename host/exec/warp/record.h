/* record.h - appends the record of an executed warp instruction to the trace of the running warp.
 *
 * Writes warp->trace and nothing else. The interpreter makes sure that there is room
 * (EXEC_TRACE_ROOM). */
#ifndef HEDDLE_EXEC_RECORD_H
#define HEDDLE_EXEC_RECORD_H

#include "exec/warp/exec_state.h"

/* Appends a record without a memory access, for the lanes of mask. `wait`: wait bits beyond those
 * of the instruction; `flags`: EXEC_REC_*. Does nothing when the warp is not traced. */
static inline void exec_record_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                                     uint8_t wait, uint8_t flags) {
    struct exec_trace *t = w->trace;
    if (!t) return;
    t->record[t->num_records++] = (struct exec_record){
        .pc = exec_pc(w, op),
        .mask = mask,
        .access = EXEC_NO_ACCESS,
        .inflight = EXEC_NO_INFLIGHT,
        .wait = wait,
        .space = op->space,
        .flags = flags,
    };
}

#endif
