/* look.h - whether the warps of kernels that run will ever do anything that others notice.
 *
 * A warp that spins repeats itself: it comes back to a state that it has had, and reads the same
 * from memory. As long as no memory changes it goes round for ever. Whoever looks makes sure of the
 * latter; the executor tells when a warp has come back. Several looks make up a watch:
 *
 *   1. EXEC_LOOK_COUNT until `acts` and `ctas` have stayed the same from one look to the next, and
 *      nobody else has written memory;
 *   2. EXEC_LOOK_BEGIN: from here on the states of warps are remembered;
 *   3. EXEC_LOOK_AGAIN, or now and then EXEC_LOOK_RENEW, which remembers new states of the warps
 *      that have not come back. `settled`: all have. As soon as `acts` or `ctas` changes, begin
 *      again.
 *
 * A loop acts if it writes shared or global memory, even the same value, performs atomic
 * operations, reads a clock or meets other warps at a CTA barrier. The caller zeroes the struct but
 * for `how`. Threads: those of the warps, between windows. */
#ifndef HEDDLE_EXEC_LOOK_H
#define HEDDLE_EXEC_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct exec_cta;

enum exec_look_how { EXEC_LOOK_COUNT, EXEC_LOOK_BEGIN, EXEC_LOOK_AGAIN, EXEC_LOOK_RENEW };

struct exec_look {
    enum exec_look_how how;
    uint64_t acts; /* what the CTAs have done so far that others may notice */
    uint64_t ctas; /* that are resident; others have ended, which callers add */
    uint64_t busy; /* warps that may yet do something: not come back, or with stores under way */
};

/* What a warp remembers of an earlier look. */
struct exec_seen {
    uint64_t state, executed;
    bool is_back;
};

/* Adds a CTA. */
void exec_look_add(struct exec_look *look, struct exec_cta *cta);

#endif
