/* progress_watch.h - the receiver of a simulation's progress, and the wall time of the next report.
 * Each GPU has one; its kernels borrow it. */
#ifndef HEDDLE_SCHED_PROGRESS_WATCH_H
#define HEDDLE_SCHED_PROGRESS_WATCH_H

#include <stdbool.h>

#include "sched/gpu.h"

/* The receiver of progress. Needs no lock: one thread at a time simulates what reports to it. */
struct progress_watch {
    gpu_progress_fn tell; /* NULL: nobody asks */
    gpu_moment_fn moment; /* NULL: nobody asks */
    void *user;           /* argument of both */
    uint32_t device;
    double next; /* wall time (wall_seconds()) of the next report */
};

/* @return true if there is a receiver and a report is due at this wall time; the next one is then
 * due a fifth of a second later. */
bool progress_due(struct progress_watch *w, double now);
/* Calls `moment`, if there is one. @return what it returns, else 0. */
double progress_moment(const struct progress_watch *w, enum gpu_moment moment);

#endif
