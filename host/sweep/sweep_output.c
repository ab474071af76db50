/* sweep_output.c - prints the results of a sweep as a table and writes sweep.csv, sweep.json and
 * (with sweep_plot.c) sweep.svg. cli/cmd_sweep.c calls it on the main thread of `heddle sweep`,
 * when the points have ended. Functions that return json_t return a new object that the caller
 * owns. Functions that return heddle_err explain an error in *diag. */
#include "sweep/sweep_output.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "common/output_file.h"

/* The first finished point whose value in the compared column is not 0, or NULL. */
const struct sweep_result *sweep_baseline(const struct sweep_output *o) {
    for (unsigned i = 0; i < o->sweep->num_points; i++)
        if (sweep_result_value(&o->results[i], o->column) > 0) return &o->results[i];
    return NULL;
}

/* Value of the baseline / value of this point, in the compared column; NAN: unknown. */
static double ratio(const struct sweep_output *o, const struct sweep_result *r) {
    const struct sweep_result *base = sweep_baseline(o);
    const double value = sweep_result_value(r, o->column);
    return base && value > 0 ? sweep_result_value(base, o->column) / value : NAN;
}

/* ---- table */

/* Formats a value; times (ps) get a readable unit. */
static void print_value(double x, const char *unit, char *out, size_t size) {
    static const char *const times[] = {"ps", "ns", "us", "ms", "s"};
    unsigned i = 0;
    if (isnan(x)) {
        snprintf(out, size, "-");
        return;
    }
    if (strcmp(unit, "ps")) {
        snprintf(out, size, x == floor(x) ? "%.0f" : "%.5g", x);
        return;
    }
    for (; i < 4 && x >= 1000; i++) x /= 1000;
    snprintf(out, size, "%.4g %s", x, times[i]);
}

/* Prints the table to `out`, a line for each point: label, value in the compared column, cycles,
 * ratio to the baseline; or that it failed or was not run. */
void sweep_print(const struct sweep_output *o, FILE *out) {
    const struct sweep *s = o->sweep;
    const struct sweep_column_row column = sweep_more_column(o->more, o->column);
    char text[400];
    int width = 5;
    for (unsigned i = 0; i < s->num_points; i++) {
        sweep_label(s, &s->points[i], 0, s->num_axes, true, text, sizeof text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    fprintf(out, "%-*s  %14s  %14s", width, "point", column.name, "cycles");
    for (unsigned c = 0; c < o->more->num_shown; c++)
        fprintf(out, "  %14s", sweep_more_column(o->more, o->more->shown[c]).name);
    fprintf(out, "  %8s\n", "ratio");
    for (unsigned i = 0; i < s->num_points; i++) {
        const struct sweep_result *r = &o->results[i];
        char value[40];
        sweep_label(s, &s->points[i], 0, s->num_axes, true, text, sizeof text);
        fprintf(out, "%-*s  ", width, text);
        if (r->state == SWEEP_DONE) {
            print_value(sweep_result_value(r, o->column), column.unit, value, sizeof value);
            fprintf(out, "%14s  %14llu  ", value, (unsigned long long)r->value[SWEEP_CYCLES]);
            for (unsigned n = 0; n < o->more->num_shown; n++) {
                const unsigned c = o->more->shown[n];
                const struct sweep_column_row row = sweep_more_column(o->more, c);
                const int wide = (int)strlen(row.name);
                print_value(sweep_result_value(r, c), row.unit, value, sizeof value);
                fprintf(out, "%*s  ", wide > 14 ? wide : 14, value);
            }
            double x = ratio(o, r);
            if (isnan(x))
                fprintf(out, "%8s\n", "-");
            else
                fprintf(out, "%8.3f\n", x);
        } else if (r->state == SWEEP_FAILED) {
            fprintf(out, "failed, exit status %d: %s/points/%s/log.txt\n", r->status, o->directory,
                    s->points[i].name);
        } else {
            fputs("not run\n", out);
        }
    }
}

/* ---- files */

/* Writes a cell, in quotes if needed. */
static void csv_cell(FILE *f, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++) fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', f);
}

/* Writes sweep.csv, a line for each point, and leaves errors to fclose(). @return true: there is
 * always something to write. */
static bool write_csv(const struct sweep_output *o, FILE *f) {
    const struct sweep *s = o->sweep;
    for (unsigned a = 0; a < s->num_axes; a++)
        for (unsigned k = 0; k < s->axes[a].num_keys; k++) fprintf(f, "%s,", s->axes[a].keys[k]);
    fputs("state,exit_status", f);
    for (unsigned c = 0; c < SWEEP_NUM_COLUMNS; c++)
        fprintf(f, ",%s%s", sweep_columns[c].name,
                strcmp(sweep_columns[c].unit, "ps") ? "" : "_ps");
    for (unsigned c = 0; c < o->more->count; c++)
        fprintf(f, ",%s%s", o->more->name[c], strcmp(o->more->unit[c], "ps") ? "" : "_ps");
    fputs(",ratio\n", f);
    for (unsigned i = 0; i < s->num_points; i++) {
        const struct sweep_result *r = &o->results[i];
        for (unsigned a = 0; a < s->num_axes; a++)
            for (unsigned k = 0; k < s->axes[a].num_keys; k++) {
                csv_cell(f, sweep_value(s, &s->points[i], a, k));
                fputc(',', f);
            }
        fprintf(f, "%s,%d",
                r->state == SWEEP_DONE     ? "done"
                : r->state == SWEEP_FAILED ? "failed"
                                           : "not run",
                r->status);
        for (unsigned c = 0; c < SWEEP_NUM_COLUMNS; c++)
            if (r->state == SWEEP_DONE)
                fprintf(f, ",%llu", (unsigned long long)r->value[c]);
            else
                fputc(',', f);
        for (unsigned c = 0; c < o->more->count; c++) {
            const double value = sweep_result_value(r, SWEEP_NUM_COLUMNS + c);
            fprintf(f, isnan(value) ? "," : value == floor(value) ? ",%.0f" : ",%.9g", value);
        }
        double x = ratio(o, r);
        if (isnan(x))
            fputs(",\n", f);
        else
            fprintf(f, ",%.6f\n", x);
    }
    return true;
}

static json_t *list_of_texts(const char *const *texts) {
    json_t *list = json_array();
    for (; *texts; texts++) json_array_append_new(list, json_string(*texts));
    return list;
}

/* An axis with its keys and its values. */
static json_t *axis_object(const struct sweep_axis *a) {
    json_t *values = json_array();
    for (unsigned v = 0; v < a->num_values; v++)
        json_array_append_new(values, list_of_texts((const char *const *)a->values[v]));
    return json_pack("{s:o, s:o}", "keys", list_of_texts((const char *const *)a->keys), "values",
                     values);
}

/* A point with its values, state and results; without results if it is not done. */
static json_t *point_object(const struct sweep_output *o, unsigned i) {
    const struct sweep_point *p = &o->sweep->points[i];
    const struct sweep_result *r = &o->results[i];
    json_t *values = json_object(), *results = json_object();
    for (unsigned a = 0; a < o->sweep->num_axes; a++)
        for (unsigned k = 0; k < o->sweep->axes[a].num_keys; k++)
            json_object_set_new(values, o->sweep->axes[a].keys[k],
                                json_string(sweep_value(o->sweep, p, a, k)));
    for (unsigned c = 0; c < SWEEP_NUM_COLUMNS && r->state == SWEEP_DONE; c++)
        json_object_set_new(results, sweep_columns[c].name, json_integer((json_int_t)r->value[c]));
    for (unsigned c = 0; c < o->more->count && r->state == SWEEP_DONE; c++)
        json_object_set_new(results, o->more->name[c],
                            isnan(r->more[c]) ? json_null() : json_real(r->more[c]));
    return json_pack("{s:s, s:s, s:o, s:b, s:i, s:o}", "directory", p->name, "gpu", p->gpu,
                     "values", values, "done", r->state == SWEEP_DONE, "exit_status", r->status,
                     "results", results);
}

/* Writes sweep.json: program, options, axes, columns and points. @return false: writing failed. */
static bool write_json(const struct sweep_output *o, FILE *f) {
    json_t *root = json_object(), *axes = json_array(), *points = json_array(),
           *columns = json_array();
    json_object_set_new(root, "heddle_version", json_string(o->inputs->version));
    json_object_set_new(root, "program", json_string(o->inputs->program));
    json_object_set_new(root, "arguments", list_of_texts(o->inputs->arguments));
    json_object_set_new(root, "options", list_of_texts(o->inputs->options));
    for (unsigned a = 0; a < o->sweep->num_axes; a++)
        json_array_append_new(axes, axis_object(&o->sweep->axes[a]));
    for (unsigned c = 0; c < SWEEP_NUM_COLUMNS + o->more->count; c++) {
        const struct sweep_column_row row = sweep_more_column(o->more, c);
        json_array_append_new(columns, json_pack("{s:s, s:s, s:s}", "name", row.name, "unit",
                                                 row.unit, "meaning", row.meaning));
    }
    for (unsigned i = 0; i < o->sweep->num_points; i++)
        json_array_append_new(points, point_object(o, i));
    json_object_set_new(root, "around", json_boolean(o->sweep->around));
    json_object_set_new(root, "axes", axes);
    json_object_set_new(root, "columns", columns);
    json_object_set_new(root, "points", points);
    bool good = json_dumpf(root, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 &&
                fputc('\n', f) != EOF;
    json_decref(root);
    return good;
}

bool sweep_print_json(const struct sweep_output *o, FILE *out) {
    return write_json(o, out);
}

/* Writes the file `name` of the sweep with the function `write`. *some: `write` had something to
 * write; if it had not, an older file of that name is removed. @return HEDDLE_ERR_IO. */
static heddle_err write_file(const struct sweep_output *o, const char *name,
                             bool (*write)(const struct sweep_output *, FILE *), bool *some,
                             struct heddle_diag *diag) {
    struct output_file file;
    char *path = g_strdup_printf("%s/%s", o->directory, name);
    heddle_err e = output_file_open(&file, path, OUTPUT_OWN, diag);
    *some = !e && write(o, file.f);
    if (*some) {
        e = output_file_commit(&file, false, diag);
    } else if (!e) {
        output_file_abandon(&file);
        remove(path); /* left by an earlier sweep */
    }
    g_free(path);
    return e;
}

/* Writes the three files into the directory of the sweep. *plotted: sweep.svg was written. @return
 * HEDDLE_ERR_IO at the first file that fails. */
heddle_err sweep_write(const struct sweep_output *o, bool *plotted, struct heddle_diag *diag) {
    bool some;
    heddle_err e = write_file(o, "sweep.csv", write_csv, &some, diag);
    if (!e) e = write_file(o, "sweep.json", write_json, &some, diag);
    if (!e && !some) e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot write sweep.json");
    if (!e) e = write_file(o, "sweep.svg", sweep_write_svg, plotted, diag);
    return e;
}
