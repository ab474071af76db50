/* svg.h - frame and escaped text of SVG pictures. common/axis.h has their axes. */
#ifndef HEDDLE_COMMON_SVG_H
#define HEDDLE_COMMON_SVG_H

#include <stddef.h>
#include <stdio.h>

/* Opens a white picture of `width` x `height` pixels; the caller closes it with "</svg>\n". */
void svg_begin(FILE *f, unsigned width, unsigned height);
/* Writes at most `most` bytes of s, and ".." where that cut it. A byte that XML cannot hold (a
 * control character, one that is not UTF-8) becomes "?". */
void svg_text(FILE *f, const char *s, size_t most);
/* The same with the end of s, and ".." before it: the end of a kernel's name tells it from others.
 */
void svg_text_end(FILE *f, const char *s, size_t most);

#endif
