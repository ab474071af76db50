/* cache_term.c - see cache_term.h. heddle_model.c calls it for each kernel and target, on the main
 * thread of `heddle project`.
 *
 * The curve is of one line in 32, so its own bytes are not quite the kernel's. Their ratios are
 * taken. */
#include "project/cache_term.h"

#include <math.h>

/* Bytes of a point, read or written. */
static double bytes_of(const struct project_cache_point *p, bool write) {
    return write ? p->write : p->read;
}

/* Bytes that pass an L2 of `capacity`: between two points of the curve linear in the capacity,
 * beyond the last one as there. The capacity is at least that of the first one. */
static double curve_at(const struct project_kernel *k, double capacity, bool write) {
    const struct project_cache_point *p = k->l2;
    size_t i = 1;
    while (i < k->num_l2 && p[i].capacity < capacity) i++;
    if (i == k->num_l2) return bytes_of(&p[i - 1], write);
    double way = (capacity - p[i - 1].capacity) / (p[i].capacity - p[i - 1].capacity);
    double from = bytes_of(&p[i - 1], write);
    return from + way * (bytes_of(&p[i], write) - from);
}

/* The share of the source's bytes that is left behind an L2 of `capacity`: at most all. */
static double share_left(const struct project_kernel *k, double capacity, bool write) {
    double own = bytes_of(&k->l2[0], write);
    return own > 0 ? fmin(1, curve_at(k, capacity, write) / own) : 1;
}

bool cache_term_apply(struct project_kernel *k, const struct capability *source,
                      const struct capability *target) {
    double from = source->property[GPU_L2_SIZE].value, to = target->property[GPU_L2_SIZE].value;
    double *read = &k->of[METRIC_DRAM_READ], *write = &k->of[METRIC_DRAM_WRITE];
    if (from == to) return true;
    if (k->num_l2 && to > k->l2[0].capacity) {
        *read *= share_left(k, to, false);
        *write *= share_left(k, to, true);
        return true;
    }
    if (k->known[METRIC_FOOTPRINT] && to > from && k->of[METRIC_FOOTPRINT] <= to) {
        *read = fmin(*read, k->of[METRIC_FOOTPRINT]);
        *write = fmin(*write, k->of[METRIC_FOOTPRINT]);
        return true;
    }
    return false;
}
