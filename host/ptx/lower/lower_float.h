/* lower_float.h - floating point for other families: operations on float values, and the float
 * forms of instructions whose names integers share. */
#ifndef PTX_LOWER_FLOAT_H
#define PTX_LOWER_FLOAT_H

#include "ptx/lower/lower.h"

/* ---- lower_float_value.c ---- */

/* A float of another type. */
struct lir_src lower_float_to(struct lower *lo, struct lir_src s, mir_type to, mir_type from,
                              mir_round round);
/* The larger of s and 0; NaN stays. */
struct lir_src lower_relu(struct lower *lo, struct lir_src s, struct ty t);
struct lir_src lower_magnitude(struct lower *lo, struct lir_src s, struct ty t);
/* The bits of a word that hold signs. */
uint32_t lower_sign_bits(struct ty t);

/* ---- lower_float.c ---- */

void lower_float_add(struct lower *lo, bool subtract);
void lower_float_mul(struct lower *lo);
void lower_float_div(struct lower *lo);
void lower_float_minmax(struct lower *lo, bool max);
void lower_float_sign(struct lower *lo, bool abs); /* abs, else neg */

#endif
