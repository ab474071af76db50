/* lower_packed.h - packed and eight-bit forms of instructions, which handlers of other files pass
 * to lower_packed.c and lower_fp8.c. All functions here emit code. */
#ifndef PTX_LOWER_PACKED_H
#define PTX_LOWER_PACKED_H

#include "ptx/lower/lower.h"

/* These lower the instruction at hand, like a handler (lower.h): add, min, max of .u16x2, .s16x2;
 * min, max of three floats or .xorsign.abs; tanh, ex2 of halves; set of halves, from types dt and
 * st, with operand c and its operator. */
void lower_packed_int(struct lower *lo);
void lower_float_minmax_more(struct lower *lo, bool max);
void lower_half_function(struct lower *lo, unsigned function); /* mir_mufu */
void lower_set_half(struct lower *lo, struct ty dt, struct ty st, lir_pref with, mir_bool bop);
/* Lowers a cvt to a packed type, to TF32, or from or to an eight-bit float. @return true also if it
 * reported the cvt as unsupported; false: the cvt is none of these and nothing was emitted. */
bool lower_cvt_more(struct lower *lo);
/* lower_fp8.c: the same for a cvt from or to eight-bit floats. */
bool lower_cvt_fp8(struct lower *lo);
/* A single rounded to TF32 (the last thirteen bits become 0), ties to even; a NaN stays a NaN. */
struct lir_src lower_tf32_even(struct lower *lo, struct lir_src s);
/* Two eight-bit floats as two halves: s's lower two bytes, or its upper two. */
struct lir_src lower_fp8_halves(struct lower *lo, struct lir_src s, bool e5m2, bool upper);

#endif
