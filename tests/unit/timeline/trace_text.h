/* trace_text.h - reads files of Trace Events back, for the tests of host/timeline. */
#ifndef HEDDLE_TESTS_TRACE_TEXT_H
#define HEDDLE_TESTS_TRACE_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* A new directory; the caller removes it with trace_remove(). */
char *trace_directory(void);
void trace_remove(char *directory);

/* The events of the directory's trace.json, for json_decref(); fails the test if it is no JSON, or
 * if another file is beside it. */
json_t *trace_load(const char *directory);

/* The n-th event of a kind ("X", "C", "M", "i") whose name is `name` (NULL: any); NULL: none.
 * Borrowed. */
const json_t *trace_event(const json_t *events, const char *kind, const char *name, unsigned n);
unsigned trace_count(const json_t *events, const char *kind, const char *name);
double trace_number(const json_t *event, const char *member);
const char *trace_text(const json_t *event, const char *member);
/* A member of "args". */
double trace_argument(const json_t *event, const char *member);

#endif
