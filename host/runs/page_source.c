/* page_source.c - the source view as data of the page; see page_source.h. */
#include "runs/page_source.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "annotate/source_view.h"

enum {
    MOST_BYTES = 900000, /* of all that is added, about; the first kernel is there in any case */
    ROW_BYTES = 20,      /* of an instruction, besides its text and counts */
    COUNT_BYTES = 10,
    AROUND = 12 /* lines before and behind one that has instructions */
};

/* The lines of texts that are wanted: a bitmap for each file and each module. */
struct wanted {
    const struct source_view *v;
    guint8 **file, **module;
};

/* Bytes that an instruction takes, about. */
static size_t inst_bytes(const struct source_inst *i) {
    size_t n = ROW_BYTES + strlen(i->text);
    for (unsigned c = 0; c < SOURCE_COUNTS; c++)
        if (source_count_of(&i->count, c)) n += COUNT_BYTES;
    return n;
}

/* Bytes of a line of a text, 0 without it. */
static size_t line_bytes(const struct source_text *t, uint32_t line) {
    return line && line <= t->count ? 10 + strlen(t->line[line - 1]) : 0;
}

/* Marks a line of a text as wanted. @return the bytes that this adds. */
static size_t want(guint8 *lines, const struct source_text *t, uint32_t line) {
    if (!line || line > t->count || lines[line - 1]) return 0;
    lines[line - 1] = 1;
    return line_bytes(t, line);
}

/* Marks the texts that a kernel needs. @return the bytes that kernel and texts add, about. */
static size_t add_wanted(struct wanted *w, const struct source_kernel *k) {
    size_t n = 0;
    for (uint32_t i = 0; i < k->num_inst; i++) {
        const struct source_inst *in = &k->inst[i];
        n += inst_bytes(in);
        if (k->module != SOURCE_NOWHERE)
            n += want(w->module[k->module], &w->v->module[k->module].ptx, in->ptx_line);
        if (in->file == SOURCE_NOWHERE) continue;
        const struct source_text *t = &w->v->file[in->file].text;
        const uint32_t first = in->line > AROUND ? in->line - AROUND : 1;
        for (uint32_t line = first; line <= in->line + AROUND; line++)
            n += want(w->file[in->file], t, line);
    }
    return n;
}

/* The counts that are not 0. */
static json_t *sparse(const struct source_counts *c) {
    json_t *list = json_array();
    for (unsigned i = 0; i < SOURCE_COUNTS; i++) {
        if (!source_count_of(c, i)) continue;
        json_array_append_new(list, json_integer(i));
        json_array_append_new(list, json_integer((json_int_t)source_count_of(c, i)));
    }
    return list;
}

/* A text; one that is no UTF-8 as much of it as is. */
static json_t *text(const char *s) {
    char *valid = g_utf8_make_valid(s, -1);
    json_t *out = json_string(valid);
    g_free(valid);
    return out;
}

static json_t *index_or_null(uint32_t n) {
    return n == SOURCE_NOWHERE ? json_null() : json_integer(n);
}

static json_t *kernel_object(const struct source_kernel *k) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < k->num_inst; i++) {
        const struct source_inst *in = &k->inst[i];
        json_t *row = json_array();
        json_array_append_new(row, text(in->text));
        json_array_append_new(row, index_or_null(in->file));
        json_array_append_new(row, json_integer(in->line));
        json_array_append_new(row, json_integer(in->ptx_line));
        json_array_append_new(row, sparse(&in->count));
        json_array_append_new(list, row);
    }
    json_t *o = json_object();
    json_object_set_new(o, "name", text(k->name));
    json_object_set_new(o, "device", json_integer(k->device));
    json_object_set_new(o, "launches", json_integer((json_int_t)k->launches));
    json_object_set_new(o, "cycles", json_integer((json_int_t)k->cycles));
    json_object_set_new(o, "module", index_or_null(k->module));
    json_object_set_new(o, "instructions", list);
    return o;
}

/* The lines of a text that are wanted. */
static json_t *lines_of(const struct source_text *t, const guint8 *lines) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->count; i++) {
        if (!lines[i]) continue;
        json_array_append_new(list, json_integer(i + 1));
        json_array_append_new(list, text(t->line[i]));
    }
    return list;
}

/* Adds kernels, as many as the page may have, and their texts. */
static void add_view(const struct source_view *v, json_t *o) {
    struct wanted w = {v, g_new0(guint8 *, v->num_files + 1), g_new0(guint8 *, v->num_modules + 1)};
    json_t *kernels = json_array(), *files = json_array(), *modules = json_array();
    json_t *counts = json_array();
    size_t bytes = 0;
    for (uint32_t i = 0; i < v->num_files; i++)
        w.file[i] = g_new0(guint8, v->file[i].text.count + 1);
    for (uint32_t i = 0; i < v->num_modules; i++)
        w.module[i] = g_new0(guint8, v->module[i].ptx.count + 1);
    for (uint32_t i = 0; i < v->num_kernels && bytes < MOST_BYTES; i++) {
        size_t own = 0;
        for (uint32_t n = 0; n < v->kernel[i].num_inst; n++)
            own += inst_bytes(&v->kernel[i].inst[n]);
        if (i && bytes + own > MOST_BYTES) break;
        bytes += add_wanted(&w, &v->kernel[i]);
        json_array_append_new(kernels, kernel_object(&v->kernel[i]));
    }
    for (uint32_t i = 0; i < v->num_files; i++) {
        const char *why = source_state_text(v->file[i].state);
        json_array_append_new(files, json_pack("{s:o, s:o, s:o}", "path", text(v->file[i].path),
                                               "missing", why ? json_string(why) : json_null(),
                                               "lines", lines_of(&v->file[i].text, w.file[i])));
        g_free(w.file[i]);
    }
    for (uint32_t i = 0; i < v->num_modules; i++) {
        json_array_append_new(modules, lines_of(&v->module[i].ptx, w.module[i]));
        g_free(w.module[i]);
    }
    for (unsigned i = 0; i < SOURCE_COUNTS; i++)
        json_array_append_new(counts,
                              json_pack("[s, s, s]", source_count_rows[i].name,
                                        source_count_rows[i].unit, source_count_rows[i].meaning));
    json_object_set_new(o, "issues", json_boolean(v->has_waits));
    json_object_set_new(o, "all", json_integer(v->num_kernels));
    json_object_set_new(o, "counts", counts);
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "files", files);
    json_object_set_new(o, "modules", modules);
    g_free(w.file);
    g_free(w.module);
}

void page_add_source(const struct run_file *run, json_t *page) {
    struct source_view *v = NULL;
    struct heddle_diag diag = {0};
    json_t *o = json_object();
    const heddle_err e = source_view_read(&v, run->path, &diag);
    json_object_set_new(o, "note", e ? text(diag.text) : json_null());
    if (!e) add_view(v, o);
    source_view_free(v);
    json_object_set_new(page, "source", o);
}
