/* l1_term.c - replaces a kernel's traffic between L1 and L2 by that with the target's L1 (part of
 * the term `cache` of the default model); see l1_term.h. heddle_model.c calls l1_term_apply() for
 * each kernel and target, behind cache_term_apply(), on the main thread of `heddle project`. The
 * functions change nothing but the kernel's metrics that l1_term_apply() names.
 *
 * The curve is of some lines alone, so its own bytes are not quite the kernel's. Their ratios are
 * taken. */
#include "project/l1_term.h"

#include <math.h>

#include "project/demand.h"

/* Bytes that pass an L1 of `capacity` bytes: between two points of the curve linear in the
 * capacity, outside of them as at the nearest one. The kernel has a curve. */
static double curve_at(const struct project_kernel *k, double capacity) {
    const struct project_cache_point *p = k->l1;
    size_t i = 0;
    while (i < k->num_l1 && p[i].capacity < capacity) i++;
    if (i == 0 || i == k->num_l1) return p[i ? i - 1 : 0].read;
    double way = (capacity - p[i - 1].capacity) / (p[i].capacity - p[i - 1].capacity);
    return p[i - 1].read + way * (p[i].read - p[i - 1].read);
}

/* The capacity nearest to the run's own behind which the curve has the kernel's bytes, or an end of
 * the curve. Where the own one has them but for what sampling explains, it is that. */
static double capacity_like(const struct project_kernel *k) {
    static const double sampling = 0.1;
    const struct project_cache_point *p = k->l1;
    double at = k->own_l1, here = curve_at(k, at), bytes = k->of[METRIC_L2_BYTES];
    if (fabs(here - bytes) <= sampling * bytes) return at;
    bool more = here > bytes; /* a larger cache is looked for */
    size_t larger = 0;
    while (larger < k->num_l1 && p[larger].capacity <= at) larger++;
    for (size_t left = more ? k->num_l1 - larger : larger; left; left--) {
        p = more ? &k->l1[k->num_l1 - left] : &k->l1[left - 1];
        if ((p->read > bytes) != more)
            return at + (here - bytes) / (here - p->read) * (p->capacity - at);
        at = p->capacity;
        here = p->read;
    }
    return at;
}

/* Changes METRIC_L2_BYTES of *k to the bytes with the target's L1, and lowers METRIC_DRAM_READ and
 * METRIC_DRAM_WRITE in proportion where less passes L1 than memory would transfer. Changes nothing
 * without a curve, without such bytes, or where the kernel has as much L1 on both GPUs. @return
 * false: there is no curve, but bytes that the target's L1 may keep, or the source's L1 kept. */
bool l1_term_apply(struct project_kernel *k, const struct capability *source,
                   const struct capability *target) {
    double from = demand_l1_data(k, source, source), to = demand_l1_data(k, target, source);
    double *bytes = &k->of[METRIC_L2_BYTES];
    if (*bytes <= 0 || to == from) return true;
    /* A smaller L1 keeps nothing where the source's kept nothing. */
    if (!k->num_l1) return to < from && k->of[METRIC_L1_BYTES] <= *bytes;
    /* The emulated L1 differs from the run's in replacement and in the order of requests. Where it
     * passes other traffic than the run's, it stands for one of another capacity, and it grows in
     * the same proportion. */
    double like = capacity_like(k), own = curve_at(k, like), before = *bytes;
    if (own > 0) *bytes *= curve_at(k, to * like / k->own_l1) / own;
    if (*bytes >= before) return true;
    /* Device memory's traffic was counted behind the source's L1. It is no more, for each byte that
     * passes L1, than there, or than that byte. */
    double *read = &k->of[METRIC_DRAM_READ], *write = &k->of[METRIC_DRAM_WRITE];
    double all = *read + *write, most = *bytes * fmax(1, all / before);
    if (all <= most) return true;
    *read *= most / all;
    *write *= most / all;
    return true;
}
