/* progress_watch.h - wall time, and who wants to hear of a simulation's progress. */
#ifndef HEDDLE_SCHED_PROGRESS_WATCH_H
#define HEDDLE_SCHED_PROGRESS_WATCH_H

#include <stdbool.h>

#include "sched/gpu.h"

struct progress_watch {
    gpu_progress_fn tell; /* NULL: nobody */
    void *user;
    double next; /* wall time of the next report */
};

/* Seconds of wall time since some moment. */
double wall_seconds(void);
/* Is a report due at this wall time? Then the next one is due a fifth of a second later. */
bool progress_due(struct progress_watch *w, double now);

#endif
