/* launch_way.c - decides for each launch whether it is timed, estimated or known from before a
 * checkpoint, and runs the functional ones; contracts in launch_way.h. scheduler.c calls it inside
 * its advance(), on the worker thread of the window, when a launch starts and when a timed kernel
 * has ended. */
#include "sched/launch_way.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "exec/memory/cache_warming.h"
#include "timing/clock.h"

enum { TURN = 1024 }; /* instructions of a warp's turn */

/* In a resumed run, copies the record of a launch before the checkpoint into k->past (freed with
 * the kernel). Reads the checkpoint's file. @return HEDDLE_ERR_STOPPED if the record is another
 * launch's, or the checkpoint's sticky error. */
static heddle_err recall(const struct launch_ways *w, struct kernel *k, uint64_t start_ps,
                         struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    if (!w->checkpoint) return HEDDLE_OK;
    const struct checkpoint_launch *past = checkpoint_past(w->checkpoint, k->number, &e);
    if (e) return heddle_fail(diag, e, "%s", checkpoint_failed(w->checkpoint));
    if (!past) return HEDDLE_OK;
    if (past->name_sum != checkpoint_name_sum(k->name) || past->record.start_ps != start_ps ||
        memcmp(past->record.grid, k->key.grid, sizeof k->key.grid) ||
        memcmp(past->record.block, k->key.block, sizeof k->key.block))
        return heddle_fail(diag, HEDDLE_ERR_STOPPED,
                           "--resume: launch %llu (%s) is another one, or begins at another "
                           "target time, than when the checkpoint was written: the program "
                           "does not do what it did",
                           (unsigned long long)k->number, k->name);
    k->past = heddle_alloc(sizeof *past, "a launch before the checkpoint");
    *k->past = *past;
    return HEDDLE_OK;
}

/* Sets k->past, k->way and k->stratum of a kernel that starts at start_ps; asks the checkpoint
 * first, then the sampler, which counts the launch. For a functional launch sets exec.immediate;
 * for an estimated one also begins to log its lines (exec.warming). `beside`: a timed kernel is in
 * flight, so this one is timed, too. @return HEDDLE_ERR_IO, STOPPED (checkpoint; text in diag) or
 * NOMEM. */
heddle_err launch_way_choose(const struct launch_ways *w, struct kernel *k, uint64_t start_ps,
                             bool beside, struct heddle_diag *diag) {
    k->way = SAMPLE_TIMED;
    heddle_err e = recall(w, k, start_ps, diag);
    if (k->past) k->launch.exec.immediate = true;
    if (!w->sampler || k->past || k->untimed || e) return e;
    k->way = sampler_begin(w->sampler, &k->key, beside, &k->stratum);
    if (k->way != SAMPLE_ESTIMATED) return HEDDLE_OK;
    k->launch.exec.immediate = true;
    k->launch.exec.warming = w->warming;
    return w->warming ? exec_warming_begin(w->warming, k->launch.local_bytes) : e;
}

bool launch_way_is_functional(const struct kernel *k) {
    return k->untimed || k->past || k->way == SAMPLE_ESTIMATED;
}

/* Executes the whole kernel with exec_run_immediate(), which may use threads of its own, with all
 * its effects on memory; blocks until it is done. Sets k->counts and, unless the kernel is untimed,
 * its first, last and heard cycle: from k->past, or estimated. */
bool launch_way_run(const struct launch_ways *w, struct kernel *k, uint64_t start_ps) {
    struct kernel_failure f = {0};
    k->active = true;
    k->wall_begin = wall_seconds();
    f.err = exec_run_immediate(&k->launch.exec, k->resident, TURN, &k->counts, &f.fault, &f.diag);
    exec_launch_finish(&k->launch.exec);
    k->active = false;
    if (f.err && !exec_launch_cancelled(&k->launch.exec)) {
        k->failure = heddle_alloc(sizeof f, "a kernel that has failed");
        *k->failure = f;
    }
    if (f.err) return false;
    if (k->past) {
        k->first_cycle = k->past->first_cycle;
        k->last_cycle = k->past->last_cycle;
        k->end_cycle = k->past->end_cycle;
        k->heard_cycle = k->past->heard_cycle;
    } else if (!k->untimed) {
        k->first_cycle = clock_cycle_from(start_ps, w->khz) + k->begin_overhead;
        k->last_cycle = k->first_cycle +
                        sampler_estimate(w->sampler, k->stratum, k->counts.warp_inst);
        k->end_cycle = k->last_cycle + k->end_overhead;
        k->heard_cycle = k->end_cycle + TIMING_REPORTED_AFTER + w->half_lookahead;
    }
    return true;
}

/* Adds a sample to the kernel's stratum; nothing without sampling. The stores for which the end's
 * overhead does not wait are no part of it. */
void launch_way_measured(const struct launch_ways *w, const struct kernel *k) {
    if (!w->sampler || k->untimed) return;
    const uint64_t overhead = k->begin_overhead + k->end_overhead;
    sampler_measured(w->sampler, k->stratum, k->warp_inst,
                     k->end_cycle - k->end_overhead - k->first_cycle, overhead);
}
