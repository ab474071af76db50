/* csv_reader.c - loads a file and cuts it into rows and cells of comma-separated values, in place;
 * see csv_reader.h. read_ncu.c, read_nvprof.c, read_table.c and read_profile.c call it on the main
 * thread of `heddle project`. The functions change the caller's text, *csv and *diag; csv->cell is
 * the only memory that a reader owns (csv_end()). Errors name file and line. */
#include "project/csv_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/memory.h"

/* ---- the file */

/* Reads the open file to its end: *text, which the caller frees, with a NUL at (*text)[*size].
 * @return HEDDLE_ERR_NOMEM or HEDDLE_ERR_IO; *text is then not set. */
static heddle_err load_open(char **text, size_t *size, FILE *f, const char *path,
                            struct heddle_diag *diag) {
    size_t used = 0, capacity = 1 << 16;
    char *block = malloc(capacity + 1);
    while (block) {
        used += fread(block + used, 1, capacity - used, f);
        if (used < capacity) break;
        char *larger = realloc(block, 2 * capacity + 1);
        if (!larger) free(block);
        block = larger;
        capacity *= 2;
    }
    if (!block) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "%s: no memory for the file", path);
    if (ferror(f)) {
        free(block);
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    }
    block[used] = '\0';
    *text = block;
    *size = used;
    return HEDDLE_OK;
}

/* Reads the whole file `path`: *text, which the caller frees with free(), and *size, its bytes
 * without the NUL behind them. @return HEDDLE_ERR_IO: it cannot be read, or is a directory;
 * HEDDLE_ERR_NOMEM. *text is then not set. */
heddle_err csv_load(char **text, size_t *size, const char *path, struct heddle_diag *diag) {
    FILE *f = fopen(path, "rb");
    if (!f) return heddle_fail(diag, HEDDLE_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat s;
    heddle_err e = !fstat(fileno(f), &s) && S_ISDIR(s.st_mode)
                       ? heddle_fail(diag, HEDDLE_ERR_IO, "%s: a directory, not a file", path)
                       : load_open(text, size, f, path, diag);
    fclose(f);
    return e;
}

/* ---- rows */

/* Starts *csv at the first byte of `text`, behind a byte order mark. text[size] is NUL; text and
 * `file` stay the caller's and must outlive the reader. csv_end() frees the list of cells. */
void csv_begin(struct csv_reader *csv, char *text, size_t size, const char *file) {
    *csv = (struct csv_reader){.file = file, .at = text, .end = text + size, .line = 1};
    if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) csv->at += 3;
}

/* Frees the list of cells; the text stays the caller's. */
void csv_end(struct csv_reader *csv) {
    free(csv->cell);
    csv->cell = NULL;
    csv->count = csv->capacity = 0;
}

/* Appends a cell to the row; the list grows if needed. */
static void add(struct csv_reader *csv, char *cell) {
    csv->cell = heddle_grow(csv->cell, &csv->capacity, csv->count + 1, sizeof *csv->cell,
                            "cells of a row");
    csv->cell[csv->count++] = cell;
}

/* Steps over the separator or line end at csv->at and puts a NUL at `cell_end`, the end of the cell
 * before it. Counts the line. @return whether the row goes on. */
static bool separate(struct csv_reader *csv, char *cell_end) {
    char *at = csv->at;
    bool goes_on = at < csv->end && *at == ',';
    if (at < csv->end) {
        if (*at == '\r') at++;
        if (at < csv->end) {
            if (!goes_on) csv->line++;
            at++;
        }
    }
    *cell_end = '\0';
    csv->at = at;
    return goes_on;
}

/* At a separator, at the end of a line, or at the end of the text. */
static bool at_end(const struct csv_reader *csv, const char *at) {
    if (at >= csv->end || *at == ',' || *at == '\n') return true;
    return *at == '\r' && (at + 1 >= csv->end || at[1] == '\n');
}

/* Adds the unquoted cell at csv->at to the row. @return whether the row goes on. */
static bool read_plain(struct csv_reader *csv) {
    char *start = csv->at, *at = start;
    while (!at_end(csv, at)) at++;
    add(csv, start);
    csv->at = at;
    return separate(csv, at);
}

/* Adds the quoted cell at csv->at to the row: moves its text together so that two quotes become
 * one. *goes_on: the row has more cells. @return HEDDLE_ERR_CONFIG: the quote is not closed, or
 * text follows it. */
static heddle_err read_quoted(struct csv_reader *csv, bool *goes_on, struct heddle_diag *diag) {
    char *from = csv->at + 1, *to = from;
    add(csv, to);
    for (;;) {
        char *quote = memchr(from, '"', (size_t)(csv->end - from));
        if (!quote)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%s:%u: a quote is not closed: the file is cut short", csv->file,
                               csv->row_line);
        for (const char *c = from; c < quote; c++) csv->line += *c == '\n';
        memmove(to, from, (size_t)(quote - from));
        to += quote - from;
        from = quote + 1;
        if (from >= csv->end || *from != '"') break;
        *to++ = *from++;
    }
    csv->at = from;
    if (!at_end(csv, from))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s:%u: text behind a closing quote", csv->file,
                           csv->line);
    *goes_on = separate(csv, to);
    return HEDDLE_OK;
}

/* Reads the next row into csv->cell, csv->count and csv->row_line; they are valid until the next
 * call. *more: false behind the last row, with a count of 0; an empty line is a row of one empty
 * cell. @return HEDDLE_ERR_CONFIG: a quote is not closed, or text follows it. */
heddle_err csv_next(struct csv_reader *csv, bool *more, struct heddle_diag *diag) {
    csv->count = 0;
    csv->row_line = csv->line;
    *more = csv->at < csv->end;
    bool goes_on = *more;
    while (goes_on) {
        if (csv->at < csv->end && *csv->at == '"') {
            heddle_err e = read_quoted(csv, &goes_on, diag);
            if (e) return e;
        } else {
            goes_on = read_plain(csv);
        }
    }
    return HEDDLE_OK;
}

/* Steps over the line at csv->at and counts it; leaves the last row's cells as they are. @return
 * false: the text had ended. */
bool csv_skip_line(struct csv_reader *csv) {
    if (csv->at >= csv->end) return false;
    char *line_end = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
    csv->at = line_end ? line_end + 1 : csv->end;
    csv->line++;
    return true;
}

/* @return whether the last row has at least `least` cells, and none but empty ones behind the first
 * `most`. */
bool csv_fits(const struct csv_reader *csv, size_t least, size_t most) {
    for (size_t i = most; i < csv->count; i++)
        if (*csv->cell[i]) return false;
    return csv->count >= least;
}

/* @return the number of the first cell of the last row with this text, -1: none. */
int csv_find(const struct csv_reader *csv, const char *text) {
    for (size_t i = 0; i < csv->count; i++)
        if (!strcmp(csv->cell[i], text)) return (int)i;
    return -1;
}
