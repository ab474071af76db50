/* progress_estimate.c - see progress_estimate.h. */
#include "cli/progress_estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Share of the kernel below which nothing is said; weight of a new estimate. */
static const double LEAST = 0.02, WEIGHT = 0.25;

/* A new launch; what the last one has issued is kept. */
static void begin(struct progress_estimate *e, const struct gpu_progress *p) {
    if (e->inst > 0) {
        memcpy(e->past_name, e->name, sizeof e->past_name);
        e->past_ctas = e->ctas;
        e->past_inst = e->inst;
    }
    e->began = true;
    e->launch = p->launch;
    e->left_s = -1;
    e->inst = 0;
    e->ctas = p->ctas;
    e->ctas_done = 0;
    snprintf(e->name, sizeof e->name, "%s", p->kernel);
}

/* Share of the kernel that is done, 0: unknown. */
static double share_of(struct progress_estimate *e, const struct gpu_progress *p) {
    if (!p->ctas) return 0;
    const double ended = (double)p->ctas_done / (double)p->ctas;
    if (!p->cycles) return ended; /* functional */
    if (p->ctas_done && p->retired_warp_inst)
        e->inst = (double)p->retired_warp_inst / ended;
    else if (!e->inst && e->past_ctas == e->ctas && !strcmp(e->past_name, e->name))
        e->inst = e->past_inst;
    if (!(e->inst > 0)) return 0;
    return fmin(fmax((double)p->warp_inst / e->inst, ended), 0.999);
}

double progress_estimate(struct progress_estimate *e, const struct gpu_progress *p) {
    if (!e->began || p->launch != e->launch) begin(e, p);
    const double share = share_of(e, p);
    /* a count of CTAs says something new only when one has ended */
    const bool news = share >= LEAST && (p->cycles || p->ctas_done != e->ctas_done);
    const double left_s = news ? p->wall_s * (1 - share) / share : e->left_s;
    const double expected_s = fmax(0, e->left_s - (p->wall_s - e->at_s));
    if (e->left_s >= 0)
        e->left_s = news ? expected_s + WEIGHT * (left_s - expected_s) : expected_s;
    else
        e->left_s = left_s;
    e->at_s = p->wall_s;
    e->ctas_done = p->ctas_done;
    return e->left_s;
}
