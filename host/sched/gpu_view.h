/* gpu_view.h - what a GPU does at a moment, for whoever watches a run while it goes on: kernels,
 * streams, counters, SMs and warps.
 *
 * Threads: the one that simulates, at a GPU_MOMENT_BETWEEN or GPU_MOMENT_ENDED of any GPU of the
 * system, with timing off at each moment of this GPU. Looking changes nothing. Times are target
 * time. */
#ifndef HEDDLE_SCHED_GPU_VIEW_H
#define HEDDLE_SCHED_GPU_VIEW_H

#include "sched/gpu.h"
#include "timing/group_view.h"

enum { GPU_VIEW_KERNELS = 8, GPU_VIEW_STREAMS = 16, GPU_VIEW_NAME = 160 };

/* A kernel that runs. */
struct gpu_view_kernel {
    char name[GPU_VIEW_NAME];
    uint64_t launch;
    uint32_t stream;
    uint32_t grid[3], block[3];
    uint64_t ctas, ctas_resident, ctas_done;
    uint64_t cycles; /* since its start; 0 with timing off */
};
/* A stream with operations that have not ended. */
struct gpu_view_stream {
    uint32_t stream;
    uint64_t operations;        /* that have not ended */
    const char *first;          /* of these: "kernel", "copy", "marker", "condition" */
    const char *state;          /* of the first: "waits", "is ready", "runs" */
    char kernel[GPU_VIEW_NAME]; /* its name, if it is one */
};
/* A GPU. */
struct gpu_view {
    bool timed, dead;
    uint64_t now_ps, cycle, khz;        /* the core clock's cycle and rate; 0 with timing off */
    uint64_t launches, launches_queued; /* issued; of these, that have not begun */
    struct gpu_view_kernel kernel[GPU_VIEW_KERNELS]; /* the first of num_kernels */
    struct gpu_view_stream stream[GPU_VIEW_STREAMS]; /* the num_streams with the oldest */
    unsigned num_kernels, num_streams;
    uint64_t more_operations;            /* of streams beyond these */
    uint64_t counter[CORE_NUM_COUNTERS]; /* of all cores, since the GPU was created */
    /* Of the work that goes on without a pause, in which kernels that overlap share the counts: the
     * same counters, and cycles of sub-cores since the first CTA of the kernel that began first; 0:
     * no kernel runs. */
    uint64_t since[CORE_NUM_COUNTERS], sub_core_cycles;
    uint64_t memory_reads; /* of L2, to which device memory has not answered */
};

void gpu_view_look(const struct gpu *gpu, struct gpu_view *out);
/* Fills in all SMs of a timed GPU; a dead one has none, and `sm` stays. */
void gpu_view_sms(const struct gpu *gpu, struct timing_sm_view *sm);
/* Fills in the warps of an SM of a timed GPU. @return how many. */
unsigned gpu_view_warps(const struct gpu *gpu, uint32_t sm,
                        struct timing_warp_view out[TIMING_VIEW_WARPS]);

#endif
