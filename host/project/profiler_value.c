/* profiler_value.c - reads numbers and units as profilers print them, and tells the language of a
 * file's numbers; see profiler_value.h. read_ncu.c and read_nvprof.c call it for each value, on the
 * main thread of `heddle project`. Functions write their results, the caller's *language and the
 * text in *diag; they allocate nothing. */
#include "project/profiler_value.h"

#include <ctype.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- units */

/* A unit as a profiler writes it. */
struct unit_row {
    const char *text;
    enum value_kind kind;
    struct value_unit unit;
};
enum { WHOLE = true, PARTS = false }; /* as tables/profiler_units.def says it */

static const struct unit_row ncu_units[] = {
#define UNIT(text, kind, scale, fraction) {text, VALUE_##kind, {scale, fraction}},
#include "tables/profiler_units.def"
    {NULL, VALUE_COUNT, {0, false}},
};
static const struct unit_row nvprof_units[] = {
#define NVPROF_UNIT(text, kind, scale, fraction) {text, VALUE_##kind, {scale, fraction}},
#include "tables/profiler_units.def"
    {NULL, VALUE_COUNT, {0, false}},
};

/* *unit: the unit of a kind by its text, as the profiler writes it. A VALUE_SIZE has none, whatever
 * the text. @return false: the profiler has no such unit of the kind; *unit is then that of whole
 * numbers. */
bool value_unit_find(struct value_unit *unit, const char *text, enum value_kind kind,
                     enum profiler profiler) {
    const struct unit_row *row = profiler == PROFILER_NCU ? ncu_units : nvprof_units;
    *unit = (struct value_unit){1, true};
    if (kind == VALUE_SIZE) return true;
    for (; row->text; row++)
        if (row->kind == kind && !strcmp(row->text, text)) {
            *unit = row->unit;
            return true;
        }
    return false;
}

/* ---- numbers */

/* How a number is written. */
enum shape {
    SHAPE_PLAIN,     /* digits alone, or with an exponent */
    SHAPE_ENGLISH,   /* can only be English, has a fraction or several groups */
    SHAPE_POINT,     /* "12.345": English fraction or German thousands */
    SHAPE_COMMA,     /* "12,345": English thousands or German fraction */
    SHAPE_LOCALIZED, /* cannot be English */
    SHAPE_NONE,      /* no number */
};

/* Length of a separator of thousands that English does not use: apostrophe, its typographic form,
 * blank, and the two no-break spaces of UTF-8. */
static size_t foreign_separator(const char *c) {
    static const char *const separators[] = {"'", "\xE2\x80\x99", " ", "\xC2\xA0", "\xE2\x80\xAF"};
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        size_t n = strlen(separators[i]);
        if (!strncmp(c, separators[i], n)) return n;
    }
    return 0;
}

/* Number of digits at c. */
static size_t digits(const char *c) {
    size_t n = 0;
    while (isdigit((unsigned char)c[n])) n++;
    return n;
}

/* How a number with commas, points or both is written, from its groups of digits. c is at a
 * digit. */
static enum shape shape_of_groups(const char *c) {
    size_t commas = 0, points = 0, first = digits(c), group = first;
    bool zero = *c == '0', thousands = first >= 1 && first <= 3; /* all groups have three digits */
    char last = 0;
    c += first;
    while (*c == ',' || *c == '.') {
        last = *c;
        commas += last == ',';
        points += last == '.';
        group = digits(++c);
        c += group;
        if (!group && last == ',') return SHAPE_LOCALIZED;
        if (group != 3 && (last == ',' || points > 1)) thousands = false;
    }
    if (*c == 'e' || *c == 'E') {
        c += 1 + (c[1] == '+' || c[1] == '-');
        size_t exponent = digits(c);
        return !exponent || c[exponent] ? SHAPE_NONE : commas ? SHAPE_LOCALIZED : SHAPE_ENGLISH;
    }
    if (*c) {
        size_t n = foreign_separator(c);
        return n && isdigit((unsigned char)c[n]) ? SHAPE_LOCALIZED : SHAPE_NONE;
    }
    if (!commas && !points) return SHAPE_PLAIN;
    if (commas && points)
        return last == '.' && points == 1 && thousands ? SHAPE_ENGLISH : SHAPE_LOCALIZED;
    if (points > 1) return SHAPE_LOCALIZED;
    if (commas > 1) return thousands ? SHAPE_ENGLISH : SHAPE_LOCALIZED;
    if (commas) return thousands && !zero ? SHAPE_COMMA : SHAPE_LOCALIZED;
    return group == 3 && thousands && !zero ? SHAPE_POINT : SHAPE_ENGLISH;
}

/* How a text is written as a number; a sign may stand before it. */
static enum shape shape_of(const char *text) {
    if (*text == '-' || *text == '+') text++;
    return isdigit((unsigned char)*text) ? shape_of_groups(text) : SHAPE_NONE;
}

/* @return whether the text is one of those that profilers print for a value that they lack. */
static bool is_absent(const char *text) {
    static const char *const words[] = {"",    "n/a",  "N/A", "nan",  "-nan",    "NaN",
                                        "inf", "-inf", "Inf", "+inf", "(!) n/a", "(!) nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i])) return true;
    return false;
}

/* The value of a text of English shape, shorter than 64 bytes. */
static double number(const char *text) {
    char plain[64];
    size_t n = 0;
    for (; *text && n + 1 < sizeof plain; text++)
        if (*text != ',') plain[n++] = *text;
    plain[n] = '\0';
    return g_ascii_strtod(plain, NULL);
}

/* Notes in *language what a number of this shape says. `line`: where it stands, 0 for one that is
 * evidence alone and is never doubtful. @return VALUE_OK, VALUE_LOCALIZED or VALUE_BAD. */
static enum value_result note(enum shape shape, const char *text, struct value_language *language,
                              unsigned line) {
    if (shape == SHAPE_ENGLISH) language->english = true;
    if (line && !language->doubtful_line && (shape == SHAPE_POINT || shape == SHAPE_COMMA)) {
        language->doubtful_line = line;
        snprintf(language->doubtful_value, sizeof language->doubtful_value, "%s", text);
    }
    return shape == SHAPE_LOCALIZED ? VALUE_LOCALIZED : shape == SHAPE_NONE ? VALUE_BAD : VALUE_OK;
}

/* Notes in *language what a number says whose value is not needed. @return VALUE_OK,
 * VALUE_LOCALIZED, or VALUE_BAD: no number. */
enum value_result value_look(const char *text, struct value_language *language) {
    return note(shape_of(text), text, language, 0);
}

/* *value: the number of `text`, scaled to the unit of its kind; valid only with VALUE_OK. Notes in
 * *language what it says; `line` is that of the file. @return a result other than VALUE_OK: what is
 * wrong, or VALUE_ABSENT. */
enum value_result value_read(double *value, const char *text, const struct value_unit *unit,
                             struct value_language *language, unsigned line) {
    if (is_absent(text)) return VALUE_ABSENT;
    enum shape shape = shape_of(text);
    if (strlen(text) >= 60) return VALUE_BAD;
    /* Without fractions "12,345" is a whole number in English, and "12.345" is none in it. */
    if (unit->whole && shape == SHAPE_POINT) return VALUE_FRACTION;
    enum value_result r = note(shape, text, language, unit->whole ? 0 : line);
    if (r != VALUE_OK) return r;
    *value = number(text);
    if (!isfinite(*value)) return VALUE_BAD;
    if (*value < 0) return VALUE_NEGATIVE;
    if (unit->whole && *value != floor(*value)) return VALUE_FRACTION;
    *value *= unit->scale;
    return VALUE_OK;
}

/* *value: the product of "(x, y, z)", or a whole number alone; valid only with VALUE_OK. @return
 * VALUE_ABSENT, VALUE_BAD; of a number alone also the others. */
enum value_result value_read_size(double *value, const char *text) {
    double product = 1;
    bool closed = *text == '(';
    if (is_absent(text)) return VALUE_ABSENT;
    if (!closed) {
        struct value_language none = {0};
        return value_read(value, text, &(struct value_unit){1, true}, &none, 0);
    }
    for (int axis = 0; axis < 3; axis++) {
        text++;
        while (*text == ' ') text++;
        size_t n = digits(text);
        if (!n || n > 10) return VALUE_BAD;
        product *= g_ascii_strtod(text, NULL);
        text += n;
        if (*text != (axis < 2 ? ',' : ')')) return VALUE_BAD;
    }
    *value = product;
    return text[1] ? VALUE_BAD : VALUE_OK;
}

/* ---- messages */

/* @return HEDDLE_ERR_CONFIG: the text is not an English number. */
static heddle_err fail_localized(const char *text, const char *file, unsigned line,
                                 struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "%s:%u: '%.40s' is not an English number (decimal comma, or thousands "
                       "without commas): run the profiler with LC_ALL=C",
                       file, line, text);
}

/* Explains in *diag a result other than VALUE_OK and VALUE_ABSENT for `text`, which the file has
 * for the metric `what`, in a kernel or NULL. @return HEDDLE_ERR_CONFIG. */
heddle_err value_fail(enum value_result result, const char *text, const char *what,
                      const char *kernel, const char *file, unsigned line,
                      struct heddle_diag *diag) {
    static const char *const wrong[] = {
        [VALUE_BAD] = "not a number",
        [VALUE_NEGATIVE] = "negative",
        [VALUE_FRACTION] = "not whole: run the profiler with LC_ALL=C if its point separates "
                           "thousands",
    };
    if (result == VALUE_LOCALIZED) return fail_localized(text, file, line, diag);
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s:%u: %s%s%s'%.40s' for %s is %s", file, line,
                       kernel ? "kernel " : "", kernel ? kernel : "", kernel ? ": " : "", text,
                       what, wrong[result]);
}

/* At the end of a file. @return HEDDLE_ERR_CONFIG: a value could be of two languages, and none
 * tells which. */
heddle_err value_language_check(const struct value_language *language, const char *file,
                                struct heddle_diag *diag) {
    if (language->english || !language->doubtful_line) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "%s:%u: '%s' has a fraction in some languages and thousands in others, and "
                       "no other value tells which: run ncu with LC_ALL=C and --print-units base",
                       file, language->doubtful_line, language->doubtful_value);
}
