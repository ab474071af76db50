/* read_nvprof.h - profiles of Volta GPUs by nvprof, as comma-separated values.
 *
 * nvprof gives durations and shapes in one run (--print-gpu-trace) and metrics in another one
 * (--print-gpu-trace --metrics). A profile is both outputs in one file, in any order; several runs
 * with metrics may follow each other. Kernel n of one output is kernel n of the others; a different
 * name or number of kernels is an error. Sums and means over launches (nvprof without
 * --print-gpu-trace) are refused: they hide how launches differ, and have no duration of each.
 * Which metric follows from which values: tables/nvprof_metrics.def. */
#ifndef HEDDLE_PROJECT_READ_NVPROF_H
#define HEDDLE_PROJECT_READ_NVPROF_H

#include <stdio.h>

#include "project/read_ncu.h"

/* Replaces what is in `out` by the kernels of a file. On an error, which names file and line, `out`
 * is empty. */
heddle_err read_nvprof(struct project_kernels *out, const char *path, struct heddle_diag *diag);

/* The same for a file in memory, which is overwritten; text[size] is NUL. `gpu` may be NULL. */
heddle_err read_nvprof_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                            size_t size, const char *file, struct heddle_diag *diag);

/* Prints the command line that makes a profile, without a line feed. */
void read_nvprof_command(FILE *out);

#endif
