/* progress.h - one line on a terminal while a kernel runs. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include <stdbool.h>

#include "sched/gpu.h"

struct progress {
    bool terminal; /* standard error is one */
    bool shown;    /* a line stands there */
};

void progress_begin(struct progress *p);
void progress_show(struct progress *p, const struct gpu_progress *now);
/* Erases the line. */
void progress_clear(struct progress *p);

#endif
