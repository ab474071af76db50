// CHECK(condition) of the programs that check themselves: says where it does not hold, counts it.
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
