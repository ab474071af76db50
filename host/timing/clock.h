/* clock.h - the clock of cycles.h, under the name by which the timing side knows it. */
#ifndef HEDDLE_TIMING_CLOCK_H
#define HEDDLE_TIMING_CLOCK_H

#include "common/cycles.h" /* IWYU pragma: export */

#endif
