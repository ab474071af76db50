/* profile.h - kernels that have run on the source GPU: what projection knows of them.
 *
 * The readers (read_*.h) make profiles; the models read their kernels. Metrics are numbers
 * by id (tables/project_metrics.def). A metric that a source does not report stays unknown: models
 * ask, and never take an unknown for 0. */
#ifndef HEDDLE_PROJECT_PROFILE_H
#define HEDDLE_PROJECT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum project_metric {
#define METRIC(id, name, unit, need, meaning) METRIC_##id,
#include "tables/project_metrics.def"
    NUM_PROJECT_METRICS
};

/* Who needs a metric. */
enum project_need { NEED_PAPER, NEED_HEDDLE, NEED_EXTRA };

/* A metric: name in files and messages, unit, meaning. */
struct project_metric_row {
    const char *name, *unit, *meaning;
    enum project_need need;
};
extern const struct project_metric_row project_metric_rows[NUM_PROJECT_METRICS];

/* What would pass during the kernel behind a cache of another capacity. */
struct project_cache_point {
    double capacity, read, write; /* bytes; of L1, read is both ways, and write 0 */
};

struct isa_execution; /* isa.h */
struct isa_line;      /* isa_compile.h */
struct isa_program;   /* isa_compile.h */

/* A launch of a kernel on the source GPU. */
struct project_kernel {
    char *name; /* owned by the list */
    uint64_t launch;
    struct project_cache_point *l2; /* by capacity, the source's own L2 first; owned by the list */
    size_t num_l2;                  /* 0: not known */
    struct project_cache_point *l1; /* by capacity of an SM's L1; owned by the list */
    size_t num_l1;                  /* 0: not known */
    double own_l1;                  /* capacity of L1 in the run that counted it, bytes */
    struct isa_execution *special;  /* special operations; owned by the list */
    size_t num_special;
    bool special_known;        /* a run counts them; profilers do not, but see ptx_kernels.h */
    unsigned special_from;     /* compute capability of the code that ran; 0: Heddle's */
    const char *special_doubt; /* why their counts are not sure, static text; NULL: they are */
    /* Of --ptx where ptxas is there: the same by lines, and the kernel's code; NULL: none. */
    struct isa_line *special_lines; /* owned by the list */
    size_t num_special_lines;
    const struct isa_program *program; /* borrowed */
    double of[NUM_PROJECT_METRICS];    /* 0 where unknown */
    bool known[NUM_PROJECT_METRICS];
};

/* What an application does on its GPUs: kernels, copies over the link, copies within the device,
 * fills. */
enum project_step_kind { STEP_KERNEL, STEP_TO_DEVICE, STEP_TO_HOST, STEP_DEVICE, STEP_FILL };
/* A step of the timeline. */
struct project_step {
    enum project_step_kind kind;
    size_t kernel; /* STEP_KERNEL: its place in the list */
    uint32_t device, stream;
    double bytes;            /* of a copy or fill */
    double begin_us, end_us; /* of the run */
};

/* The kernels of a profile, in order of launch, and the steps of the application in any order.
 * Owns both and the kernels' names. */
struct project_kernels {
    struct project_kernel *at;
    size_t count, capacity;
    struct project_step *steps; /* none: the source knows no timeline */
    size_t num_steps, step_capacity;
};

/* Adds a kernel without metrics; copies the name. @return the kernel, valid until the next one is
 * added. */
struct project_kernel *project_kernels_add(struct project_kernels *list, const char *name,
                                           uint64_t launch);
/* Adds a step. */
void project_steps_add(struct project_kernels *list, const struct project_step *step);
/* Leaves the list empty. */
void project_kernels_clear(struct project_kernels *list);

static inline void project_set(struct project_kernel *k, enum project_metric m, double value) {
    k->of[m] = value;
    k->known[m] = true;
}

/* Number of a metric's name, or -1. */
int project_metric_find(const char *name);

#endif
