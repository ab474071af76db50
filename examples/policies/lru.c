/* lru.c - L1 replaces the line of a set that was used last the longest ago. */
#include "heddle_policy.h"

struct state {
    uint32_t time;
    uint32_t used[8]; /* of each way, when */
};

static void hit(void *state, const struct heddle_l1_set *set, uint32_t way) {
    struct state *s = state;
    (void)set;
    s->used[way] = ++s->time;
}

static uint32_t fill(void *state, const struct heddle_l1_set *set, uint32_t line) {
    struct state *s = state;
    uint32_t oldest = 0;
    (void)line;
    for (uint32_t way = 1; way < set->ways; way++)
        if (s->time - s->used[way] > s->time - s->used[oldest]) oldest = way;
    s->used[oldest] = ++s->time;
    return oldest;
}

static const struct heddle_l1_replacement replacement = {
    .state_bytes = sizeof(struct state), .hit = hit, .fill = fill};

const struct heddle_policy heddle_plugin = {
    .version = HEDDLE_POLICY_VERSION, .name = "lru", .l1_replacement = &replacement};
