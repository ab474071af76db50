/* interval_plot.h - measured times and projected intervals as one bar chart.
 *
 * docs/projection.md says how to read it. Equal results give equal bytes. */
#ifndef HEDDLE_PROJECT_INTERVAL_PLOT_H
#define HEDDLE_PROJECT_INTERVAL_PLOT_H

#include <stdio.h>

#include "project/project.h"

/* Kernels in the chart; more become "others". */
enum { INTERVAL_PLOT_KERNELS = 24 };

/* Writes an SVG picture of the kernels with most time and the application. Launches of a kernel are
 * added up. At least one kernel must have been projected. Errors of `f` are left to fclose(). */
void interval_plot(FILE *f, const struct project_results *r);

#endif
