/* gpu.h - one simulated GPU as the CUDA layer sees it: streams of operations in target time.
 *
 * The host issues operations on streams, each with the target time of its call. Nothing happens
 * until a caller waits. Waiting advances the simulation (fabric, scheduler, timing core) until the
 * operation has ended, and returns the target time of its end. All times are picoseconds of target
 * time since the GPU was created. With timing off, operations take no time, and a wait performs
 * them in stream order.
 *
 * Threads: one caller at a time; `heddle run` calls from the server's one thread. Inside a wait,
 * the simulation may use several threads. Errors: a launch that fails ends with the error, which
 * waits for it return, and its owner's other launches are cancelled; a gpu_failed_fn is told of it.
 * An error of the simulator stops the GPU: every wait returns it until gpu_reset(). */
#ifndef HEDDLE_SCHED_GPU_H
#define HEDDLE_SCHED_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/carveout.h"
#include "common/error.h"
#include "common/wall_time.h"
#include "exec/exec.h"
#include "feed/code_counts.h"
#include "mir/mir.h"
#include "sched/cache_curve.h"
#include "sched/sample.h"
#include "timing/command_waits.h"
#include "timing/core.h"
#include "timing/l1_curve.h"

struct gpu;
struct gpu_kernel_record;
struct gpu_copy_record;
struct checkpoint; /* sched/checkpoint.h */
struct system;     /* sched/system.h */
struct config;     /* common/config.h: the GPU's parameters */

typedef enum gpu_timing { GPU_TIMING_NONE, GPU_TIMING_RTL } gpu_timing;

/* Progress of the running kernel. Waits call gpu_progress_fn a few times per wall second, with
 * timing off too, on their own thread, or on another one while they wait for it. */
struct gpu_progress {
    const char *kernel;
    uint32_t device;
    uint64_t launch; /* number of the launch, from 0 */
    uint64_t ctas_done, ctas;
    uint64_t cycles;    /* of this kernel so far, core clock; 0 while it runs functionally */
    uint64_t warp_inst; /* issued so far; 0 while it runs functionally */
    uint64_t retired_warp_inst; /* executed by the CTAs that have ended, the same */
    double wall_s;              /* since the kernel began */
};
typedef void (*gpu_progress_fn)(void *user, const struct gpu_progress *p);

/* Moments of a wait at which the simulation may be held up, on the thread that simulates. */
enum gpu_moment {
    GPU_MOMENT_BETWEEN, /* between two windows: sched/gpu_view.h may look at all GPUs */
    GPU_MOMENT_ENDED,   /* the same, and a kernel has just ended */
    GPU_MOMENT_INSIDE,  /* a kernel runs functionally, with timing on inside a window */
};
/* Called at each end of a kernel, and otherwise a few times per wall second; it may block, which
 * changes no result. @return wall seconds for which it did, which are no part of a kernel's. */
typedef double (*gpu_moment_fn)(void *user, uint32_t device, enum gpu_moment moment);

/* A place where the checks of a kernel found something while it went on (exec/check/finding.h).
 * Everything is borrowed during the call. A GPU calls gpu_found_fn on the server's thread when a
 * kernel has ended or is given up, for each place of it. */
struct gpu_finding {
    const char *kernel;
    const struct exec_fault *example;
    const char *text; /* the example as text for the user */
    uint64_t count;
};
typedef void (*gpu_found_fn)(void *user, const struct gpu_finding *f);

/* Pinned memory of the host, which lies behind the devices' memory in the same address range, at a
 * multiple of 1 GiB from its base. */
struct gpu_host_memory {
    uint64_t address, bytes; /* 0 bytes: none */
};

/* A CTA of a timed launch that has ended: from its first cycle to the end of its last warp, stores
 * included. Slots of an SM are numbered from 0, the lowest free one first. */
struct gpu_cta {
    const char *kernel; /* borrowed during the call */
    uint64_t launch, number;
    uint32_t device, sm, slot;
    uint64_t begin_ps, end_ps; /* target time */
};
/* What the cores of a GPU counted in an interval of target time, by enum core_counter: exactly what
 * happened in it, for any placement. Counters that nobody asked for are 0. */
struct gpu_interval {
    uint32_t device;
    uint64_t number; /* it begins at number * interval_ps */
    uint64_t counted[CORE_NUM_COUNTERS];
};
/* Hears of a timed GPU's work while it goes on, on the thread that waits, between windows: of CTAs
 * in the order in which their ends are taken, and of intervals in order. An interval in which
 * nothing was counted may be left out. The calls depend on target time alone. */
struct gpu_timeline {
    uint64_t interval_ps; /* > 0 */
    uint32_t counters;    /* those to read, a bit for each enum core_counter: each costs time */
    void (*cta)(void *user, const struct gpu_cta *cta);
    void (*interval)(void *user, const struct gpu_interval *interval);
    /* A launch that was given up, or had not ended at the end of the run, though CTAs of it ran:
     * name, numbers, shape and times. It has no record in gpu_options.ended. */
    void (*given_up)(void *user, const struct gpu_kernel_record *kernel);
    void *user;
};

/* How to create a GPU. */
struct gpu_options {
    const struct config *config; /* borrowed, must outlive the GPU */
    struct exec_memory *memory;  /* borrowed: device memory */
    struct gpu_host_memory host; /* a part of `memory` */
    gpu_timing timing;
    unsigned sm_groups, threads; /* >= 1 */
    struct system *system;       /* borrowed: the system that a timed GPU joins, with its threads;
                                  * NULL: a system of its own */
    struct core_cards cards;     /* where the timing cores are */
    unsigned first_core; /* number of the first SM group's core: several GPUs have their own */
    unsigned checks;     /* EXEC_CHECK_* */
    uint64_t timeout_ps; /* target time that a timed kernel may take, 0: any */
    const struct sample_options
        *sample;                   /* time some launches, estimate the others; NULL: time all */
    struct checkpoint *checkpoint; /* borrowed: files of a run that can be resumed; or NULL */
    gpu_progress_fn progress;      /* may be NULL */
    gpu_moment_fn moment;          /* likewise; called after `progress`, if both are due */
    void *progress_user;           /* of both */
    gpu_found_fn found;            /* NULL: kernels stop at what the checks find, with a fault */
    void *found_user;
    exec_heap_fn heap; /* memory for device malloc; NULL: there is none */
    void *heap_user;
    /* The report. A record goes to `ended` once its counts are final, a copy's to `copied`, in the
     * order of issue, some time after its end; both between windows, and the rest at
     * gpu_hand_over(). They are borrowed during the call. NULL: the GPU keeps all records of
     * launches (gpu_kernels()), unless checkpoints take them, and drops those of copies. */
    void (*ended)(void *user, const struct gpu_kernel_record *record);
    void (*copied)(void *user, const struct gpu_copy_record *record);
    void *report_user;
    const struct gpu_timeline *timeline; /* who hears of CTAs and intervals, timing on; borrowed.
                                          * NULL: nobody, and it costs nothing */
    bool count_code; /* count each instruction of a timed kernel (feed/code_counts.h) */
    uint32_t device; /* its number in records */
    struct stopwatch *simulating; /* borrowed: runs while a wait simulates. GPUs may share it; NULL:
                                   * nobody asks */
};

/* Creates a GPU; with timing on, opens its timing cores. The options are copied, what they point to
 * is borrowed. On an error *out is NULL and diag has the text. */
heddle_err gpu_create(struct gpu **out, const struct gpu_options *options,
                      struct heddle_diag *diag);
void gpu_free(struct gpu *gpu); /* accepts NULL */

/* A component of a timed GPU, and a connection of two of them with its least latency. All GPUs of a
 * system share the last component, the CPU. */
enum gpu_place_kind { GPU_PLACE_GROUP, GPU_PLACE_MEMORY, GPU_PLACE_SCHEDULER, GPU_PLACE_HOST };
struct gpu_place {
    const char *name; /* valid as long as the GPU */
    enum gpu_place_kind kind;
    unsigned thread;          /* its home thread in the worker pool */
    uint32_t num_sms, slices; /* of an SM group */
};
struct gpu_join {
    uint32_t a, b; /* places */
    uint64_t latency_ps;
};
/* @return false: there is none of that number (with timing off: none at all). */
bool gpu_get_place(const struct gpu *gpu, uint32_t index, struct gpu_place *out);
bool gpu_get_join(const struct gpu *gpu, uint32_t index, struct gpu_join *out);

/* Takes the output that ended or failed kernels of an owner have printed since the last call, in
 * the order of their ends. The caller frees each piece. NULL: none. */
struct exec_text *gpu_take_output(struct gpu *gpu, const void *owner);
/* Sets the bytes of the heap of device malloc. @return false: the heap is in use. */
bool gpu_set_heap(struct gpu *gpu, uint64_t bytes);

/* ---- streams. Stream 0 is the legacy default stream and always exists: an operation on it waits
 * for all earlier operations of blocking streams, and theirs wait for it. */
enum { GPU_STREAM_LEGACY = 0, GPU_STREAM_NON_BLOCKING = 1 };
/* @return the new stream's number. priority: a lower number goes first when CTAs of several kernels
 * wait for an SM. */
uint32_t gpu_stream_create(struct gpu *gpu, unsigned flags, int priority);
heddle_err gpu_stream_destroy(struct gpu *gpu, uint32_t stream); /* after its work has ended */

typedef uint64_t gpu_ticket; /* an operation; 0: none. Tickets grow in issue order. */

/* ---- operations. `at_ps` is the host's target time of the call. */

/* A launch. The struct is copied; bank 0 (MIR_C0_*), with parameters, is copied too, and so is the
 * bank of texture references. */
struct gpu_launch {
    const struct mir_function *function; /* borrowed until the launch has ended */
    const struct mir_module *module;
    const uint8_t *bank[MIR_NUM_BANKS]; /* banks other than 0: borrowed; bank[0]: parameters only,
                                         * bank_size[0] bytes, the GPU lays out MIR_C0_* itself */
    uint32_t bank_size[MIR_NUM_BANKS];
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;    /* bytes */
    struct carveout_wish wish;  /* how L1 and shared memory share an SM's memory */
    const char *name;           /* for reports (demangled); copied */
    struct exec_memory *memory; /* what it may access; NULL: that of the GPU's options */
    const void *owner;  /* the caller's, returned with a fault (gpu_fault) and with output */
    uint64_t workspace; /* cooperative launches: device memory for grid-wide barriers, zeroed */
    bool untimed;       /* run functionally, in no time, although timing is on */
    uint64_t shmem;     /* address of struct heddle_shmem_state, 0: the program is no PE */
    uint32_t shmem_pe;  /* its number */
    bool in_graph;      /* follows another kernel of its graph: the launch overhead is smaller */
};
/* @return HEDDLE_ERR_LAUNCH, PTX_RESOURCES, NOMEM or the sticky error, with text in diag; *ticket
 * is then 0. Takes a checkpoint first if one is due. */
heddle_err gpu_launch(struct gpu *gpu, uint32_t stream, const struct gpu_launch *launch,
                      uint64_t at_ps, gpu_ticket *ticket, struct heddle_diag *diag);

typedef enum gpu_copy_kind {
    GPU_COPY_HOST_TO_DEVICE,
    GPU_COPY_DEVICE_TO_HOST,
    GPU_COPY_DEVICE_TO_DEVICE,
    GPU_MEMSET,
    GPU_COPY_HOST_TO_HOST, /* as GPU_WRITE: takes no time and no engine */
    GPU_WRITE,             /* a word of memory, by the GPU's front end */
} gpu_copy_kind;
/* A copy or fill: `perform(user)` moves the bytes, called once when the operation takes effect in
 * target time; the times come from the CPU-GPU link or device memory. */
struct gpu_copy {
    gpu_copy_kind kind;
    uint64_t device_address; /* of the device side (destination of D2D and memset) */
    uint64_t source_address; /* D2D */
    uint64_t bytes;
    uint64_t range;   /* of a prefetch of managed memory: bytes from device_address on, of which the
                       * GPU moves what is elsewhere; it then sets `bytes`. Else 0 */
    uint8_t moves_to; /* to this enum managed_place (exec/memory/managed_blocks.h); else 0 */
    void (*perform)(void *user);
    void *user;
};
heddle_err gpu_copy(struct gpu *gpu, uint32_t stream, const struct gpu_copy *copy, uint64_t at_ps,
                    gpu_ticket *ticket);

/* Whether managed memory migrates to and from this GPU in target time (fault_service.h). */
bool gpu_migrates(const struct gpu *gpu);
/* The host has touched the blocks of `mask`, from number `first` on, of managed memory that
 * migrates. */
void gpu_touch(struct gpu *gpu, uint32_t first, uint64_t mask, uint64_t at_ps);

/* Issue a marker in a stream (event record), and a marker that also waits for an operation of
 * another stream. */
heddle_err gpu_mark(struct gpu *gpu, uint32_t stream, uint64_t at_ps, gpu_ticket *ticket);
heddle_err gpu_stream_wait(struct gpu *gpu, uint32_t stream, gpu_ticket awaited, uint64_t at_ps,
                           gpu_ticket *ticket);

/* Issues a condition: the stream goes on when it is met. The GPU calls `met(user)` when the
 * operations before it have ended, then every launch.word_interval ns of target time, until it
 * returns true. `met` reads memory and changes none. */
struct gpu_condition {
    bool (*met)(void *user);
    void *user;
};
heddle_err gpu_condition(struct gpu *gpu, uint32_t stream, const struct gpu_condition *condition,
                         uint64_t at_ps, gpu_ticket *ticket);

/* ---- waiting: advance until the operation (the stream, everything issued so far) has ended;
 * *end_ps: when, target time. Kernels run and copies move their bytes meanwhile. @return the sticky
 * fault; HEDDLE_ERR_STOPPED for an operation that was given up; HEDDLE_ERR_WAITING: a stream waits
 * for a condition that only the host or another GPU can meet, or gpu_pause_fn asks for a pause; the
 * wait may be tried again. */
heddle_err gpu_wait(struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps, struct heddle_diag *diag);
heddle_err gpu_wait_stream(struct gpu *gpu, uint32_t stream, uint64_t *end_ps,
                           struct heddle_diag *diag);
heddle_err gpu_wait_all(struct gpu *gpu, uint64_t *end_ps, struct heddle_diag *diag);
/* Advances to at_ps. *done: the operation has ended by then; *end_ps: when, else 0. Errors as for a
 * wait. */
heddle_err gpu_query(struct gpu *gpu, gpu_ticket ticket, uint64_t at_ps, bool *done,
                     uint64_t *end_ps, struct heddle_diag *diag);

/* With timing off, to be called when a call has been answered: carries out the oldest operations if
 * more than 1,024 wait, so that a program that launches and does not wait fills no memory. A fault
 * stays in the GPU. With timing on it does nothing. */
void gpu_keep_short(struct gpu *gpu);

/* Advances the simulation by a bounded amount, or until everything has ended or waits for a
 * condition. *moved: something happened. @return the fault that it met; HEDDLE_OK on a GPU that is
 * dead before. */
heddle_err gpu_drive(struct gpu *gpu, bool *moved, struct heddle_diag *diag);
/* For several GPUs. A wait calls this between two windows with the target time reached (timing off:
 * now and then while a kernel seems to wait). It calls gpu_advance() for the other GPUs, so that
 * kernels may wait for each other in memory. */
typedef void (*gpu_others_fn)(void *user, const struct gpu *gpu, uint64_t now_ps);
/* Called now and then during a wait. @return true to suspend it: the wait returns
 * HEDDLE_ERR_WAITING and may be tried again. */
typedef bool (*gpu_pause_fn)(void *user);
/* Either may be NULL. */
void gpu_set_wait_hooks(struct gpu *gpu, gpu_others_fn others, gpu_pause_fn pause, void *user);
/* Whether operations take time. */
bool gpu_is_timed(const struct gpu *gpu);
/* `looks`: a wait for an operation that has not ended simulates nothing and returns
 * HEDDLE_ERR_WAITING at once; somebody else simulates (gpus_advance()). Queries do not change. */
void gpu_set_looks(struct gpu *gpu, bool looks);
/* Simulates the issued operations up to that time (timing off: some turns of a kernel). A fault is
 * returned to callers that wait for this GPU later. */
void gpu_advance(struct gpu *gpu, uint64_t until_ps);
/* For several GPUs with timing on, of one system, whose clocks go together: the earliest time at
 * which anything can happen on one of them, or UINT64_MAX; and their simulation up to a time. The
 * components of all that are joined advance together. An error stays in its GPU. @return the
 * operations that have ended on all of them, ever; a GPU that dies or resets changes it, too. */
uint64_t gpus_next(struct gpu *const *gpu, unsigned n);
uint64_t gpus_advance(struct gpu *const *gpu, unsigned n, uint64_t until_ps);
/* A number that grows when operations end, or the GPU dies. */
uint64_t gpu_num_ended(const struct gpu *gpu);
/* Whether the kernels that run will never do anything again as long as no memory changes
 * (exec/check/look.h, whose `how` is the caller's). Adds this GPU's CTAs, and to *kernels those
 * that run. Between windows, or from gpu_pause_fn. @return false: something else is under way, such
 * as a copy or a launch. */
bool gpu_look(struct gpu *gpu, struct exec_look *look, unsigned *kernels);
/* What warps have waited for that use the network from inside a kernel; all 0 with timing off.
 * Times are ps, not cycles. Between windows. */
struct command_waits gpu_command_waits(const struct gpu *gpu);
/* Calls `tell` for each kernel that runs, with where its warps stand; `standing` is borrowed. */
typedef void (*gpu_standing_fn)(void *user, const char *kernel, uint64_t launch,
                                const struct exec_standing *standing);
void gpu_tell_standing(struct gpu *gpu, gpu_standing_fn tell, void *user);
/* Stops the GPU because nothing can meet a condition any more. It is then dead, with the sticky
 * error HEDDLE_ERR_DEADLOCK and this text. */
void gpu_give_up(struct gpu *gpu, const char *text);

/* Waits for what the timing cores still simulate, though nothing waits for it: the end of what is
 * in flight, whose faults would show nowhere else. @return an error met now, with text in diag (may
 * be NULL); the GPU is then dead. */
heddle_err gpu_settle(struct gpu *gpu, struct heddle_diag *diag);

/* A launch that has failed. Borrowed for the time of a call. */
struct gpu_failure {
    const void *owner; /* of the launch; its other launches are cancelled */
    heddle_err err;
    const struct exec_fault *fault; /* NULL: it failed for another reason */
    const char *text;               /* in words; may be empty */
};
typedef void (*gpu_failed_fn)(void *user, const struct gpu_failure *f);
/* `failed` (NULL: nobody) is told of each, on the thread that waits, before anything else happens
 * on the GPU. */
void gpu_set_failed(struct gpu *gpu, gpu_failed_fn failed, void *user);

/* Ends all launches of `owner` before their time, as its death demands. Those that run end soon, as
 * their warps exit, and have records of what they did; the others do not run and have none. Their
 * operations end as usual. The other owners' launches go on. Takes effect as waits go on; may be
 * called from a gpu_progress_fn. tell: gpu_interrupted_fn is told of those that run. @return the
 * launches that have not ended. */
size_t gpu_cancel(struct gpu *gpu, const void *owner, bool tell);
/* While nobody waits: carries out what can be carried out at once, which tells of the launches that
 * run. */
void gpu_end_cancelled(struct gpu *gpu);
/* When no program is left: simulates until the cancelled launches that run have ended, so that they
 * get their records. */
void gpu_finish_cancelled(struct gpu *gpu);

/* A launch that was running when it was cancelled. Borrowed for the time of a call. */
struct gpu_interruption {
    const char *kernel;
    uint64_t launch; /* number of the launch, from 0 */
    uint64_t ctas_done, ctas;
    uint64_t cycles;    /* since its start, core clock; 0: it ran functionally */
    uint64_t warp_inst; /* issued so far */
    const struct exec_standing *standing;
};
typedef void (*gpu_interrupted_fn)(void *user, const struct gpu_interruption *i);
/* `interrupted` (NULL: nobody) is told of such launches, on the server's thread. */
void gpu_set_interrupted(struct gpu *gpu, gpu_interrupted_fn interrupted, void *user);

/* @return true after a fault: the GPU does nothing more until gpu_reset(). */
bool gpu_is_dead(const struct gpu *gpu);
/* Gives up all operations that have not ended, builds new components, and clears the fault. A wait
 * for a given-up operation returns HEDDLE_ERR_STOPPED, and its `perform` is never called. Streams,
 * target time, records and statistics go on. The functions and modules of launches are no longer
 * needed. */
heddle_err gpu_reset(struct gpu *gpu, struct heddle_diag *diag);

/* ---- the report */

/* The figures of a launch that has ended: tables/kernel_record.def. */
struct gpu_kernel_record {
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) type member array;
#define DERIVED(name, form, value, csv, unit, meaning)
#include "tables/kernel_record.def"
};
/* @return records of launches that have ended and were not handed to gpu_options.ended, in the
 * order of their ends, but for those that were cancelled or failed; valid until the next call on
 * the GPU. */
const struct gpu_kernel_record *gpu_kernels(const struct gpu *gpu, size_t *count);
/* The launches of `owner`, NULL: all, that have been issued and have not ended. */
uint64_t gpu_pending(const struct gpu *gpu, const void *owner);
/* Hands all records to gpu_options.ended and copied, at the end of a run. */
void gpu_hand_over(struct gpu *gpu);

/* A copy or fill that has ended. Those that take no time (GPU_COPY_HOST_TO_HOST, GPU_WRITE) have no
 * record. */
struct gpu_copy_record {
    gpu_copy_kind kind;
    uint32_t device, stream;
    uint64_t bytes, start_ps, end_ps; /* target time */
};
/* Results of a stratum of kernel sampling, numbered from 0. @return false: there are no more. */
bool gpu_sampled(const struct gpu *gpu, uint32_t stratum, struct sample_result *out);

/* @return the instructions of the kernels that have run, with their counts; valid until the next
 * launch ends. The GPU keeps them until it is freed. */
const struct code_profile *const *gpu_code(const struct gpu *gpu, size_t *count);

/* @return a statistic of the whole run, by row number of tables/statistics.def. */
uint64_t gpu_statistic(const struct gpu *gpu, unsigned row);

#endif
