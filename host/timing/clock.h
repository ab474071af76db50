/* clock.h - includes common/cycles.h for the timing side: core cycles and picoseconds. */
#ifndef HEDDLE_TIMING_CLOCK_H
#define HEDDLE_TIMING_CLOCK_H

#include "common/cycles.h" /* IWYU pragma: export */

#endif
