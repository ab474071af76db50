/* random.c - L1 replaces any line of a set: the same ones in every run. */
#include "heddle_policy.h"

struct state {
    uint32_t seed;
};

static uint32_t fill(void *state, const struct heddle_l1_set *set, uint32_t line) {
    struct state *s = state;
    (void)line;
    s->seed = s->seed * 1664525u + 1013904223u + set->set;
    return (s->seed >> 16) % set->ways;
}

static const struct heddle_l1_replacement replacement = {.state_bytes = sizeof(struct state),
                                                         .fill = fill};

const struct heddle_policy heddle_plugin = {
    .version = HEDDLE_POLICY_VERSION, .name = "random", .l1_replacement = &replacement};
