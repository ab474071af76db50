/* code_lines.h - the lines of code (128 bytes) that are on the device, and the addresses of code.
 * CUDA loads the code of a kernel at its first launch. Owner: the scheduler, on its thread. */
#ifndef HEDDLE_SCHED_CODE_LINES_H
#define HEDDLE_SCHED_CODE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "mir/mir.h"

/* The code on the device; a member of the scheduler. */
struct code_lines {
    uint8_t loaded[1 << 14]; /* a bit for each line of 128 bytes; zeros at first */
    uint32_t end; /* code_lines_move(): first instruction number not used yet, mod 2^20 */
};

/* Marks the function's lines as loaded. *first, *count: its lines, *first counted from the
 * beginning of its module's code. @return false: all were loaded before. */
bool code_lines_load(struct code_lines *c, const struct mir_function *f, uint32_t *first,
                     uint32_t *count);

/* Moves code for a launch that must find the instruction caches cold. Nothing empties these caches,
 * but no cache holds code at addresses never used before. @return the offset to add to the
 * instruction numbers of f's module in this launch, modulo 2^20. */
uint32_t code_lines_move(struct code_lines *c, const struct mir_function *f);

#endif
