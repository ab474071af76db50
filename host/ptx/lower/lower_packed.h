/* lower_packed.h - what the handlers of other files hand on to lower_packed.c. */
#ifndef PTX_LOWER_PACKED_H
#define PTX_LOWER_PACKED_H

#include "ptx/lower/lower.h"

void lower_packed_int(struct lower *lo);
void lower_float_minmax_more(struct lower *lo, bool max);
void lower_half_function(struct lower *lo, unsigned function); /* mir_mufu */
void lower_set_half(struct lower *lo, struct ty dt, struct ty st, lir_pref with, mir_bool bop);
/* True if the conversion was one of these (or was refused). */
bool lower_cvt_more(struct lower *lo);
/* lower_fp8.c: true if the conversion is one of eight-bit floats (or was refused). Two of them, the
 * lower or upper bytes of a word, as halves. */
bool lower_cvt_fp8(struct lower *lo);
/* A single whose last thirteen bits are rounded away, ties to even; NaN stays one. */
struct lir_src lower_tf32_even(struct lower *lo, struct lir_src s);
struct lir_src lower_fp8_halves(struct lower *lo, struct lir_src s, bool e5m2, bool upper);

#endif
