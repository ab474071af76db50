/* read_nvprof.c - reads profiles of Volta GPUs by nvprof, as comma-separated values: several tables
 * of one file; see read_nvprof.h. read_profile.c calls read_nvprof_text() on the main thread of
 * `heddle project`; read_nvprof() loads the file first. The reader changes the caller's text and
 * owns its list of launches, which read_nvprof_text() frees. Functions that return heddle_err
 * return HEDDLE_ERR_CONFIG with file and line in *diag unless a comment says otherwise. */
#include "project/read_nvprof.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/csv_reader.h"
#include "project/metric_forms.h"

enum { VOLTA = 70, MOST_COLUMNS = 512 };

/* Tables that nvprof prints, by how their row of column names begins. */
enum table { TABLE_NONE, TABLE_TRACE, TABLE_METRICS, TABLE_MEANS, TABLE_SUMMARY };
static const struct {
    const char *begin;
    enum table table;
} beginnings[] = {
    {"\"Start\",\"Duration\",", TABLE_TRACE},
    {"\"Device\",\"Context\",\"Stream\",\"Kernel\",", TABLE_METRICS},
    {"\"Device\",\"Kernel\",\"Invocations\",", TABLE_MEANS},
    {"\"Type\",\"Time(%)\",", TABLE_SUMMARY},
    {"\"Time(%)\",", TABLE_SUMMARY},
};

/* A launch, from all tables. */
struct launch {
    char *name; /* owned */
    struct form_values values;
};

/* A file while it is read. */
struct nvprof_reader {
    struct csv_reader csv;
    struct project_gpu gpu;
    struct value_language language;
    struct heddle_diag *diag;
    struct launch *launch; /* owned */
    size_t count, capacity;
    bool complete;         /* a table has ended, and with it the list of launches */
    bool traced, measured; /* a table of durations, of metrics was there */
    /* The open table. */
    enum table table;
    size_t row;                        /* launches so far */
    size_t columns;                    /* of it */
    int name, device, duration, grid;  /* places of its columns; -1: it has none */
    unsigned char value[MOST_COLUMNS]; /* of a column, number among nvprof_values, or 0 */
    struct value_unit unit[MOST_COLUMNS];
};

/* Fails at the row that is read. */
static heddle_err fail(const struct nvprof_reader *r, const char *what) {
    return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s:%u: %s", r->csv.file, r->csv.row_line, what);
}

/* Prints to `out` the command line that makes a profile, without a line feed. */
void read_nvprof_command(FILE *out) {
    fprintf(out, "nvprof --csv --print-gpu-trace --log-file trace.csv PROGRAM; "
                 "nvprof --csv --print-gpu-trace --metrics ");
    for (size_t i = 1; i + 1 < nvprof_first_trace; i++)
        fprintf(out, "%s%s", i > 1 ? "," : "", nvprof_values[i].name);
    fprintf(out, " --log-file metrics.csv PROGRAM; cat trace.csv metrics.csv >profile.csv");
}

/* ---- tables */

/* The table whose column names begin at `line`, or TABLE_NONE. */
static enum table table_at(const char *line) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(line, beginnings[i].begin, strlen(beginnings[i].begin)))
            return beginnings[i].table;
    return TABLE_NONE;
}

/* Number of a column's value in the open table. A metric's column has its name or its title. */
static unsigned value_of(const struct nvprof_reader *r, const char *name) {
    size_t first = r->table == TABLE_TRACE ? nvprof_first_trace : 1;
    size_t end = r->table == TABLE_TRACE ? nvprof_value_count : nvprof_first_trace - 1;
    for (size_t i = first; i < end; i++)
        if (!strcmp(nvprof_values[i].name, name) ||
            (*nvprof_values[i].note && !strcmp(nvprof_values[i].note, name)))
            return (unsigned)i;
    return 0;
}

/* Reads the row of units of the open table into r->unit. */
static heddle_err read_units(struct nvprof_reader *r) {
    if (r->csv.count < r->columns) return fail(r, "the row of units is cut short");
    for (size_t i = 0; i < r->columns; i++)
        if (r->value[i] && !value_unit_find(&r->unit[i], r->csv.cell[i],
                                            nvprof_values[r->value[i]].kind, PROFILER_NVPROF))
            return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s:%u: unknown unit '%.40s' of %s",
                               r->csv.file, r->csv.row_line, r->csv.cell[i],
                               nvprof_values[r->value[i]].name);
    return HEDDLE_OK;
}

/* Reads the column names at the reader's place, and of a trace the row of units, and makes the
 * table the open one. Tables of sums or means are refused. */
static heddle_err open_table(struct nvprof_reader *r, enum table table) {
    bool more;
    heddle_err e = csv_next(&r->csv, &more, r->diag);
    if (e) return e;
    if (table == TABLE_MEANS || table == TABLE_SUMMARY)
        return fail(r, "sums or means over launches, which have no duration of each: run nvprof "
                       "with --print-gpu-trace");
    if (r->csv.count > MOST_COLUMNS) return fail(r, "more than 512 columns");
    r->table = table;
    r->row = 0;
    r->columns = r->csv.count;
    r->name = csv_find(&r->csv, table == TABLE_TRACE ? "Name" : "Kernel");
    r->device = csv_find(&r->csv, "Device");
    r->duration = csv_find(&r->csv, "Duration");
    r->grid = csv_find(&r->csv, "Grid X");
    if (r->name < 0 || r->device < 0) return fail(r, "no column of names or devices");
    if (table == TABLE_TRACE && r->grid < 0) return fail(r, "no column \"Grid X\"");
    for (size_t i = 0; i < r->columns; i++) {
        r->value[i] = (unsigned char)value_of(r, r->csv.cell[i]);
        r->unit[i] = (struct value_unit){1, false};
    }
    if (table == TABLE_METRICS) {
        r->measured = true;
        return HEDDLE_OK;
    }
    r->traced = true;
    e = csv_next(&r->csv, &more, r->diag);
    if (e) return e;
    struct value_unit unit;
    if (!more || r->csv.count <= (size_t)r->duration ||
        !value_unit_find(&unit, r->csv.cell[r->duration], VALUE_TIME, PROFILER_NVPROF))
        return fail(r, "the row of units is missing");
    return read_units(r);
}

/* Closes the open table, if one is. The first table decides how many launches there are; another
 * number in a later one is an error. */
static heddle_err close_table(struct nvprof_reader *r) {
    if (r->table == TABLE_NONE) return HEDDLE_OK;
    if (r->complete && r->row != r->count)
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: %zu launches in this table, %zu in the one before it: profile "
                           "the same run twice",
                           r->csv.file, r->csv.row_line, r->row, r->count);
    r->complete = true;
    r->table = TABLE_NONE;
    return HEDDLE_OK;
}

/* ---- launches */

/* Cuts a number in brackets off the text: "kernel(int) [123]" becomes "kernel(int)", "Tesla V100
 * (0)" "Tesla V100". */
static void drop_number(char *text, char open, char close) {
    size_t n = strlen(text);
    if (n < 4 || text[n - 1] != close) return;
    size_t i = n - 1;
    while (i > 0 && isdigit((unsigned char)text[i - 1])) i--;
    if (i < n - 1 && i >= 2 && text[i - 1] == open && text[i - 2] == ' ') text[i - 2] = '\0';
}

/* Checks the row's GPU: the first one must be a Volta and becomes r->gpu, later ones must have its
 * name. */
static heddle_err check_gpu(struct nvprof_reader *r) {
    static const char *const voltas[] = {"V100", "TITAN V", "GV100"};
    char *name = r->csv.cell[r->device];
    drop_number(name, '(', ')');
    if (*r->gpu.name) {
        if (strncmp(name, r->gpu.name, sizeof r->gpu.name - 1) != 0)
            return fail(r, "a kernel on another kind of GPU: profile each kind by itself");
        return HEDDLE_OK;
    }
    for (size_t i = 0; i < sizeof voltas / sizeof *voltas; i++)
        if (strstr(name, voltas[i])) {
            snprintf(r->gpu.name, sizeof r->gpu.name, "%s", name);
            r->gpu.capability = VOLTA;
            return HEDDLE_OK;
        }
    return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                       "%s:%u: '%.80s' is not a Volta GPU: what nvprof counts on others differs; "
                       "use ncu --csv from Volta on",
                       r->csv.file, r->csv.row_line, name);
}

/* *launch: that of the open table's next row. The first table adds launches to r->launch; in later
 * ones the name must be the same. Valid until the next launch is added. */
static heddle_err next_launch(struct nvprof_reader *r, struct launch **launch) {
    char *name = r->csv.cell[r->name];
    drop_number(name, '[', ']');
    if (r->row < r->count && r->complete) {
        *launch = &r->launch[r->row++];
        if (!strcmp((*launch)->name, name)) return HEDDLE_OK;
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: launch %zu is %.200s here and %.200s in the table before: "
                           "profile the same run twice",
                           r->csv.file, r->csv.row_line, r->row - 1, name, (*launch)->name);
    }
    if (r->complete) return fail(r, "more launches than in the table before");
    r->launch = heddle_grow(r->launch, &r->capacity, r->count + 1, sizeof *r->launch,
                            "launches of a profile");
    *launch = &r->launch[r->count++];
    r->row++;
    memset(*launch, 0, sizeof **launch);
    (*launch)->name = heddle_copy_text(name, "a kernel's name");
    return HEDDLE_OK;
}

/* Takes the value of a column into the launch, scaled by the unit; an absent one stays unknown. */
static heddle_err read_cell(struct nvprof_reader *r, struct launch *launch, size_t column) {
    const struct form_value *v = &nvprof_values[r->value[column]];
    struct value_unit unit = r->unit[column];
    char *text = r->csv.cell[column];
    size_t n = strlen(text);
    if (v->kind == VALUE_RATIO && n && text[n - 1] == '%') {
        text[n - 1] = '\0';
        unit.scale = 1e-2;
    }
    double number;
    enum value_result result = value_read(&number, text, &unit, &r->language, r->csv.row_line);
    if (result == VALUE_ABSENT) return HEDDLE_OK;
    if (result != VALUE_OK)
        return value_fail(result, text, v->name, launch->name, r->csv.file, r->csv.row_line,
                          r->diag);
    launch->values.of[r->value[column]] = number;
    launch->values.known[r->value[column]] = true;
    return HEDDLE_OK;
}

/* Reads a row of the open table: a launch, the units of a table of metrics, or a copy, which is
 * skipped. */
static heddle_err read_row(struct nvprof_reader *r) {
    if (!csv_fits(&r->csv, r->columns, r->columns))
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: %zu values where %zu are needed: the file is cut short or "
                           "damaged",
                           r->csv.file, r->csv.row_line, r->csv.count, r->columns);
    if (r->table == TABLE_METRICS && r->row == 0 && !*r->csv.cell[r->device]) return read_units(r);
    if (r->table == TABLE_TRACE && !*r->csv.cell[r->grid]) return HEDDLE_OK; /* a copy */
    struct launch *launch = NULL;
    heddle_err e = check_gpu(r);
    if (!e) e = next_launch(r, &launch);
    for (size_t i = 0; !e && i < r->columns; i++)
        if (r->value[i]) e = read_cell(r, launch, i);
    return e;
}

/* ---- a file */

/* Skips a line that is no row: a message of nvprof, or what the program printed before a table. A
 * message of an error ends the reading. */
static heddle_err read_line(struct nvprof_reader *r) {
    const char *line = r->csv.at;
    const char *text = line + strspn(line, "=0123456789");
    int length = (int)strcspn(text, "\r\n");
    if (!strncmp(line, "==", 2) && !strncmp(text, " Error:", 7))
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: nvprof reports an error, so the profile may lack launches "
                           "(remove the line if it lacks none):%.*s",
                           r->csv.file, r->csv.line, length < 300 ? length : 300, text);
    csv_skip_line(&r->csv);
    return HEDDLE_OK;
}

/* Reads the whole text: opens and closes tables and reads their rows. */
static heddle_err read_tables(struct nvprof_reader *r) {
    heddle_err e = HEDDLE_OK;
    while (!e && r->csv.at < r->csv.end) {
        enum table next = table_at(r->csv.at);
        bool message = !strncmp(r->csv.at, "==", 2), more;
        if (next || message) e = close_table(r);
        if (e) break;
        if (next) {
            e = open_table(r, next);
        } else if (message || r->table == TABLE_NONE) {
            e = read_line(r);
        } else {
            e = csv_next(&r->csv, &more, r->diag);
            if (!e && (r->csv.count > 1 || *r->csv.cell[0])) e = read_row(r);
        }
    }
    return e ? e : close_table(r);
}

/* Checks that there were tables of durations and of metrics, and a launch, and that the language of
 * the numbers is known. */
static heddle_err check_tables(const struct nvprof_reader *r) {
    const char *lacks = !r->traced     ? "durations (nvprof --csv --print-gpu-trace)"
                        : !r->measured ? "metrics (nvprof --csv --print-gpu-trace --metrics ...)"
                                       : NULL;
    if (lacks)
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                           "%s: no table of %s; a profile by nvprof is both tables in one file",
                           r->csv.file, lacks);
    if (!r->count)
        return heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s: column names, but no kernel",
                           r->csv.file);
    return value_language_check(&r->language, r->csv.file, r->diag);
}

/* Replaces what is in *out by the kernels of the `size` bytes of text, which is overwritten;
 * text[size] is NUL. `file` stands in messages. *gpu, unless NULL: where they ran. @return
 * HEDDLE_ERR_CONFIG; *out is then empty. */
heddle_err read_nvprof_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                            size_t size, const char *file, struct heddle_diag *diag) {
    struct nvprof_reader *r = heddle_alloc(sizeof *r, "a reader of profiles");
    r->diag = diag;
    project_kernels_clear(out);
    csv_begin(&r->csv, text, size, file);
    heddle_err e = read_tables(r);
    if (!e) e = check_tables(r);
    for (size_t i = 0; i < r->count; i++) {
        if (!e)
            metric_forms_apply(project_kernels_add(out, r->launch[i].name, i), nvprof_forms,
                               nvprof_form_count, &r->launch[i].values, VOLTA);
        free(r->launch[i].name);
    }
    if (gpu) *gpu = r->gpu;
    free(r->launch);
    csv_end(&r->csv);
    free(r);
    return e;
}

/* Loads file `path` and reads it as read_nvprof_text() does. @return also errors of csv_load(),
 * with *out unchanged. */
heddle_err read_nvprof(struct project_kernels *out, const char *path, struct heddle_diag *diag) {
    char *text;
    size_t size;
    heddle_err e = csv_load(&text, &size, path, diag);
    if (e) return e;
    e = read_nvprof_text(out, NULL, text, size, path, diag);
    free(text);
    return e;
}
