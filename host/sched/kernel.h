/* kernel.h - a launch from its call to its report: its inputs, its progress and its results. */
#ifndef HEDDLE_SCHED_KERNEL_H
#define HEDDLE_SCHED_KERNEL_H

#include "sched/checkpoint.h"
#include "sched/gpu.h"
#include "sched/progress_watch.h"
#include "sched/sample.h"
#include "sched/occupancy_table.h"
#include "timing/group.h"

struct op;

/* A launch from its call to its report. Owned by the GPU. */
struct kernel {
    struct timing_launch launch;
    struct occupancy_table_need need;
    struct feed_template *feed; /* packets of the function */
    struct op *op;
    char *name;
    const void *owner;
    uint8_t *bank0;
    uint64_t number; /* launches are numbered from 0 */
    uint64_t num_ctas, dispatched, retired;
    uint64_t warp_inst;               /* executed by CTAs that have retired */
    struct exec_counts counts;        /* run functionally, or ended: what it has executed */
    struct exec_fault fault;          /* of a kernel that is run functionally; err 0: none */
    uint64_t launch_cycles;           /* overhead before the first CTA */
    uint64_t dispatch_interval;       /* 1/65536 core cycles from one CTA to the next */
    uint64_t dispatch_from;           /* core cycle */
    uint64_t first_cycle, last_cycle; /* first CTA live, last CTA retired */
    uint64_t heard_cycle;             /* when the scheduler knew of the last one's end */
    struct checkpoint_launch *past; /* a resumed run has it behind it: what was; NULL: it has not */
    struct timing_counters begin;   /* counters when it became active */
    int priority;                   /* of its stream */
    bool untimed;                   /* run functionally, at once */
    struct sample_key key;          /* kernel sampling: what it is one of, */
    enum sample_way way;            /* what is done with it, */
    uint32_t stratum;               /* and the number of its like */
    uint32_t resident;              /* then: CTAs that the GPU holds at a time */
    struct progress_watch *watch;   /* of the GPU */
    uint64_t period;                /* the time of uninterrupted work in which it ran, from 1 */
    bool active, ended;
    double wall_begin;
    struct kernel *next; /* in the kernel queue */
    struct kernel *next_begun, *next_ended;
};

/* What the launches of a GPU share; borrowed, and outlives them. */
struct kernel_site {
    const struct gpu_options *options;
    const struct occupancy_table_limits *limits; /* of an SM */
    struct exec_io *io;
    struct progress_watch *watch;
};

/* Checks a launch and copies what it needs. `number`: its number, from 0. Its stream's priority and
 * operation are the caller's to fill in. @return HEDDLE_ERR_LAUNCH, PTX_RESOURCES, NOMEM. */
heddle_err kernel_create(struct kernel **out, const struct kernel_site *site, uint64_t number,
                         const struct gpu_launch *launch, struct heddle_diag *diag);
/* Frees what a launch needs only while it runs; its name and numbers stay for the report. */
void kernel_release(struct kernel *k);
void kernel_free(struct kernel *k);

#endif
