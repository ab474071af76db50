/* wall_time.c - wall time of this machine, for reports and time-outs: reads CLOCK_MONOTONIC. Any
 * thread. */
#include "common/wall_time.h"

#include <time.h>

/* @return seconds since some moment before the process began; never runs backwards. */
double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
