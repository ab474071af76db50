/* read_table.c - reads profiles written by hand or by any tool: a table of comma-separated values,
 * a row for each launch; see read_table.h. read_profile.c calls it on the main thread of `heddle
 * project`. The reader changes the caller's text; its list of cells is freed at the end. Errors are
 * HEDDLE_ERR_CONFIG with file and line in *diag. */
#include "project/read_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "project/csv_reader.h"

/* What a column holds: a metric's number, or one of these. */
enum { COLUMN_NAME = NUM_PROJECT_METRICS, COLUMN_GPU, NUM_COLUMNS };

/* A table while it is read. */
struct table_reader {
    struct csv_reader csv;
    struct heddle_diag *diag;
    struct project_gpu gpu;
    int column[NUM_COLUMNS]; /* of the file's columns, what each holds */
    size_t columns;
};

/* The name of column kind i: a metric's, "name" or "gpu". */
static const char *column_name(const void *user, unsigned i) {
    (void)user;
    if (i == COLUMN_NAME) return "name";
    return i == COLUMN_GPU ? "gpu" : project_metric_rows[i].name;
}

/* Steps over comments and empty lines. */
static void skip_comments(struct csv_reader *csv) {
    while (csv->at < csv->end && strchr("#\r\n", *csv->at)) csv_skip_line(csv);
}

/* @return whether the first line of the text that is no comment begins with "name,". */
bool read_table_begins(const char *text) {
    static const char first[] = "name,";
    if (!strncmp(text, "\xEF\xBB\xBF", 3)) text += 3;
    while (*text && strchr("#\r\n", *text)) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return !strncmp(text, first, sizeof first - 1);
}

/* Reads the row of column names into t->column and t->columns. Unknown or double columns, and
 * another first one than `name`, are errors. */
static heddle_err read_header(struct table_reader *t) {
    const struct csv_reader *csv = &t->csv;
    for (size_t i = 0; i < csv->count; i++) {
        int c = 0;
        while (c < NUM_COLUMNS && strcmp(csv->cell[i], column_name(NULL, (unsigned)c))) c++;
        if (c == NUM_COLUMNS)
            return heddle_fail(t->diag, HEDDLE_ERR_CONFIG,
                               "%s:%u: unknown column '%s', did you mean '%s'?", csv->file,
                               csv->row_line, csv->cell[i],
                               nearest_name(csv->cell[i], column_name, NULL, NUM_COLUMNS));
        for (size_t j = 0; j < i; j++)
            if (t->column[j] == c)
                return heddle_fail(t->diag, HEDDLE_ERR_CONFIG, "%s:%u: column '%s' is there twice",
                                   csv->file, csv->row_line, csv->cell[i]);
        t->column[i] = c;
    }
    t->columns = csv->count;
    if (t->column[0] != COLUMN_NAME)
        return heddle_fail(t->diag, HEDDLE_ERR_CONFIG, "%s:%u: the first column must be 'name'",
                           csv->file, csv->row_line);
    return HEDDLE_OK;
}

/* Takes a row's GPU into t->gpu; all rows that name one must name the same. */
static heddle_err take_gpu(struct table_reader *t, const char *gpu) {
    if (*gpu && *t->gpu.name && strcmp(gpu, t->gpu.name) != 0)
        return heddle_fail(t->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: gpu = %s, above it is %s: a profile is of one GPU", t->csv.file,
                           t->csv.row_line, gpu, t->gpu.name);
    if (strlen(gpu) >= sizeof t->gpu.name)
        return heddle_fail(t->diag, HEDDLE_ERR_CONFIG, "%s:%u: gpu = %s: the name is too long",
                           t->csv.file, t->csv.row_line, gpu);
    if (*gpu) snprintf(t->gpu.name, sizeof t->gpu.name, "%s", gpu);
    return HEDDLE_OK;
}

/* Sets a metric of the kernel from a cell: a number, not negative. An empty cell leaves it
 * unknown. */
static heddle_err take_metric(struct table_reader *t, struct project_kernel *k,
                              enum project_metric m, const char *cell) {
    char *end;
    if (!*cell) return HEDDLE_OK;
    errno = 0;
    double value = strtod(cell, &end);
    bool number = end != cell && !*end && !errno && isfinite(value);
    if (!number || value < 0)
        return heddle_fail(t->diag, HEDDLE_ERR_CONFIG, "%s:%u: %s = %s %s", t->csv.file,
                           t->csv.row_line, project_metric_rows[m].name, cell,
                           number ? "is negative" : "is not a number");
    project_set(k, m, value);
    return HEDDLE_OK;
}

/* Adds the row's kernel to *out; its launch number is the number of rows before it. */
static heddle_err read_row(struct table_reader *t, struct project_kernels *out) {
    const struct csv_reader *csv = &t->csv;
    if (csv->count != t->columns)
        return heddle_fail(t->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: the row has %zu cells, the header %zu", csv->file, csv->row_line,
                           csv->count, t->columns);
    if (!*csv->cell[0])
        return heddle_fail(t->diag, HEDDLE_ERR_CONFIG, "%s:%u: the kernel has no name", csv->file,
                           csv->row_line);
    struct project_kernel *k = project_kernels_add(out, csv->cell[0], out->count);
    heddle_err e = HEDDLE_OK;
    for (size_t i = 1; i < t->columns && !e; i++)
        e = t->column[i] == COLUMN_GPU
                ? take_gpu(t, csv->cell[i])
                : take_metric(t, k, (enum project_metric)t->column[i], csv->cell[i]);
    return e;
}

/* Reads the header and all rows into *out; skips comments and empty lines. */
static heddle_err read_rows(struct table_reader *t, struct project_kernels *out) {
    bool more, header = true;
    for (;;) {
        skip_comments(&t->csv);
        heddle_err e = csv_next(&t->csv, &more, t->diag);
        if (e || !more) return e;
        e = header ? read_header(t) : read_row(t, out);
        if (e) return e;
        header = false;
    }
}

/* Replaces what is in *out by the kernels of the `size` bytes of text, which is overwritten;
 * text[size] is NUL. `file` stands in messages. *gpu, unless NULL: what the rows name. @return
 * HEDDLE_ERR_CONFIG; *out is then empty, *gpu unchanged. */
heddle_err read_table_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                           size_t size, const char *file, struct heddle_diag *diag) {
    struct table_reader t = {.diag = diag};
    project_kernels_clear(out);
    csv_begin(&t.csv, text, size, file);
    heddle_err e = read_rows(&t, out);
    csv_end(&t.csv);
    if (!e && out->count == 0)
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: no kernel is in the table", file);
    if (e) project_kernels_clear(out);
    if (!e && gpu) *gpu = t.gpu;
    return e;
}
