/* check_gate.h - what PTX version and target an instruction needs (tables/ptx_gates.def). Pure
 * functions; any thread. */
#ifndef PTX_CHECK_GATE_H
#define PTX_CHECK_GATE_H

#include "ptx/check/check_form.h"

/* The gate of an instruction by its operation and modifiers. */
struct check_gate gate_of(const struct ptx_words *words, const struct ptx_inst *in);

/* Changes *g to the gate of the instruction with its number of operands, if that has one. */
void gate_of_operands(struct check_gate *g, const struct ptx_inst *in);

/* The gate of a special register. */
struct check_gate gate_of_register(const char *name);

/* The gate of registers and variables of a type. */
struct check_gate gate_of_type(ptx_word type);

/* The first version that has a target; 0: not known. */
uint32_t gate_target_version(uint32_t sm, char suffix);

/* The newest target of the table. */
uint32_t gate_newest_target(void);

#endif
