/* lir_emit.h - from blocks to the array of instructions that MIR keeps. */
#ifndef PTX_LIR_EMIT_H
#define PTX_LIR_EMIT_H

#include "ptx/ir/lir.h"

/* Writes the allocated function's instructions into a new array *out in `arena`, behind the
 * prologue for GPUs of compute `capability`, with branch targets as indices. Removes jumps to the
 * next block and gives the counts of vanished PTX instructions to others. @return instructions */
uint32_t lir_emit(struct lir_fn *fn, unsigned capability, struct mir_inst **out,
                  struct arena *arena);

#endif
