/* annotate.h - a kernel of a view as text, for `heddle annotate`. */
#ifndef HEDDLE_ANNOTATE_ANNOTATE_H
#define HEDDLE_ANNOTATE_ANNOTATE_H

#include <stdio.h>

#include "annotate/source_view.h"

struct annotate_options {
    unsigned width; /* of the terminal, columns; lines are cut there, at 60 at least */
    bool colour;    /* by escape sequences */
    unsigned top;   /* hottest lines that are shown */
    bool lines;     /* all lines in their order instead; */
    bool ptx, mir;  /* likewise, and under each its instructions of PTX, of MIR or both */
};

/* Prints kernel number `kernel` of the view. */
void annotate_print(const struct source_view *v, uint32_t kernel, const struct annotate_options *o,
                    FILE *out);
/* Prints a line for each kernel: its number, name, device and share of the kernels' time. */
void annotate_list(const struct source_view *v, FILE *out);

#endif
