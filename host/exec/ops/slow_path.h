/* slow_path.h - division and square root: which paths the lanes take through the subroutine that
 * hardware executes (mir/mir_slow.h), and the instructions that this counts. Private to exec/. */
#ifndef HEDDLE_EXEC_SLOW_PATH_H
#define HEDDLE_EXEC_SLOW_PATH_H

#include "exec/warp/exec_state.h"
#include "mir/mir_slow.h"

/* The parts of the slow paths that a launch may count, numbered over all slow paths. Made once a
 * launch, then constant. */
struct exec_slow {
    uint8_t first[MIR_SLOW_COUNT], count[MIR_SLOW_COUNT]; /* numbers of the parts of each */
    struct {
        uint64_t paths;                      /* bit p: path p (mir_slow_path) runs through it */
        uint8_t steps, kind[MIR_KIND_COUNT]; /* instructions: all, by kind */
    } part[MIR_SLOW_PARTS];
};
/* Allocates and fills the table; the owner releases it with free(). */
struct exec_slow *exec_slow_create(void);

/* Lanes that take each path, by mir_slow_path. Begins as zeros. */
struct exec_slow_lanes {
    uint32_t of[MIR_SLOW_PATHS];
};

/* Adds the lanes of mask to the paths that these operands take. Operands are bits after modifiers
 * and flushing; q is the result. Only *s is written. */
void exec_slow_div32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a, const warp_reg *b,
                     const warp_reg *q);
void exec_slow_rcp32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a);
void exec_slow_sqrt32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a);
void exec_slow_div64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a,
                     const warp_reg64 *b, const warp_reg64 *q);
void exec_slow_rcp64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a);
void exec_slow_sqrt64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a);

/* Adds the warp and thread instructions of the paths to the CTA's counts, in place of the one that
 * the interpreter counts, and appends the operation's record, with the parts executed. @return
 * EX_DONE. */
exec_code exec_slow_done(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         mir_slow slow, const struct exec_slow_lanes *lanes);

#endif
