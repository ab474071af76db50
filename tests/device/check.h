// check.h - CHECK(condition) for programs that check their own results: prints the place of a
// failed condition and counts it.
#ifndef HEDDLE_TESTS_DEVICE_CHECK_H
#define HEDDLE_TESTS_DEVICE_CHECK_H

#include <stdio.h>

static int wrong;
#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            wrong++;                                       \
        }                                                  \
    } while (0)

#endif
