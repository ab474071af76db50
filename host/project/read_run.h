/* read_run.h - a profile from a report of `heddle run` (docs/report.md). */
#ifndef HEDDLE_PROJECT_READ_RUN_H
#define HEDDLE_PROJECT_READ_RUN_H

#include "common/error.h"
#include "project/profile.h"

/* What a run was on. */
struct run_source {
    char gpu[64];   /* name of the GPU's file: "v100" */
    size_t untimed; /* launches that --kernels or --launches left out, or that were stopped */
};

/* Reads DIRECTORY/report.json and adds each timed launch to `out`; counts the others. Errors, which
 * say how to run the program again: no launch was timed; a launch is an estimate of --sample. */
heddle_err read_run(struct project_kernels *out, struct run_source *source, const char *directory,
                    struct heddle_diag *diag);

#endif
