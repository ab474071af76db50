/* specialised.h - operations in their frequent forms, chosen when a launch is decoded. Private to
 * exec/. */
#ifndef HEDDLE_EXEC_SPECIALISED_H
#define HEDDLE_EXEC_SPECIALISED_H

#include "exec/warp/exec_state.h"

/* @return a function made for exactly this form of the decoded instruction, or NULL: there is none.
 * It computes what exec_op_<ID> would, faster. Pure functions of op. */
exec_fn exec_special_int(const struct exec_op *op);
exec_fn exec_special_float(const struct exec_op *op);
exec_fn exec_special_double(const struct exec_op *op);

#endif
