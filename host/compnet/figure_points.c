/* figure_points.c - what figures are made of: the numbers that programs print, in series of points;
 * contracts in compnet.h. */
#include <math.h>
#include <string.h>

#include "compnet/compnet.h"

heddle_err compnet_number(const struct compnet_result *r, const struct compnet_point *point,
                          const char *text, double *number, struct heddle_diag *diag) {
    const char *at = strstr(r->output, text);
    char *end = NULL;
    if (at) *number = g_ascii_strtod(at + strlen(text), &end);
    if (!at || end == at + strlen(text))
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s did not print a number behind '%s'",
                           point->program, text);
    return HEDDLE_OK;
}

heddle_err compnet_measure(struct compnet *c, const struct compnet_point *point, const char *text,
                           double *number, struct compnet_energy *energy,
                           struct heddle_diag *diag) {
    struct compnet_result r;
    heddle_err e = compnet_run(c, point, &r, diag);
    if (e) return e;
    e = compnet_number(&r, point, text, number, diag);
    if (energy) *energy = compnet_energy_of(&r);
    compnet_result_clear(&r);
    return e;
}

heddle_err compnet_sweep(struct compnet *c, const struct compnet_sweep *sweep,
                         struct heddle_diag *diag) {
    for (unsigned s = 0; s < sweep->num_names; s++) {
        struct compnet_series *series = compnet_add_series(sweep->picture, sweep->names[s]);
        for (unsigned i = 0; i < sweep->count; i++) {
            double y = NAN;
            heddle_err e = sweep->measure(c, s, i, &y, sweep->user, diag);
            if (e) return e;
            compnet_add(series, sweep->x[i], y);
        }
    }
    return HEDDLE_OK;
}

double compnet_least(const double *value, unsigned count, unsigned step) {
    double least = INFINITY;
    for (unsigned i = 0; i < count; i++) least = fmin(least, value[(size_t)i * step]);
    return least;
}

double compnet_spread(const double *value, unsigned count, unsigned step) {
    double most = 0;
    for (unsigned i = 0; i < count; i++) most = fmax(most, value[(size_t)i * step]);
    return most / compnet_least(value, count, step) - 1;
}
