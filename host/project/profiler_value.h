/* profiler_value.h - values as profilers print them: numbers in the language of the machine, with
 * units.
 *
 * "12.345" is 12.345 in English and 12345 in German, and a file does not name its language. So each
 * value that can be of one language only is evidence for the whole file, and a value that could be
 * of both is taken as English only where the file has such evidence. No state but the caller's. */
#ifndef HEDDLE_PROJECT_PROFILER_VALUE_H
#define HEDDLE_PROJECT_PROFILER_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum value_kind {
    VALUE_TIME,       /* us */
    VALUE_BYTES,      /* bytes */
    VALUE_COUNT,      /* whole */
    VALUE_RATIO,      /* 1 */
    VALUE_CYCLE_RATE, /* cycles/us */
    VALUE_BYTE_RATE,  /* bytes/us */
    VALUE_SIZE,       /* product of "(x, y, z)" */
};

enum profiler { PROFILER_NCU, PROFILER_NVPROF };

/* A unit of a profiler. */
struct value_unit {
    double scale; /* to the unit of the kind */
    bool whole;   /* values in it have no fraction */
};
/* Finds the unit of a kind by its text. @return whether there is one. */
bool value_unit_find(struct value_unit *unit, const char *text, enum value_kind kind,
                     enum profiler profiler);

/* What the values of a file say about its language. */
struct value_language {
    bool english;           /* a value is of a language with a decimal point */
    unsigned doubtful_line; /* of the first value that could be of two languages; 0: none */
    char doubtful_value[32];
};

enum value_result {
    VALUE_OK,
    VALUE_ABSENT, /* empty, "n/a", "nan", "inf" */
    VALUE_BAD,    /* no number */
    VALUE_NEGATIVE,
    VALUE_LOCALIZED, /* a decimal comma, or thousands not separated by commas */
    VALUE_FRACTION,  /* a fraction where there is none in English */
};
/* Reads a number and scales it; notes in `language` what the number says. */
enum value_result value_read(double *value, const char *text, const struct value_unit *unit,
                             struct value_language *language, unsigned line);
/* The same for a number that only serves as evidence. */
enum value_result value_look(const char *text, struct value_language *language);
/* Reads "(x, y, z)", or a number alone. */
enum value_result value_read_size(double *value, const char *text);

/* Fails for a result other than VALUE_OK and VALUE_ABSENT. `what`: a metric; `kernel` may be NULL.
 */
heddle_err value_fail(enum value_result result, const char *text, const char *what,
                      const char *kernel, const char *file, unsigned line,
                      struct heddle_diag *diag);
/* At the end of a file: fails for a value that could be of two languages. */
heddle_err value_language_check(const struct value_language *language, const char *file,
                                struct heddle_diag *diag);

#endif
