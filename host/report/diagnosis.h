/* diagnosis.h - sentences about what makes a kernel slow, from the rules of tables/diagnosis.def.
 *
 * Pure functions of a launch's record, or of a sum of them, and the GPU's parameters. */
#ifndef HEDDLE_REPORT_DIAGNOSIS_H
#define HEDDLE_REPORT_DIAGNOSIS_H

#include "report/report_internal.h"

enum { DIAGNOSES = 2, DIAGNOSIS_EVIDENCE = 256 }; /* of a kernel, at most; bytes */

/* A sentence about a kernel. */
struct diagnosis {
    const char *rule, *text;           /* of the table */
    const struct code_place *place;    /* the instruction that is named; NULL: unknown */
    double weight;                     /* the share of the execution's cycles that it explains */
    char evidence[DIAGNOSIS_EVIDENCE]; /* the figures behind it */
};
/* Fills in what is to be said, the heaviest cause first. @return how many; 0: nothing, or the
 * launch was not timed. */
unsigned diagnosis_find(const struct report *r, const struct gpu_kernel_record *k,
                        struct diagnosis out[DIAGNOSES]);
/* The diagnoses of a launch as a new JSON array; and of all kernels as text. */
json_t *diagnosis_array(const struct report *r, const struct gpu_kernel_record *k);
void diagnosis_print(const struct report *r, FILE *out);

#endif
