/* sealed_file.h - a binary file of records that a later run reads again, made so that no damage to
 * it goes unnoticed: neither bits that change, nor a file that was cut short, nor records or files
 * that were swapped for others.
 *
 *   head     56 bytes: magic, kind and version of the file, the identity of what it belongs to, and
 *            a CRC-32C of these
 *   record   u32 bytes, u32 CRC-32C of the record's number, its number of bytes and its bytes; then
 *            the bytes
 *   end      u32 SEALED_END, u32 CRC-32C of the next two words; u64 records, u32 CRC-32C of the
 *            file from the head to here, u32 0
 *
 * A *sealed* file is written as a whole, under another name until it is on the disk
 * (output_file.h), and has an end. A *log* grows while a run lasts and has none: instead, its
 * extent (records, bytes and CRC-32C of the file so far) is stored in a sealed file that refers to
 * it.
 *
 * Readers trust no length: a record is read only into a block of its size.
 *
 * Words have the host's byte order. Threads: any, one at a time per file. Errors are HEDDLE_ERR_IO,
 * or NOMEM; diag names the file and the record, and ends in the caller's `remedy`. */
#ifndef HEDDLE_COMMON_SEALED_FILE_H
#define HEDDLE_COMMON_SEALED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/output_file.h"

/* What a file is and what it belongs to. Files of one identity belong together. */
struct sealed_identity {
    char kind[8];     /* padded with 0 */
    uint32_t version; /* of the records of this kind */
    uint32_t zero;    /* 0 */
    uint64_t run[2];  /* a random number of the run that wrote it */
    uint64_t inputs;  /* a hash of the inputs of that run */
};

/* How far a file goes. */
struct sealed_extent {
    uint64_t records, bytes; /* bytes with the head */
    uint32_t sum;            /* CRC-32C of these bytes */
};

/* ---- writing. A write that fails shows in the call that ends or syncs the file. */

/* A file that is being written; the caller owns the struct. */
struct sealed_writer {
    FILE *f;                     /* NULL: not open */
    struct output_file file;     /* of a sealed file */
    struct sealed_extent extent; /* so far */
    int error;                   /* errno of the first write that failed; 0: none has */
};
/* Begins a sealed file. */
heddle_err sealed_writer_begin(struct sealed_writer *w, const char *path,
                               const struct sealed_identity *identity, struct heddle_diag *diag);
/* Writes the end of a sealed file and gives it its name. On an error an older file stays. */
heddle_err sealed_writer_commit(struct sealed_writer *w, struct heddle_diag *diag);
/* Begins a log, which must not exist. @return false: failed (errno). */
bool sealed_log_begin(struct sealed_writer *w, const char *path,
                      const struct sealed_identity *identity);
/* Goes on with a log: drops what lies behind `extent`. @return false: failed (errno). */
bool sealed_log_continue(struct sealed_writer *w, const char *path,
                         const struct sealed_extent *extent);
/* Forces the log to the disk. @return false: that, or an earlier write, has failed (errno). */
bool sealed_log_sync(struct sealed_writer *w);
/* Adds a record of `n` bytes and `m` more bytes (m 0: none). */
void sealed_writer_put(struct sealed_writer *w, const void *bytes, uint32_t n, const void *more,
                       uint32_t m);
/* Closes the file; removes one that was not committed, but not a log. Accepts one not open. */
void sealed_writer_close(struct sealed_writer *w);

/* ---- reading */

/* A file that is being read; the caller owns the struct. */
struct sealed_reader {
    FILE *f;                     /* NULL: not open */
    char path[1200];             /* for messages */
    char remedy[400];            /* what the user can do about damage */
    struct sealed_extent extent; /* of the whole file, without its end */
    uint64_t next;               /* number of the next record */
    uint32_t size, sum;          /* its head, if `sized` */
    bool sized;
};
/* Opens a file and checks all of it: every record, and the file as a whole. `extent`: of a log;
 * NULL: the file is sealed. What lies behind a log's extent is ignored. The file stays open, before
 * its first record. */
heddle_err sealed_reader_open(struct sealed_reader *r, const char *path,
                              const struct sealed_identity *identity,
                              const struct sealed_extent *extent, const char *remedy,
                              struct heddle_diag *diag);
/* *n: bytes of the next record. @return an error also if there is none. */
heddle_err sealed_reader_size(struct sealed_reader *r, uint32_t *n, struct heddle_diag *diag);
/* Reads the next record, which must have `n` bytes, and checks it again. */
heddle_err sealed_reader_get(struct sealed_reader *r, void *bytes, uint32_t n,
                             struct heddle_diag *diag);
/* Reads record `number` of a file in which every record has `n` bytes. */
heddle_err sealed_reader_at(struct sealed_reader *r, uint64_t number, void *bytes, uint32_t n,
                            struct heddle_diag *diag);
/* @return HEDDLE_ERR_IO, with "FILE, record N: WHAT; REMEDY" of the record read last, for contents
 * that the caller refuses. */
heddle_err sealed_reader_refuse(const struct sealed_reader *r, const char *what,
                                struct heddle_diag *diag);
void sealed_reader_close(struct sealed_reader *r); /* accepts one that is not open */

#endif
