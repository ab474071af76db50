/* capability_page.h - the page docs/capabilities.md, made from tables/capabilities.def and from the
 * GPUs' files. */
#ifndef HEDDLE_PROJECT_CAPABILITY_PAGE_H
#define HEDDLE_PROJECT_CAPABILITY_PAGE_H

#include <stdio.h>

#include "common/error.h"

/* Prints the page with the figures of every GPU in `directory`, in order of their names.
 * HEDDLE_ERR_CONFIG: a file is wrong, or the directory has none; nothing is printed then. */
heddle_err capability_print_page(FILE *out, const char *directory, struct heddle_diag *diag);

#endif
