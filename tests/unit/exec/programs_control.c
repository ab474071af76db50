/* programs_control.c */
#include "ops.h"
const struct op_program control_programs[] = {{MIR_NOP, 0}};
const unsigned num_control_programs = 0;
