/* code_lines.h - which code has been copied to the device: CUDA loads a kernel's when it is
 * launched for the first time; and where it lies. */
#ifndef HEDDLE_SCHED_CODE_LINES_H
#define HEDDLE_SCHED_CODE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "mir/mir.h"

struct code_lines {
    uint8_t loaded[1 << 14]; /* a bit for each line of 128 bytes; zeros at first */
    uint32_t end;            /* number of the first instruction that no launch was moved to */
};

/* The function's lines, counted from the begin of its module's code, are on the device from now on.
 * @return false: they were before. */
bool code_lines_load(struct code_lines *c, const struct mir_function *f, uint32_t *first,
                     uint32_t *count);

/* Nothing empties the instruction caches; code that lies where none lay before is in none of them.
 * @return what to add to the instruction numbers of f's module, modulo 2^20, in this launch. */
uint32_t code_lines_move(struct code_lines *c, const struct mir_function *f);

#endif
