/* cache_term.c - replaces a kernel's traffic of device memory by that behind the target's L2 (the
 * term `cache` of the default model); see cache_term.h. heddle_model.c calls cache_term_apply() for
 * each kernel and target, on the main thread of `heddle project`. The functions change nothing but
 * the kernel's metrics that cache_term_apply() names.
 *
 * The curve is of one line in 32, so its own bytes are not quite the kernel's. Their ratios are
 * taken. */
#include "project/cache_term.h"

#include <math.h>

/* Bytes of a point, read or written. */
static double bytes_of(const struct project_cache_point *p, bool write) {
    return write ? p->write : p->read;
}

/* Bytes of different data that the L2 holds. Where it has partitions, a line that an SM reads
 * takes a second place if its home is not the SM's own partition; a line that it writes does not.
 * The share of reads is that of device memory's traffic. */
static double capacity_of(const struct capability *gpu, const struct project_kernel *k,
                          enum cache_copies copies) {
    double read = k->of[METRIC_DRAM_READ], all = read + k->of[METRIC_DRAM_WRITE];
    double far = 1 - 1 / capability_property(gpu, GPU_L2_PARTITIONS, 1);
    double share = copies == COPIES_NONE ? 0 : copies == COPIES_ALL ? 1 / far : read / all;
    return gpu->property[GPU_L2_SIZE].value / (1 + (far > 0 && all > 0 ? far * share : 0));
}

/* Bytes that pass an L2 of `capacity`: between two points of the curve linear in the capacity,
 * beyond the last one as at the last one. Point 0 is the GPU's own L2, which holds `own` bytes;
 * `capacity` is at least `own`. The kernel has a curve. */
static double curve_at(const struct project_kernel *k, double own, double capacity, bool write) {
    const struct project_cache_point *p = k->l2;
    size_t i = 1;
    while (i < k->num_l2 && p[i].capacity < capacity) i++;
    if (i == k->num_l2) return bytes_of(&p[i - 1], write);
    double begin = i > 1 ? p[i - 1].capacity : own;
    double way = (capacity - begin) / (p[i].capacity - begin);
    double from = bytes_of(&p[i - 1], write);
    return from + way * (bytes_of(&p[i], write) - from);
}

/* The share (0 to 1) of the source's bytes that still passes an L2 of `capacity`, at least `own`. 1
 * where the source's curve has no bytes. */
static double share_left(const struct project_kernel *k, double own, double capacity, bool write) {
    double all = bytes_of(&k->l2[0], write);
    return all > 0 ? fmin(1, curve_at(k, own, capacity, write) / all) : 1;
}

/* Changes METRIC_DRAM_READ and METRIC_DRAM_WRITE of *k (bytes) to those behind the target's L2:
 * unchanged where both L2 hold as much; by the curve of a run where the target's is larger; without
 * a curve at most the footprint each, where the larger L2 holds it. @return false: the traffic
 * there is not known, *k is unchanged. */
bool cache_term_apply(struct project_kernel *k, const struct capability *source,
                      const struct capability *target, enum cache_copies copies) {
    double from = capacity_of(source, k, copies), to = capacity_of(target, k, copies);
    double *read = &k->of[METRIC_DRAM_READ], *write = &k->of[METRIC_DRAM_WRITE];
    if (from == to) return true;
    if (k->num_l2 && to > from) {
        double kept = share_left(k, from, to, true);
        *read *= share_left(k, from, to, false);
        *write *= kept;
        return true;
    }
    if (k->known[METRIC_FOOTPRINT] && to > from && k->of[METRIC_FOOTPRINT] <= to) {
        *read = fmin(*read, k->of[METRIC_FOOTPRINT]);
        *write = fmin(*write, k->of[METRIC_FOOTPRINT]);
        return true;
    }
    return false;
}
