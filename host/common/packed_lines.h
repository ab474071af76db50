/* packed_lines.h - a text of lines, compressed by zstd as it is written (`zstdcat` shows it): the
 * list of all launches of a run, and of its copies.
 *
 * Whoever refers to such a file stores its number of lines and the CRC-32C of the text, so that a
 * reader knows that it has all of the right file. Threads: any, one at a time per file. */
#ifndef HEDDLE_COMMON_PACKED_LINES_H
#define HEDDLE_COMMON_PACKED_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct packed_writer;
/* Begins a file, which gets its name at the commit (output_file.h). @return HEDDLE_ERR_IO, with
 * text in diag; *out is then NULL. */
heddle_err packed_writer_open(struct packed_writer **out, const char *path,
                              struct heddle_diag *diag);
/* Adds a part of a line, a line with its newline, or several. Failures show at the commit. */
void packed_writer_put(struct packed_writer *w, const char *text, size_t n);
/* Ends the file and frees w. *lines, *sum: of the text. @return HEDDLE_ERR_IO, with text in diag.
 * */
heddle_err packed_writer_commit(struct packed_writer *w, uint64_t *lines, uint32_t *sum,
                                struct heddle_diag *diag);
/* Removes the file and frees w. Accepts NULL. */
void packed_writer_abandon(struct packed_writer *w);

struct packed_reader;
/* Opens a file. @return HEDDLE_ERR_IO, with text in diag; *out is then NULL. */
heddle_err packed_reader_open(struct packed_reader **out, const char *path,
                              struct heddle_diag *diag);
/* The next line, without its newline and with a 0 behind it, valid until the next call; NULL: there
 * are no more. @return HEDDLE_ERR_IO, with text in diag: the file is damaged, or cut short. */
heddle_err packed_reader_line(struct packed_reader *r, char **line, struct heddle_diag *diag);
/* Of the lines that were read. */
uint64_t packed_reader_lines(const struct packed_reader *r);
uint32_t packed_reader_sum(const struct packed_reader *r);
void packed_reader_close(struct packed_reader *r); /* accepts NULL */

/* Splits a line of CSV: writes the cell at place `index`, from 0, over the line's bytes, without
 * its quotes. @return NULL: it has no such cell. */
char *packed_cell(char *line, unsigned index);

#endif
