/* sampling.c - the options of --sample, and the results of kernel sampling for the report.
 * run_setup.c calls the first part before the program runs, run_report.c sampling_report() after
 * it, both on the main thread. Functions that return heddle_err explain an error in *diag. */
#include "cli/sampling.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* State of --sample and --compare. */
struct sampling {
    struct sample_options options;
    struct report_full *full;      /* --compare; NULL: none */
    GArray *strata;                /* of struct report_stratum; NULL before the report */
    struct report_sampling report; /* refers to `strata` and `full` */
};

/* Reads a whole text as a number; `percent`: "3%" is 0.03. @return false: it is not one. */
static bool read_number(const char *text, double *out, bool percent) {
    char *end;
    if (!g_ascii_isdigit(*text)) return false;
    *out = g_ascii_strtod(text, &end);
    if (percent && *end == '%') {
        *out /= 100;
        end++;
    }
    return *end == '\0';
}

static bool is_power_of_two(double x) {
    return x >= 1 && x <= 1u << 30 && ((uint32_t)x & ((uint32_t)x - 1)) == 0 && x == (uint32_t)x;
}

/* Sets the option `name`, one of those known, from its value. @return HEDDLE_ERR_ARGUMENT: the
 * value is no number, or out of range. */
static heddle_err read_option(struct sample_options *o, const char *name, const char *value,
                              struct heddle_diag *diag) {
    double x;
    bool tolerance = !strcmp(name, "tolerance");
    if (!read_number(value, &x, tolerance))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--sample: '%s' of %s is no number", value,
                           name);
    if (tolerance && x > 0 && x < 1)
        o->tolerance = x;
    else if (!strcmp(name, "first") && x >= 2 && x <= 1e6 && x == (uint32_t)x)
        o->first = (uint32_t)x;
    else if (!strcmp(name, "gap") && is_power_of_two(x))
        o->gap = (uint32_t)x;
    else if (!strcmp(name, "warm") && (x == 0 || x == 1))
        o->warm = (uint32_t)x;
    else
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--sample: %s=%s: first is at least 2, gap a power of two, tolerance "
                           "more than 0 and less than 1 (or 100%%), warm 0 or 1",
                           name, value);
    return HEDDLE_OK;
}

/* Fills *o with the defaults, then with the options of a list "NAME=VALUE,...", which may be empty.
 * @return HEDDLE_ERR_ARGUMENT: an unknown name, or the error of read_option(). */
static heddle_err read_options(struct sample_options *o, const char *text,
                               struct heddle_diag *diag) {
    static const char *const known[] = {"first", "gap", "tolerance", "warm", NULL};
    heddle_err e = HEDDLE_OK;
    *o = sample_defaults;
    if (!*text) return HEDDLE_OK;
    gchar **list = g_strsplit(text, ",", -1);
    for (gchar **option = list; *option && !e; option++) {
        char *equals = strchr(*option, '=');
        if (equals) *equals = '\0';
        if (!equals || !g_strv_contains(known, *option))
            e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                            "--sample: '%s' is none of first=N, gap=N, tolerance=X, warm=0|1; "
                            "a program stands behind --",
                            *option);
        else
            e = read_option(o, *option, equals + 1, diag);
    }
    g_strfreev(list);
    return e;
}

/* Reads the options `text` and loads the report of --compare (directory `compare`, NULL: none) into
 * a new *out, which sampling_free() frees. @return HEDDLE_ERR_ARGUMENT; *out is then NULL. */
heddle_err sampling_create(struct sampling **out, const char *text, const char *compare,
                           struct heddle_diag *diag) {
    struct sampling *s = g_new0(struct sampling, 1);
    heddle_err e = read_options(&s->options, text, diag);
    if (!e && compare) e = report_full_load(&s->full, compare, diag);
    *out = NULL;
    if (e)
        sampling_free(s);
    else
        *out = s;
    return e;
}

/* Frees the options, the strata and the report of --compare. Accepts NULL. */
void sampling_free(struct sampling *s) {
    if (!s) return;
    report_full_free(s->full);
    if (s->strata) g_array_unref(s->strata);
    g_free(s);
}

const struct sample_options *sampling_options(const struct sampling *s) {
    return s ? &s->options : NULL;
}

/* Collects the strata of all GPUs into `s` and checks the report of --compare against r, whose
 * kernel records are filled in. @return the report's input, valid until the next call; NULL without
 * --sample. If both reports cannot be compared, diag says why, and the result is without
 * comparison. */
const struct report_sampling *sampling_report(struct sampling *s, struct gpu *const *gpus,
                                              unsigned devices, const struct report *r,
                                              struct heddle_diag *diag) {
    if (!s) return NULL;
    struct sample_result result;
    if (s->strata) g_array_unref(s->strata);
    s->strata = g_array_new(FALSE, FALSE, sizeof(struct report_stratum));
    for (unsigned d = 0; d < devices; d++)
        for (uint32_t i = 0; gpu_sampled(gpus[d], i, &result); i++) {
            const struct report_stratum stratum = {d, i, result};
            g_array_append_val(s->strata, stratum);
        }
    s->report = (struct report_sampling){
        .options = s->options,
        .strata = (const struct report_stratum *)(const void *)s->strata->data,
        .num_strata = s->strata->len};
    if (s->full && !report_full_check(s->full, r, diag)) s->report.full = s->full;
    return &s->report;
}
