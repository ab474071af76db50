/* kernel.h - a launch from its call to its report: its inputs, its progress and its results.
 *
 * Threads: the server's thread creates and frees kernels; the scheduler changes them during
 * windows, in which SM groups read `launch`. Cycles are target cycles of the core clock. */
#ifndef HEDDLE_SCHED_KERNEL_H
#define HEDDLE_SCHED_KERNEL_H

#include "common/occupancy.h"
#include "sched/checkpoint.h"
#include "sched/gpu.h"
#include "sched/progress_watch.h"
#include "sched/sample.h"
#include "sched/occupancy_table.h"
#include "timing/group.h"

struct op;

/* Why a kernel has failed. */
struct kernel_failure {
    heddle_err err;
    struct exec_fault fault; /* err 0: none */
    struct heddle_diag diag;
};

/* A launch from its call to its report. Owned by the GPU. */
struct kernel {
    struct timing_launch launch;      /* its form for executor, feed and SM groups */
    struct occupancy_table_need need; /* of one CTA */
    struct feed_template *feed;       /* packets of the function; NULL with timing off */
    struct op *op;
    char *name;        /* owned, as all that kernel_free() frees: feed, bank0, past */
    const void *owner; /* of the launch, for gpu_fault() and output */
    uint8_t *bank0;    /* constant bank 0, with the bank of texture references behind it */
    uint64_t number;   /* launches are numbered from 0 */
    uint64_t num_ctas, dispatched, retired;
    uint64_t retired_then; /* when it was cancelled: later ones end before their time */
    uint64_t warp_inst;    /* executed by CTAs that have retired */
    uint32_t count_groups; /* SM groups that count each instruction; 0: they are not counted */
    uint8_t *on_sm;        /* CTAs of the kernel on each SM, while it runs with timing */
    uint64_t sm_cycles;    /* in which an SM had CTAs of the kernel, of all SMs together; core
                            * cycles, modulo 2^64 like warp_cycles */
    uint32_t fit;          /* CTAs that an SM holds, */
    occupancy_limit limit; /* and what limits them */
    uint64_t warp_cycles;  /* ends less begins of all warps' residency, in core cycles; modulo 2^64
                           * until the last CTA has retired */
    struct exec_counts counts;        /* of the executor, once it has ended */
    struct kernel_failure *failure;   /* of a kernel that is run functionally; NULL: none */
    uint64_t begin_overhead;          /* core cycles from the start to the first CTA, */
    uint64_t end_overhead;            /* and from the end of the last warp, but for its stores */
    uint64_t dispatch_interval;       /* 1/65536 core cycles from one CTA dispatched to the next, */
    uint64_t end_interval;            /* and from one end to the next */
    uint64_t dispatch_from;           /* cycle from which CTAs may be dispatched */
    uint64_t first_cycle, last_cycle; /* first CTA live; last CTA retired, its stores included */
    uint64_t end_cycle;               /* end of the kernel, with its overhead */
    uint64_t heard_cycle;             /* when the scheduler knows of it */
    struct checkpoint_launch *past;   /* its record if it lies before the checkpoint from which the
                                     * run resumes; else NULL */
    struct timing_counters begin;     /* counters when it became active */
    int priority;                     /* of its stream */
    bool untimed;                     /* run functionally, in no time, although timing is on */
    struct sample_key key;            /* kernel sampling: the properties that choose its stratum, */
    enum sample_way way;              /* whether it is timed or estimated, */
    uint32_t stratum;                 /* and its stratum */
    uint32_t resident;                /* CTAs that the GPU holds at a time */
    struct progress_watch *watch;     /* of the GPU */
    uint64_t period;     /* number, from 1, of the time of uninterrupted work in which it runs */
    bool active, ended;  /* active: it has started, and its code is decoded */
    bool reported;       /* its record was handed over */
    double wall_begin;   /* wall_seconds() when it began */
    struct kernel *next; /* in the kernel queue */
    struct kernel *next_begun, *next_ended; /* in the scheduler's lists for the GPU */
};

/* Data that the launches of a GPU share; borrowed, and outlives them. */
struct kernel_site {
    const struct gpu_options *options;
    const struct occupancy_table_limits *limits; /* of an SM */
    uint32_t num_groups;                         /* SM groups */
    struct exec_io *io;
    struct progress_watch *watch;
};

/* Checks a launch and copies what it needs. `number`: its number, from 0. The caller sets
 * `priority` and `op`. @return HEDDLE_ERR_LAUNCH, PTX_RESOURCES, NOMEM, with text in diag; *out is
 * then NULL. */
heddle_err kernel_create(struct kernel **out, const struct kernel_site *site, uint64_t number,
                         const struct gpu_launch *launch, struct heddle_diag *diag);
/* The kernel's CTAs may be dispatched from now on: its code is decoded. Makes its counts of
 * instructions if it has groups to count for. On any thread. */
void kernel_activate(struct kernel *k);
/* Frees the data that a launch needs only while it runs; name and numbers stay for the report. */
void kernel_release(struct kernel *k);
void kernel_free(struct kernel *k);

#endif
