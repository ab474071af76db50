/* lir_emit.h - from blocks to the array that MIR keeps. */
#ifndef PTX_LIR_EMIT_H
#define PTX_LIR_EMIT_H

#include "ptx/ir/lir.h"

/* Writes the allocated function's instructions into `arena`; returns their number. */
uint32_t lir_emit(struct lir_fn *fn, struct mir_inst **out, struct arena *arena);

#endif
