/* progress_watch.c - see progress_watch.h. */
#include "sched/progress_watch.h"

#include <time.h>

double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool progress_due(struct progress_watch *w, double now) {
    if (!w->tell || now < w->next) return false;
    w->next = now + 0.2;
    return true;
}
