/* fifo.c - the model's own replacement in L1, as a plug-in: the ways of a set in turn. Cycles are
 * the same as without it. */
#include "heddle_policy.h"

struct state {
    uint32_t next; /* way */
};

static uint32_t fill(void *state, const struct heddle_l1_set *set, uint32_t line) {
    struct state *s = state;
    const uint32_t way = s->next;
    (void)line;
    s->next = (way + 1) % set->ways;
    return way;
}

static const struct heddle_l1_replacement replacement = {.state_bytes = sizeof(struct state),
                                                         .fill = fill};

const struct heddle_policy heddle_plugin = {
    .version = HEDDLE_POLICY_VERSION, .name = "fifo", .l1_replacement = &replacement};
