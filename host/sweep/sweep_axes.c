/* sweep_axes.c - parses the axes of a sweep (--set, --gpu) and builds its points; contracts in
 * sweep.h. cli/cmd_sweep.c calls it on the main thread of `heddle sweep`,
 * before the first point runs; the files of host/sweep call sweep_label(). Functions that return
 * heddle_err return HEDDLE_ERR_ARGUMENT and explain it in *diag; out of memory ends the process. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "sweep/sweep.h"
#include "sweep/sweep_ranges.h"

enum { MOST_NAME = 180 }; /* bytes of a point's name; file systems allow 255 */

/* Splits a text at `at` and strips blanks from the parts; the caller frees them. */
static char **split(const char *text, const char *at) {
    char **parts = g_strsplit(text, at, -1);
    for (char **p = parts; *p; p++) g_strstrip(*p);
    return parts;
}

/* Splits the list of an axis and expands the ranges in it, if the axis has one key: values of
 * several belong together. The caller frees *values. */
static heddle_err split_values(char ***values, const struct sweep_axis *a, const char *said,
                               const char *list, struct heddle_diag *diag) {
    char **parts = split(list, ",");
    heddle_err e = HEDDLE_OK;
    *values = parts;
    if (a->num_keys > 1) return HEDDLE_OK;
    GPtrArray *all = g_ptr_array_new();
    for (char **p = parts; *p && !e; p++) e = sweep_range_expand(all, said, *p, diag);
    g_ptr_array_add(all, NULL);
    *values = (char **)g_ptr_array_free(all, FALSE);
    g_strfreev(parts);
    return e;
}

/* Fills the values of an axis, whose keys are known, from `list`; `said`: the option's text.
 * Errors: too few or too many values for the keys, an empty one, one given twice. */
static heddle_err read_values(struct sweep_axis *a, const char *said, const char *list,
                              struct heddle_diag *diag) {
    char **values;
    heddle_err e = split_values(&values, a, said, list, diag);
    a->values = g_new0(char **, g_strv_length(values) + 1);
    for (char **v = values; *v && !e; v++) {
        /* a colon separates values only if the axis has several keys: a value may be a path */
        char **parts = a->num_keys > 1 ? split(*v, ":") : g_new0(char *, 2);
        if (a->num_keys == 1) parts[0] = g_strdup(*v);
        a->values[a->num_values++] = parts;
        if (g_strv_length(parts) != a->num_keys)
            e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--set %s: '%s' has not %u values", said, *v,
                            a->num_keys);
        for (unsigned k = 0; !e && k < a->num_keys; k++)
            if (!*parts[k])
                e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--set %s: a value is empty", said);
        for (unsigned before = 0; !e && before + 1 < a->num_values; before++)
            if (g_strv_equal((const gchar *const *)a->values[before], (const gchar *const *)parts))
                e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--set %s: %s is there twice", said, *v);
    }
    g_strfreev(values);
    return e;
}

/* Parses "KEY=V1,V2,..." or "K1:K2=A1:A2,..." into *a, which is zeros; sweep_free() frees what was
 * made, also after an error. */
static heddle_err read_axis(struct sweep_axis *a, const char *text, struct heddle_diag *diag) {
    const char *equals = strchr(text, '=');
    if (!equals)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--set %s: KEY=VALUE,VALUE,... expected",
                           text);
    char *keys = g_strndup(text, (gsize)(equals - text));
    a->keys = split(keys, ":");
    g_free(keys);
    a->num_keys = g_strv_length(a->keys);
    return read_values(a, text, equals + 1, diag);
}

/* Checks that no key is given twice, in one axis or in two. */
static heddle_err check_keys(const struct sweep *s, struct heddle_diag *diag) {
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; !e && i < s->num_axes; i++)
        for (char **key = s->axes[i].keys; !e && *key; key++)
            if (!g_hash_table_add(seen, *key))
                e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                                "--set %s: given twice; its values go "
                                "into one list",
                                *key);
    g_hash_table_destroy(seen);
    return e;
}

/* Makes a file name of a point's name: replaces '/' and blanks by '_', and cuts a long name, adding
 * a checksum that keeps names different. The caller frees it. */
static char *file_name(const GString *name) {
    char *plain = g_strdelimit(g_strdup(name->len ? name->str : "point"), "/ \t", '_');
    if (strlen(plain) <= MOST_NAME && *plain != '.') return plain;
    char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, name->str, -1);
    char *cut = g_strdup_printf("%.*s~%.16s", MOST_NAME - 20, *plain == '.' ? "" : plain, sum);
    g_free(plain);
    g_free(sum);
    return cut;
}

/* Whether an axis belongs into the name of a point. */
static bool tells_apart(const struct sweep *s, const struct sweep_point *p, unsigned axis) {
    return s->axes[axis].num_values > 1 && (!s->around || p->choice[axis]);
}

/* Chooses the value of each axis for point `number`. */
static void choose(const struct sweep *s, unsigned number, unsigned *choice) {
    if (!s->around) { /* the last axis varies fastest */
        for (unsigned i = s->num_axes; i-- > 0; number /= s->axes[i].num_values)
            choice[i] = number % s->axes[i].num_values;
        return;
    }
    for (unsigned i = 0; i < s->num_axes && number; i++) { /* 0 is the base */
        unsigned others = s->axes[i].num_values - 1;
        if (number <= others) choice[i] = number;
        number -= number < others ? number : others;
    }
}

/* Fills point `number`: choices, name, GPU and the values to set. */
static void make_point(const struct sweep *s, unsigned number, struct sweep_point *p) {
    GString *name = g_string_new(NULL);
    GPtrArray *sets = g_ptr_array_new();
    p->choice = g_new0(unsigned, s->num_axes + 1);
    p->gpu = s->gpu;
    choose(s, number, p->choice);
    for (unsigned i = 0; i < s->num_axes; i++)
        for (unsigned k = 0; k < s->axes[i].num_keys; k++) {
            const char *key = s->axes[i].keys[k], *value = sweep_value(s, p, i, k);
            if (strcmp(key, "gpu") == 0)
                p->gpu = value;
            else
                g_ptr_array_add(sets, g_strdup_printf("%s=%s", key, value));
            if (tells_apart(s, p, i))
                g_string_append_printf(name, "%s%s=%s", name->len ? "," : "", key, value);
        }
    g_ptr_array_add(sets, NULL);
    p->sets = (char **)g_ptr_array_free(sets, FALSE);
    if (s->around && !name->len) g_string_assign(name, "base");
    p->name = file_name(name);
    g_string_free(name, TRUE);
}

/* Allocates and fills s->points. Errors: more than SWEEP_MOST_POINTS, or two points with one
 * name. */
static heddle_err make_points(struct sweep *s, struct heddle_diag *diag) {
    unsigned long count = 1;
    for (unsigned i = 0; i < s->num_axes && count <= SWEEP_MOST_POINTS; i++)
        count = s->around ? count + s->axes[i].num_values - 1 : count * s->axes[i].num_values;
    if (count > SWEEP_MOST_POINTS)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "more than %d points", SWEEP_MOST_POINTS);
    s->points = g_new0(struct sweep_point, count);
    s->num_points = (unsigned)count;
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < count; i++) make_point(s, i, &s->points[i]);
    for (unsigned i = 0; i < count && !e; i++)
        if (!g_hash_table_add(names, s->points[i].name))
            e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                            "two points would be called %s: values may "
                            "not differ in '/' and blanks alone",
                            s->points[i].name);
    g_hash_table_destroy(names);
    return e;
}

/* Parses the lists into axes and builds all points in a new *out, which sweep_free() frees. `gpus`:
 * a list of GPUs, NULL: v100; `axes`: num_axes texts KEY=VALUES. Whether keys exist is not checked.
 * @return HEDDLE_ERR_ARGUMENT; *out is then NULL. */
heddle_err sweep_create(struct sweep **out, const char *gpus, const char *const *axes,
                        unsigned num_axes, bool around, struct heddle_diag *diag) {
    struct sweep *s = g_new0(struct sweep, 1);
    heddle_err e = HEDDLE_OK;
    *out = NULL;
    s->around = around;
    s->axes = g_new0(struct sweep_axis, num_axes + 1);
    s->gpu = g_strdup("v100");
    if (gpus) {
        char *text = g_strdup_printf("gpu=%s", gpus);
        s->num_axes = 1;
        e = read_axis(&s->axes[0], text, diag);
        g_free(text);
    }
    for (unsigned i = 0; i < num_axes && !e; i++)
        e = read_axis(&s->axes[s->num_axes++], axes[i], diag);
    if (!e) e = check_keys(s, diag);
    if (!e) e = make_points(s, diag);
    if (e)
        sweep_free(s);
    else
        *out = s;
    return e;
}

/* Frees the axes and the points with all their texts. Accepts NULL and a sweep that was partly
 * made. */
void sweep_free(struct sweep *s) {
    if (!s) return;
    for (unsigned i = 0; i < s->num_axes; i++) {
        struct sweep_axis *a = &s->axes[i];
        g_strfreev(a->keys);
        for (unsigned v = 0; v < a->num_values; v++) g_strfreev(a->values[v]);
        g_free(a->values);
    }
    for (unsigned i = 0; i < s->num_points; i++) {
        g_free(s->points[i].name);
        g_free(s->points[i].choice);
        g_strfreev(s->points[i].sets);
    }
    g_free(s->points);
    g_free(s->axes);
    g_free(s->gpu);
    g_free(s);
}

/* Writes to out[size] the values of a point on the axes first to end - 1 that tell it apart,
 * separated by ", ", with or without keys. */
void sweep_label(const struct sweep *s, const struct sweep_point *p, unsigned first, unsigned end,
                 bool keys, char *out, size_t size) {
    size_t used = 0;
    *out = '\0';
    for (unsigned a = first; a < end; a++)
        for (unsigned k = 0; k < s->axes[a].num_keys && used < size; k++)
            if (tells_apart(s, p, a))
                used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", used ? ", " : "",
                                         keys ? s->axes[a].keys[k] : "", keys ? "=" : "",
                                         sweep_value(s, p, a, k));
    if (s->around && !used && first < end) snprintf(out, size, "base");
}
