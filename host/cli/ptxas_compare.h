/* ptxas_compare.h - `heddle ptx --compare-ptxas`: compares Heddle's code of kernels with that of
 * ptxas. */
#ifndef HEDDLE_CLI_PTXAS_COMPARE_H
#define HEDDLE_CLI_PTXAS_COMPARE_H

#include <stdbool.h>

/* Options of the comparison; texts are borrowed. */
struct ptxas_compare_options {
    const char *gpu;    /* name or file: Heddle schedules for its latencies */
    const char *kernel; /* only those that it names (kernel_choice.h); NULL: all */
    const char *ptxas;  /* path of ptxas; NULL: found on PATH */
    bool csv, json;
};

/* Prints a row for each kernel of the n PTX files on standard output, then the means. A file that
 * cannot be compared is reported, and the others are still compared. @return the exit status: 0, or
 * EXIT_HEDDLE if a file was not compared. */
int ptxas_compare_files(char *const *files, int n, const struct ptxas_compare_options *o);

#endif
