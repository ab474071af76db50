/* environment.h - the variables of the environment that Heddle reads: tables/environment.def. */
#ifndef HEDDLE_COMMON_ENVIRONMENT_H
#define HEDDLE_COMMON_ENVIRONMENT_H

struct environment_row {
    const char *name, *meaning;
};
static const struct environment_row environment_rows[] = {
#define ENVIRONMENT(name, meaning) {name, meaning},
#include "tables/environment.def"
};
enum { ENVIRONMENT_COUNT = sizeof environment_rows / sizeof *environment_rows };

#endif
