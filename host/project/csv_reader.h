/* csv_reader.h - rows of comma-separated values in memory, by RFC 4180: quotes, doubled quotes,
 * line breaks within quotes, lines that end in LF or CRLF.
 *
 * Reads in place: the reader writes NULs into the text, and the cells of a row point into it. A
 * quote within an unquoted value is a letter like any other, as in the lines that profilers print
 * between rows. One reader per thread. */
#ifndef HEDDLE_PROJECT_CSV_READER_H
#define HEDDLE_PROJECT_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

/* A text while it is read. The text is the caller's, the list of cells the reader's. */
struct csv_reader {
    const char *file; /* for messages */
    char *at, *end;   /* what is still to be read; *end is NUL */
    unsigned line;    /* of `at`, from 1 */
    /* The last row: valid until the next call. */
    char **cell;
    size_t count, capacity;
    unsigned row_line; /* its first line */
};

/* Reads a whole file. HEDDLE_ERR_IO when it cannot; HEDDLE_ERR_NOMEM. On success *text is the
 * caller's, freed with free(), and text[size] is NUL. */
heddle_err csv_load(char **text, size_t *size, const char *path, struct heddle_diag *diag);

/* Starts at the first byte of a text, behind a byte order mark if it has one. `text[size]` must be
 * NUL. The text stays the caller's. */
void csv_begin(struct csv_reader *csv, char *text, size_t size, const char *file);
/* Frees the list of cells. */
void csv_end(struct csv_reader *csv);

/* Reads a row; *more is false behind the last one. An empty line is a row of one empty cell.
 * HEDDLE_ERR_CONFIG, with file and line: a quote that is not closed, or text behind one. */
heddle_err csv_next(struct csv_reader *csv, bool *more, struct heddle_diag *diag);

/* Steps over a line, whatever is in it. @return whether there was one. */
bool csv_skip_line(struct csv_reader *csv);

/* Whether the last row has at least `least` cells, and none but empty ones behind the first `most`.
 */
bool csv_fits(const struct csv_reader *csv, size_t least, size_t most);

/* Number of the first cell with this text in the last row, or -1. */
int csv_find(const struct csv_reader *csv, const char *text);

#endif
