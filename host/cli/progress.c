/* progress.c - the progress line of `heddle run`, on standard error if that is a terminal.
 * cmd_run.c begins and clears it on the main thread; run_setup.c shows it from the GPU's progress
 * callback (threads: see there), never while the main thread does so. */
#include "cli/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Initialises *p; looks whether standard error is a terminal. */
void progress_begin(struct progress *p) {
    p->terminal = isatty(STDERR_FILENO) == 1;
    p->shown = false;
}

/* Width of the terminal: a line that wraps could not be erased. */
static int columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* Writes the line over the last one on standard error, if that is a terminal and the kernel has run
 * for 0.5 s of wall time; cut to the terminal's width. */
void progress_show(struct progress *p, const struct gpu_progress *n, double left_s) {
    if (!p->terminal || n->wall_s < 0.5) return;
    char left[40] = "", speed[40] = "", text[400];
    if (left_s >= 0)
        snprintf(left, sizeof left, left_s < 90 ? ", %.0f s left" : ", %.0f min left",
                 left_s < 90 ? left_s : left_s / 60);
    if (n->cycles) snprintf(speed, sizeof speed, ", %.0f cycles/s", (double)n->cycles / n->wall_s);
    /* the name comes last, so that a narrow terminal cuts only it */
    snprintf(text, sizeof text, "launch %llu: %llu of %llu CTAs%s%s: %.200s",
             (unsigned long long)n->launch, (unsigned long long)n->ctas_done,
             (unsigned long long)n->ctas, speed, left, n->kernel);
    fprintf(stderr, "\r\033[K%.*s", columns() - 1, text);
    fflush(stderr);
    p->shown = true;
}

/* Erases the line, if one is displayed. */
void progress_clear(struct progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
