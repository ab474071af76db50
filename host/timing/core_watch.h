/* core_watch.h - what an emulation of the timing core tells, beside its events, of each instruction
 * that issues and of each look-up in L1. A card does not: its event ring has no room for that.
 *
 * A library that can tell exports the function CORE_WATCH_FUNCTION beside those of XRT. It calls
 * back while it simulates: inside xrtRunWaitFor() and accesses to registers, on their thread. The
 * callbacks change nothing in the core, so results do not depend on whether anybody watches. */
#ifndef HEDDLE_TIMING_CORE_WATCH_H
#define HEDDLE_TIMING_CORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* `place` of both: the warp as the core stores it, {sub-core, warp slot of it} in 6 bits; sm: the
 * GPU's number of the SM. */
struct core_watch {
    void *user;
    /* A sub-core had a visit: `issued`: the warp's next instruction issued; else it has looked for
     * a constant that is missing. `cycles`: so many, before, in which nothing issued, because the
     * warp waited for `cause` (a counter wait_* less wait_no_warp: docs/timing-model.md, rule
     * 11). */
    void (*visited)(void *user, uint32_t sm, uint32_t place, bool issued, uint32_t cycles,
                    uint32_t cause);
    /* A line of the warp's oldest load with lines left was looked up, for the last time: `sectors`
     * of them, of which `hits` were there or on their way. */
    void (*looked_up)(void *user, uint32_t sm, uint32_t place, uint32_t sectors, uint32_t hits);
};

/* Sets the watch of a kernel of xrtPLKernelOpenExclusive(), which is copied; before its first run.
 * @return 0, or -1: this emulation cannot tell. */
typedef int core_watch_function(void *kernel, const struct core_watch *watch);
#define CORE_WATCH_FUNCTION "heddleWatch"

#endif
