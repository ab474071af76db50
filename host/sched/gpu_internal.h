/* gpu_internal.h - the inside of a GPU, shared by gpu.c (operations, waiting) and gpu_build.c
 * (configuration to components). */
#ifndef HEDDLE_SCHED_GPU_INTERNAL_H
#define HEDDLE_SCHED_GPU_INTERNAL_H

#include "common/config.h"
#include "sched/memory_port.h"
#include "sched/scheduler.h"

struct gpu_template { /* packets of a kernel, made once */
    const struct mir_function *function;
    struct feed_template *feed;
};

struct gpu {
    struct gpu_options options;
    struct ops *ops;
    struct slots_limits limits;
    uint64_t link_latency_ps;
    struct kernel **kernels;          /* by launch number */
    struct gpu_kernel_record *records;
    size_t num_kernels, num_records, capacity;
    struct gpu_template *templates;
    size_t num_templates;
    heddle_err dead;                  /* sticky fault */
    struct heddle_diag diag;
    struct exec_fault fault;
    char *fault_kernel;
    gpu_ticket next_immediate;        /* timing off: the first operation not done */
    /* timing on */
    struct timing_config timing;
    struct scheduler_config scheduling;
    struct timing_wiring wiring;
    struct fabric *fabric;
    struct scheduler *scheduler;
    struct memory_port *memory;
    struct timing_counters last;      /* counters at the last end of a kernel */
    double progress_next;
};

/* Makes the components of a timed GPU. */
heddle_err gpu_build(struct gpu *gpu, struct heddle_diag *diag);
void gpu_tear_down(struct gpu *gpu);
/* What one SM offers, from the configuration. */
void gpu_limits(const struct config *config, struct slots_limits *out);
/* Sum of the counters of all groups. */
void gpu_counters(const struct gpu *gpu, struct timing_counters *out);
double gpu_wall(void);

#endif
