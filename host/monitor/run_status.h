/* run_status.h - how far a run is, as JSON: for status.json in the directory of its report
 * (cli/status_file.h) and for its monitor (monitor.h).
 *
 * Members: state, pid, wall_s, paused_s, launches_ended, kernel. The latter is null before the
 * first kernel; it has device, launch, name, ctas_done, ctas, cycles, warp_instructions, wall_s,
 * left_s (null: unknown). Threads: any. */
#ifndef HEDDLE_MONITOR_RUN_STATUS_H
#define HEDDLE_MONITOR_RUN_STATUS_H

#include <jansson.h>
#include <stdbool.h>

#include "sched/gpu.h"

/* How far a run is. Times are wall seconds. */
struct run_status {
    double wall_s, paused_s;    /* since the run began; of these, the run was paused */
    uint64_t launches_ended;    /* with a record in the report */
    bool has_kernel;            /* one has begun: */
    struct gpu_progress kernel; /* the latest report of one; `kernel.kernel` points to `name` */
    double left_s;              /* that it will still take; < 0: unknown */
    char name[200];
};

/* Takes a report of a kernel. */
void run_status_take(struct run_status *s, const struct gpu_progress *p, double left_s);
/* @return the object, which the caller frees. `state`: "running" or another word. */
json_t *run_status_object(const struct run_status *s, const char *state);

#endif
