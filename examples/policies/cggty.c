/* cggty.c - the model's own scheduler, CGGTY, as a plug-in: the warp that issued last, else the
 * ready one with the highest number. Cycles are the same as without it. */
#include "heddle_policy.h"

static int choose(void *state, const struct heddle_issue *issue) {
    (void)state;
    if (issue->ready >> issue->last & 1 && !issue->last_yields) return (int)issue->last;
    return 31 - __builtin_clz(issue->ready);
}

static const struct heddle_scheduler scheduler = {.choose = choose};

const struct heddle_policy heddle_plugin = {
    .version = HEDDLE_POLICY_VERSION, .name = "cggty", .scheduler = &scheduler};
