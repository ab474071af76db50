/* projection.h - a kernel's time on other GPUs: what the models return and the reports print.
 *
 * A model takes a kernel of the source GPU (profile.h) and the capabilities of source and target
 * (capability.h), and returns an interval of times, its centre, what bounds the kernel on both
 * GPUs, and the rooflines behind it. Pure functions of their arguments. */
#ifndef HEDDLE_PROJECT_PROJECTION_H
#define HEDDLE_PROJECT_PROJECTION_H

#include "project/capability.h"
#include "project/profile.h"
#include "project/roofline.h"
#include "project/terms.h"

/* What bounds a kernel. */
enum project_bound {
    BOUND_COMPUTE,
    BOUND_L1,
    BOUND_SHARED,
    BOUND_L2,
    BOUND_DRAM,
    BOUND_ATOMICS, /* at one line */
    BOUND_ISSUE,   /* instruction issue */
    BOUND_LATENCY, /* too few warps to hide latency */
    BOUND_LAUNCH,  /* launch overhead */
    NUM_BOUNDS
};
/* "compute", "L1", ... */
const char *project_bound_name(enum project_bound b);

/* What the operations of a kernel's rooflines are. */
enum project_operations {
    OPERATIONS_FLOP,
    OPERATIONS_INSTRUCTIONS, /* of threads: the kernel has no floating-point operation */
};

/* A kernel on one GPU: its roofs with the kernel's own ceilings (the paper's Figure 2). */
struct project_roofs {
    double performance;                /* ceiling, operations/s, by (3) */
    double bandwidth[ROOFLINE_LEVELS]; /* ceilings, bytes/s, by (6) to (8); 0: no byte passes */
    double intensity[ROOFLINE_LEVELS]; /* operations/byte, by (10); infinite: no byte passes */
    double roof[ROOFLINE_LEVELS];      /* operations/s: (1) of the three above */
    enum project_bound bound;          /* the lowest roof; within 1 % of it, that nearest to DRAM */
};

/* A kernel's projection to one target. */
struct projection {
    double low_us, centre_us, high_us;
    enum project_bound source_bound, target_bound;
    enum project_operations operations;
    struct project_roofs source, target;
    double achieved;               /* operations/s on the source GPU */
    double warp_inst, thread_inst; /* on the target, by its instruction set */
    double confidence;             /* 0 to 1, by the rules of docs/projection.md */
    char why[160];                 /* what lowers the confidence most; empty: nothing does */
};

/* The published model; it has no terms to switch. `on_target`: the kernel's metrics as the
 * target's instruction set has them, or `k` itself where the instruction sets do not differ.
 * @return HEDDLE_ERR_ARGUMENT, with the metric's name in `diag`, when the kernel lacks one that the
 * model needs. */
heddle_err project_paper(const struct project_kernel *k, const struct project_kernel *on_target,
                         const struct capability *source, const struct capability *target,
                         const struct project_terms *terms, struct projection *out,
                         struct heddle_diag *diag);

/* The default model. Errors as of project_paper(); HEDDLE_ERR_LAUNCH: a CTA does not fit the
 * target. */
heddle_err project_heddle(const struct project_kernel *k, const struct project_kernel *on_target,
                          const struct capability *source, const struct capability *target,
                          const struct project_terms *terms, struct projection *out,
                          struct heddle_diag *diag);

/* The error of a kernel whose profile lacks a metric. */
heddle_err project_lacks(const struct project_kernel *k, enum project_metric m,
                         struct heddle_diag *diag);
/* HEDDLE_ERR_ARGUMENT: the kernel took no time, executed nothing, or more launch overhead than
 * time. */
heddle_err project_check_time(const struct project_kernel *k, struct heddle_diag *diag);

#endif
