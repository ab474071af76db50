/* read_ncu.c - reads profiles by Nsight Compute, as comma-separated values; see read_ncu.h.
 * read_profile.c calls read_ncu_text() on the main thread of `heddle project`; read_ncu() loads the
 * file first. The reader changes the caller's text, fills r->out and owns its lists, which
 * read_ncu_text() frees. Functions that return heddle_err return HEDDLE_ERR_CONFIG with file and
 * line in *diag unless a comment says otherwise. */
#include "project/read_ncu.h"

#include <ctype.h>
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/csv_reader.h"
#include "project/metric_forms.h"

/* A column of the file. */
struct column {
    unsigned char value; /* its number among ncu_values, or 0 */
    bool evidence;       /* has numbers, which tell the language of the file */
    struct value_unit unit;
};

/* Places of columns that are no values; -1: not in this file. */
struct fixed_columns {
    int id, process, kernel, capability, metric, unit, value, name, major, minor;
};

/* A file while it is read. */
struct ncu_reader {
    struct csv_reader csv;
    struct project_kernels *out; /* the caller's */
    struct project_gpu gpu;      /* of all kernels */
    struct value_language language;
    struct heddle_diag *diag;
    GHashTable *numbers; /* name of a value to its number */
    GHashTable *seen;    /* process and ID of the kernels so far, as text */
    struct column *columns;
    char **names; /* of the columns */
    size_t count; /* of columns */
    struct fixed_columns at;
    struct form_values values; /* of the last kernel */
    char *identity;            /* process and ID of the last kernel */
};

/* Fails at the row that is read. */
static heddle_err fail(const struct ncu_reader *r, const char *what) {
    return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s:%u: %s", r->csv.file, r->csv.row_line, what);
}

/* ---- the header */

/* Checks a line of the profiler itself, which starts with "==". An error among them ends the
 * reading, because the kernels behind it may be missing. */
static heddle_err check_message(const struct ncu_reader *r, const char *text, unsigned line) {
    while (*text == ' ' || *text == '\t') text++;
    if (strncmp(text, "==ERROR==", 9) != 0) return HEDDLE_OK;
    int length = (int)strcspn(text, "\r\n");
    return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                       "%s:%u: Nsight Compute reports an error, so the profile may lack kernels "
                       "(remove the line if it lacks none): %.*s",
                       r->csv.file, line, length < 300 ? length : 300, text);
}

/* Skips what the program and the profiler printed, and reads the row of column names. An error of
 * the profiler, or columns separated by semicolons, end the reading. */
static heddle_err find_header(struct ncu_reader *r) {
    bool more = true;
    for (const char *at = r->csv.at; strncmp(at, "\"ID\",", 5) && strncmp(at, "ID,", 3);
         at = r->csv.at) {
        if (!strncmp(at, "\"ID\";", 5) || !strncmp(at, "ID;", 3))
            return heddle_fail(
                r->diag, HEDDLE_ERR_CONFIG,
                "%s:%u: columns are separated by semicolons: save what ncu prints as "
                "it is, and run it with LC_ALL=C",
                r->csv.file, r->csv.line);
        heddle_err e = check_message(r, at, r->csv.line);
        if (e) return e;
        if (!csv_skip_line(&r->csv))
            return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                               "%s: no row of column names (it starts with \"ID\") by ncu --csv",
                               r->csv.file);
    }
    return csv_next(&r->csv, &more, r->diag);
}

/* Reads the row of column names: r->at, r->count, r->columns and r->names, which are allocated; the
 * names lie in the text. A known value may have one column only. */
static heddle_err read_header(struct ncu_reader *r) {
    heddle_err e = find_header(r);
    if (e) return e;
    struct csv_reader *csv = &r->csv;
    r->at = (struct fixed_columns){
        .id = 0,
        .process = csv_find(csv, "Process ID"),
        .kernel = csv_find(csv, "Kernel Name"),
        .capability = csv_find(csv, "CC"),
        .metric = csv_find(csv, "Metric Name"),
        .unit = csv_find(csv, "Metric Unit"),
        .value = csv_find(csv, "Metric Value"),
        .name = csv_find(csv, "device__attribute_display_name"),
        .major = csv_find(csv, "device__attribute_compute_capability_major"),
        .minor = csv_find(csv, "device__attribute_compute_capability_minor"),
    };
    if (r->at.kernel < 0) return fail(r, "no column \"Kernel Name\"");
    if (r->at.metric >= 0 && (r->at.unit < 0 || r->at.value < r->at.metric))
        return fail(r, "\"Metric Name\" without \"Metric Unit\" or \"Metric Value\" behind it");
    r->count = csv->count;
    r->columns = heddle_alloc_array(r->count, sizeof *r->columns, "columns of a profile");
    r->names = heddle_alloc_array(r->count, sizeof *r->names, "columns of a profile");
    bool taken[FORM_VALUES] = {false};
    for (size_t i = 0; i < r->count; i++) {
        r->names[i] = csv->cell[i];
        size_t value = GPOINTER_TO_SIZE(g_hash_table_lookup(r->numbers, csv->cell[i]));
        if (value && taken[value])
            return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s:%u: two columns \"%.80s\"",
                               csv->file, csv->row_line, csv->cell[i]);
        taken[value] = true;
        r->columns[i].value = (unsigned char)value;
    }
    return HEDDLE_OK;
}

/* ---- kernels */

/* Reads the GPU of the row's kernel: of the first one into r->gpu, later ones must have the
 * same. */
static heddle_err read_gpu(struct ncu_reader *r) {
    char *const *cell = r->csv.cell;
    int capability = 0;
    if (r->at.capability >= 0) {
        char *end;
        long major = strtol(cell[r->at.capability], &end, 10);
        if (*end == '.' && isdigit((unsigned char)end[1]) && !end[2] && major > 0 && major < 100)
            capability = (int)major * 10 + (end[1] - '0');
        else
            return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                               "%s:%u: '%.40s' is not a compute capability", r->csv.file,
                               r->csv.row_line, cell[r->at.capability]);
    } else if (r->at.major >= 0 && r->at.minor >= 0) {
        long major = strtol(cell[r->at.major], NULL, 10),
             minor = strtol(cell[r->at.minor], NULL, 10);
        if (major > 0 && major < 100 && minor >= 0 && minor < 10)
            capability = (int)(major * 10 + minor);
    }
    const char *name = r->at.name >= 0 ? cell[r->at.name] : "";
    if (r->out->count == 0) {
        r->gpu.capability = capability;
        snprintf(r->gpu.name, sizeof r->gpu.name, "%s", name);
    } else if (capability != r->gpu.capability ||
               strncmp(name, r->gpu.name, sizeof r->gpu.name - 1) != 0) {
        return fail(r, "a kernel on another kind of GPU: profile each kind by itself (--devices)");
    }
    return HEDDLE_OK;
}

/* Takes the text of a value (a number of ncu_values) into r->values, scaled by the unit. An absent
 * value stays unknown; two different values of a kernel are an error. */
static heddle_err read_number(struct ncu_reader *r, unsigned value, const char *text,
                              const struct value_unit *unit) {
    const struct form_value *v = &ncu_values[value];
    double number;
    enum value_result result = v->kind == VALUE_SIZE
                                   ? value_read_size(&number, text)
                                   : value_read(&number, text, unit, &r->language, r->csv.row_line);
    if (result == VALUE_ABSENT) return HEDDLE_OK;
    if (result != VALUE_OK)
        return value_fail(result, text, v->name, r->out->at[r->out->count - 1].name, r->csv.file,
                          r->csv.row_line, r->diag);
    if (r->values.known[value] && r->values.of[value] != number)
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: kernel %s: two different values of %s", r->csv.file,
                           r->csv.row_line, r->out->at[r->out->count - 1].name, v->name);
    r->values.of[value] = number;
    r->values.known[value] = true;
    return HEDDLE_OK;
}

/* Fails for an unknown unit of a value, a number of ncu_values. */
static heddle_err fail_unit(struct ncu_reader *r, const char *unit, unsigned value) {
    return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s:%u: unknown unit '%.40s' of %s", r->csv.file,
                       r->csv.row_line, unit, ncu_values[value].name);
}

/* Sets the metrics of the last kernel from r->values, once all its rows are read. Does nothing
 * before the first one. */
static void end_kernel(struct ncu_reader *r) {
    if (r->out->count)
        metric_forms_apply(&r->out->at[r->out->count - 1], ncu_forms, ncu_form_count, &r->values,
                           r->gpu.capability);
}

/* Starts a kernel, unless the row belongs to the last one: ends the last kernel, adds one to r->out
 * and clears r->values. *new_kernel: whether it did. */
static heddle_err start_kernel(struct ncu_reader *r, bool *new_kernel) {
    char *const *cell = r->csv.cell;
    char *identity = g_strdup_printf("%s/%s", r->at.process >= 0 ? cell[r->at.process] : "",
                                     cell[r->at.id]);
    *new_kernel = !r->identity || strcmp(identity, r->identity) != 0;
    if (!*new_kernel) {
        g_free(identity);
        if (strcmp(cell[r->at.kernel], r->out->at[r->out->count - 1].name) != 0)
            return fail(r, "two kernels with the same ID");
        return HEDDLE_OK;
    }
    if (!g_hash_table_add(r->seen, identity)) return fail(r, "a second kernel with this ID");
    end_kernel(r);
    r->identity = identity; /* owned by `seen` */
    char *end;
    errno = 0;
    unsigned long long id = strtoull(cell[r->at.id], &end, 10);
    if (!isdigit((unsigned char)*cell[r->at.id]) || *end || errno)
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s:%u: '%.40s' is not the ID of a kernel",
                           r->csv.file, r->csv.row_line, cell[r->at.id]);
    heddle_err e = read_gpu(r);
    if (e) return e;
    project_kernels_add(r->out, cell[r->at.kernel], id);
    memset(&r->values, 0, sizeof r->values);
    return HEDDLE_OK;
}

/* *between: the row is no kernel's, but a message or an empty line. Another header or a message of
 * an error is an error. */
static heddle_err is_between(const struct ncu_reader *r, bool *between) {
    const char *first = r->csv.cell[0];
    *between = !strncmp(first, "==", 2) || (r->csv.count == 1 && !*first);
    if (!strcmp(first, "ID"))
        return fail(r, "a second row of column names: give each profile in a file of its own");
    return *between ? check_message(r, first, r->csv.row_line) : HEDDLE_OK;
}

/* Fails for a row with fewer values than needed. */
static heddle_err fail_short(const struct ncu_reader *r, size_t needed) {
    return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                       "%s:%u: %zu values where %zu are needed: the file is cut short or damaged",
                       r->csv.file, r->csv.row_line, r->csv.count, needed);
}

/* ---- the raw page */

/* Reads the raw page's row of units into r->columns. */
static heddle_err read_units(struct ncu_reader *r) {
    bool more;
    heddle_err e = csv_next(&r->csv, &more, r->diag);
    if (e) return e;
    if (!more || *r->csv.cell[0]) return fail(r, "the row of units is missing");
    if (r->csv.count < r->count) return fail_short(r, r->count);
    for (size_t i = 0; i < r->count; i++) {
        struct column *c = &r->columns[i];
        const char *unit = r->csv.cell[i];
        c->evidence = *unit && strstr(r->names[i], "__");
        if (c->value && !value_unit_find(&c->unit, unit, ncu_values[c->value].kind, PROFILER_NCU))
            return fail_unit(r, unit, c->value);
    }
    return HEDDLE_OK;
}

/* Reads a kernel of the raw page. Numbers of other columns are looked at for the language of the
 * file. */
static heddle_err read_raw_row(struct ncu_reader *r) {
    bool new_kernel;
    if (!csv_fits(&r->csv, r->count, r->count)) return fail_short(r, r->count);
    heddle_err e = start_kernel(r, &new_kernel);
    if (e) return e;
    if (!new_kernel) return fail(r, "a second kernel with this ID");
    for (size_t i = 0; i < r->count; i++) {
        const struct column *c = &r->columns[i];
        const char *text = r->csv.cell[i];
        if (c->value)
            e = read_number(r, c->value, text, &c->unit);
        else if (c->evidence && value_look(text, &r->language) == VALUE_LOCALIZED)
            e = value_fail(VALUE_LOCALIZED, text, "", NULL, r->csv.file, r->csv.row_line, r->diag);
        if (e) return e;
    }
    return HEDDLE_OK;
}

/* ---- the details page */

/* Reads a metric of a kernel from the details page, and of its first row the grid and block.
 * Numbers of other metrics are looked at for the language. */
static heddle_err read_details_row(struct ncu_reader *r) {
    char *const *cell = r->csv.cell;
    bool new_kernel;
    /* Rows of metrics may end before the columns of rules. */
    if (!csv_fits(&r->csv, (size_t)r->at.value + 1, r->count))
        return fail_short(r, (size_t)r->at.value + 1);
    heddle_err e = start_kernel(r, &new_kernel);
    for (size_t i = 0; !e && new_kernel && i < (size_t)r->at.metric; i++)
        if (r->columns[i].value && ncu_values[r->columns[i].value].kind == VALUE_SIZE)
            e = read_number(r, r->columns[i].value, cell[i], &r->columns[i].unit);
    if (e) return e;
    const char *metric = cell[r->at.metric], *text = cell[r->at.value];
    size_t value = GPOINTER_TO_SIZE(g_hash_table_lookup(r->numbers, metric));
    if (!*metric) return HEDDLE_OK; /* a rule's advice */
    if (!value) {
        if (*cell[r->at.unit] && value_look(text, &r->language) == VALUE_LOCALIZED)
            return value_fail(VALUE_LOCALIZED, text, "", NULL, r->csv.file, r->csv.row_line,
                              r->diag);
        return HEDDLE_OK;
    }
    struct value_unit unit;
    if (!value_unit_find(&unit, cell[r->at.unit], ncu_values[value].kind, PROFILER_NCU))
        return fail_unit(r, cell[r->at.unit], (unsigned)value);
    return read_number(r, (unsigned)value, text, &unit);
}

/* ---- a file */

/* Reads all rows behind the header and ends the last kernel. No kernel, or numbers of a doubtful
 * language, are errors. */
static heddle_err read_rows(struct ncu_reader *r) {
    bool more, between, raw = r->at.metric < 0;
    for (;;) {
        heddle_err e = csv_next(&r->csv, &more, r->diag);
        if (e) return e;
        if (!more) break;
        e = is_between(r, &between);
        if (!e && !between) e = raw ? read_raw_row(r) : read_details_row(r);
        if (e) return e;
    }
    end_kernel(r);
    if (!r->out->count)
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s: column names, but no kernel",
                           r->csv.file);
    return value_language_check(&r->language, r->csv.file, r->diag);
}

/* Replaces what is in *out by the kernels of the `size` bytes of text, which is overwritten;
 * text[size] is NUL. `file` stands in messages. *gpu, unless NULL: where they ran. @return
 * HEDDLE_ERR_CONFIG; *out is then empty. */
heddle_err read_ncu_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                         size_t size, const char *file, struct heddle_diag *diag) {
    struct ncu_reader r = {.out = out, .diag = diag};
    r.numbers = g_hash_table_new(g_str_hash, g_str_equal);
    r.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 1; i < ncu_value_count; i++)
        g_hash_table_insert(r.numbers, (gpointer)ncu_values[i].name, GSIZE_TO_POINTER(i));
    project_kernels_clear(out);
    csv_begin(&r.csv, text, size, file);
    heddle_err e = read_header(&r);
    if (!e && r.at.metric < 0) e = read_units(&r);
    if (!e) e = read_rows(&r);
    if (e) project_kernels_clear(out);
    if (gpu) *gpu = r.gpu;
    csv_end(&r.csv);
    free(r.columns);
    free(r.names);
    g_hash_table_destroy(r.numbers);
    g_hash_table_destroy(r.seen);
    return e;
}

/* Loads file `path` and reads it as read_ncu_text() does. @return also errors of csv_load(), with
 * *out unchanged. */
heddle_err read_ncu(struct project_kernels *out, const char *path, struct heddle_diag *diag) {
    char *text;
    size_t size;
    heddle_err e = csv_load(&text, &size, path, diag);
    if (e) return e;
    e = read_ncu_text(out, NULL, text, size, path, diag);
    free(text);
    return e;
}

/* ---- the command line */

/* Prints to `out` the command line that collects the metrics marked in `missing`, each by the
 * values of its first form. @return false: Nsight Compute has none of them, and nothing is
 * printed. */
bool read_ncu_command(FILE *out, const bool missing[NUM_PROJECT_METRICS]) {
    bool asked[FORM_VALUES] = {true}, met[NUM_PROJECT_METRICS] = {false}, any = false;
    for (size_t i = 0; i < ncu_form_count; i++) {
        const struct metric_form *form = &ncu_forms[i];
        if (!missing[form->metric] || met[form->metric]) continue;
        met[form->metric] = true;
        for (int t = 0; t < FORM_TERMS * FORM_FACTORS; t++) {
            unsigned value = form->term[t / FORM_FACTORS].value[t % FORM_FACTORS];
            if (asked[value]) continue;
            asked[value] = true;
            fprintf(out, "%s%s", any ? "," : "LC_ALL=C ncu --csv --page raw --metrics ",
                    ncu_values[value].name);
            any = true;
        }
    }
    if (any) fprintf(out, " --log-file profile.csv PROGRAM");
    return any;
}
