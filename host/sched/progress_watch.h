/* progress_watch.h - who wants to hear of a simulation's progress, and when. */
#ifndef HEDDLE_SCHED_PROGRESS_WATCH_H
#define HEDDLE_SCHED_PROGRESS_WATCH_H

#include <stdbool.h>

#include "sched/gpu.h"

struct progress_watch {
    gpu_progress_fn tell; /* NULL: nobody */
    void *user;
    double next; /* wall time (wall_seconds()) of the next report */
};

/* Is a report due at this wall time? Then the next one is due a fifth of a second later. */
bool progress_due(struct progress_watch *w, double now);

#endif
