/* compile.h - PTX text to MIR, as the CUDA layer and `heddle ptx` want it. */
#ifndef HEDDLE_CLI_COMPILE_H
#define HEDDLE_CLI_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/config.h"
#include "common/error.h"
#include "cuda/server/server.h"
#include "mir/mir.h"

/* A file's text; the caller g_free()s it. @return false after a message. */
bool compile_read(const char *file, char **text, size_t *bytes);

/* One text. */
heddle_err compile_ptx(const struct config *config, struct mir_module **out, const char *text,
                       size_t bytes, const char *name, struct heddle_diag *diag);
/* A server_compile_fn: several are linked. */
heddle_err compile_texts(const struct config *config, struct mir_module **out,
                         const struct server_ptx *ptx, unsigned n, const char *name,
                         struct heddle_diag *diag);

#endif
