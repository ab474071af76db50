/* progress_watch.c - see progress_watch.h. Callers: gpu_timed.c between windows, kernel.c while a
 * kernel runs functionally. */
#include "sched/progress_watch.h"

/* @return true if a report is due; then sets the time of the next one. */
bool progress_due(struct progress_watch *w, double now) {
    if (!w->tell || now < w->next) return false;
    w->next = now + 0.2;
    return true;
}
