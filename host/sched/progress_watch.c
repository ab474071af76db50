/* progress_watch.c - limits progress reports to five a second; see progress_watch.h. Callers:
 * gpu_timed.c on the server's thread between windows, gpu_immediate.c on that thread when a kernel
 * has ended, kernel.c on the thread that runs a kernel functionally, while the server's thread
 * waits for it. */
#include "sched/progress_watch.h"

/* @return true if a report is due at `now` (wall_seconds()); then sets the time of the next one,
 * 0.2 s later. */
bool progress_due(struct progress_watch *w, double now) {
    if ((!w->tell && !w->moment) || now < w->next) return false;
    w->next = now + 0.2;
    return true;
}

double progress_moment(const struct progress_watch *w, enum gpu_moment moment) {
    return w->moment ? w->moment(w->user, w->device, moment) : 0;
}
