/* lir_prologue.h - what ptxas puts before a kernel's own instructions. */
#ifndef PTX_LIR_PROLOGUE_H
#define PTX_LIR_PROLOGUE_H

#include "ptx/ir/lir.h"

enum { LIR_MOST_PROLOGUE = 64 };

/* Writes the prologue of the function, whose registers are allocated, for GPUs of compute
 * `capability` (70: 7.0), to `code`. @return instructions */
uint32_t lir_prologue(struct lir_fn *fn, unsigned capability,
                      struct mir_inst code[LIR_MOST_PROLOGUE]);

#endif
