/* code_lines.h - which code has been copied to the device: CUDA loads a kernel's when it is
 * launched for the first time. */
#ifndef HEDDLE_SCHED_CODE_LINES_H
#define HEDDLE_SCHED_CODE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "mir/mir.h"

struct code_lines {
    uint8_t loaded[1 << 14]; /* a bit for each line of 128 bytes; zeros at first */
};

/* The function's lines, counted from the begin of its module's code, are on the device from now on.
 * @return false: they were before. */
bool code_lines_load(struct code_lines *c, const struct mir_function *f, uint32_t *first,
                     uint32_t *count);

#endif
