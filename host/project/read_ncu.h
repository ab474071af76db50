/* read_ncu.h - profiles by Nsight Compute, as comma-separated values (ncu --csv).
 *
 * Reads the raw page (a row for each kernel, a row of units) and the details page (a row for each
 * kernel and metric, which is also what ncu --csv --metrics prints), of versions 2020 to 2025.
 * Which metric follows from which values: tables/ncu_metrics.def.
 *
 * A value that ncu could not determine ("n/a", "nan", "inf", or nothing) is unknown, and so is a
 * metric that needs it. Everything else that is no English number in a known unit is an error. */
#ifndef HEDDLE_PROJECT_READ_NCU_H
#define HEDDLE_PROJECT_READ_NCU_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"
#include "project/profile.h"

/* Where the kernels ran. */
struct project_gpu {
    char name[96];  /* "NVIDIA A100-SXM4-80GB"; empty: not known */
    int capability; /* 80 is 8.0; 0: not known */
};

/* Replaces what is in `out` by the kernels of a file. On an error, which names file and line, `out`
 * is empty. */
heddle_err read_ncu(struct project_kernels *out, const char *path, struct heddle_diag *diag);

/* The same for a file in memory, which is overwritten; text[size] is NUL. `gpu` may be NULL. */
heddle_err read_ncu_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                         size_t size, const char *file, struct heddle_diag *diag);

/* Prints the command line that collects the metrics marked in `missing`, without a line feed.
 * Metrics that Nsight Compute cannot give are left out; @return whether there is any other. */
bool read_ncu_command(FILE *out, const bool missing[NUM_PROJECT_METRICS]);

#endif
