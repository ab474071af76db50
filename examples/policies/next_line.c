/* next_line.c - a load that misses in L1 fetches the line behind its own as well. */
#include "heddle_policy.h"

static uint32_t accessed(void *state, const struct heddle_l1_access *access,
                         uint32_t lines[HEDDLE_MOST_PREFETCHES]) {
    (void)state;
    if (access->hits == access->sectors) return 0;
    lines[0] = access->line + 1;
    return 1;
}

static const struct heddle_l1_prefetcher prefetcher = {.accessed = accessed};

const struct heddle_policy heddle_plugin = {
    .version = HEDDLE_POLICY_VERSION, .name = "next_line", .l1_prefetcher = &prefetcher};
