/* source_json.c - a view as JSON, for `heddle annotate --json` and pages that show a run. The form
 * stands in docs/annotate.md. Functions return new objects that the caller owns. */
#include <math.h>

#include "annotate/source_view.h"

static json_t *count_json(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *number_json(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

/* Null stands for SOURCE_NOWHERE. */
static json_t *index_json(uint32_t n) {
    return n == SOURCE_NOWHERE ? json_null() : json_integer(n);
}

/* The counts; those of 0 are left out. */
static json_t *counts_json(const struct source_counts *c) {
    json_t *o = json_object();
    for (unsigned i = 0; i < SOURCE_COUNTS; i++)
        if (source_count_of(c, i))
            json_object_set_new(o, source_count_rows[i].name, count_json(source_count_of(c, i)));
    return o;
}

static json_t *text_json(const struct source_text *t) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->count; i++) {
        json_t *line = json_string(t->line[i]);
        json_array_append_new(list, line ? line : json_string("(not UTF-8)"));
    }
    return list;
}

static json_t *inst_json(const struct source_inst *i) {
    json_t *o = json_object();
    json_object_set_new(o, "mir", json_string(i->text));
    json_object_set_new(o, "operation", json_string(i->op));
    json_object_set_new(o, "file", index_json(i->file));
    json_object_set_new(o, "line", count_json(i->line));
    json_object_set_new(o, "ptx_line", count_json(i->ptx_line));
    json_object_set_new(o, "cycles", count_json(source_cycles(&i->count)));
    json_object_set_new(o, "counts", counts_json(&i->count));
    return o;
}

static json_t *line_json(const struct source_line *l) {
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "file", index_json(l->file));
    json_object_set_new(o, "line", count_json(l->line));
    for (uint32_t i = 0; i < l->num_inst; i++) json_array_append_new(list, count_json(l->inst[i]));
    json_object_set_new(o, "instructions", list);
    json_object_set_new(o, "cycles", count_json(source_cycles(&l->count)));
    json_object_set_new(o, "counts", counts_json(&l->count));
    return o;
}

static json_t *triple(const uint32_t v[3]) {
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *kernel_json(const struct source_kernel *k, uint32_t number) {
    json_t *o = json_object(), *lines = json_array(), *hottest = json_array(), *inst = json_array();
    json_object_set_new(o, "number", count_json(number));
    json_object_set_new(o, "name", json_string(k->name));
    json_object_set_new(o, "symbol", json_string(k->symbol));
    json_object_set_new(o, "device", count_json(k->device));
    json_object_set_new(o, "module", count_json(k->module));
    json_object_set_new(o, "launches", count_json(k->launches));
    json_object_set_new(o, "grid", triple(k->grid));
    json_object_set_new(o, "block", triple(k->block));
    json_object_set_new(o, "several_shapes", json_boolean(k->shapes));
    json_object_set_new(o, "time_ps", count_json(k->time_ps));
    json_object_set_new(o, "cycles", count_json(k->cycles));
    json_object_set_new(o, "sub_core_cycles", count_json(k->sub_core_cycles));
    json_object_set_new(o, "occupancy", number_json(k->occupancy));
    json_object_set_new(o, "theoretical_occupancy", number_json(k->theoretical_occupancy));
    json_object_set_new(o, "counts", counts_json(&k->count));
    for (uint32_t i = 0; i < k->num_lines; i++) {
        json_array_append_new(lines, line_json(&k->line[i]));
        json_array_append_new(hottest, count_json(k->hottest[i]));
    }
    for (uint32_t i = 0; i < k->num_inst; i++) json_array_append_new(inst, inst_json(&k->inst[i]));
    json_object_set_new(o, "lines", lines);
    json_object_set_new(o, "hottest", hottest);
    json_object_set_new(o, "instructions", inst);
    return o;
}

/* The units of the counts and what they mean. */
static json_t *rows_json(void) {
    json_t *list = json_array();
    for (unsigned i = 0; i < SOURCE_COUNTS; i++) {
        const struct source_count_row *r = &source_count_rows[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", r->name, "unit", r->unit,
                                              "meaning", r->meaning));
    }
    return list;
}

json_t *source_view_json(const struct source_view *v, const uint32_t *kernels, uint32_t n) {
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "program", json_string(v->program));
    json_object_set_new(o, "gpu", json_string(v->gpu));
    json_object_set_new(o, "issues", json_boolean(v->has_waits));
    json_object_set_new(o, "counts", rows_json());
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, kernel_json(&v->kernel[kernels[i]], kernels[i]));
    json_object_set_new(o, "kernels", list);
    list = json_array();
    for (uint32_t i = 0; i < v->num_modules; i++)
        json_array_append_new(list, json_pack("{s:o}", "ptx", text_json(&v->module[i].ptx)));
    json_object_set_new(o, "modules", list);
    list = json_array();
    for (uint32_t i = 0; i < v->num_files; i++) {
        const struct source_file *f = &v->file[i];
        const char *why = source_state_text(f->state);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "path", f->path, "missing",
                                              why ? json_string(why) : json_null(), "text",
                                              text_json(&f->text)));
    }
    json_object_set_new(o, "files", list);
    return o;
}
