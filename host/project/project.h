/* project.h - the kernels of a profile on several GPUs, and the application that they make up.
 *
 * The results borrow the profile and the GPUs. Read-only once made. */
#ifndef HEDDLE_PROJECT_PROJECT_H
#define HEDDLE_PROJECT_PROJECT_H

#include "project/projection.h"

enum project_model { MODEL_PAPER, MODEL_HEDDLE };
/* "paper", "heddle"; by name: @return false when there is no such model. */
const char *project_model_name(enum project_model m);
bool project_model_find(const char *name, enum project_model *out);

/* Sums over all kernels of a profile. measured_target_us: 0 unless each kernel has one. */
struct project_total {
    double low_us, centre_us, high_us, measured_target_us;
};

/* All projections of a profile, with their sums; the arrays are owned (project_results_clear()). */
struct project_results {
    enum project_model model;
    struct project_terms terms; /* of MODEL_HEDDLE; TERM_ISA of both */
    const struct project_kernels *kernels;
    const struct capability *source;
    const struct capability *const *targets;
    size_t num_targets;
    struct projection *at;       /* [kernel * num_targets + target] */
    struct heddle_diag *refused; /* [kernel]; err 0: projected to every target */
    size_t num_refused;
    double measured_us;          /* of the kernels that are projected */
    struct project_total *total; /* [target]; of the same kernels */
    /* The application from the begin of its first step to the end of its last one (application.h);
     * 0: its timeline is not known, or a kernel was refused. */
    double application_us;
    struct project_total *application; /* [target] */
    double *measured_target; /* us, like `at`, by read_measured(); 0: not given; NULL: none */
};

/* Projects every kernel to every target. A kernel that cannot be projected to all of them is
 * refused: it keeps its message and counts in no sum. */
void project_all(struct project_results *out, enum project_model model,
                 const struct project_terms *terms, const struct project_kernels *kernels,
                 const struct capability *source, const struct capability *const *targets,
                 size_t num_targets);
void project_results_clear(struct project_results *r);

/* The source GPU as it was when a kernel ran, at the clock of the profile (capability_clock.h).
 * @return r->source or, where the clock is another one, *room. */
const struct capability *project_source(struct capability *room, const struct project_results *r,
                                        size_t kernel);

static inline const struct projection *project_result(const struct project_results *r,
                                                      size_t kernel, size_t target) {
    return &r->at[kernel * r->num_targets + target];
}

/* Measured time of a kernel on a target in us; 0: not given. */
static inline double project_measured(const struct project_results *r, size_t kernel,
                                      size_t target) {
    return r->measured_target ? r->measured_target[kernel * r->num_targets + target] : 0;
}

/* Error of a projected time in percent of the measured one. */
static inline double project_error(double projected_us, double measured_us) {
    return 100 * (projected_us / measured_us - 1);
}

#endif
