/* sweep_ranges.h - ranges in the values of an axis: "1..8", "20..80+20", "1..64*2", "1-8". */
#ifndef HEDDLE_SWEEP_SWEEP_RANGES_H
#define HEDDLE_SWEEP_SWEEP_RANGES_H

#include <glib.h>

#include "common/error.h"

/* Appends to `list` the values that `value` stands for: those of a range, which includes its ends,
 * or itself. A number may have a unit, which both ends have: "20MiB..40MiB+5MiB". `said`: the
 * option's text, for messages. The texts are freed with g_free().
 * @return HEDDLE_ERR_ARGUMENT: a range that is none, or has more than SWEEP_MOST_POINTS values. */
heddle_err sweep_range_expand(GPtrArray *list, const char *said, const char *value,
                              struct heddle_diag *diag);

#endif
