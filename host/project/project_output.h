/* project_output.h - what `heddle project` prints and writes: table, JSON, CSV.
 *
 * Functions read the results and write to `f`; they keep nothing. Times are in microseconds. With
 * measured times of the targets, all three have them and the error of the centre. */
#ifndef HEDDLE_PROJECT_PROJECT_OUTPUT_H
#define HEDDLE_PROJECT_PROJECT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "project/project.h"

/* A table per target, one line per kernel: measured time, interval, centre, speed-up, bounds,
 * confidence. Launches of one kernel are added up when there are more than PROJECT_MOST_LINES. */
enum { PROJECT_MOST_LINES = 40 };
void project_print(const struct project_results *r, FILE *f);

/* The document of docs/projection.md. @return false when writing failed. */
bool project_write_json(const struct project_results *r, FILE *f);

/* One row per kernel and target. */
void project_write_csv(const struct project_results *r, FILE *f);

#endif
