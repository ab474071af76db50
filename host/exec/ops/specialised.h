/* specialised.h - operations in their frequent forms. Private to exec/. */
#ifndef HEDDLE_EXEC_SPECIALISED_H
#define HEDDLE_EXEC_SPECIALISED_H

#include "exec/warp/exec_state.h"

/* @return a function made for exactly this form of the instruction, or NULL: there is none. */
exec_fn exec_special_int(const struct exec_op *op);
exec_fn exec_special_float(const struct exec_op *op);
exec_fn exec_special_double(const struct exec_op *op);

#endif
