/* scheduler.h - the GPU's front end as a component of the fabric: takes operations that are ready,
 * moves copies over the CPU-GPU link, keeps the kernel queue, and deals CTAs to SMs, one per core
 * cycle, as slots become free.
 *
 * Threads: scheduler_poll() between windows, the rest from the fabric. */
#ifndef HEDDLE_SCHED_SCHEDULER_H
#define HEDDLE_SCHED_SCHEDULER_H

#include "fabric/fabric.h"
#include "sched/checkpoint.h"
#include "sched/ops.h"
#include "sched/sample.h"
#include "sched/slots.h"
#include "timing/group.h"

/* A launch from its call to its report. Owned by the GPU. */
struct kernel {
    struct timing_launch launch;
    struct slots_need need;
    struct feed_template *feed; /* packets of the function */
    struct op *op;
    char *name;
    const void *owner;
    uint8_t *bank0;
    uint64_t number; /* launches are numbered from 0 */
    uint64_t num_ctas, dispatched, retired;
    uint64_t launch_cycles;           /* overhead before the first CTA */
    uint64_t deal_interval;           /* 1/65536 core cycles from one CTA to the next */
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
    struct gpu *gpu;
    uint64_t period; /* the time of uninterrupted work in which it ran, from 1 */
    bool active, ended;
    double wall_begin;
    struct kernel *next; /* in the kernel queue */
    struct kernel *next_begun, *next_ended;
};

struct scheduler_config {
    uint64_t khz;            /* core clock */
    uint64_t half_lookahead; /* core cycles, scheduler to SM and back */
    uint64_t replace; /* core cycles from the end of a CTA until another begins in its place */
    uint64_t link_latency_ps, link_bytes_per_s, link_page;
    uint64_t dram_bytes_per_s; /* device to device copies and fills */
    bool copy_allocates;       /* copies leave their lines in L2 */
    bool kernel_flush;         /* L2 is empty when a kernel starts and none runs */
    uint64_t l2_bytes, memory_base;
    uint64_t look_interval_ps; /* between two looks of a stream at a condition */
    uint32_t num_sms;
    struct slots_limits limits;
    enum slots_placement placement;
    struct checkpoint *checkpoint; /* borrowed; NULL: there are none */
    struct sampler *sampler;       /* borrowed; NULL: all kernels are timed */
    struct exec_warming *warming;  /* borrowed: lines of estimated kernels, NULL: are not noted */
};

struct scheduler;
heddle_err scheduler_create(struct scheduler **out, const struct scheduler_config *config,
                            const struct timing_wiring *wiring, struct ops *ops);
void scheduler_free(struct scheduler *s);
extern const struct fabric_ops scheduler_ops;

/* Takes over what has become ready in the ops: call before each window. */
void scheduler_poll(struct scheduler *s);
/* Kernels that have become active or ended since the last call, in order; NULL: none. */
struct kernel *scheduler_take_begun(struct scheduler *s);
struct kernel *scheduler_take_ended(struct scheduler *s);
/* When a stream looks at its condition next, not before now_ps, UINT64_MAX: none waits for one. No
 * window may reach beyond, and at that time scheduler_look() is to be called: every result is the
 * same then, whatever the windows are. `next_ps`: nothing will happen before, UINT64_MAX: at all;
 * such streams are asked again when something does, or at each call. */
uint64_t scheduler_next_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps);
bool scheduler_looks(const struct scheduler *s); /* does any stream wait for a condition? */
/* @return a stream goes on. */
bool scheduler_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps);
/* The kernel whose CTAs are running, for the progress line; NULL: none. */
const struct kernel *scheduler_running(const struct scheduler *s);
/* Bytes copied over the CPU-GPU link so far. */
void scheduler_link_bytes(const struct scheduler *s, uint64_t *to_device, uint64_t *to_host);
/* The current time of uninterrupted work (struct kernel, period), 0: no kernel is running. */
uint64_t scheduler_period(const struct scheduler *s);

#endif
