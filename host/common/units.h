/* units.h - converts values to the unit of a parameter. Pure functions. */
#ifndef HEDDLE_COMMON_UNITS_H
#define HEDDLE_COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* Converts *number from `suffix` (tables/units.def) to `unit`, in place. Equal names need no row
 * in the table. @return false: the two units measure different things; *number is unchanged. */
bool units_convert(double *number, const char *suffix, const char *unit);

/* Writes the suffixes that `unit` may be given in, "Hz, kHz, MHz, GHz", or `unit` itself, into
 * `out`. */
void units_list(const char *unit, char *out, size_t size);

#endif
