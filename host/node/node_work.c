/* node_work.c - see node_work.h. */
#include "node/node_work.h"

#include <math.h>

uint64_t node_work_ps(const struct node_config *c, uint64_t operations, uint64_t bytes,
                      uint64_t touched) {
    const double per_ns = (double)c->cpu_cores * c->cpu_clock * 1e-3 * c->cpu_flops;
    const double rate = touched <= c->cpu_cache_size ? c->cpu_cache_rate : c->cpu_memory_rate;
    const double work_ns = fmax((double)operations / per_ns, (double)bytes / rate);
    const double ps = (c->cpu_fork + work_ns) * 1000;
    return ps < 0x1p62 ? (uint64_t)llround(ps) : NODE_WORK_NEVER;
}
