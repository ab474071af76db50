/* scheduler.h - the GPU's front end as a component of the fabric: takes operations that are ready,
 * gives copies to the copy engines (copy_engine.h) and keeps the kernel queue, from which CTAs go
 * to SMs (cta_dispatch.h). The link to the host is here as well, with what kernels access over it
 * (outside_port.h), because copies and kernels share it.
 *
 * It receives ISSUE from the CPU and CTA_DONE from SM groups, and sends CTA_LAUNCH, FLUSH and FILL
 * to SM groups (tables/messages.def). With memory outside the GPU it also receives REMOTE and
 * VALUES, and sends these and PERFORMED. Where managed memory migrates (fault_service.h), it
 * receives FAULT, ACCESSED and HOST_TOUCH, and sends BLOCKS.
 *
 * Threads: the fabric calls scheduler_ops on a worker thread during a window (receive, advance).
 * The driving thread (gpu_timed.c) calls all other functions between windows. Times are picoseconds
 * of target time (_ps) or target cycles of the core clock. */
#ifndef HEDDLE_SCHED_SCHEDULER_H
#define HEDDLE_SCHED_SCHEDULER_H

#include "fabric/fabric.h"
#include "sched/copy_engine.h"
#include "sched/cta_dispatch.h"
#include "sched/cta_ends.h"
#include "sched/fault_service.h"
#include "sched/kernel.h"
#include "sched/launch_way.h"
#include "sched/ops.h"
#include "sched/outside_port.h"
#include "timing/group.h"

/* The parameters of a scheduler (gpu_build.c), copied. */
struct scheduler_config {
    struct cta_dispatch_config dispatch; /* with the core clock and the look-ahead */
    struct copy_config copies;
    struct packet_link_config link, peer_link; /* bandwidth 0 of the latter: peers share `link` */
    struct outside_config outside;
    uint64_t outside_pieces[GROUP_OUTSIDE_WORDS]; /* as struct timing_config has them */
    bool copy_allocates;                          /* copies leave their lines in L2 */
    bool kernel_flush;              /* L2 is empty when a kernel starts while none runs */
    uint64_t l2_bytes, memory_base; /* size of L2; first address of device memory */
    uint64_t look_interval_ps;      /* between two looks of a stream at a condition */
    struct launch_ways ways;
    struct managed_blocks *managed; /* borrowed: managed memory migrates; NULL: it does not */
    struct fault_config faults;
};

struct scheduler;
/* `ops` are borrowed. @return HEDDLE_ERR_NOMEM or ARGUMENT; *out is then NULL. */
heddle_err scheduler_create(struct scheduler **out, const struct scheduler_config *config,
                            const struct timing_wiring *wiring, struct ops *ops);
void scheduler_free(struct scheduler *s); /* accepts NULL; kernels and operations stay */
/* A component that hears of the beginning and end of each timed kernel (message KERNEL). Between
 * windows. */
void scheduler_set_watcher(struct scheduler *s, uint32_t component);
/* The watcher performs what kernels do with memory ordering in these lines of host memory
 * (outside_port_serve()). Between windows. */
void scheduler_set_served(struct scheduler *s, uint32_t first_line, uint32_t end_line);
/* outside_port_perform() of its port. */
void scheduler_perform_outside(struct scheduler *s, uint32_t op, uint32_t lanes);
/* Customers that are no SMs use L2 (gpu_customers.h). Between windows. */
void scheduler_set_customers(struct scheduler *s);
/* The scheduler's callbacks for the fabric; their `self` is the struct scheduler. */
extern const struct fabric_ops scheduler_ops;

/* Takes operations that have become ready from the ops; to be called before each window. */
void scheduler_poll(struct scheduler *s);
/* Take the next kernel that has become active, or ended, in order; NULL: no more. */
struct kernel *scheduler_take_begun(struct scheduler *s);
struct kernel *scheduler_take_ended(struct scheduler *s);
/* @return when a stream looks at its condition next, not before now_ps; UINT64_MAX: no stream waits
 * for one. No window may reach beyond that time, and the caller then calls scheduler_look(), so
 * that results do not depend on windows. `next_ps`: nothing else happens before it; UINT64_MAX:
 * nothing happens at all, and streams that have looked look again when something does, or at each
 * call. */
uint64_t scheduler_next_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps);
bool scheduler_looks(const struct scheduler *s); /* true: a stream waits for a condition */
/* Calls gpu_condition.met for the streams whose look is due at now_ps, and ends the operations
 * whose condition is met. @return true: a stream goes on. */
bool scheduler_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps);
/* The first of the kernels whose CTAs are running, linked by `next`; NULL: none. */
struct kernel *scheduler_running(const struct scheduler *s);
/* Bytes copied over the CPU-GPU link so far. */
void scheduler_link_bytes(const struct scheduler *s, uint64_t *to_device, uint64_t *to_host);
/* Adds what kernels have moved from and to memory outside the GPU so far. */
void scheduler_outside_counts(const struct scheduler *s, struct outside_counts *sum);
/* Adds what was done for page faults so far. */
void scheduler_fault_counts(const struct scheduler *s, struct fault_counts *sum);
/* Between windows: launches were cancelled (exec_launch_cancel()); ends those that run, as their
 * CTAs end. */
void scheduler_cancel(struct scheduler *s);
/* The current time of uninterrupted work (struct kernel, period), 0: no kernel is running. */
uint64_t scheduler_period(const struct scheduler *s);

#endif
