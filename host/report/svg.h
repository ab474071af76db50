/* svg.h - what every picture needs: its frame, and texts in which nothing is taken for markup. */
#ifndef HEDDLE_REPORT_SVG_H
#define HEDDLE_REPORT_SVG_H

#include <stddef.h>
#include <stdio.h>

/* Opens a picture of so many pixels on white; the caller closes it with "</svg>\n". */
void svg_begin(FILE *f, unsigned width, unsigned height);
/* Writes at most `most` bytes of s, and ".." where that cut it. */
void svg_text(FILE *f, const char *s, size_t most);

#endif
