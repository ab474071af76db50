/* made_run.h - a report directory for the tests of host/annotate: two kernels, a module, sources.
 */
#ifndef HEDDLE_TESTS_ANNOTATE_MADE_RUN_H
#define HEDDLE_TESTS_ANNOTATE_MADE_RUN_H

#include <stdbool.h>

/* The files of a run; a test replaces what it wants to be otherwise. NULL: the usual one. */
struct made_run {
    const char *code, *instructions;     /* texts; the report refers to what is written */
    const char *report;                  /* with %s for the two sums and the rows of the code */
    bool other_code, other_instructions; /* the report refers to other ones */
    const char *timing;                  /* "rtl" */
    bool no_issues, no_rows;
};
/* Writes the run into a new directory: its name, for made_run_remove(). */
char *made_run_write(const struct made_run *m);
void made_run_remove(char *directory);
/* The texts of the usual run. */
extern const char made_code[];
char *made_instructions(void); /* the caller frees it */

#endif
