/* wall_time.c - see wall_time.h. Reads CLOCK_MONOTONIC. */
#include "common/wall_time.h"

#include <time.h>

double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
