/* operand.h - operands of an instruction, for the decoder (program.c). Pure functions but for their
 * pointers. Private to exec/. */
#ifndef HEDDLE_EXEC_OPERAND_H
#define HEDDLE_EXEC_OPERAND_H

#include "exec/warp/exec_state.h"

/* @return MODS_*: the kind of number that the modifiers of operand i act on. */
unsigned exec_mods_kind(const struct mir_inst *inst, unsigned i);
/* Sets `word` to the words of immediate operand i, before modifiers. */
void exec_immediate_words(const struct mir_inst *inst, unsigned i, uint32_t word[4]);
/* Applies modifiers (MIR_SRC_*) to a constant of one or two words. */
void exec_modify_words(unsigned kind, unsigned mods, uint32_t word[2]);

#endif
