/* status_file.h - status.json in the directory of a run's report, while the run goes on: how far it
 * is, for whoever does not see its terminal (docs/report.md). It is there after the first few
 * seconds and replaced every few seconds; when the run's report is written, it is gone.
 *
 * Threads: one at a time. Errors of writing are left to the report, which meets them as well. */
#ifndef HEDDLE_CLI_STATUS_FILE_H
#define HEDDLE_CLI_STATUS_FILE_H

#include <stdbool.h>

#include "monitor/run_status.h"

/* State. */
struct status_file {
    char path[1200]; /* "": there is no directory yet */
    double next;     /* wall time (wall_seconds()) of the next writing */
    bool written;
};

/* A run that began at `begin`, whose report goes into the directory. */
void status_file_begin(struct status_file *s, const char *directory, double begin);
/* Writes the file if it is due. */
void status_file_show(struct status_file *s, const struct run_status *status);
/* Removes it. */
void status_file_end(struct status_file *s);

#endif
