/* programs_memory.c */
#include "ops.h"
const struct op_program memory_programs[] = {{MIR_NOP, 0}};
const unsigned num_memory_programs = 0;
