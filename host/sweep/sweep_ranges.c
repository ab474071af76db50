/* sweep_ranges.c - see sweep_ranges.h. sweep_axes.c calls it on the main thread of `heddle sweep`.
 */
#include "sweep/sweep_ranges.h"

#include <math.h>
#include <string.h>

#include "sweep/sweep.h"

/* A number with a unit: "20MiB". */
struct number {
    double value;
    char unit[16];
};

/* Reads the number that `text` is, up to `end`. @return false: it is none. */
static bool read_number(struct number *n, const char *text, const char *end) {
    gchar *copy = g_strndup(text, (gsize)(end - text)), *behind;
    n->value = g_ascii_strtod(copy, &behind);
    const bool good = behind != copy && isfinite(n->value) && strlen(behind) < sizeof n->unit &&
                      strspn(behind, "0123456789.+*-") == 0;
    g_strlcpy(n->unit, good ? behind : "", sizeof n->unit);
    g_free(copy);
    return good;
}

/* Appends from, then step by step (or times by times) up to `to`. A value is computed from its
 * number, so that errors of rounding do not add up; it may exceed `to` by such an error. */
static heddle_err add_all(GPtrArray *list, const char *said, const struct number *from, double to,
                          double step, bool times, struct heddle_diag *diag) {
    for (unsigned i = 0;; i++) {
        const double x = times ? from->value * pow(step, i) : from->value + step * i;
        if (x > to + 1e-9 * fabs(to)) return HEDDLE_OK;
        if (i == SWEEP_MOST_POINTS)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "--set %s: a range of more than %d values", said, SWEEP_MOST_POINTS);
        g_ptr_array_add(list, g_strdup_printf("%.12g%s", x, from->unit));
    }
}

/* The whole numbers of "1-8". @return whether the value is that. */
static bool is_plain(const char *value, struct number *from, struct number *to) {
    const size_t n = strspn(value, "0123456789"),
                 m = strspn(value + n + (value[n] == '-'), "0123456789");
    if (!n || value[n] != '-' || !m || value[n + 1 + m]) return false;
    return read_number(from, value, value + n) && read_number(to, value + n + 1, value + n + 1 + m);
}

heddle_err sweep_range_expand(GPtrArray *list, const char *said, const char *value,
                              struct heddle_diag *diag) {
    struct number from, to, step = {.value = 1};
    const char *dots = strstr(value, ".."), *sign = dots ? strpbrk(dots, "+*") : NULL;
    if (is_plain(value, &from, &to)) return add_all(list, said, &from, to.value, 1, false, diag);
    if (!dots || !g_ascii_isdigit(*value)) { /* "../my.ini" */
        g_ptr_array_add(list, g_strdup(value));
        return HEDDLE_OK;
    }
    const char *end = value + strlen(value);
    const bool times = sign && *sign == '*';
    bool good = read_number(&from, value, dots) &&
                read_number(&to, dots + strlen(".."), sign ? sign : end) &&
                (!sign || read_number(&step, sign + 1, end));
    good = good && !strcmp(from.unit, to.unit) && from.value <= to.value &&
           (!*step.unit || !strcmp(step.unit, from.unit));
    good = good && (times ? step.value > 1 && !*step.unit && from.value > 0 : step.value > 0);
    if (good) return add_all(list, said, &from, to.value, step.value, times, diag);
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "--set %s: '%s' is no range: FIRST..LAST, FIRST..LAST+STEP, "
                       "FIRST..LAST*FACTOR, with FIRST at most LAST, in one unit",
                       said, value);
}
