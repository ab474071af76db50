/* select.c - decides which launches of a run are timed (--kernels, --launches), and counts both
 * kinds. run_setup.c makes the selection, the server calls selection_times() for each launch,
 * run_report.c reads the counts; all on the main thread of `heddle run`. */
#include "cli/select.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Launch numbers, both ends included. */
struct range {
    uint64_t first, last;
};

/* The patterns and ranges, and how many launches each decision was made for. */
struct selection {
    GPatternSpec **pattern;
    size_t num_patterns;
    struct range *range;
    size_t num_ranges;
    bool all_names, all_launches; /* the option is missing */
    uint64_t timed, untimed;      /* launches so far */
};

/* Reads a number and moves *text behind it. */
static bool read_number(const char **text, uint64_t *out) {
    char *end;
    if (!g_ascii_isdigit(**text)) return false;
    errno = 0;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* Reads "7", "3-9" or "5-", the whole of `text`. @return false: it is none of these, or its end
 * comes before its begin. */
static bool read_range(const char *text, struct range *out) {
    if (!read_number(&text, &out->first)) return false;
    out->last = out->first;
    if (*text == '-') {
        text++;
        if (*text == '\0')
            out->last = UINT64_MAX;
        else if (!read_number(&text, &out->last))
            return false;
    }
    return *text == '\0' && out->last >= out->first;
}

/* The parts between commas, but for those between the brackets of template arguments. The caller
 * frees them with g_strfreev(). */
static gchar **split(const char *patterns) {
    GPtrArray *parts = g_ptr_array_new();
    const char *begin = patterns, *p = patterns;
    for (int depth = 0; *patterns; p++) {
        depth += (*p == '<') - (*p == '>');
        if (*p && (*p != ',' || depth > 0)) continue;
        g_ptr_array_add(parts, g_strndup(begin, (gsize)(p - begin)));
        begin = p + 1;
        if (!*p) break;
    }
    g_ptr_array_add(parts, NULL);
    return (gchar **)g_ptr_array_free(parts, FALSE);
}

/* Parses `patterns` (names with * and ?, separated by commas) and `launches` ("0,3,10-19,100-"),
 * NULL: no such condition, into a new *out, which selection_free() frees. @return
 * HEDDLE_ERR_ARGUMENT, with text in diag and *out NULL. */
heddle_err selection_create(struct selection **out, const char *patterns, const char *launches,
                            struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    struct selection *s = g_new0(struct selection, 1);
    gchar **names = split(patterns ? patterns : "");
    gchar **numbers = g_strsplit(launches ? launches : "", ",", -1);
    s->all_names = !patterns;
    s->all_launches = !launches;
    s->pattern = g_new0(GPatternSpec *, g_strv_length(names) + 1);
    s->range = g_new0(struct range, g_strv_length(numbers) + 1);
    for (gchar **n = names; *n && !e; n++) {
        if (**n)
            s->pattern[s->num_patterns++] = g_pattern_spec_new(*n);
        else
            e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--kernels %s: a name is empty", patterns);
    }
    for (gchar **n = numbers; *n && !e; n++)
        if (!read_range(*n, &s->range[s->num_ranges++]))
            e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                            "--launches %s: '%s' is neither a number nor a range such as 3-9 or 5-",
                            launches, *n);
    if (patterns && !*patterns)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--kernels: no name is given");
    if (launches && !*launches)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--launches: no number is given");
    g_strfreev(names);
    g_strfreev(numbers);
    *out = NULL;
    if (e)
        selection_free(s);
    else
        *out = s;
    return e;
}

/* Frees patterns and ranges. Accepts NULL. */
void selection_free(struct selection *s) {
    if (!s) return;
    for (size_t i = 0; i < s->num_patterns; i++) g_pattern_spec_free(s->pattern[i]);
    g_free(s->pattern);
    g_free(s->range);
    g_free(s);
}

static bool matches(GPatternSpec *pattern, const char *text) {
    return g_pattern_spec_match_string(pattern, text);
}

/* Callback of the server (server_options.times), on its thread, for each launch: whether to time
 * it. `title`: the kernel's name as shown, which fits without its template arguments as well;
 * `name`: as in PTX; `launch`: its number. Both conditions must hold. Counts the decision in the
 * selection `user`. */
bool selection_times(void *user, const char *title, const char *name, uint64_t launch) {
    struct selection *s = user;
    bool by_name = s->all_names, by_number = s->all_launches;
    gchar *plain = by_name ? NULL : g_strndup(title, strcspn(title, "<"));
    for (size_t i = 0; i < s->num_patterns && !by_name; i++)
        by_name = matches(s->pattern[i], title) || matches(s->pattern[i], plain) ||
                  matches(s->pattern[i], name);
    g_free(plain);
    for (size_t i = 0; i < s->num_ranges && !by_number; i++)
        by_number = launch >= s->range[i].first && launch <= s->range[i].last;
    bool timed = by_name && by_number;
    *(timed ? &s->timed : &s->untimed) += 1;
    return timed;
}

/* How many launches selection_times() has chosen to time, and how many not. */
void selection_counts(const struct selection *s, uint64_t *timed, uint64_t *untimed) {
    *timed = s->timed;
    *untimed = s->untimed;
}
