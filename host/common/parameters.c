/* parameters.c - values of a table of parameters: conversion, limits, origins; contracts in
 * parameters.h. */
#include "common/parameters.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "common/units.h"

const void *parameters_value(const struct parameters *p, unsigned row) {
    return (const char *)p->values + p->row[row].offset;
}

int parameters_find(const struct parameters *p, const char *key) {
    for (unsigned i = 0; i < p->count; i++)
        if (strcmp(p->row[i].key, key) == 0) return (int)i;
    return -1;
}

/* nearest_name_fn. */
static const char *key_of(const void *user, unsigned i) {
    return ((const struct parameters *)user)->row[i].key;
}

/* ---- one value */

/* Stores a text of the right length. */
static heddle_err set_text(char *place, const struct parameter_row *row, const char *text,
                           const char *where, struct heddle_diag *diag) {
    const size_t n = strlen(text);
    if (n < (size_t)row->min || n > (size_t)row->max)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s = '%s': a text of %g to %g characters is expected", where,
                           row->key, text, row->min, row->max);
    memcpy(place, text, n + 1);
    return HEDDLE_OK;
}

/* Reads a number with or without a unit, in the row's unit. */
static heddle_err read_number(double *number, const struct parameter_row *row, const char *text,
                              const char *where, struct heddle_diag *diag) {
    char *end = NULL;
    errno = 0;
    *number = strtod(text, &end);
    if (end == text || errno || !isfinite(*number))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s is not a number", where, row->key,
                           text);
    while (isspace((unsigned char)*end)) end++;
    if (!*end || units_convert(number, end, row->unit)) return HEDDLE_OK;
    if (!isalpha((unsigned char)*end)) /* "1-8" */
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s is not a number", where, row->key,
                           text);
    char known[100];
    units_list(row->unit, known, sizeof known);
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s: '%s' is no unit of it, there are: %s",
                       where, row->key, text, end, known);
}

/* Stores a number within the row's limits, which is whole for UINT. */
static heddle_err set_number(const struct parameters *p, const struct parameter_row *row,
                             const char *text, const char *where, struct heddle_diag *diag) {
    void *place = (char *)p->values + row->offset;
    double number;
    heddle_err e = read_number(&number, row, text, where, diag);
    if (e) return e;
    if (p->built_for && row->min == row->max && number != row->min)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s: %s %.15g %s", where, row->key,
                           text, p->built_for, row->min, row->unit);
    if (number < row->min || number > row->max)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s = %s is out of range: %.15g to %.15g %s", where, row->key, text,
                           row->min, row->max, row->unit);
    if (row->type == PARAMETER_REAL) {
        *(double *)place = number;
        return HEDDLE_OK;
    }
    if (number != floor(number))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s must be a whole number", where,
                           row->key, text);
    *(uint64_t *)place = (uint64_t)number; /* all limits are below 2^53 */
    return HEDDLE_OK;
}

heddle_err parameters_set(const struct parameters *p, const char *key, const char *text,
                          const char *where, struct heddle_diag *diag) {
    const int i = parameters_find(p, key);
    if (i < 0)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: unknown key '%s', did you mean '%s'?",
                           where, key, nearest_name(key, key_of, p, p->count));
    const struct parameter_row *row = &p->row[i];
    if (!*text) return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s has no value", where, key);
    heddle_err e = row->type == PARAMETER_TEXT
                       ? set_text((char *)p->values + row->offset, row, text, where, diag)
                       : set_number(p, row, text, where, diag);
    if (e) return e;
    struct parameter_origin *o = &p->origin[i];
    memset(o, 0, sizeof *o);
    snprintf(o->where, sizeof o->where, "%s", where);
    return HEDDLE_OK;
}

/* ---- many values */

heddle_err parameters_set_defaults(const struct parameters *p, struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < p->count && !e; i++)
        if (*p->row[i].initial)
            e = parameters_set(p, p->row[i].key, p->row[i].initial, "default", diag);
    return e;
}

/* Without a source, nobody can tell a measured figure from a guessed one. */
heddle_err parameters_take_line(void *user, const struct ini_line *line, struct heddle_diag *diag) {
    const struct parameters *p = user;
    heddle_err e = parameters_set(p, line->key, line->value, line->where, diag);
    if (e) return e;
    if (!line->remark && p->needs_remarks)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s has no remark '; unit | status | source'", line->where,
                           line->key);
    if (!line->remark) return HEDDLE_OK;
    const int i = parameters_find(p, line->key);
    struct ini_remark remark = {0};
    e = ini_read_remark(line, p->row[i].unit, &remark, diag);
    snprintf(p->origin[i].status, sizeof p->origin[i].status, "%s", remark.status);
    snprintf(p->origin[i].source, sizeof p->origin[i].source, "%s", remark.source);
    return e;
}

heddle_err parameters_apply(const struct parameters *p, const char *const *sets, size_t num_sets,
                            struct heddle_diag *diag) {
    const char *option = p->option ? p->option : "--set";
    heddle_err e = HEDDLE_OK;
    for (size_t i = 0; i < num_sets && !e; i++) {
        char copy[512];
        snprintf(copy, sizeof copy, "%s", sets[i]);
        char *value = strchr(copy, '=');
        if (!value)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s %s: KEY=VALUE expected", option,
                               sets[i]);
        *value++ = '\0';
        e = parameters_set(p, ini_trim(copy), ini_trim(value), option, diag);
    }
    return e;
}

/* ---- checks */

heddle_err parameters_check_there(const struct parameters *p, unsigned row, const char *file,
                                  struct heddle_diag *diag) {
    if (*p->origin[row].where) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: '%s' is missing (%s, in %s)", file,
                       p->row[row].key, p->row[row].meaning, p->row[row].unit);
}

heddle_err parameters_check_name(const struct parameters *p, unsigned row, const char *const *names,
                                 struct heddle_diag *diag) {
    const char *value = parameters_value(p, row);
    char list[200] = "";
    for (size_t used = 0; *names; names++) {
        if (!strcmp(*names, value)) return HEDDLE_OK;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *names);
    }
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = '%s' is none of %s", p->origin[row].where,
                       p->row[row].key, value, list);
}

/* ---- the page */

void parameters_print_table(const struct parameter_row *row, unsigned count, FILE *out) {
    fprintf(out, "| key | unit | default | from | to | meaning |\n|---|---|---|---|---|---|\n");
    for (const struct parameter_row *end = row + count; row < end; row++) {
        char limits[64] = "- | -"; /* the table's limits of a text are for its length */
        if (row->type != PARAMETER_TEXT)
            snprintf(limits, sizeof limits, "%.15g | %.15g", row->min, row->max);
        fprintf(out, "| `%s` | %s | %s | %s | %s |\n", row->key, row->unit,
                *row->initial ? row->initial : "-", limits, row->meaning);
    }
}
