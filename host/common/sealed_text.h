/* sealed_text.h - a JSON file that people read and a later run reads again. Its last member is
 *
 *     "checksum": "crc32c 1a2b3c4d of all bytes before this line"
 *
 * Threads: any. */
#ifndef HEDDLE_COMMON_SEALED_TEXT_H
#define HEDDLE_COMMON_SEALED_TEXT_H

#include <stddef.h>

#include "common/error.h"

/* Writes a JSON object, `text`, which ends in "\n}", with its checksum: durably, and under another
 * name until it is whole (output_file.h). @return HEDDLE_ERR_IO, with text in diag. */
heddle_err sealed_text_write(const char *path, const char *text, struct heddle_diag *diag);

/* Reads such a file, with the checksum, into *text, which the caller frees; *size: bytes without
 * the 0 behind them. `remedy`: what the user can do about a damaged file. @return HEDDLE_ERR_IO: it
 * cannot be read (errno; 0: it is damaged), with text in diag; *text is then NULL. */
heddle_err sealed_text_read(const char *path, const char *remedy, char **text, size_t *size,
                            struct heddle_diag *diag);

#endif
