/* code_lines.c - which lines of kernels' code have been copied to device memory, and where code
 * lies in the code space; see code_lines.h. scheduler.c calls it on its thread when a timed kernel
 * starts; `c` is a member of the scheduler. */
#include "sched/code_lines.h"

/* Sets the bits of the function's lines (128 bytes) in c->loaded. *first: its first line, counted
 * from the beginning of its module's code; *count: its lines. @return true: at least one is new,
 * and the caller sends FILL for them. */
bool code_lines_load(struct code_lines *c, const struct mir_function *f, uint32_t *first,
                     uint32_t *count) {
    enum { LINE = 128, LINES = 8 * sizeof c->loaded };
    bool any = false;
    *first = f->file_base / LINE;
    *count = ((f->num_inst + f->slow_inst) * MIR_INST_BYTES + LINE - 1) / LINE;
    for (uint32_t i = *first; i < *first + *count; i++) {
        uint8_t *byte = &c->loaded[i % LINES / 8], bit = (uint8_t)(1u << i % 8);
        any |= !(*byte & bit);
        *byte |= bit;
    }
    return any;
}

/* Reserves fresh addresses for the function by moving c->end on, APART instructions at least.
 * @return the offset to add to its instruction numbers. */
uint32_t code_lines_move(struct code_lines *c, const struct mir_function *f) {
    enum { SPACE = 1 << 20, APART = 1024 };
    uint32_t begin = c->end;
    c->end = (begin + (f->num_inst + f->slow_inst + 2 * APART - 1) / APART * APART) % SPACE;
    return (begin - f->file_base / MIR_INST_BYTES) % SPACE;
}
