/* sweep_output.h - the results of a sweep: a table, sweep.csv, sweep.json, sweep.svg.
 *
 * They depend on the points' simulated results alone: an interrupted and resumed sweep gives the
 * same bytes. */
#ifndef HEDDLE_SWEEP_SWEEP_OUTPUT_H
#define HEDDLE_SWEEP_SWEEP_OUTPUT_H

#include <stdio.h>

#include "sweep/sweep.h"
#include "sweep/sweep_record.h"

struct sweep_output {
    const struct sweep *sweep;
    const struct sweep_result *results; /* one a point */
    const struct sweep_inputs *inputs;
    unsigned column; /* which is compared and drawn */
    const char *directory;
};

void sweep_print(const struct sweep_output *o, FILE *out);
/* Writes the files, each under another name and then renamed. *plotted: sweep.svg was written.
 * @return HEDDLE_ERR_IO. */
heddle_err sweep_write(const struct sweep_output *o, bool *plotted, struct heddle_diag *diag);

/* sweep_plot.c: bars in groups; the first axis that varies is the groups, the other points of a
 * group are its bars. @return false: nothing to draw. */
bool sweep_write_svg(const struct sweep_output *o, FILE *f);
/* The first point that is done, whose value others are compared with; NULL: none. */
const struct sweep_result *sweep_baseline(const struct sweep_output *o);

#endif
