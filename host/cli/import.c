/* import.c - reads an SST/Balar configuration line by line and writes it as a GPU's file.
 * cmd_import.c calls import_write(), cmd_config.c import_print_page(), on the main thread of
 * `heddle`. Functions with a `struct import` record values, comments and errors in it;
 * import_keys.def says what each key becomes. Functions that return heddle_err explain an error in
 * *diag: HEDDLE_ERR_CONFIG, with file and line, unless their comment names another. */
#include "cli/import.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* The rows of import_keys.def, which explains the kinds. */
enum kind { SET, TIMES, ALSO, KEPT };
static const struct row {
    enum kind kind;
    const char *section, *key, *target; /* target: parameter, or reason for KEPT */
    const char *unit;                   /* TIMES: of the product, "" for a number */
} rows[] = {
#define SET(section, key, target) {SET, section, key, target, NULL},
#define TIMES(section, key, target, unit) {TIMES, section, key, target, unit},
#define ALSO(section, key, target) {ALSO, section, key, target, NULL},
#define KEPT(section, key, reason) {KEPT, section, key, reason, NULL},
#include "cli/import_keys.def"
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

/* The value that the configuration gives for a parameter. */
struct value {
    bool given;
    double number;      /* in the parameter's unit */
    char from[256];     /* source: "[GPU] clock = 1312MHz" */
    const char *status; /* as in a GPU's file: "vendor", "derived" */
};

/* An import in progress. */
struct import {
    const char *path;
    unsigned line;    /* being read, from 1 */
    char section[64]; /* of that line */
    struct value value[CONFIG_NUM_PARAMS];
    GString *kept; /* comments for the end of the result */
    FILE *unknown; /* gets a message for each unknown key; may be NULL */
    unsigned num_unknown;
    struct heddle_diag *diag;
};

/* Index of a parameter in config_rows. */
static int find_param(const char *key) {
    for (int i = 0; i < CONFIG_NUM_PARAMS; i++)
        if (strcmp(config_rows[i].key, key) == 0) return i;
    return -1; /* never for a row of the table: a test checks them all */
}

/* ---- keys and values */

/* Error about the value of a key in the current line. */
static heddle_err bad(struct import *m, const char *key, const char *text, const char *why) {
    return heddle_fail(m->diag, HEDDLE_ERR_CONFIG, "%s:%u: [%s] %s = %s: %s", m->path, m->line,
                       m->section, key, text, why);
}

/* *out: the number in `text` with an optional unit, converted to `unit` ("": units are not
 * allowed). @return the error of bad(). */
static heddle_err number_of(struct import *m, const char *key, const char *text, const char *unit,
                            double *out) {
    char *end, why[160], known[100];
    errno = 0;
    *out = strtod(text, &end);
    if (end == text || errno || !isfinite(*out)) return bad(m, key, text, "not a number");
    while (*end == ' ') end++;
    if (!*end || (*unit && units_convert(out, end, unit))) return HEDDLE_OK;
    if (!g_ascii_isalpha(*end)) return bad(m, key, text, "not a number");
    units_list(unit, known, sizeof known);
    snprintf(why, sizeof why, "'%s' is no unit of it, there are: %s", end, *unit ? known : "none");
    return bad(m, key, text, why);
}

/* Sets the parameter of a row from the value `text`, or multiplies it by another factor (TIMES).
 * Records value, source and status in m->value. */
static heddle_err apply(struct import *m, const struct row *row, const char *text) {
    double number;
    int i = find_param(row->target);
    const char *unit = row->kind == TIMES ? row->unit : config_rows[i].unit;
    heddle_err e = number_of(m, row->key, text, unit, &number);
    if (e) return e;
    struct value *v = &m->value[i];
    size_t used = v->given ? strlen(v->from) : 0;
    if (row->kind == TIMES && v->given) number *= v->number;
    snprintf(v->from + used, sizeof v->from - used, "%s[%s] %s = %s", used ? " times " : "",
             m->section, row->key, text);
    v->number = number;
    v->status = row->kind == SET ? "vendor" : "derived";
    v->given = true;
    return HEDDLE_OK;
}

/* Handles a key of the current section: applies all rows of the table for it, or keeps it as a
 * comment. An unknown key is kept, counted and reported. */
static heddle_err take(struct import *m, const char *key, const char *text) {
    bool known = false;
    heddle_err e = HEDDLE_OK;
    if (!*text) return bad(m, key, text, "no value");
    for (const struct row *row = rows; row < rows + NUM_ROWS && !e; row++) {
        if (strcmp(row->section, m->section) || strcmp(row->key, key)) continue;
        known = true;
        if (row->kind == KEPT)
            g_string_append_printf(m->kept, "# [%s] %s = %s: %s\n", m->section, key, text,
                                   row->target);
        else
            e = apply(m, row, text);
    }
    if (known || e) return e;
    m->num_unknown++;
    g_string_append_printf(m->kept, "# [%s] %s = %s: not known to Heddle\n", m->section, key, text);
    if (m->unknown)
        fprintf(m->unknown, "%s:%u: [%s] %s is not known to Heddle, kept as a comment\n", m->path,
                m->line, m->section, key);
    return HEDDLE_OK;
}

/* ---- lines */

/* Takes the pairs of "key: value key: value" with take(): a word that ends in a colon begins the
 * next one. @return the first error. */
static heddle_err take_pairs(struct import *m, const char *line) {
    char **words = g_strsplit_set(line, " \t", -1), *key = NULL;
    GString *value = g_string_new(NULL);
    heddle_err e = HEDDLE_OK;
    for (char **w = words; *w && !e; w++) {
        size_t n = strlen(*w);
        if (n > 1 && (*w)[n - 1] == ':') {
            if (key) e = take(m, key, value->str);
            g_free(key);
            key = g_strndup(*w, n - 1);
            g_string_truncate(value, 0);
        } else if (n) {
            g_string_append_printf(value, "%s%s", value->len ? " " : "", *w);
        }
    }
    if (!e && key) e = take(m, key, value->str);
    g_free(key);
    g_string_free(value, TRUE);
    g_strfreev(words);
    return e;
}

/* Handles a line: section (sets m->section), "key: value" pairs or "key = value". Changes the
 * text. */
static heddle_err take_line(struct import *m, char *line) {
    line[strcspn(line, "#;")] = '\0';
    g_strstrip(line);
    size_t n = strlen(line);
    if (!n) return HEDDLE_OK;
    if (*line == '[' && line[n - 1] == ']' && n - 2 < sizeof m->section && n > 2) {
        snprintf(m->section, sizeof m->section, "%.*s", (int)(n - 2), line + 1);
        return HEDDLE_OK;
    }
    char *equals = strchr(line, '='), *colon = strchr(line, ':');
    if ((!equals && !colon) || !*m->section || *line == '[')
        return heddle_fail(m->diag, HEDDLE_ERR_CONFIG,
                           "%s:%u: '[section]' or, in a section, 'key: value' expected, not '%s'",
                           m->path, m->line, line);
    if (colon && (!equals || colon < equals)) {
        char *spaced = g_strdup_printf("%.*s: %s", (int)(colon - line), line, colon + 1);
        heddle_err e = take_pairs(m, spaced);
        g_free(spaced);
        return e;
    }
    *equals = '\0';
    return take(m, g_strstrip(line), g_strstrip(equals + 1));
}

/* ---- the file */

/* With another number of slices than the base's, sets l2.slice_width so that all slices together
 * move as many bytes per cycle as the base's, as far as the permitted widths allow. */
static void derive_slice_width(struct import *m, const struct config *base) {
    int slices = find_param("l2.slices"), width = find_param("l2.slice_width");
    if (!m->value[slices].given || m->value[slices].number == (double)base->l2_slices) return;
    double bytes = (double)(base->l2_slices * base->l2_slice_bytes) /
                   fmax(m->value[slices].number, 1);
    double fits = bytes >= 128 ? 128 : bytes >= 64 ? 64 : 32;
    struct value *v = &m->value[width];
    *v = (struct value){.given = true, .number = fits, .status = "derived"};
    snprintf(v->from, sizeof v->from, "%llu bytes a cycle of all slices as %.100s has it%s",
             (unsigned long long)(base->l2_slices * base->l2_slice_bytes), base->gpu_name,
             fits == bytes ? "" : ", as near as a slice's width allows");
}

/* Writes the result to `out`: the values that were given, section by section, then the comments. */
static void print_file(const struct import *m, const char *base_name, const struct config *base,
                       FILE *out) {
    const char *name = strrchr(m->path, '/');
    char section[64] = "gpu";
    fprintf(out,
            "# Made by `heddle config import` from %s: an SST/Balar configuration; what it\n"
            "# does not say is that of %s.\nbase = %s\n\n[gpu]\nname = %.90s (imported)"
            " ; text | derived | %s\n",
            name ? name + 1 : m->path, base->gpu_name, base_name, base->gpu_name,
            name ? name + 1 : m->path);
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        const struct value *v = &m->value[i];
        const char *key = config_rows[i].key, *dot = strrchr(key, '.');
        if (!v->given) continue;
        if (strncmp(section, key, (size_t)(dot - key)) || section[dot - key]) {
            snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
            fprintf(out, "[%s]\n", section);
        }
        fprintf(out, "%s = %.15g ; %s | %s | %s\n", dot + 1, v->number, config_rows[i].unit,
                v->status, v->from);
    }
    if (m->kept->len) fprintf(out, "\n# Not a part of a GPU's file:\n%s", m->kept->str);
}

/* Reads file `path` and writes a GPU's file to `out`, based on `base`, the loaded GPU base_name.
 * Each unknown key gets a line in `unknown` (NULL: nowhere); *num_unknown counts them. @return
 * HEDDLE_ERR_IO (the file cannot be read) or CONFIG, with text in diag; nothing is written then. */
heddle_err import_write(const char *path, const char *base_name, const struct config *base,
                        FILE *out, FILE *unknown, unsigned *num_unknown, struct heddle_diag *diag) {
    struct import m = {.path = path, .unknown = unknown, .diag = diag};
    char line[1024];
    heddle_err e = HEDDLE_OK;
    FILE *f = fopen(path, "re");
    if (!f) return heddle_fail(diag, HEDDLE_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    m.kept = g_string_new(NULL);
    while (!e && fgets(line, sizeof line, f)) {
        m.line++;
        if (!strchr(line, '\n') && !feof(f))
            e = heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s:%u: line too long", path, m.line);
        else
            e = take_line(&m, line);
    }
    if (!e && ferror(f))
        e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    if (!e) {
        derive_slice_width(&m, base);
        print_file(&m, base_name, base, out);
    }
    *num_unknown = m.num_unknown;
    g_string_free(m.kept, TRUE);
    return e;
}

/* Prints docs/import.md to `out`, with the table of keys. */
void import_print_page(FILE *out) {
    fputs(
        "# SST/Balar configurations\n"
        "\n"
        "    heddle config import FILE [--base GPU] >my.ini\n"
        "    heddle run --gpu my.ini -- ./my\n"
        "\n"
        "`heddle config import` converts a configuration of SST's GPU model (sections of `key:\n"
        "value` lines) into a GPU's file. Values that the configuration does not have -\n"
        "latencies, pipes, occupancy limits - come from the base (default `v100`). If the number\n"
        "of slices differs from the base's, the width of a slice is changed so that all slices\n"
        "together still move as many bytes per cycle, if the widths allow that. Keys without a\n"
        "counterpart stay in the file as comments, with the reason. Keys that Heddle does not\n"
        "know stay there too; Heddle names them, and the exit status is 1. Heddle checks the\n"
        "result like any GPU's file before it prints it.\n"
        "\n"
        "Made from `host/cli/import_keys.def`; a test fails when page and table differ.\n"
        "\n"
        "| section | key | becomes |\n"
        "|---|---|---|\n",
        out);
    for (const struct row *r = rows; r < rows + NUM_ROWS; r++)
        if (r->kind == KEPT)
            fprintf(out, "| %s | `%s` | a comment: %s |\n", r->section, r->key, r->target);
        else
            fprintf(out, "| %s | `%s` | %s`%s` |\n", r->section, r->key,
                    r->kind == TIMES ? "a factor of " : "", r->target);
}
