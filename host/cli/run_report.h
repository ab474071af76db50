/* run_report.h - the report of a run: gathered from the GPUs and the server, written, printed. */
#ifndef HEDDLE_CLI_RUN_REPORT_H
#define HEDDLE_CLI_RUN_REPORT_H

#include <stdbool.h>

#include "cli/run_setup.h"

/* Writes the report into the run's directory and prints its table unless --quiet was given. Errors
 * are printed. `wall_s`: host seconds since the run began; `status`, `ended`: how the program
 * ended. @return false when the report could not be written or compared. */
bool run_report(const struct run *r, double wall_s, int status, const char *ended);

#endif
