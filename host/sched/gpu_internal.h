/* gpu_internal.h - the inside of a GPU, shared by the files gpu*.c.
 *
 * From the bottom: gpu_build.c creates the components, gpu_fault.c keeps the sticky fault,
 * gpu_records.c counts, gpu_timeline.c tells of CTAs and intervals; gpu_timed.c and
 * gpu_immediate.c carry operations out, gpu_look.c and gpu_view.c look at them, gpu_wait.c waits
 * for them, gpu_checkpoint.c and gpu_reset.c replace the components, gpu.c takes operations.
 *
 * Conventions of these files. Everything runs on the server's one thread, which handles the
 * programs' calls and drives the fabric; only the callbacks of the components (scheduler.c,
 * memory_port.c, timing/group.c) run on the threads of the worker pool during fabric_step().
 * Functions that take `gpu` read and write that GPU. *_ps are picoseconds of target time since the
 * GPU was created, cycles are target cycles of the core clock. A kernel's fault is its owner's
 * (gpu_kernel_failed()). An error of the simulator stops the GPU through gpu_die(), which keeps it
 * in gpu->dead and gpu->diag for later calls. */
#ifndef HEDDLE_SCHED_GPU_INTERNAL_H
#define HEDDLE_SCHED_GPU_INTERNAL_H

#include "common/config.h"
#include "sched/checkpoint.h"
#include "sched/cta_log.h"
#include "sched/kernel.h"
#include "sched/memory_port.h"
#include "sched/progress_watch.h"
#include "sched/scheduler.h"
#include "sched/system.h"

/* A GPU. The server's thread alone writes it; components borrow ops, io, warming and watch, which
 * they change during windows. */
struct gpu {
    struct gpu_options options; /* `simulating` is never NULL */
    struct stopwatch own_stopwatch;
    struct ops *ops;
    struct occupancy_table_limits limits;
    uint64_t link_latency_ps;           /* of the CPU-GPU link */
    struct kernel **kernels;            /* owned; a ring by launch number, NULL: it was freed */
    struct timing_launches launches;    /* the same, for the SM groups; it has the ring's mask */
    uint64_t num_kernels, first_kernel; /* launches ever; those before this one were freed */
    struct kernel *dropped;             /* that resets gave up, linked by `next`; owned */
    struct gpu_kernel_record *records; /* of launches that have ended, in order of their ends, until
                                         * they are handed over */
    size_t num_records, cap_records;
    uint64_t num_stopped;       /* launches that failed or were cancelled, timing on */
    struct code_profile **code; /* owned: a profile for each kernel that has run, timing on */
    size_t num_code, cap_code;
    struct checkpoint_launch *since; /* ended and handed over since the last checkpoint, if there
                                      * are checkpoints */
    size_t num_since, cap_since;
    heddle_err dead;             /* why it has stopped (sticky) */
    struct heddle_diag diag;     /* its text */
    uint64_t to_device, to_host; /* bytes copied with timing off, or by replaced components */
    struct outside_counts
        outside;                  /* of kernels on components that a reset or checkpoint replaced */
    struct fault_counts faults;   /* the same of page faults */
    struct timing_counters past;  /* counters of components that a reset or checkpoint replaced */
    struct exec_io *io;           /* printf and the heap of kernels */
    struct exec_text *output;     /* of kernels that have ended, not yet taken */
    uint64_t checkpointed;        /* launches before the last checkpoint */
    bool cancelling;              /* timing on: gpu_cancel() was called, and not yet carried out */
    struct op *immediate;         /* timing off: operations that are ready, by ticket */
    struct sampler *sampler;      /* timing on: chooses the kernels to time; NULL: times all */
    struct exec_warming *warming; /* with a sampler: lines that untimed kernels access; or NULL */
    struct gpu_run *runs;         /* timing off: kernels that have begun, in order */
    bool stalled;                 /* timing off: those kernels seem to wait for something */
    gpu_others_fn others;         /* or NULL */
    gpu_pause_fn pause;           /* or NULL */
    void *hooks_user;             /* argument of others and pause */
    bool looks;                   /* waits do not simulate (gpu_set_looks()) */
    bool watched;                 /* a component hears of kernels (gpu_watch_kernels()): */
    uint32_t watcher;
    uint32_t served_first, served_end; /* lines of host memory that it serves */
    gpu_interrupted_fn interrupted;    /* or NULL */
    void *interrupted_user;
    gpu_failed_fn failed; /* or NULL */
    void *failed_user;
    unsigned windows; /* counts the windows of waits, for `pause` */
    struct progress_watch watch;
    /* timing on */
    struct timing_config timing;
    struct scheduler_config scheduling;
    struct timing_wiring wiring;
    struct system *own_system;    /* created for this GPU alone; NULL: options.system */
    struct fabric *fabric;        /* of its system */
    struct timing_group **groups; /* wiring.num_groups; NULL between tear-down and build */
    struct scheduler *scheduler;
    struct memory_port *memory;
    uint64_t floor_ps;                    /* no operation of the host arrives earlier */
    struct timing_counters busy_begin;    /* counters at the begin of period `busy` */
    struct cache_curve_counts busy_curve; /* the same of other L2 and L1 */
    struct l1_curve_counts busy_l1;
    struct atomic_lines busy_atomics;
    struct outside_counts busy_outside;
    struct fault_counts busy_faults;
    uint64_t busy;                  /* the period (struct kernel) that is being counted */
    size_t busy_records;            /* its first record */
    uint64_t busy_first, busy_last; /* cycles: its first CTA dispatched, last one retired, so far */
    struct cta_log
        *ctas; /* for options.timeline; owned. NULL: nobody hears of CTAs and intervals */
    uint64_t interval_begin[CORE_NUM_COUNTERS]; /* at the begin of an interval, */
    uint64_t interval_end; /* which ends there, ps; FABRIC_NEVER: nothing happens */
};

/* Once, at creation: computes the configuration of a timed GPU's components, adds their places to
 * the fabric of its system, and joins them. gpu_unwire() frees that. */
heddle_err gpu_wire(struct gpu *gpu, struct heddle_diag *diag);
void gpu_unwire(struct gpu *gpu);
/* A part of gpu_wire() (gpu_outside.c): what of gpu->timing and gpu->scheduling says which memory
 * is outside the GPU, and how it is reached. @return HEDDLE_ERR_CONFIG, with text. */
heddle_err gpu_set_up_outside(struct gpu *gpu, struct heddle_diag *diag);
/* Creates the components (SM groups with their cores, memory, scheduler) and attaches them to their
 * places. gpu_tear_down() detaches and frees them; it accepts a partly built GPU. */
heddle_err gpu_build(struct gpu *gpu, struct heddle_diag *diag);
void gpu_tear_down(struct gpu *gpu);
/* Clears the sticky fault. */
void gpu_forget_fault(struct gpu *gpu);
/* Fills the members of a record that tell of its instructions, and adds their counts to the
 * kernel's profile (gpu_code.c). */
void gpu_record_code(struct gpu *gpu, struct gpu_kernel_record *r, const struct kernel *k);
void gpu_code_free(struct gpu *gpu);
/* Adds the record of a kernel that has ended, with what the executor counted. */
struct gpu_kernel_record *gpu_record(struct gpu *gpu, const struct kernel *k);
/* To be called when a kernel has begun or ended in the last window. They read the counters of the
 * cores; gpu_record_end() adds the kernel's record and updates those of its period. */
void gpu_record_begin(struct gpu *gpu, struct kernel *k);
void gpu_record_end(struct gpu *gpu, const struct kernel *k);
/* The same for a kernel that ended before its time: it had failed or was cancelled. One that has
 * not begun gets no record. */
void gpu_record_stopped(struct gpu *gpu, struct kernel *k);
/* To be called when all kernels that ended in the last window have records: hands those over whose
 * counts are final. */
void gpu_records_settle(struct gpu *gpu);
/* Hands over the first records, of launches that have ended: `count` of them. */
void gpu_records_hand_over(struct gpu *gpu, size_t count);
void gpu_copy_hand_over(struct gpu *gpu, const struct op *op); /* if it is a copy or fill */
/* Frees what is long over: kernels and operations, after their records were handed over. To be
 * called between windows, after an operation was added. */
void gpu_trim(struct gpu *gpu);
/* Fills the resources of one SM from the configuration. */
void gpu_limits(const struct config *config, struct occupancy_table_limits *out);
/* To be called before each launch: takes a checkpoint if one is due. That waits for everything
 * issued, writes or reads files, and replaces the components. @return an error stops the GPU. */
heddle_err gpu_checkpoint(struct gpu *gpu, struct heddle_diag *diag);
/* Sum of the counters of all groups, and of those before a reset. */
void gpu_counters(const struct gpu *gpu, struct timing_counters *out);

/* gpu_timeline.c: tells options.timeline. All but the first and the last only if gpu->ctas. */
void gpu_timeline_begin(struct gpu *gpu); /* at creation, before gpu_wire() */
/* Before a window, when nothing happens before next_ps. @return the end of the interval, which the
 * window must not reach beyond; FABRIC_NEVER: there is none. Something happens before it. */
uint64_t gpu_timeline_limit(struct gpu *gpu, uint64_t next_ps);
void gpu_timeline_attend(struct gpu *gpu); /* after a window */
/* A timed launch was given up at end_ps. */
void gpu_timeline_give_up(const struct gpu *gpu, const struct kernel *k, uint64_t end_ps);
void gpu_timeline_end(struct gpu *gpu); /* at the end of the run */

/* @return the sticky fault of a stopped GPU, or HEDDLE_OK. */
heddle_err gpu_sticky(const struct gpu *gpu, struct heddle_diag *diag);
/* Kernel k has failed with e, by a fault (err 0: for another reason): it must end, if it has
 * not. */
void gpu_kernel_failed(struct gpu *gpu, struct kernel *k, const struct exec_fault *fault,
                       heddle_err e, const struct heddle_diag *diag);
/* Stops the GPU, with all its work. @return e. */
heddle_err gpu_die(struct gpu *gpu, heddle_err e, const struct heddle_diag *diag);
/* Tells of a cancelled launch that was running; see gpu_cancel.c. */
void gpu_tell_interrupted(struct gpu *gpu, struct kernel *k, uint64_t cycles, uint64_t warp_inst);
void gpu_end_cancelled_immediate(struct gpu *gpu);
void gpu_end_cancelled_timed(struct gpu *gpu);
void gpu_finish_cancelled_timed(struct gpu *gpu);
/* Moves the kernel's printf output from gpu->io to the list that gpu_take_output() serves, and
 * tells its findings (gpu_options.found). The second function tells those of all kernels that are
 * about to be given up. */
void gpu_collect_output(struct gpu *gpu, const struct kernel *k);
void gpu_tell_findings(const struct gpu *gpu);
/* True if the CUDA layer wants the wait suspended. */
static inline bool gpu_pauses(const struct gpu *gpu) {
    return gpu->pause && gpu->pause(gpu->hooks_user);
}
/* Timing on (gpu_timed.c): gpu_wait(), gpu_query(), gpu_drive() and gpu_advance(). */
heddle_err gpu_wait_timed(struct gpu *gpu, struct op *op, struct heddle_diag *diag);
heddle_err gpu_query_timed(struct gpu *gpu, const struct op *op, uint64_t at_ps,
                           struct heddle_diag *diag);
heddle_err gpu_drive_timed(struct gpu *gpu, bool *moved, struct heddle_diag *diag);
void gpu_advance_timed(struct gpu *gpu, uint64_t until_ps);
/* Timing off (gpu_immediate.c): gpu_wait(), gpu_drive() and gpu_advance(). */
heddle_err gpu_wait_immediate(struct gpu *gpu, gpu_ticket ticket, struct heddle_diag *diag);
bool gpu_drive_immediate(struct gpu *gpu);
void gpu_advance_immediate(struct gpu *gpu);
/* gpu_look(), gpu_tell_standing(). */
void gpu_look_immediate(struct gpu *gpu, struct exec_look *look, unsigned *kernels);
void gpu_tell_standing_immediate(struct gpu *gpu, gpu_standing_fn tell, void *user);
/* Kernel number i of those that have begun; NULL: there are no more. */
const struct kernel *gpu_run_kernel(const struct gpu *gpu, unsigned i);
/* Ends kernels that have begun, without records, and forgets the ready operations. */
void gpu_abandon_immediate(struct gpu *gpu);

#endif
