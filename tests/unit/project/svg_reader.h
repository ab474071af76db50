/* svg_reader.h - reads a picture back, for tests: its elements in order, by an XML parser. */
#ifndef HEDDLE_TESTS_SVG_READER_H
#define HEDDLE_TESTS_SVG_READER_H

#include <glib.h>
#include <stdbool.h>

/* A test fails when the text is not well-formed XML. The caller frees the picture with
 * g_ptr_array_unref(). */
GPtrArray *svg_read(const char *text);

/* Element number `nth` of those with an attribute class="what"; a test fails without it. */
const void *svg_find(const GPtrArray *picture, const char *what, unsigned nth);
unsigned svg_count(const GPtrArray *picture, const char *what);

/* An attribute; a test fails without it. */
const char *svg_attribute(const void *element, const char *name);
double svg_value(const void *element, const char *name);
/* The two numbers of transform="translate(X Y)". */
void svg_place(const void *element, double *x, double *y);

/* Elements "text" that hold exactly `text`. */
unsigned svg_texts(const GPtrArray *picture, const char *text);

#endif
