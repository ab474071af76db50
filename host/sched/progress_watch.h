/* progress_watch.h - the receiver of a simulation's progress, and the wall time of the next report.
 * Each GPU has one; its kernels borrow it. */
#ifndef HEDDLE_SCHED_PROGRESS_WATCH_H
#define HEDDLE_SCHED_PROGRESS_WATCH_H

#include <stdbool.h>

#include "sched/gpu.h"

/* The receiver of progress. Needs no lock: one thread at a time simulates what reports to it. */
struct progress_watch {
    gpu_progress_fn tell; /* NULL: no receiver */
    void *user;           /* argument of tell() */
    double next;          /* wall time (wall_seconds()) of the next report */
};

/* @return true if there is a receiver and a report is due at this wall time; the next one is then
 * due a fifth of a second later. */
bool progress_due(struct progress_watch *w, double now);

#endif
