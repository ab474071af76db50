/* compile.h - compiles PTX text to MIR, for the server and for `heddle ptx`.
 *
 * Modules are scheduled for the latencies of `config`. The caller frees *out with
 * mir_module_free(). `name` stands in messages. Errors are explained in diag. */
#ifndef HEDDLE_CLI_COMPILE_H
#define HEDDLE_CLI_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/config.h"
#include "common/error.h"
#include "cuda/server/server.h"
#include "mir/mir.h"

/* Reads a file; the caller frees *text with g_free(). @return false after printing an error. */
bool compile_read(const char *file, char **text, size_t *bytes);

/* Compiles one PTX text. */
heddle_err compile_ptx(const struct config *config, struct mir_module **out, const char *text,
                       size_t bytes, const char *name, struct heddle_diag *diag);
/* A server_compile_fn: links n texts, if there are several, and compiles the result. */
heddle_err compile_texts(const struct config *config, struct mir_module **out,
                         const struct server_ptx *ptx, unsigned n, const char *name,
                         struct heddle_diag *diag);

#endif
