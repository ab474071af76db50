/* view_counts.c - reads instructions.csv: the counts of each instruction, and where it comes from.
 * source_view_read() calls it. Its kernels are those of code.txt.zst, in the same order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/view_internal.h"
#include "common/crc32c.h"
#include "common/memory.h"

/* The columns before the counts. */
enum column { DEVICE, KERNEL, INSTRUCTION, OPERATION, FILE_NAME, LINE, PTX_LINE, PLACES };
enum { COLUMNS = PLACES + SOURCE_COUNTS };
static const char *const columns[PLACES] = {"device", "kernel", "instruction", "operation",
                                            "file",   "line",   "ptx_line"};

static heddle_err refuse(struct heddle_diag *diag, const char *path, size_t line,
                         const char *what) {
    return heddle_fail(diag, HEDDLE_ERR_IO, "%s, line %zu: %s", path, line, what);
}

/* Reads the whole file. The caller frees it. */
static heddle_err read_file(const char *path, char **text, size_t *bytes,
                            struct heddle_diag *diag) {
    struct stat st;
    FILE *f = fopen(path, "re");
    *text = NULL;
    if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", path,
                    f ? "it is no regular file" : strerror(errno));
        if (f) fclose(f);
        return HEDDLE_ERR_IO;
    }
    *text = heddle_alloc((size_t)st.st_size + 1, "instructions.csv");
    *bytes = fread(*text, 1, (size_t)st.st_size, f);
    fclose(f);
    return HEDDLE_OK;
}

/* Splits a line into cells, which it overwrites without their quotes. @return whether there are
 * COLUMNS. */
static bool split(char *line, char *cell[COLUMNS]) {
    unsigned n = 0;
    for (char *from = line;; from++) {
        if (n == COLUMNS) return false;
        char *to = cell[n++] = from;
        bool quoted = false;
        for (; *from && (quoted || *from != ','); from++) {
            if (*from != '"')
                *to++ = *from;
            else if (quoted && from[1] == '"')
                *to++ = *from++;
            else
                quoted = !quoted;
        }
        const bool last = !*from;
        *to = 0;
        if (last) return n == COLUMNS;
    }
}

/* Whether the first line names the columns of this version. */
static bool is_head(char *line) {
    char *cell[COLUMNS];
    if (!split(line, cell)) return false;
    for (unsigned i = 0; i < PLACES; i++)
        if (strcmp(cell[i], columns[i])) return false;
    for (unsigned i = 0; i < SOURCE_COUNTS; i++)
        if (strcmp(cell[PLACES + i], source_count_rows[i].name)) return false;
    return true;
}

static bool number(const char *cell, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(cell, &end, 10);
    return *cell >= '0' && *cell <= '9' && !*end && !errno;
}

/* The number of a source file, which code.txt.zst has; SOURCE_NOWHERE: it has not. */
static uint32_t file_of(const struct source_view *v, const char *path, uint32_t likely) {
    if (likely < v->num_files && !strcmp(v->file[likely].path, path)) return likely;
    for (uint32_t i = 0; i < v->num_files; i++)
        if (!strcmp(v->file[i].path, path)) return i;
    return SOURCE_NOWHERE;
}

/* Reads the row of instruction i of a kernel. @return NULL, or what is wrong. */
static const char *read_row(struct source_view *v, struct source_kernel *k, uint32_t i,
                            char *cell[COLUMNS]) {
    struct source_inst *inst = &k->inst[i];
    uint64_t value, *count = (uint64_t *)&inst->count;
    if (!number(cell[DEVICE], &value) || value != k->device || strcmp(cell[KERNEL], k->name) ||
        !number(cell[INSTRUCTION], &value) || value != i)
        return "not the instruction that follows in code.txt.zst";
    inst->op = view_text(v, cell[OPERATION]);
    inst->file = SOURCE_NOWHERE;
    if (*cell[FILE_NAME]) {
        inst->file = file_of(v, cell[FILE_NAME], i ? k->inst[i - 1].file : 0);
        if (inst->file == SOURCE_NOWHERE) return "a source file that code.txt.zst does not have";
    }
    if (!number(cell[LINE], &value) || value >= SOURCE_NOWHERE) return "no number of a line";
    inst->line = inst->file == SOURCE_NOWHERE ? 0 : (uint32_t)value;
    if (!number(cell[PTX_LINE], &value) || value >= SOURCE_NOWHERE) return "no number of a line";
    inst->ptx_line = (uint32_t)value;
    for (unsigned s = 0; s < SOURCE_COUNTS; s++)
        if (!number(cell[PLACES + s], &count[s])) return "a count that is no number";
    return NULL;
}

/* Reads all rows. */
static heddle_err read_rows(struct source_view *v, const char *path, char *text,
                            struct heddle_diag *diag) {
    char *cell[COLUMNS], *next = strchr(text, '\n');
    size_t line = 1;
    if (next) *next++ = 0;
    if (!is_head(text))
        return refuse(diag, path, 1,
                      "other columns than this version of Heddle writes: run the program again");
    for (uint32_t n = 0; n < v->num_kernels; n++) {
        struct source_kernel *k = &v->kernel[n];
        for (uint32_t i = 0; i < k->num_inst; i++) {
            char *row = next;
            line++;
            if (!row || !*row) return refuse(diag, path, line, "the file ends too soon");
            next = strchr(row, '\n');
            if (next) *next++ = 0;
            if (!split(row, cell)) return refuse(diag, path, line, "another number of cells");
            const char *wrong = read_row(v, k, i, cell);
            if (wrong) return refuse(diag, path, line, wrong);
        }
    }
    return next && *next ? refuse(diag, path, line + 1, "no kernel of code.txt.zst") : HEDDLE_OK;
}

heddle_err view_read_counts(struct source_view *v, const struct view_expected *expected,
                            struct heddle_diag *diag) {
    const size_t size = strlen(v->directory) + 20;
    char *path = arena_alloc(v->arena, size), *text;
    size_t bytes;
    snprintf(path, size, "%s/instructions.csv", v->directory);
    heddle_err e = read_file(path, &text, &bytes, diag);
    if (e) return e;
    const uint32_t sum = crc32c(0, text, bytes);
    if (sum != expected->sum)
        e = heddle_fail(diag, HEDDLE_ERR_IO,
                        "%s is not the file that report.json refers to (CRC-32C %08x, not %08x): "
                        "it is damaged, or of another run",
                        path, sum, expected->sum);
    if (!e) e = read_rows(v, path, text, diag);
    free(text);
    return e;
}
