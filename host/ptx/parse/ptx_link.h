/* ptx_link.h - joins several PTX texts into one module, as a linker joins objects.
 *
 * Names private to a text (neither .visible, .extern, .weak nor .common) get the text's number as a
 * suffix. Of a .weak or .common name the first definition counts, unless another text has a strong
 * one. The lowering then connects names that are .extern in one text and defined in another. */
#ifndef PTX_PTX_LINK_H
#define PTX_PTX_LINK_H

#include <stddef.h>

#include "common/error.h"

/* A text to be joined. */
struct ptx_piece {
    const char *text;
    size_t len;
};

/* Joins n >= 1 texts; `name` stands in messages, with the number of the text from 1. *out, which
 * ends with NUL, is the caller's, freed with free(); NULL on error. Stateless: threads may link at
 * the same time. @return HEDDLE_OK, HEDDLE_ERR_PTX_SYNTAX, HEDDLE_ERR_NOMEM. */
heddle_err ptx_link(const struct ptx_piece *piece, unsigned n, const char *name, char **out,
                    size_t *out_len, struct heddle_diag *diag);

#endif
