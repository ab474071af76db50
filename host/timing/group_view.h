/* group_view.h - what the SMs of a group hold, for whoever watches a run while it goes on.
 *
 * The executor is ahead of the core: a warp's state is that of the executor, and `packets` says how
 * much of it the core has not issued yet. What the core keeps for itself, such as the warps that
 * its queues hold, is not known here.
 *
 * Threads: the driving thread, between windows. Nothing changes, so no result depends on it. */
#ifndef HEDDLE_TIMING_GROUP_VIEW_H
#define HEDDLE_TIMING_GROUP_VIEW_H

#include <stdint.h>

struct timing_group;

/* An SM. */
struct timing_sm_view {
    uint32_t ctas, warps; /* resident; warps that have not run to their end */
    uint32_t loads;       /* of its warps, issued and not looked up in L1 to the end */
    uint64_t warp_inst;   /* executed since the group was created */
};
/* Fills in the group's SMs; `sm` has all of the GPU, by number. */
void timing_group_view_sms(struct timing_group *g, struct timing_sm_view *sm);
/* @return reads of the group's L2 slices that device memory has not answered. */
uint32_t timing_group_memory_reads(const struct timing_group *g);

/* A warp of an SM. */
struct timing_warp_view {
    uint32_t slot;          /* on the SM */
    uint64_t launch;        /* its number */
    uint32_t cta[3], index; /* its CTA, and its number in it */
    uint32_t live, active;  /* lanes that have not exited; that run together */
    uint64_t executed;      /* warp instructions */
    uint32_t packets;       /* executed instructions that the core has not issued */
    uint32_t line;          /* of PTX, of the first of these; 0: there is none */
    const char *op;         /* its operation, "": there is none */
    uint32_t loads;         /* as of the SM */
    uint32_t cause, waited; /* its last wait for issue: cause (core_regs.def: a counter wait_* less
                             * wait_no_warp; 0: unknown), cycles */
    char text[480];         /* where the executor stands: "CTA (0,0,0), warp 1 waits for ..." */
};
enum { TIMING_VIEW_WARPS = 64 };
/* Fills in the warps of an SM of the group that have not run to their end. @return how many. */
unsigned timing_group_view_warps(struct timing_group *g, uint32_t sm,
                                 struct timing_warp_view out[TIMING_VIEW_WARPS]);

#endif
