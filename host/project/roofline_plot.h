/* roofline_plot.h - the rooflines of a kernel on the source GPU and on a target, as one picture.
 *
 * docs/projection.md says how to read it. Equal results give equal bytes. */
#ifndef HEDDLE_PROJECT_ROOFLINE_PLOT_H
#define HEDDLE_PROJECT_ROOFLINE_PLOT_H

#include <stdio.h>

#include "project/project.h"

/* Writes an SVG picture of a kernel that was projected; `kernel` and `target` are indices into the
 * results. Errors of `f` are left to fclose(). */
void roofline_plot(FILE *f, const struct project_results *r, size_t kernel, size_t target);

#endif
