/* output_file.h - every file that a run leaves behind. It is written under another name beside the
 * final one and renamed when it is whole, so that a reader never finds part of a file, and a
 * symbolic link, a FIFO or a device that has the name is not written to unless the caller says so.
 *
 * Ownership: the caller owns the struct; a file that is open is committed or abandoned once.
 * Threads: any, one at a time per file. */
#ifndef HEDDLE_COMMON_OUTPUT_FILE_H
#define HEDDLE_COMMON_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"

/* Whose name it is. What has a name of Heddle's own, in a directory of Heddle's, is replaced. What
 * has a name that the user gave is replaced only if it is a regular file. OUTPUT_DEVICE: what is
 * none, such as /dev/stdout, is written to in place. */
enum output_name { OUTPUT_OWN, OUTPUT_GIVEN, OUTPUT_DEVICE };

/* A file that is being written. */
struct output_file {
    FILE *f;      /* to write to; NULL: not open */
    char *path;   /* its final name */
    char *beside; /* its name until it is committed; NULL: it is written to in place */
};

/* Creates the file beside `path`. @return HEDDLE_ERR_IO, with text in diag; *o is then not open. */
heddle_err output_file_open(struct output_file *o, const char *path, enum output_name name,
                            struct heddle_diag *diag);
/* Closes the file and gives it its name. `durable`: it is on the disk, under its name, before this
 * returns. @return HEDDLE_ERR_IO, with text in diag: a write failed, or one of these; the file is
 * then gone, and an older one of that name is still there. (If only the directory could not be
 * synced, the file has its name, and is whole.) */
heddle_err output_file_commit(struct output_file *o, bool durable, struct heddle_diag *diag);
/* Closes and removes the file; accepts one that is not open. */
void output_file_abandon(struct output_file *o);

#endif
