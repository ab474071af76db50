/* worked_results.h - the worked example (worked_example.h) as results, for tests of pictures and
 * files: kernels on "source" and projected to "target". */
#ifndef HEDDLE_TESTS_WORKED_RESULTS_H
#define HEDDLE_TESTS_WORKED_RESULTS_H

#include <stdio.h>

#include "project/project.h"

struct worked_results {
    struct project_kernels kernels;
    struct capability source, target, other; /* other: a copy of target */
    const struct capability *targets[2];     /* target, other */
    struct project_results results;
};

/* Adds a launch of the example's kernel with a name and a time. */
struct project_kernel *worked_add(struct worked_results *w, const char *name, uint64_t launch,
                                  double us);
/* Makes the two GPUs, and no kernel. */
void worked_begin(struct worked_results *w);
/* Projects the kernels to the first `targets` targets. */
void worked_project(struct worked_results *w, size_t targets);
void worked_end(struct worked_results *w);

/* What a function writes; the caller frees it. */
char *worked_text(void (*write)(FILE *f, const struct project_results *r),
                  const struct project_results *r);

#endif
