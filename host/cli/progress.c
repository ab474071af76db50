/* progress.c - see progress.h */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *p) {
    p->terminal = isatty(STDERR_FILENO) == 1;
    p->shown = false;
}

void progress_show(struct progress *p, const struct gpu_progress *n) {
    if (!p->terminal || n->wall_s < 0.5) return;
    double cycles_per_s = n->wall_s > 0 ? (double)n->cycles / n->wall_s : 0;
    char left[32] = "?";
    if (n->ctas_done && n->ctas) {
        double s = n->wall_s * (double)(n->ctas - n->ctas_done) / (double)n->ctas_done;
        snprintf(left, sizeof left, s < 90 ? "%.0f s" : "%.0f min", s < 90 ? s : s / 60);
    }
    fprintf(stderr, "\r\033[K%s (launch %llu): %llu of %llu CTAs, %.3g cycles/s, %s left",
            n->kernel, (unsigned long long)n->launch, (unsigned long long)n->ctas_done,
            (unsigned long long)n->ctas, cycles_per_s, left);
    fflush(stderr);
    p->shown = true;
}

void progress_clear(struct progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
