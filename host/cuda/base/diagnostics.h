/* diagnostics.h - what the server tells people, and the cudaError_t that a failure stands for. */
#ifndef HEDDLE_CUDA_BASE_DIAGNOSTICS_H
#define HEDDLE_CUDA_BASE_DIAGNOSTICS_H

#include "cuda/base/context.h"

/* An error on standard error, a line: "heddle: error: " and the text. */
void server_error(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A notice: "heddle: " and the text, unless the server is quiet. Also goes into the report, which
 * has room for the first eight. */
void server_notice(struct server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A program uses managed memory: says once in a run what that means for the times. */
void server_note_managed(struct server *s);

/* The cudaError_t that stands for a failure of the GPU or of a front end. */
int error_of(heddle_err e);

#endif
