/* annotate_internal.h - what annotate_head.c and annotate_lines.c share: the page that they print
 * on, and the cells of counts. */
#ifndef HEDDLE_ANNOTATE_ANNOTATE_INTERNAL_H
#define HEDDLE_ANNOTATE_ANNOTATE_INTERNAL_H

#include "annotate/annotate.h"

/* Columns of counts that not every kernel has. */
struct annotate_columns {
    bool waits, sectors, conflicts, l1;
};
/* What is being printed. */
struct annotate_page {
    const struct source_view *v;
    const struct source_kernel *k;
    const struct annotate_options *o;
    struct annotate_columns has;
    uint64_t all; /* weight of the kernel */
    FILE *out;
};

enum { CELLS = 160 }; /* bytes of the cells of a line */

/* What lines are compared by: cycles, or executions where the backend told of no cycles. */
uint64_t annotate_weight(const struct annotate_page *p, const struct source_counts *c);
/* In percent; of 0: 0. */
double annotate_share(uint64_t part, uint64_t whole);
/* Writes the cells of counts, or their heads, with a blank behind; `brief`: fewer of them. @return
 * their number of characters. */
unsigned annotate_cells(const struct annotate_page *p, const struct source_counts *c, bool brief,
                        char out[CELLS]);
unsigned annotate_heads(const struct annotate_page *p, bool brief, char out[CELLS]);
/* Prints text, cut to `room` columns, tabs as blanks. */
void annotate_text(const struct annotate_page *p, const char *text, unsigned room);
/* Begins the colour of something of this weight, and ends it. */
void annotate_colour(const struct annotate_page *p, uint64_t weight);
void annotate_plain(const struct annotate_page *p);

/* The text of a source line; NULL: it is not there. */
const char *annotate_source(const struct annotate_page *p, uint32_t file, uint32_t line);
/* The text of a PTX line of the kernel's module, without the blanks in front; NULL: not there. */
const char *annotate_ptx(const struct annotate_page *p, uint32_t ptx_line);
/* The last part of a path. */
const char *annotate_name(const char *path);
/* Says for each source file of the kernel whose text is not there why. */
void annotate_missing(const struct annotate_page *p);

/* annotate_lines.c: all lines in their order. */
void annotate_all_lines(const struct annotate_page *p);

#endif
