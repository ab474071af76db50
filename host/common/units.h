/* units.h - values written with a unit, brought to the unit that a parameter has. */
#ifndef HEDDLE_COMMON_UNITS_H
#define HEDDLE_COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* Brings `number` of `suffix` (as in tables/units.def) into `unit`, in place. Equal names need no
 * row. @return false: `suffix` is no unit of what `unit` measures; *number is as it was. */
bool units_convert(double *number, const char *suffix, const char *unit);

/* Into `out`: the suffixes that `unit` may be written with, "Hz, kHz, MHz, GHz"; or itself. */
void units_list(const char *unit, char *out, size_t size);

#endif
