/* sweep_record.c - collects the inputs of a point, reads its report, and reads and writes its
 * record. cli/cmd_sweep.c calls these functions on the main thread of `heddle sweep`; cli/resume.c
 * uses the inputs to identify a run of `heddle run`. Functions that return heddle_err explain an
 * error in *diag. */
#include "sweep/sweep_record.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sealed_text.h"

/* Where each column comes from in report.json (sweep_columns.def). */
static const struct {
    enum { COUNT, TIME, KERNELS, STATISTIC } source;
    const char *member;
} sources[SWEEP_NUM_COLUMNS] = {
#define COLUMN(id, name, unit, source, member, meaning) {source, member},
#include "sweep/sweep_columns.def"
};

/* ---- inputs */

/* Continues a checksum (FNV-1a, 64 bits) that began as first_sum. */
static uint64_t add_bytes(uint64_t sum, const void *data, size_t n) {
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++) sum = (sum ^ p[i]) * 0x100000001b3u;
    return sum;
}
static const uint64_t first_sum = 0xcbf29ce484222325u;

/* Adds the bytes of a file to a checksum. @return false: it cannot be read. */
static bool add_file(uint64_t *sum, const char *path) {
    char block[65536];
    size_t n;
    FILE *f = fopen(path, "re");
    if (!f) return false;
    while ((n = fread(block, 1, sizeof block, f)) > 0) *sum = add_bytes(*sum, block, n);
    bool good = !ferror(f);
    fclose(f);
    return good;
}

/* A checksum as hexadecimal digits. */
static void sum_text(char *out, size_t size, uint64_t sum) {
    snprintf(out, size, "%016llx", (unsigned long long)sum);
}

/* Reads the files and stores their checksums in *in. `simulator`: files of Heddle, NULL at the end;
 * one that cannot be read counts as empty. @return false: `program` cannot be read, errno says
 * why. */
bool sweep_inputs_sum(struct sweep_inputs *in, const char *program, const char *const *simulator) {
    uint64_t sum = first_sum;
    if (!add_file(&sum, program)) return false;
    sum_text(in->program_sum, sizeof in->program_sum, sum);
    sum = first_sum;
    for (; *simulator; simulator++) add_file(&sum, *simulator);
    sum_text(in->simulator_sum, sizeof in->simulator_sum, sum);
    return true;
}

/* Texts as a new JSON list. */
static json_t *list_of(const char *const *texts) {
    json_t *list = json_array();
    for (; *texts; texts++) json_array_append_new(list, json_string(*texts));
    return list;
}

json_t *sweep_parameter(const struct config *config, unsigned row) {
    const struct parameter_row *r = &config_rows[row];
    const void *value = (const char *)config + r->offset;
    if (r->type == PARAMETER_TEXT) return json_string(value);
    return r->type == PARAMETER_REAL ? json_real(*(const double *)value)
                                     : json_integer(*(const json_int_t *)value);
}

/* A new JSON object with the value of every parameter that has one, whether from a file, --set or a
 * default. */
static json_t *values_of(const struct config *config) {
    json_t *o = json_object();
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        if (!*config->origin[i].where) continue;
        json_object_set_new(o, config_rows[i].key, sweep_parameter(config, i));
    }
    return o;
}

/* The inputs of a point as a new JSON object: those that all points share, and every parameter of
 * its GPU. The caller frees it with json_decref(). */
json_t *sweep_inputs_of_point(const struct sweep_inputs *in, const struct config *config) {
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "heddle_version", in->version,
                     "heddle_sum", in->simulator_sum, "program", in->program, "program_sum",
                     in->program_sum, "arguments", list_of(in->arguments), "options",
                     list_of(in->options), "parameters", values_of(config));
}

/* Name of the first member of object `a` that `b` lacks or has with another value, searched
 * recursively; NULL: they are equal. The name belongs to `a`. */
const char *sweep_inputs_difference(const json_t *a, const json_t *b) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value) {
        json_t *other = json_object_get(b, key);
        if (json_equal(value, other)) continue;
        const char *inner = json_is_object(value) ? sweep_inputs_difference(value, other) : NULL;
        return inner ? inner : key;
    }
    return json_object_size(a) == json_object_size(b) ? NULL : "the number of parameters";
}

/* ---- reports and records */

/* directory/name; the caller frees it. */
static char *path_in(const char *directory, const char *name) {
    return g_strdup_printf("%s/%s", directory, name);
}

/* An integer member, 0 if there is none. */
static uint64_t member(const json_t *o, const char *name) {
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

/* Value of a column that sums over the launches of a report, which has them in groups. */
static uint64_t of_kernels(const json_t *kernels, unsigned column) {
    uint64_t sum = 0;
    size_t i;
    json_t *k;
    json_array_foreach((json_t *)kernels, i, k)
        sum += member(k, sources[column].source == COUNT  ? "launches"
                         : sources[column].source == TIME ? "time_ps"
                                                          : sources[column].member);
    return sum;
}

/* Value of a statistic of a report; 0: there is none of that name. */
static uint64_t of_statistics(const json_t *statistics, const char *name) {
    size_t i;
    json_t *s;
    json_array_foreach((json_t *)statistics, i,
                       s) if (!strcmp(json_string_value(json_object_get(s, "name")),
                                      name)) return member(s, "value");
    return 0;
}

/* Reads report.json in `directory`, fills *out (value; state SWEEP_DONE) and writes the record
 * point.json with `inputs`, synced and then renamed. @return HEDDLE_ERR_IO: no report, or the
 * record cannot be written; out->state then stays. */
heddle_err sweep_record_make(const char *directory, json_t *inputs, const struct sweep_more *more,
                             struct sweep_result *out, struct heddle_diag *diag) {
    json_error_t bad;
    char *path = path_in(directory, "report.json");
    json_t *report = json_load_file(path, 0, &bad);
    heddle_err e = HEDDLE_OK;
    json_t *kernels = json_object_get(report, "kernel_groups");
    if (!report || !json_is_array(kernels))
        e = heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s", path, report ? "no kernels" : bad.text);
    g_free(path);
    json_t *values = json_object();
    for (unsigned c = 0; c < SWEEP_NUM_COLUMNS && !e; c++) {
        out->value[c] = sources[c].source == STATISTIC
                            ? of_statistics(json_object_get(report, "statistics"),
                                            sources[c].member)
                            : of_kernels(kernels, c);
        json_object_set_new(values, sweep_columns[c].name, json_integer((json_int_t)out->value[c]));
    }
    if (!e) sweep_more_read(more, report, out->more);
    json_decref(report);
    json_t *record = json_pack("{s:O, s:o}", "inputs", inputs, "results", values);
    char *text = e ? NULL : json_dumps(record, JSON_INDENT(1));
    path = path_in(directory, "point.json");
    if (!e) e = sealed_text_write(path, text, diag);
    if (!e) out->state = SWEEP_DONE;
    free(text);
    g_free(path);
    json_decref(record);
    return e;
}

/* Reads the values of the columns that were named from the report of a point that is done. */
static heddle_err read_more(const char *directory, const struct sweep_more *more,
                            struct sweep_result *out, struct heddle_diag *diag) {
    json_error_t bad;
    if (!more->count) return HEDDLE_OK;
    char *path = path_in(directory, "report.json");
    json_t *report = json_load_file(path, 0, &bad);
    heddle_err e = report ? HEDDLE_OK : heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s", path, bad.text);
    if (report) sweep_more_read(more, report, out->more);
    json_decref(report);
    g_free(path);
    return e;
}

/* Reads point.json in `directory` into *out, if it exists; SWEEP_WAITING: there is none, or it
 * lacks a column. @return HEDDLE_ERR_ARGUMENT: it was made from other inputs; HEDDLE_ERR_IO: it is
 * damaged, or cannot be read. */
heddle_err sweep_record_read(const char *directory, const json_t *inputs,
                             const struct sweep_more *more, struct sweep_result *out,
                             struct heddle_diag *diag) {
    char *path = path_in(directory, "point.json"), *text;
    size_t size;
    *out = (struct sweep_result){.state = SWEEP_WAITING};
    heddle_err e = sealed_text_read(path, "remove it, and the sweep runs the point again", &text,
                                    &size, diag);
    if (e && errno == ENOENT) e = HEDDLE_OK;
    if (!text) {
        g_free(path);
        return e;
    }
    json_error_t bad;
    json_t *record = json_loadb(text, size, JSON_REJECT_DUPLICATES, &bad);
    const json_t *results = json_object_get(record, "results");
    free(text);
    if (!json_is_object(results))
        e = heddle_fail(diag, HEDDLE_ERR_IO,
                        "%s is no record of a point%s%s: remove it, and the sweep runs the point "
                        "again",
                        path, record ? "" : ", ", record ? "" : bad.text);
    const char *other = e ? NULL
                          : sweep_inputs_difference(inputs, json_object_get(record, "inputs"));
    if (other)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "%s is of another sweep, '%s' is not the same: remove it, or choose "
                        "another directory with --out",
                        path, other);
    if (!e) out->state = SWEEP_DONE;
    for (unsigned c = 0; c < SWEEP_NUM_COLUMNS && !e; c++) {
        if (!json_object_get(results, sweep_columns[c].name)) out->state = SWEEP_WAITING;
        out->value[c] = member(results, sweep_columns[c].name);
    }
    if (!e && out->state == SWEEP_DONE) e = read_more(directory, more, out, diag);
    json_decref(record);
    g_free(path);
    return e;
}
