/* compare_json.c - a comparison as JSON (docs/compare.md), for `heddle compare --json` and for its
 * page; see compare.h. */
#include <math.h>

#include "runs/compare.h"

/* A number; JSON has no NAN: null stands for it. */
static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *pair(double a, double b) {
    return json_pack("[o, o]", number(a), number(b));
}

static json_t *figures(const GArray *list, bool counters) {
    json_t *out = json_array();
    for (guint i = 0; i < list->len; i++) {
        const struct compare_figure *f = &g_array_index(list, struct compare_figure, i);
        json_t *o = json_pack("{s:s, s:s, s:o, s:o}", "name", f->name, "unit", f->unit, "a",
                              number(f->of[0]), "b", number(f->of[1]));
        if (counters) json_object_set_new(o, "follows_cycles", json_boolean(f->follows));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *text(const char *s) {
    return s ? json_string(s) : json_null();
}

static json_t *kernels(const GPtrArray *list) {
    json_t *out = json_array();
    for (guint i = 0; i < list->len; i++) {
        const struct compare_kernel *k = list->pdata[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(k->name));
        json_object_set_new(o, "shapes", json_pack("[o, o]", text(k->shape[0]), text(k->shape[1])));
        json_object_set_new(
            o, "launches",
            json_pack("[I, I]", (json_int_t)k->launches[0], (json_int_t)k->launches[1]));
        json_object_set_new(o, "cycles", pair(k->cycles[0], k->cycles[1]));
        json_object_set_new(o, "time_us", pair(k->time_us[0], k->time_us[1]));
        json_object_set_new(o, "estimated", json_pack("[b, b]", k->estimated[0], k->estimated[1]));
        json_object_set_new(o, "change", number(k->change));
        json_object_set_new(o, "parts", figures(k->parts, false));
        json_object_set_new(o, "counters", figures(k->counters, true));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *facts(const struct comparison *c) {
    json_t *out = json_array();
    for (guint i = 0; i < c->facts->len; i++) {
        const struct compare_fact *f = &g_array_index(c->facts, struct compare_fact, i);
        json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:s}", "name", f->name, "unit",
                                             f->unit, "a", f->of[0], "b", f->of[1]));
    }
    return out;
}

json_t *compare_object(const struct comparison *c) {
    json_t *o = json_object();
    json_object_set_new(o, "runs", json_pack("[s, s]", c->run[0]->directory, c->run[1]->directory));
    json_object_set_new(o, "changes_of", json_string(c->by_time ? "time" : "cycles"));
    json_object_set_new(o, "counters_above", number(c->counters_from));
    json_object_set_new(o, "different", facts(c));
    json_object_set_new(
        o, "total",
        json_pack("{s:o, s:o, s:o, s:[I, I], s:[I, I]}", "cycles", pair(c->cycles[0], c->cycles[1]),
                  "time_us", pair(c->time_us[0], c->time_us[1]), "change", number(c->change),
                  "launches", (json_int_t)c->launches[0], (json_int_t)c->launches[1], "timed",
                  (json_int_t)c->timed[0], (json_int_t)c->timed[1]));
    json_object_set_new(o, "kernels", kernels(c->kernels));
    json_object_set_new(o, "only_a", kernels(c->only[0]));
    json_object_set_new(o, "only_b", kernels(c->only[1]));
    return o;
}
