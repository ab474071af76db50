/* scheduler.h - the GPU's front end as a component of the fabric: takes operations that are ready,
 * gives copies to the copy engines (copy_engine.h) and keeps the kernel queue, from which CTAs go
 * to SMs (cta_dispatch.h).
 *
 * Threads: scheduler_poll() between windows, the rest from the fabric. */
#ifndef HEDDLE_SCHED_SCHEDULER_H
#define HEDDLE_SCHED_SCHEDULER_H

#include "fabric/fabric.h"
#include "sched/copy_engine.h"
#include "sched/cta_dispatch.h"
#include "sched/kernel.h"
#include "sched/launch_way.h"
#include "sched/ops.h"
#include "timing/group.h"

struct scheduler_config {
    struct cta_dispatch_config dispatch; /* with the core clock and the look-ahead */
    struct copy_config copies;
    bool copy_allocates; /* copies leave their lines in L2 */
    bool kernel_flush;   /* L2 is empty when a kernel starts and none runs */
    uint64_t l2_bytes, memory_base;
    uint64_t look_interval_ps; /* between two looks of a stream at a condition */
    struct launch_ways ways;
};

struct scheduler;
heddle_err scheduler_create(struct scheduler **out, const struct scheduler_config *config,
                            const struct timing_wiring *wiring, struct ops *ops);
void scheduler_free(struct scheduler *s);
extern const struct fabric_ops scheduler_ops;

/* Takes ready operations over from the ops; to be called before each window. */
void scheduler_poll(struct scheduler *s);
/* Kernels that have become active or ended since the last call, in order; NULL: none. */
struct kernel *scheduler_take_begun(struct scheduler *s);
struct kernel *scheduler_take_ended(struct scheduler *s);
/* When a stream looks at its condition next, not before now_ps, UINT64_MAX: none waits for one. No
 * window may reach beyond, and at that time scheduler_look() is to be called: every result is the
 * same then, whatever the windows are. `next_ps`: nothing will happen before, UINT64_MAX: at all;
 * such streams are asked again when something does, or at each call. */
uint64_t scheduler_next_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps);
bool scheduler_looks(const struct scheduler *s); /* true: a stream waits for a condition */
/* Lets streams look at their conditions, which calls gpu_condition.met. @return true: a stream goes
 * on. */
bool scheduler_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps);
/* The kernel whose CTAs are running, for the progress line; NULL: none. */
const struct kernel *scheduler_running(const struct scheduler *s);
/* Bytes copied over the CPU-GPU link so far. */
void scheduler_link_bytes(const struct scheduler *s, uint64_t *to_device, uint64_t *to_host);
/* The current time of uninterrupted work (struct kernel, period), 0: no kernel is running. */
uint64_t scheduler_period(const struct scheduler *s);

#endif
