/* read_figures.c - reads a GPU's capabilities from the output of micro_capability; see
 * read_figures.h. measure.c calls read_figures() on the main thread of `heddle project --measure`.
 * Functions change only the struct capability and the reader; errors are HEDDLE_ERR_CONFIG with
 * file and line in the text unless a comment says otherwise. */
#include "project/read_figures.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

static const char program[] = "micro_capability: ";

/* The output while it is read. */
struct reading {
    struct capability *c;
    const char *path, *on; /* on: for the sources, the program and what it ran on */
    unsigned line;         /* of the file, from 1 */
    bool passed;           /* the last line was there */
    GHashTable *keys;      /* so far; owned */
    struct heddle_diag *diag;
};

/* Takes "key value unit how" into r->c (capability_take()), as measured. A key may come once. */
static heddle_err take_value(struct reading *r, const char *text, const char *where) {
    gchar **word = g_strsplit(text, " ", 4);
    heddle_err e = HEDDLE_OK;
    if (g_strv_length(word) < 4 || !*word[0] || !*word[1] || !*word[2] || !*word[3]) {
        e = heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s: 'VALUE key value unit how' expected",
                        where);
    } else if (!g_hash_table_add(r->keys, g_strdup(word[0]))) {
        e = heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s: %s is there twice", where, word[0]);
    } else {
        gchar *remark = g_strdup_printf("%s | measured | %s, %s", word[2], r->on, word[3]);
        const struct ini_line line = {
            .key = word[0], .value = word[1], .remark = remark, .where = where};
        e = capability_take(r->c, &line, r->diag);
        g_free(remark);
    }
    g_strfreev(word);
    return e;
}

/* Takes a line, without its end. Lines of other programs are skipped. */
static heddle_err take_line(struct reading *r, const char *text) {
    if (!g_str_has_prefix(text, program)) return HEDDLE_OK;
    gchar *where = g_strdup_printf("%s:%u", r->path, r->line);
    const char *said = text + strlen(program);
    heddle_err e = HEDDLE_OK;
    if (r->passed)
        e = heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s: PASS was to be the last line", where);
    else if (g_str_has_prefix(said, "VALUE "))
        e = take_value(r, said + strlen("VALUE "), where);
    else if (g_str_has_prefix(said, "NAME "))
        snprintf(r->c->title, sizeof r->c->title, "%s", said + strlen("NAME "));
    else if (g_str_has_prefix(said, "PASS "))
        r->passed = true;
    else if (g_str_has_prefix(said, "FAIL "))
        e = heddle_fail(r->diag, HEDDLE_ERR_CONFIG, "%s: the benchmark failed: %s", where,
                        said + strlen("FAIL "));
    else
        e = heddle_fail(r->diag, HEDDLE_ERR_CONFIG,
                        "%s: '%s' is none of NAME, VALUE, PASS, FAIL with a text", where, said);
    g_free(where);
    return e;
}

/* Reads the output in file `path` into *c; `on` is the program and what it ran on, for the sources.
 * Values read before an error stay in *c. @return HEDDLE_ERR_IO: the file cannot be read;
 * HEDDLE_ERR_CONFIG: a line is wrong, or the last one missing. */
heddle_err read_figures(struct capability *c, const char *path, const char *on,
                        struct heddle_diag *diag) {
    struct reading r = {.c = c, .path = path, .on = on, .diag = diag};
    gchar *text = NULL;
    gsize size;
    GError *error = NULL;
    if (!g_file_get_contents(path, &text, &size, &error)) {
        heddle_err e = heddle_fail(diag, HEDDLE_ERR_IO, "%s", error->message);
        g_error_free(error);
        return e;
    }
    heddle_err e = HEDDLE_OK;
    if (strlen(text) != size)
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: it is no text: byte %zu is 0", path,
                        strlen(text) + 1);
    r.keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gchar **lines = g_strsplit(text, "\n", -1);
    for (gchar **l = lines; *l && !e; l++) {
        r.line++;
        e = take_line(&r, g_strchomp(*l));
    }
    if (!e && !r.passed)
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG,
                        "%s: the line '%sPASS' is missing: the benchmark did not come to its end",
                        path, program);
    g_strfreev(lines);
    g_hash_table_destroy(r.keys);
    g_free(text);
    return e;
}
