/* view_internal.h - the parts of a view's reader: each reads one file of the report directory into
 * the view (source_view.h), whose arena owns what they make. On an error they return HEDDLE_ERR_IO,
 * with text in diag; source_view_free() takes what there is. */
#ifndef HEDDLE_ANNOTATE_VIEW_INTERNAL_H
#define HEDDLE_ANNOTATE_VIEW_INTERNAL_H

#include "annotate/source_view.h"
#include "common/arena.h"

/* What report.json says of the other two files. */
struct view_expected {
    uint64_t rows;
    uint32_t sum; /* CRC-32C of the text */
};

/* view_code.c: code.txt.zst. Makes kernels in the order of the file, with the text of their
 * instructions, modules and files. */
heddle_err view_read_code(struct source_view *v, const struct view_expected *expected,
                          struct heddle_diag *diag);
/* view_counts.c: instructions.csv, for the kernels that view_read_code() has made: counts, and
 * where instructions come from. */
heddle_err view_read_counts(struct source_view *v, const struct view_expected *expected,
                            struct heddle_diag *diag);
/* view_lines.c: makes the lines of a kernel of its instructions, and the sums. */
void view_make_lines(struct source_view *v, struct source_kernel *k);

/* A copy of a text in the arena. */
char *view_text(struct source_view *v, const char *text);

#endif
