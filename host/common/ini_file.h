/* ini_file.h - files of parameters: sections and lines `name = value ; unit | status | source`.
 *
 * Files of GPUs, memory presets and capabilities have this form. GLib's key files (GKeyFile) do not
 * fit: they keep no line numbers, which messages and origins of values need; they have no remark
 * behind a value; they refuse a line before the first section, where `base` stands; and a later
 * line silently replaces an earlier one of the same name, so that a wrong value would go unseen.
 */
#ifndef HEDDLE_COMMON_INI_FILE_H
#define HEDDLE_COMMON_INI_FILE_H

#include <stddef.h>

#include "common/error.h"

/* The files that were read, bases before what they are the base of; the same file once. */
struct ini_files {
    unsigned count;
    char path[16][512];
};

/* A kind of file. `name`: for messages ("GPU"); `directory`: where the files of it lie; `files`:
 * gets the paths of those that are read, NULL: nobody asks. */
struct ini_kind {
    const char *name, *directory;
    struct ini_files *files;
};

/* A line that sets a value. All texts are valid during the call only. */
struct ini_line {
    const char *key; /* "section.name" */
    const char *value;
    char *remark;      /* text behind ';', for ini_read_remark(); NULL: there is none */
    const char *where; /* "FILE:LINE" */
};
/* Takes a line; an error ends the reading. */
typedef heddle_err (*ini_take_fn)(void *user, const struct ini_line *line,
                                  struct heddle_diag *diag);

/* Reads a file and calls `take` for each line in order. `file` is a path when it has a slash or
 * ends in .ini, else a name looked up as NAME.ini in the kind's directory. `base = FILE` before the
 * first section reads another file first. HEDDLE_ERR_CONFIG names file and line; for a file that
 * is not there, the names that are. */
heddle_err ini_read(const char *file, const struct ini_kind *kind, ini_take_fn take, void *user,
                    struct heddle_diag *diag);
/* The path that `file` stands for. */
void ini_path(char *path, size_t size, const char *file, const struct ini_kind *kind);

/* Where a value came from: one of vendor, measured, fitted, derived, guessed; and a free text. */
struct ini_remark {
    char status[16], source[160];
};
/* Splits the remark of a line (which it overwrites). The unit must be `unit`. */
heddle_err ini_read_remark(const struct ini_line *line, const char *unit, struct ini_remark *out,
                           struct heddle_diag *diag);

/* Removes blanks at both ends, in place. @return the first character that is none. */
char *ini_trim(char *text);

#endif
