/* read_measured.h - times measured on the targets, from a file, to stand beside the projections.
 *
 * The file is CSV with the first line "name,launch,gpu,us". A row has a kernel's name, the number
 * of a launch (empty: all launches of that name that have no row of their own), the name of a GPU
 * as in --to, and microseconds. Names with commas or quotes are quoted. Empty lines and lines that
 * begin with # are left out. */
#ifndef HEDDLE_PROJECT_READ_MEASURED_H
#define HEDDLE_PROJECT_READ_MEASURED_H

#include "common/error.h"
#include "project/project.h"

/* Rows of GPUs that are no target. */
struct measured_others {
    size_t rows;
    unsigned line; /* of the first one */
    char gpu[64];  /* of the first one */
};

/* Reads `path` into r->measured_target and the totals; call it once. Rows of other GPUs are counted
 * in *others. HEDDLE_ERR_IO: the file cannot be read. HEDDLE_ERR_ARGUMENT, with the line: a row is
 * malformed, names a kernel or launch that is not in the profile, or gives a time twice; or no row
 * is of a target. After an error the results have no measured times. */
heddle_err read_measured(struct project_results *r, const char *path,
                         struct measured_others *others, struct heddle_diag *diag);

#endif
