/* gpu_text.h - checks the text of a GPU's file before it is written anywhere. */
#ifndef HEDDLE_CLI_GPU_TEXT_H
#define HEDDLE_CLI_GPU_TEXT_H

#include <stddef.h>

#include "common/error.h"

/* Loads the text as a GPU and frees that again; `gpus`: directory of the GPUs that it may be based
 * on.
 * @return HEDDLE_ERR_IO, or CONFIG with text in diag: it does not name a line, because the reader
 * has not seen the text. */
heddle_err gpu_text_check(const char *text, size_t size, const char *gpus,
                          struct heddle_diag *diag);

#endif
