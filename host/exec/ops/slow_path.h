/* slow_path.h - division and square root: which paths the lanes take through the subroutine that
 * hardware executes (mir/mir_slow.h), and the instructions that this counts. Private to exec/. */
#ifndef HEDDLE_EXEC_SLOW_PATH_H
#define HEDDLE_EXEC_SLOW_PATH_H

#include "exec/warp/exec_state.h"
#include "mir/mir_slow.h"

/* The parts of the slow paths, as a launch needs them: by number of the table's row. */
struct exec_slow {
    uint8_t first[MIR_SLOW_COUNT], count[MIR_SLOW_COUNT]; /* parts of each */
    struct {
        uint64_t paths; /* bit p: path p runs through it */
        uint8_t steps, kind[MIR_KIND_COUNT];
    } part[MIR_SLOW_PARTS];
};
/* Freed with free(). */
struct exec_slow *exec_slow_create(void);

/* Lanes of each path. */
struct exec_slow_lanes {
    uint32_t of[MIR_SLOW_PATHS];
};

/* What the lanes of mask with these operands run through. Bits of the operands, after modifiers and
 * flushing; q: the result. */
void exec_slow_div32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a, const warp_reg *b,
                     const warp_reg *q);
void exec_slow_rcp32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a);
void exec_slow_sqrt32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a);
void exec_slow_div64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a,
                     const warp_reg64 *b, const warp_reg64 *q);
void exec_slow_rcp64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a);
void exec_slow_sqrt64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a);

/* Counts the instructions of the slow path and writes the operation's record. @return EX_DONE */
exec_code exec_slow_done(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         mir_slow slow, const struct exec_slow_lanes *lanes);

#endif
