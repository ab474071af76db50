/* operand.h - operands of an instruction, for the decoder. Private to exec/. */
#ifndef HEDDLE_EXEC_OPERAND_H
#define HEDDLE_EXEC_OPERAND_H

#include "exec/warp/exec_state.h"

/* @return MODS_*: how the modifiers of operand i act. */
unsigned exec_mods_kind(const struct mir_inst *inst, unsigned i);
/* @return words of operand i, whatever its kind. */
unsigned exec_operand_words(const struct mir_inst *inst, unsigned i);
/* The words of immediate operand i. */
void exec_immediate_words(const struct mir_inst *inst, unsigned i, uint32_t word[4]);
/* Applies modifiers to a constant of one or two words. */
void exec_modify_words(unsigned kind, unsigned mods, uint32_t word[2]);

#endif
