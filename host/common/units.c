/* units.c - converts values between the units of tables/units.def. Pure functions over that table;
 * config.c and cli/import.c call them. */
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum dimension { FREQUENCY, TIME, BYTES, RATE, ENERGY, POWER };

/* The rows of tables/units.def. */
static const struct unit {
    enum dimension dimension;
    const char *suffix;
    double size; /* in the dimension's smallest unit */
} units[] = {
#define UNIT(dimension, suffix, size) {dimension, suffix, size},
#include "tables/units.def"
};
enum { NUM_UNITS = sizeof units / sizeof *units };

/* The table's row of a suffix, NULL: none. */
static const struct unit *find(const char *suffix) {
    for (unsigned i = 0; i < NUM_UNITS; i++)
        if (strcmp(units[i].suffix, suffix) == 0) return &units[i];
    return NULL;
}

/* Converts *number in place from unit `suffix` to `unit`. @return false: a unit is unknown, or the
 * two measure different things; *number is then unchanged. */
bool units_convert(double *number, const char *suffix, const char *unit) {
    if (strcmp(suffix, unit) == 0) return true;
    const struct unit *from = find(suffix), *to = find(unit);
    if (!from || !to || from->dimension != to->dimension) return false;
    /* Multiplying or dividing by a whole number keeps results exact: 1.312 GHz is 1312 MHz. */
    double x = from->size >= to->size ? *number * (from->size / to->size)
                                      : *number / (to->size / from->size);
    double whole = nearbyint(x);
    *number = fabs(x - whole) <= 1e-12 * fabs(whole) ? whole : x;
    return true;
}

/* Writes the suffixes of the dimension of `unit` into `out`, "Hz, kHz, MHz, GHz", for a message;
 * `unit` itself if the table lacks it. */
void units_list(const char *unit, char *out, size_t size) {
    const struct unit *known = find(unit);
    size_t used = 0;
    snprintf(out, size, "%s", unit);
    for (unsigned i = 0; known && i < NUM_UNITS; i++)
        if (units[i].dimension == known->dimension && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     units[i].suffix);
}
