/* project_input.h - what `heddle project` works on: GPUs, and kernels from a report, a profiler's
 * file, or runs that it makes itself. */
#ifndef HEDDLE_CLI_PROJECT_INPUT_H
#define HEDDLE_CLI_PROJECT_INPUT_H

#include <glib.h>

#include "cli/options.h"
#include "project/project.h"
#include "project/ptx_kernels.h"

/* The options of the command; texts are NULL where not given. */
struct project_options {
#define OPTION CLI_MEMBER
#include "tables/options/project.def"
};

/* Everything is owned; cleared with project_work_clear(), also after an error. */
struct project_work {
    struct project_kernels kernels;
    struct capability *source;
    GPtrArray *targets; /* of struct capability */
    enum project_model model;
    struct project_terms terms;
    struct ptx_kernels *ptx; /* of --ptx; NULL: none */
    size_t untimed;          /* launches of the run that have no time */
};

/* Loads model, GPUs and kernels. `arguments` are those of the command line, NULL-terminated: a
 * directory or file, or with --check a program and its arguments, which is run on the models of all
 * GPUs first. What a profiler's file lacks is printed on standard error as the command that
 * collects it. */
heddle_err project_work_load(struct project_work *w, const struct project_options *o,
                             char **arguments, struct heddle_diag *diag);
void project_work_clear(struct project_work *w);

/* With --check: puts the simulated times of the targets beside the projected ones. */
heddle_err project_work_compare(struct project_results *r, const struct project_options *o,
                                struct heddle_diag *diag);

#endif
