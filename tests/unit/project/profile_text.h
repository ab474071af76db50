/* profile_text.h - profiles in memory for the tests of their readers. */
#ifndef TESTS_PROJECT_PROFILE_TEXT_H
#define TESTS_PROJECT_PROFILE_TEXT_H

#include "project/read_profile.h"

/* A reader's result. */
struct profile_text {
    struct project_kernels kernels;
    struct project_gpu gpu;
    heddle_err err;
    struct heddle_diag diag;
};

/* Reads a text as file "f.csv", by the reader that its content asks for. */
struct profile_text profile_read(const char *text);
/* The reading must succeed. @return its result, whose kernels are cleared by the caller. */
struct profile_text profile_good(const char *text);
/* The reading must fail with this message, and leave no kernel. */
void profile_bad(const char *text, const char *message);
/* The metric must be known, and equal to `value` within a billionth; or unknown for a NaN. */
void profile_metric(const struct profile_text *p, size_t kernel, enum project_metric m,
                    double value);

#endif
