/* gpu_timed.c - a GPU with timing on: advances the simulation window by window, as far as a caller
 * waits.
 *
 * gpu_wait.c calls the functions at the end of this file on the server's thread, which thereby
 * drives the fabric; step() is the heart of each. step() simulates one window (on the threads of
 * the worker pool), then handles what happened in it: conditions of streams, kernels that ended or
 * began, faults, progress. An error of the simulator stops the GPU (gpu_die()) and is returned. */
#include <stdlib.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

enum { WINDOWS = 1024 }; /* between two calls of gpu->pause; most of one gpu_drive() */

/* The clock of the GPU's island of the fabric, and when something happens there next, ps. */
static uint64_t now_of(const struct gpu *gpu) {
    return fabric_now(gpu->fabric, gpu->wiring.scheduler_id);
}
static uint64_t next_of(const struct gpu *gpu) {
    return fabric_next(gpu->fabric, gpu->wiring.scheduler_id);
}

/* Core cycles since the kernel's start. */
static uint64_t cycles_of(const struct gpu *gpu, const struct kernel *k) {
    uint64_t cycle = clock_cycle_from(now_of(gpu), gpu->timing.khz);
    uint64_t begin = clock_cycle_from(k->op->start_ps, gpu->timing.khz);
    return cycle > begin ? cycle - begin : 0;
}

/* Warp instructions issued since it began, by all kernels. Reads the cores' counters. */
static uint64_t issued_since(const struct gpu *gpu, const struct kernel *k) {
    struct timing_counters c;
    gpu_counters(gpu, &c);
    return c.of[CORE_COUNTER_ISSUED] - k->begin.of[CORE_COUNTER_ISSUED];
}

/* Fills in where the warps of a kernel that runs stand, and tells of it. */
static void tell_standing(struct gpu *gpu, struct kernel *k) {
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        timing_group_standing(gpu->groups[i], k->number, k->launch.exec.standing);
    gpu_tell_interrupted(gpu, k, cycles_of(gpu, k), issued_since(gpu, k));
}

/* Calls the progress function. `now`: wall_seconds(). */
static void tell_progress(struct gpu *gpu, const struct kernel *k, double now) {
    if (!gpu->watch.tell) return;
    struct gpu_progress p = {.kernel = k->name,
                             .device = gpu->options.device,
                             .launch = k->number,
                             .ctas_done = k->retired,
                             .ctas = k->num_ctas,
                             .cycles = cycles_of(gpu, k),
                             .warp_inst = issued_since(gpu, k),
                             .retired_warp_inst = k->warp_inst,
                             .wall_s = now - k->wall_begin};
    gpu->watch.tell(gpu->watch.user, &p);
}

/* After a window, in which a kernel has `ended`: tells of the progress when a report is due, and of
 * the moment then and when a kernel has ended. */
static void show_progress(struct gpu *gpu, bool ended) {
    struct kernel *running = scheduler_running(gpu->scheduler);
    const double now = wall_seconds();
    const bool due = (running || gpu->watch.moment) && progress_due(&gpu->watch, now);
    if (due && running) tell_progress(gpu, running, now);
    if (!due && !ended) return;
    const double held_s = progress_moment(&gpu->watch,
                                          ended ? GPU_MOMENT_ENDED : GPU_MOMENT_BETWEEN);
    for (struct kernel *k = running; k; k = k->next) k->wall_begin += held_s;
}

/* A fault of a warp of kernel k, met by a group: the kernel has failed. */
static void report_fault(struct gpu *gpu, struct kernel *k, const struct exec_fault *fault) {
    struct heddle_diag diag = {.err = fault->err};
    exec_fault_text(diag.text, sizeof diag.text, &k->launch.exec, fault);
    gpu_kernel_failed(gpu, k, fault, fault->err, &diag);
}

/* Looks for faults of the last window. Of a kernel's, that of the first group counts, as the others
 * may be its consequences. */
static void look_for_faults(struct gpu *gpu) {
    bool any = false;
    for (uint32_t g = 0; g < gpu->wiring.num_groups; g++)
        any |= timing_group_faulted(gpu->groups[g]);
    for (struct kernel *k = any ? scheduler_running(gpu->scheduler) : NULL; k; k = k->next) {
        const struct exec_fault *fault = NULL;
        for (uint32_t g = 0; g < gpu->wiring.num_groups && !fault; g++)
            fault = timing_group_fault(gpu->groups[g], k->number);
        if (fault && !exec_launch_cancelled(&k->launch.exec)) report_fault(gpu, k, fault);
    }
}

/* @return the error of a group, which it may have met while its core's counters were read, with
 * text in diag (may be NULL); the GPU is then dead. */
static heddle_err check_groups(struct gpu *gpu, struct heddle_diag *diag) {
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++) {
        struct heddle_diag local = {0};
        heddle_err e = timing_group_failed(gpu->groups[i], &local);
        if (!e) continue;
        if (diag) *diag = local;
        return gpu_die(gpu, e, &local);
    }
    return HEDDLE_OK;
}

/* @return true if no stream will look at its condition between now and `limit`, given that nothing
 * else happens before `limit`, and next at `next` (ps). scheduler_next_look() may set looks. */
static bool all_asked(struct gpu *gpu, uint64_t limit, uint64_t next) {
    uint64_t now = now_of(gpu), look = scheduler_next_look(gpu->scheduler, now, next);
    return look == now || look >= limit;
}

/* The kernel whose time (options.timeout_ps) is up first, *at_ps: when; NULL, FABRIC_NEVER: there
 * is no limit, or no kernel. */
static struct kernel *first_deadline(const struct gpu *gpu, uint64_t *at_ps) {
    struct kernel *first = NULL;
    *at_ps = FABRIC_NEVER;
    if (!gpu->options.timeout_ps) return NULL;
    for (struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next) {
        const uint64_t at = k->op->start_ps + gpu->options.timeout_ps;
        if (at >= *at_ps || exec_launch_cancelled(&k->launch.exec)) continue;
        first = k;
        *at_ps = at;
    }
    return first;
}

/* Lets a kernel fail whose time is up, and tells where its warps stand. A window has ended just
 * then, for any placement. @return whether there was one. */
static bool check_timeout(struct gpu *gpu) {
    uint64_t at_ps;
    struct heddle_diag diag;
    const struct exec_fault none = {0};
    struct kernel *k = first_deadline(gpu, &at_ps);
    if (!k || now_of(gpu) < at_ps) return false;
    k->launch.exec.standing = heddle_alloc(sizeof(struct exec_standing), "where warps stand");
    tell_standing(gpu, k);
    heddle_fail(&diag, HEDDLE_ERR_TIMEOUT,
                "kernel %s has run for longer than %g us of target time (--timeout-target)",
                k->name, (double)gpu->options.timeout_ps / 1e6);
    gpu_kernel_failed(gpu, k, &none, HEDDLE_ERR_TIMEOUT, &diag);
    return true;
}

/* A kernel has ended in the last window, by itself or not: adds its record, collects its output and
 * frees its inputs. */
static void end_kernel(struct gpu *gpu, struct kernel *k) {
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        timing_group_take_counts(gpu->groups[i], k->number, &k->counts);
    gpu_tell_interrupted(gpu, k, 0, k->counts.warp_inst); /* while it ran functionally */
    const struct kernel_failure *f = k->failure;
    if (f) gpu_kernel_failed(gpu, k, &f->fault, f->err, &f->diag);
    if (f || exec_launch_cancelled(&k->launch.exec)) {
        gpu_record_stopped(gpu, k);
        if (gpu->ctas) gpu_timeline_give_up(gpu, k, k->op->end_ps);
    } else {
        gpu_record_end(gpu, k);
    }
    gpu_collect_output(gpu, k);
    kernel_release(k);
    k->op->kernel = NULL; /* the operation may stay longer than the kernel */
}

/* How far one window of a GPU may go. */
struct pace {
    uint64_t limit; /* ps: the caller's, or that of a kernel's time */
    uint64_t look;  /* ps: the next look of a stream at its condition; FABRIC_NEVER: none */
};

/* Before a window that ends no later than `limit` (ps). */
static struct pace prepare(struct gpu *gpu, uint64_t limit) {
    struct pace p = {limit, FABRIC_NEVER};
    uint64_t deadline;
    if (gpu->cancelling) gpu_end_cancelled_timed(gpu);
    scheduler_poll(gpu->scheduler);
    if (first_deadline(gpu, &deadline) && deadline < p.limit) p.limit = deadline;
    if (scheduler_looks(gpu->scheduler))
        p.look = scheduler_next_look(gpu->scheduler, now_of(gpu), next_of(gpu));
    if (gpu->ctas) {
        const uint64_t end = gpu_timeline_limit(gpu, next_of(gpu));
        if (end < p.limit) p.limit = end;
    }
    return p;
}

/* After a window: handles what happened in it; see step(). */
static heddle_err attend(struct gpu *gpu, const struct pace *p, bool *idle,
                         struct heddle_diag *diag) {
    if (p->look <= now_of(gpu)) {
        uint64_t next = next_of(gpu);
        bool goes_on = scheduler_look(gpu->scheduler, now_of(gpu), next);
        *idle = *idle && !goes_on && next >= p->limit && all_asked(gpu, p->limit, next);
    }
    look_for_faults(gpu);
    if (gpu->ctas) gpu_timeline_attend(gpu);
    /* Ends come first: when a kernel begins as the last one ends, the counts up to now belong to
     * the old one. No kernel begins and ends in one window, since its CTAs travel both ways. */
    bool ended = false;
    for (struct kernel *k; (k = scheduler_take_ended(gpu->scheduler)); ended = true)
        end_kernel(gpu, k);
    gpu_records_settle(gpu);
    for (struct kernel *k; (k = scheduler_take_begun(gpu->scheduler));) gpu_record_begin(gpu, k);
    show_progress(gpu, ended);
    if (check_timeout(gpu)) *idle = false;
    return check_groups(gpu, diag); /* reading counters may have failed */
}

/* Simulates one window, which ends no later than `limit` (ps) and the next look of a stream at its
 * condition, and handles what happened in it: asks conditions (gpu_condition.met), adds the records
 * and collects the output of ended kernels and frees their inputs, notes kernels that began and
 * failed, reports progress. *idle: nothing can happen before `limit`. @return the error met, with
 * text in diag (may be NULL); the GPU is then dead. */
static heddle_err step(struct gpu *gpu, uint64_t limit, bool *idle, struct heddle_diag *diag) {
    struct heddle_diag local = {0};
    const struct pace p = prepare(gpu, limit);
    heddle_err e = fabric_step(gpu->fabric, gpu->wiring.scheduler_id,
                               p.look < p.limit ? p.look : p.limit, idle, &local);
    if (!e) return attend(gpu, &p, idle, diag);
    if (diag) *diag = local;
    return gpu_die(gpu, e, &local);
}

/* Between windows: the cancelled kernels that run begin to end. */
void gpu_end_cancelled_timed(struct gpu *gpu) {
    gpu->cancelling = false;
    for (struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next)
        if (k->launch.exec.standing) tell_standing(gpu, k);
    scheduler_cancel(gpu->scheduler);
}

/* Adds records of the kernels that run, which can never end. */
static void stop_running(struct gpu *gpu) {
    const uint64_t now = clock_cycle_from(now_of(gpu), gpu->timing.khz);
    for (struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next) {
        for (uint32_t i = 0; i < gpu->wiring.num_groups; i++) {
            timing_group_take_counts(gpu->groups[i], k->number, &k->counts);
            timing_group_add_resident(gpu->groups[i], k->number, &k->counts);
        }
        k->op->end_ps = now_of(gpu);
        k->last_cycle = k->end_cycle = now;
        k->warp_cycles = k->sm_cycles = 0; /* known only when all have left */
        gpu_record_stopped(gpu, k);
    }
}

heddle_err gpu_settle(struct gpu *gpu, struct heddle_diag *diag) {
    struct timing_counters c;
    if (gpu->dead || gpu->options.timing != GPU_TIMING_RTL || !gpu->scheduler) return HEDDLE_OK;
    gpu_counters(gpu, &c);
    return check_groups(gpu, diag);
}

/* Stops the GPU with HEDDLE_ERR_DEADLOCK, and records the kernels that wait forever. */
static void die_waiting(struct gpu *gpu, const struct heddle_diag *diag) {
    if (gpu->scheduler) stop_running(gpu);
    gpu_die(gpu, HEDDLE_ERR_DEADLOCK, diag);
}

void gpu_give_up(struct gpu *gpu, const char *text) {
    struct heddle_diag diag;
    heddle_fail(&diag, HEDDLE_ERR_DEADLOCK, "%s", text);
    die_waiting(gpu, &diag);
}

/* Stops the GPU because the operation cannot end: nothing is left to happen. The text lists what
 * the resident warps wait for. @return HEDDLE_ERR_DEADLOCK. */
static heddle_err deadlock(struct gpu *gpu, const struct op *op, struct heddle_diag *diag) {
    struct heddle_diag local;
    char story[700] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        used += timing_group_story(gpu->groups[i], story + used, sizeof story - used);
    heddle_fail(
        &local, HEDDLE_ERR_DEADLOCK,
        "nothing is left to happen, but %s%s on stream %u has not ended: its warps wait for "
        "something that no other warp will do%s%s",
        op->kernel ? "kernel " : "an operation", op->kernel ? op->kernel->name : "", op->stream,
        used ? ":" : "", story);
    if (diag) *diag = local;
    die_waiting(gpu, &local);
    return HEDDLE_ERR_DEADLOCK;
}

/* Steps until the operation has ended, then raises gpu->floor_ps to the time at which the host can
 * know of the end. Calls gpu->others after each window. `diag` may be NULL. @return the sticky
 * fault or one met now; HEDDLE_ERR_WAITING when gpu->pause, asked every WINDOWS windows, wants a
 * pause, or when nothing can happen while a stream waits for a condition; HEDDLE_ERR_DEADLOCK when
 * nothing can happen otherwise: the GPU is then dead. */
heddle_err gpu_wait_timed(struct gpu *gpu, struct op *op, struct heddle_diag *diag) {
    while (op->state != OP_ENDED) {
        bool idle;
        if (gpu->dead) return gpu_sticky(gpu, diag);
        if (gpu->looks)
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        heddle_err e = step(gpu, FABRIC_NEVER, &idle, diag);
        if (e) return e;
        if (gpu->others) gpu->others(gpu->hooks_user, gpu, now_of(gpu));
        if (!idle && ++gpu->windows % WINDOWS == 0 && gpu_pauses(gpu))
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        if (idle && op->state != OP_ENDED && scheduler_looks(gpu->scheduler))
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        if (idle && op->state != OP_ENDED) return deadlock(gpu, op, diag);
    }
    uint64_t cycle = clock_cycle_from(op->end_ps, gpu->timing.khz) + gpu->timing.lookahead +
                     TIMING_REPORTED_AFTER;
    uint64_t floor = clock_ps(cycle, gpu->timing.khz);
    if (floor > gpu->floor_ps) gpu->floor_ps = floor;
    return HEDDLE_OK;
}

/* Steps until the operation has ended or nothing can happen before at_ps. Calls gpu->others after
 * each window. @return the sticky fault or one met now. */
heddle_err gpu_query_timed(struct gpu *gpu, const struct op *op, uint64_t at_ps,
                           struct heddle_diag *diag) {
    for (bool idle = false; op->state != OP_ENDED && !idle;) {
        if (gpu->dead) return gpu_sticky(gpu, diag);
        heddle_err e = step(gpu, at_ps, &idle, diag);
        if (e) return e;
        if (gpu->others) gpu->others(gpu->hooks_user, gpu, now_of(gpu));
    }
    return HEDDLE_OK;
}

/* Steps through at most WINDOWS windows, unless all operations have ended. *moved becomes true if
 * anything happened, else it stays. @return a fault met now; the GPU is then dead. */
heddle_err gpu_drive_timed(struct gpu *gpu, bool *moved, struct heddle_diag *diag) {
    uint64_t before;
    if (!ops_oldest(gpu->ops, &before)) return HEDDLE_OK;
    bool idle = false;
    for (unsigned i = 0; i < WINDOWS && !idle; i++) {
        heddle_err e = step(gpu, FABRIC_NEVER, &idle, diag);
        if (e) return e;
        *moved |= !idle;
    }
    return HEDDLE_OK;
}

/* Whether a cancelled kernel runs. */
static bool runs_cancelled(const struct gpu *gpu) {
    const struct kernel *k = scheduler_running(gpu->scheduler);
    while (k && !exec_launch_cancelled(&k->launch.exec)) k = k->next;
    return k != NULL;
}

/* Its warps end with their next instruction, so that few windows do. */
void gpu_finish_cancelled_timed(struct gpu *gpu) {
    enum { MOST = 1 << 20 }; /* windows */
    bool idle = false;
    for (unsigned i = 0; i < MOST && !idle && !gpu->dead && runs_cancelled(gpu); i++)
        if (step(gpu, FABRIC_NEVER, &idle, NULL)) return;
}

/* Another GPU's wait calls this: steps up to until_ps; an error stays in gpu->dead. */
void gpu_advance_timed(struct gpu *gpu, uint64_t until_ps) {
    for (bool idle = false; !idle && now_of(gpu) < until_ps;)
        if (step(gpu, until_ps, &idle, NULL)) return;
}

/* ---- several GPUs whose clocks go together */

uint64_t gpus_next(struct gpu *const *gpu, unsigned n) {
    uint64_t first = FABRIC_NEVER;
    for (unsigned i = 0; i < n; i++) {
        if (gpu[i]->dead) continue;
        const struct pace p = prepare(gpu[i], FABRIC_NEVER);
        const uint64_t now = now_of(gpu[i]), next = next_of(gpu[i]);
        if (next < first) first = next;
        /* a look that is due now comes of itself, with whatever happens next */
        if (p.look > now && p.look < first) first = p.look;
        if (p.limit < first) first = p.limit;
    }
    return first;
}

/* Whether two GPUs are of one island. */
static bool are_joined(const struct gpu *a, const struct gpu *b) {
    return fabric_joined(a->fabric, a->wiring.scheduler_id, b->wiring.scheduler_id);
}

/* Simulates one window of the island of GPU `first`, and handles what happened on its GPUs, which
 * come from `first` on. @return false: nothing can happen there before until_ps. */
static bool step_island(struct gpu *const *gpu, unsigned n, unsigned first, struct pace *pace,
                        uint64_t until_ps) {
    uint64_t limit = until_ps;
    struct heddle_diag diag = {0};
    bool idle, all_idle = true;
    for (unsigned i = first; i < n; i++) {
        if (gpu[i]->dead || !are_joined(gpu[first], gpu[i])) continue;
        pace[i] = prepare(gpu[i], until_ps);
        if (pace[i].limit < limit) limit = pace[i].limit;
        if (pace[i].look < limit) limit = pace[i].look;
    }
    heddle_err e = fabric_step(gpu[first]->fabric, gpu[first]->wiring.scheduler_id, limit, &idle,
                               &diag);
    for (unsigned i = first; i < n; i++) {
        bool own = idle;
        if (gpu[i]->dead || !are_joined(gpu[first], gpu[i])) continue;
        if (e)
            gpu_die(gpu[i], e, &diag);
        else if (attend(gpu[i], &pace[i], &own, NULL) == HEDDLE_OK)
            all_idle &= own;
    }
    return !e && !all_idle && now_of(gpu[first]) < until_ps;
}

uint64_t gpus_advance(struct gpu *const *gpu, unsigned n, uint64_t until_ps) {
    struct pace *pace = heddle_alloc_array(n, sizeof *pace, "GPUs that advance");
    uint64_t ended = 0;
    stopwatch_start(gpu[0]->options.simulating);
    for (unsigned i = 0; i < n; i++) {
        bool seen = gpu[i]->dead;
        for (unsigned k = 0; k < i && !seen; k++)
            seen = !gpu[k]->dead && are_joined(gpu[k], gpu[i]);
        while (!seen) seen = gpu[i]->dead || !step_island(gpu, n, i, pace, until_ps);
    }
    stopwatch_stop(gpu[0]->options.simulating);
    free(pace);
    for (unsigned i = 0; i < n; i++) ended += gpu_num_ended(gpu[i]);
    return ended;
}

uint64_t gpu_num_ended(const struct gpu *gpu) {
    return ops_num_ended(gpu->ops) + ((uint64_t)(gpu->dead != HEDDLE_OK) << 48);
}
