/* two_level.c - a two-level warp scheduler: ACTIVE warps of a sub-core take turns; one that waits
 * for memory or at a barrier, or has ended, makes room for the next one that waits for neither.
 *
 * Few active warps keep their data in L1, and hide less of the latency of memory. */
#include "heddle_policy.h"

enum { ACTIVE = 4 };

struct state {
    uint32_t active; /* slots */
    uint32_t next;   /* slot behind the one that became active last */
};

/* The first slot of a mask that is not 0, from `from` on. */
static uint32_t first_from(uint32_t mask, uint32_t from, uint32_t slots) {
    const uint32_t behind = mask & ~0u << from % slots;
    return (uint32_t)__builtin_ctz(behind ? behind : mask);
}

/* The warps that may issue at this level; they are the same again when nothing has changed. */
static struct state refill(struct state s, const struct heddle_issue *issue) {
    const uint32_t usable = issue->live & ~issue->at_barrier & ~issue->waits_memory;
    s.active &= usable;
    while (__builtin_popcount(s.active) < ACTIVE && usable & ~s.active) {
        const uint32_t slot = first_from(usable & ~s.active, s.next, issue->slots);
        s.active |= 1u << slot;
        s.next = slot + 1;
    }
    return s;
}

static int choose(void *state, const struct heddle_issue *issue) {
    struct state *s = state;
    *s = refill(*s, issue);
    const uint32_t ready = issue->ready & s->active;
    return ready ? (int)first_from(ready, issue->last + 1, issue->slots) : -1;
}

static const struct heddle_scheduler scheduler = {.state_bytes = sizeof(struct state),
                                                  .choose = choose};

const struct heddle_policy heddle_plugin = {
    .version = HEDDLE_POLICY_VERSION, .name = "two_level", .scheduler = &scheduler};
