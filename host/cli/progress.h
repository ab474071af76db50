/* progress.h - a progress line on the terminal while a kernel runs. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include <stdbool.h>

#include "sched/gpu.h"

/* State of the progress line. */
struct progress {
    bool terminal; /* standard error is one */
    bool shown;    /* a line is displayed */
};

/* Initialises *p; shows nothing yet. */
void progress_begin(struct progress *p);
/* Shows or replaces the line; does nothing off a terminal, and in the first 0.5 s of a kernel.
 * `left_s`: how long the kernel will still take; < 0: unknown. */
void progress_show(struct progress *p, const struct gpu_progress *now, double left_s);
/* Erases the line, if one is displayed. */
void progress_clear(struct progress *p);

#endif
