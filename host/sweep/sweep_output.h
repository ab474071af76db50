/* sweep_output.h - prints and writes the results of a sweep: a table, sweep.csv, sweep.json,
 * sweep.svg.
 *
 * They depend only on the points' simulated results: a sweep that was interrupted and resumed
 * writes the same bytes. */
#ifndef HEDDLE_SWEEP_SWEEP_OUTPUT_H
#define HEDDLE_SWEEP_SWEEP_OUTPUT_H

#include <stdio.h>

#include "sweep/sweep.h"
#include "sweep/sweep_record.h"

/* The results of a sweep and where they go; all borrowed. */
struct sweep_output {
    const struct sweep *sweep;
    const struct sweep_result *results; /* one per point */
    const struct sweep_inputs *inputs;
    unsigned column; /* number (sweep_more_find()) of the one that is compared and drawn */
    const struct sweep_more *more;
    const char *directory;
};

/* Prints what sweep.json holds. @return false: writing failed. */
bool sweep_print_json(const struct sweep_output *o, FILE *out);
/* Prints the table: a line for each point. */
void sweep_print(const struct sweep_output *o, FILE *out);
/* Writes the files, each under a temporary name and then renamed. *plotted: sweep.svg was written.
 * @return HEDDLE_ERR_IO. */
heddle_err sweep_write(const struct sweep_output *o, bool *plotted, struct heddle_diag *diag);

/* Draws bars in groups (sweep_plot.c): a group for each value of the first axis that varies, a bar
 * for each point in it. @return false: nothing to draw. */
bool sweep_write_svg(const struct sweep_output *o, FILE *f);
/* The point that others are compared with: the first finished one whose value is not 0. NULL:
 * none. */
const struct sweep_result *sweep_baseline(const struct sweep_output *o);

#endif
