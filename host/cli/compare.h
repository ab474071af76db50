/* compare.h - `heddle ptx --compare-ptxas`: Heddle's code of a kernel beside ptxas's. */
#ifndef HEDDLE_CLI_COMPARE_H
#define HEDDLE_CLI_COMPARE_H

#include <stdbool.h>

struct compare_options {
    const char *gpu;    /* whose latencies Heddle schedules for */
    const char *kernel; /* this one alone; NULL: all */
    const char *ptxas;  /* path; NULL: as the shell finds it */
    bool csv;
};

/* Prints a row per kernel of the PTX files, then the means. A file that cannot be compared is
 * reported, and the others are compared all the same.
 * @return the exit status: 0, or EXIT_HEDDLE if a file was not compared. */
int compare_files(char *const *files, int n, const struct compare_options *o);

#endif
