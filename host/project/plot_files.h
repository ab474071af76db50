/* plot_files.h - the pictures of a projection as files: intervals.svg, and roofline-N-GPU.svg of
 * the kernels with most time, where N counts kernels from 1. */
#ifndef HEDDLE_PROJECT_PLOT_FILES_H
#define HEDDLE_PROJECT_PLOT_FILES_H

#include <stdio.h>

#include "common/error.h"
#include "project/project.h"

/* Kernels that have roofline pictures, and names of left out ones that are printed. */
enum { PLOT_ROOFLINES = 12, PLOT_NAMES = 20 };

/* Makes the directory if needed and writes the pictures: each to a new file that then takes its
 * name, over an older one. Of several launches of a kernel, the rooflines are those of the longest.
 * Prints to `said` which kernel has which number and which ones have no rooflines.
 * @return HEDDLE_ERR_IO; HEDDLE_ERR_ARGUMENT for two targets of one name, whose files would be the
 * same. */
heddle_err plot_files_write(const struct project_results *r, const char *directory, FILE *said,
                            struct heddle_diag *diag);

#endif
