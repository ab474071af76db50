/* mir_special.h - special operations: PTX instructions that become several machine instructions, or
 * others from one GPU to the next (tables/sass_expansions.def). Projection needs to know how often
 * a kernel executed each of them.
 *
 * The compiler tags one MIR instruction of each special operation, or one on each of its ways
 * (mir_inst.special). Operations that it removes or merges lose their tag, so that they are not
 * counted. Constant tables and pure functions, but for mir_special_collect(). */
#ifndef HEDDLE_MIR_MIR_SPECIAL_H
#define HEDDLE_MIR_MIR_SPECIAL_H

#include "common/arena.h"
#include "mir/mir.h"

/* The parts of mir_inst.special. A lane that executes the instruction counts as an execution of the
 * operation, as one on the slow way, or as both. */
enum {
    MIR_SPECIAL_NUMBER = 0x3fff, /* mask: 1 + the number of the form, see mir_special_collect() */
    MIR_SPECIAL_COUNTS = 1 << 14,
    MIR_SPECIAL_SLOW = 1 << 15,
};

/* @return the number of a form: a PTX instruction without its operands, as "div.rn.f32"; -1: it is
 * no special operation on compute capability 7.5, after which the compiler's code is. */
int mir_special_find(const char *form);
/* The form of that number. */
const char *mir_special_form(unsigned number);

/* Makes the list of the forms in the function's code, f->special and f->num_special, in the order
 * of their first instructions, and changes the tags from numbers of forms to places in the list.
 * The list comes from `arena`. */
void mir_special_collect(struct mir_function *f, struct arena *arena);

#endif
