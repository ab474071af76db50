/* lower_packed.h - what the handlers of other files hand on to lower_packed.c. */
#ifndef PTX_LOWER_PACKED_H
#define PTX_LOWER_PACKED_H

#include "ptx/ptx_lower.h"

void lower_packed_int(struct lower *lo);
void lower_float_minmax_more(struct lower *lo, bool max);
void lower_half_function(struct lower *lo, unsigned function); /* mir_mufu */
void lower_set_half(struct lower *lo, struct ty dt, struct ty st, lir_pref with, mir_bool bop);
/* True if the conversion was one of these (or was refused). */
bool lower_cvt_more(struct lower *lo);
struct lir_src lower_relu(struct lower *lo, struct lir_src s, struct ty t);
struct lir_src lower_magnitude(struct lower *lo, struct lir_src s, struct ty t);

#endif
