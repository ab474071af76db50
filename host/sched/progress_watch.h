/* progress_watch.h - the receiver of a simulation's progress, and the wall time of the next
 * report. */
#ifndef HEDDLE_SCHED_PROGRESS_WATCH_H
#define HEDDLE_SCHED_PROGRESS_WATCH_H

#include <stdbool.h>

#include "sched/gpu.h"

struct progress_watch {
    gpu_progress_fn tell; /* NULL: nobody */
    void *user;
    double next; /* wall time (wall_seconds()) of the next report */
};

/* True if a report is due at this wall time; the next one is then due a fifth of a second later. */
bool progress_due(struct progress_watch *w, double now);

#endif
