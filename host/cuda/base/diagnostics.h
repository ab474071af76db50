/* diagnostics.h - messages of the server, and the cudaError_t for a failure of the simulator. */
#ifndef HEDDLE_CUDA_BASE_DIAGNOSTICS_H
#define HEDDLE_CUDA_BASE_DIAGNOSTICS_H

#include "cuda/base/context.h"

/* Writes "heddle: error: " and the text to standard error, in one line. */
void server_error(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes that an error of the GPU was the timing core's or this process' own, not the program's:
 * then `heddle run` fails, whatever the program makes of it. */
void server_note_failure(struct server *s, heddle_err e);
/* Writes "heddle: " and the text to standard error unless the server is quiet, and keeps the first
 * eight notices for the report (server.notes). */
void server_notice(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the text of the run's first finding to standard error, and that the run goes on. */
void server_found(struct server *s, const char *text);
/* A program uses managed memory, which does not migrate: once per run, a notice says how it is
 * timed. */
void server_note_managed(struct server *s);

/* A program cannot be connected, for lack of what errno says: reports that once. */
void server_turn_away(struct server *s);

/* The cudaError_t for a failure of the GPU or of a front end. */
int error_of(heddle_err e);

#endif
