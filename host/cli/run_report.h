/* run_report.h - gathers, writes and prints the report of a run. */
#ifndef HEDDLE_CLI_RUN_REPORT_H
#define HEDDLE_CLI_RUN_REPORT_H

#include <stdbool.h>

#include "cli/run_setup.h"

/* Writes the report into the run's directory and prints its table on standard error, unless --quiet
 * was given. Prints errors. `status`, `ended`: exit status and description of the program's end.
 * @return false: the report could not be written, or not compared (--compare). */
bool run_report(const struct run *r, int status, const char *ended);

/* Writes the report of the moment into the run's directory, in the form of report.json, while the
 * run goes on: launches whose counts are final, and the kernels that run as interrupted ones. At a
 * GPU_MOMENT_BETWEEN or GPU_MOMENT_ENDED, with timing off at any moment. `said`: the file's name;
 * or, @return false, why there is none. */
bool run_report_snapshot(struct run *r, char *said, size_t size);

#endif
