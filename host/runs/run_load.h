/* run_load.h - reads the report of a run (report.json, docs/report.md) and checks what every reader
 * needs: the object of the run, and the sums of launches with names, shapes and counts. Readers
 * check the other members themselves: each may be null or missing.
 *
 * Ownership: the caller owns the struct and clears it; JSON values are borrowed from it. Threads:
 * any, one at a time per run. */
#ifndef HEDDLE_RUNS_RUN_LOAD_H
#define HEDDLE_RUNS_RUN_LOAD_H

#include <jansson.h>
#include <stdbool.h>

#include "common/error.h"

struct run_file {
    char *path;      /* of report.json */
    char *directory; /* that it lies in */
    json_t *root;
    const json_t *run;    /* member "run" */
    const json_t *groups; /* member "kernel_groups": checked objects */
};

/* Loads a run by its report directory or by the path of its report.json. On success
 * run_file_clear() frees what it made. @return HEDDLE_ERR_IO: it cannot be read, or is no JSON;
 * HEDDLE_ERR_ARGUMENT: it is no report, is damaged, or is of an older Heddle; text in diag. */
heddle_err run_file_load(struct run_file *out, const char *name, struct heddle_diag *diag);
void run_file_clear(struct run_file *r);

/* A text of an object; "": there is none. */
const char *run_text(const json_t *o, const char *name);
/* A number of an object; NAN: it is null or missing. */
double run_number(const json_t *o, const char *name);
/* Of a group of launches: whether it has cycles, which were simulated or estimated. */
bool run_is_timed(const json_t *group);
/* The shape of a group, "640 x 256" (CTAs, threads): sizes of 1 at the end are left out.
 * The caller frees it with g_free(). */
char *run_shape(const json_t *group);

#endif
