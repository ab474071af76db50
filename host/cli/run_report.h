/* run_report.h - gathers, writes and prints the report of a run. */
#ifndef HEDDLE_CLI_RUN_REPORT_H
#define HEDDLE_CLI_RUN_REPORT_H

#include <stdbool.h>

#include "cli/run_setup.h"

/* Writes the report into the run's directory and prints its table on standard error, unless --quiet
 * was given. Prints errors. `status`, `ended`: exit status and description of the program's end.
 * @return false: the report could not be written, or not compared (--compare). */
bool run_report(const struct run *r, int status, const char *ended);

#endif
