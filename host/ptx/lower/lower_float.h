/* lower_float.h - floating point for other families: operations on float values, and the float
 * forms of instructions that exist for integers too. All but lower_sign_bits() emit code. */
#ifndef PTX_LOWER_FLOAT_H
#define PTX_LOWER_FLOAT_H

#include "ptx/lower/lower.h"

/* ---- lower_float_value.c ---- */

/* s converted to another float type. */
struct lir_src lower_float_to(struct lower *lo, struct lir_src s, mir_type to, mir_type from,
                              mir_round round);
/* max(s, 0); a NaN stays a NaN. */
struct lir_src lower_relu(struct lower *lo, struct lir_src s, struct ty t);
/* |s|: clears the sign bits. */
struct lir_src lower_magnitude(struct lower *lo, struct lir_src s, struct ty t);
/* The sign bits of a word: one, or two for a packed type. */
uint32_t lower_sign_bits(struct ty t);

/* ---- lower_compare.c ---- */

/* Lowers the min or max of doubles at hand, like a handler (lower.h). */
void lower_minmax_f64(struct lower *lo, bool max);

/* ---- lower_float.c ---- */

/* Lower the instruction at hand, whose type is a float, like a handler (lower.h). */
void lower_float_add(struct lower *lo, bool subtract);
void lower_float_mul(struct lower *lo);
void lower_float_div(struct lower *lo);
void lower_float_minmax(struct lower *lo, bool max);
void lower_float_sign(struct lower *lo, bool abs); /* abs, else neg */

#endif
