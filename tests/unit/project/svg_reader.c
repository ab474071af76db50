/* svg_reader.c - see svg_reader.h */
#include "svg_reader.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct element {
    char *name;
    GHashTable *attributes;
    GString *text;
};

static void free_element(gpointer p) {
    struct element *e = p;
    g_free(e->name);
    g_hash_table_destroy(e->attributes);
    g_string_free(e->text, TRUE);
    g_free(e);
}

static void start(GMarkupParseContext *context, const char *name, const char **names,
                  const char **values, gpointer picture, GError **error) {
    (void)context, (void)error;
    struct element *e = g_new0(struct element, 1);
    e->name = g_strdup(name);
    e->attributes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    e->text = g_string_new("");
    for (; *names; names++, values++)
        g_hash_table_insert(e->attributes, g_strdup(*names), g_strdup(*values));
    g_ptr_array_add(picture, e);
}

/* Texts of these pictures have no elements inside, so that the last element is the one. What stands
 * between elements belongs to the picture and is left out. */
static void take_text(GMarkupParseContext *context, const char *text, gsize size, gpointer picture,
                      GError **error) {
    (void)error;
    const GPtrArray *all = picture;
    const struct element *e = all->pdata[all->len - 1];
    if (!strcmp(g_markup_parse_context_get_element(context), e->name))
        g_string_append_len(e->text, text, (gssize)size);
}

GPtrArray *svg_read(const char *text) {
    static const GMarkupParser parser = {.start_element = start, .text = take_text};
    GPtrArray *picture = g_ptr_array_new_with_free_func(free_element);
    GError *error = NULL;
    GMarkupParseContext *c = g_markup_parse_context_new(&parser, G_MARKUP_DEFAULT_FLAGS, picture,
                                                        NULL);
    bool good = g_markup_parse_context_parse(c, text, (gssize)strlen(text), &error) &&
                g_markup_parse_context_end_parse(c, &error);
    cr_assert(good, "%s in:\n%s", error ? error->message : "", text);
    g_markup_parse_context_free(c);
    cr_assert_str_eq(((const struct element *)picture->pdata[0])->name, "svg");
    return picture;
}

unsigned svg_count(const GPtrArray *picture, const char *what) {
    unsigned count = 0;
    for (guint i = 0; i < picture->len; i++) {
        const struct element *e = picture->pdata[i];
        count += !g_strcmp0(g_hash_table_lookup(e->attributes, "class"), what);
    }
    return count;
}

const void *svg_find(const GPtrArray *picture, const char *what, unsigned nth) {
    for (guint i = 0; i < picture->len; i++) {
        const struct element *e = picture->pdata[i];
        if (g_strcmp0(g_hash_table_lookup(e->attributes, "class"), what)) continue;
        if (nth-- == 0) return e;
    }
    cr_assert_fail("no %s", what);
    return NULL;
}

const char *svg_attribute(const void *element, const char *name) {
    const struct element *e = element;
    const char *value = g_hash_table_lookup(e->attributes, name);
    cr_assert_not_null(value, "%s lacks %s", e->name, name);
    return value;
}

double svg_value(const void *element, const char *name) {
    char *end;
    double value = g_ascii_strtod(svg_attribute(element, name), &end);
    cr_assert_eq(*end, '\0', "%s=%s", name, svg_attribute(element, name));
    return value;
}

void svg_place(const void *element, double *x, double *y) {
    const char *text = svg_attribute(element, "transform");
    cr_assert_eq(sscanf(text, "translate(%lf %lf)", x, y), 2, "%s", text);
}

unsigned svg_texts(const GPtrArray *picture, const char *text) {
    unsigned count = 0;
    for (guint i = 0; i < picture->len; i++) {
        const struct element *e = picture->pdata[i];
        count += !strcmp(e->name, "text") && !strcmp(e->text->str, text);
    }
    return count;
}
