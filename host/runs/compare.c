/* compare.c - matches the kernels of two runs and works out what changed; see compare.h.
 *
 * The sums of launches (kernel_groups) of each run are joined by name and shape, over GPUs,
 * registers and ways of timing, into struct part_sums. compare_make() matches those, then joins and
 * matches what is left by name. */
#include "runs/compare.h"

#include <math.h>
#include <string.h>

#include "runs/run_columns.h"

/* A sum of groups of one run. Figures are sums; ratios are kept while there is one group. */
struct sum {
    const char *name;
    char *shape;
    unsigned shapes, groups;
    uint64_t launches, timed; /* timed: those with cycles */
    double cycles, time_ps;
    bool estimated;
    GArray *parts;       /* struct figure: cycles of all timed launches */
    GArray *counters[2]; /* struct figure: of launches that were not timed, which count little, and
                          * of those that were */
};

/* A number with its name. */
struct figure {
    const char *name, *unit;
    double value;
    bool adds_up;
};

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

/* What b is more than a, of a. */
static double change_of(double a, double b) {
    return a > 0 ? b / a - 1 : NAN;
}

/* ---- sums */

static struct sum *sum_new(const char *name, char *shape) {
    struct sum *s = g_new0(struct sum, 1);
    s->name = name;
    s->shape = shape;
    s->parts = g_array_new(FALSE, FALSE, sizeof(struct figure));
    for (unsigned t = 0; t < 2; t++)
        s->counters[t] = g_array_new(FALSE, FALSE, sizeof(struct figure));
    return s;
}

static void sum_free(void *sum) {
    struct sum *s = sum;
    g_free(s->shape);
    g_array_unref(s->parts);
    for (unsigned t = 0; t < 2; t++) g_array_unref(s->counters[t]);
    g_free(s);
}

/* Adds a figure to the list: to the one of its name, or a new one behind. */
static void add_figure(GArray *list, const struct figure *f) {
    for (guint i = 0; i < list->len; i++) {
        struct figure *old = &g_array_index(list, struct figure, i);
        if (strcmp(old->name, f->name)) continue;
        /* A ratio, or a property, of several groups is known only if all have the same. */
        if (f->adds_up)
            old->value += f->value;
        else if (old->value != f->value)
            old->value = NAN;
        return;
    }
    g_array_append_val(list, *f);
}

/* What take_counter() needs. */
struct taking {
    struct comparison *c;
    GArray *list;
};

/* run_number_fn: adds a number of a group to the counters of its sum. Integers of members that add
 * up are counts, all other numbers are ratios or properties. */
static void take_counter(void *user, const char *path, const struct run_column *column,
                         const json_t *value) {
    struct taking *t = user;
    struct figure f = {.unit = column->unit,
                       .value = json_number_value(value),
                       .adds_up = column->adds_up && json_is_integer(value)};
    for (guint i = 0; i < t->c->names->len && !f.name; i++)
        if (!strcmp(t->c->names->pdata[i], path)) f.name = t->c->names->pdata[i];
    if (!f.name) {
        g_ptr_array_add(t->c->names, g_strdup(path));
        f.name = t->c->names->pdata[t->c->names->len - 1];
    }
    add_figure(t->list, &f);
}

/* Adds the cycles of a timed group, by part: the launch overhead, and the execution by the shares
 * of the CPI stack. An estimated group has no stack. */
static void add_cycles(struct sum *s, const json_t *group) {
    const double cycles = run_number(group, "cycles");
    const double launch = fmax(0, run_number(group, "launch_cycles"));
    const double all = run_number(group, "sub_core_cycles");
    const char *part;
    json_t *value;
    s->timed += (uint64_t)json_integer_value(json_object_get(group, "launches"));
    s->cycles += cycles;
    s->time_ps += run_number(group, "time_ps");
    s->estimated |= json_is_true(json_object_get(group, "estimated"));
    add_figure(s->parts, &(struct figure){"launch", "cycles", launch, true});
    json_object_foreach(json_object_get(group, "cpi_stack"), part, value) {
        const double share = ratio(json_number_value(value), all);
        add_figure(s->parts, &(struct figure){part, "cycles", (cycles - launch) * share, true});
    }
}

/* The sums of a run by name and shape, in the order of their first launches. */
static GPtrArray *sums_of(struct comparison *c, const struct run_file *run) {
    GPtrArray *list = g_ptr_array_new_with_free_func(sum_free);
    GHashTable *by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    size_t i;
    const json_t *group;
    json_array_foreach(run->groups, i, group) {
        char *shape = run_shape(group);
        char *key = g_strconcat(shape, " ", run_text(group, "name"), NULL);
        struct sum *s = g_hash_table_lookup(by_key, key);
        if (!s) {
            s = sum_new(run_text(group, "name"), g_strdup(shape));
            s->shapes = 1;
            g_ptr_array_add(list, s);
            g_hash_table_insert(by_key, g_strdup(key), s);
        }
        s->groups++;
        s->launches += (uint64_t)json_integer_value(json_object_get(group, "launches"));
        if (run_is_timed(group)) add_cycles(s, group);
        run_numbers(group, take_counter, &(struct taking){c, s->counters[run_is_timed(group)]});
        g_free(shape);
        g_free(key);
    }
    g_hash_table_unref(by_key);
    return list;
}

/* Adds a sum of another shape to a sum. */
static void join(struct sum *to, const struct sum *s) {
    to->shapes++;
    to->groups += s->groups;
    to->launches += s->launches;
    to->timed += s->timed;
    to->cycles += s->cycles;
    to->time_ps += s->time_ps;
    to->estimated |= s->estimated;
    for (guint i = 0; i < s->parts->len; i++)
        add_figure(to->parts, &g_array_index(s->parts, struct figure, i));
    for (unsigned t = 0; t < 2; t++)
        for (guint i = 0; i < s->counters[t]->len; i++)
            add_figure(to->counters[t], &g_array_index(s->counters[t], struct figure, i));
}

/* ---- kernels */

static void kernel_free(void *kernel) {
    struct compare_kernel *k = kernel;
    g_free(k->shape[0]);
    g_free(k->shape[1]);
    g_array_unref(k->parts);
    g_array_unref(k->counters);
    g_free(k);
}

/* The value of a name in a list, by `launches`; `none` without one. */
static double value_of(const GArray *list, const char *name, double launches, double none) {
    for (guint i = 0; i < list->len; i++) {
        const struct figure *f = &g_array_index(list, struct figure, i);
        if (!strcmp(f->name, name)) return f->adds_up ? ratio(f->value, launches) : f->value;
    }
    return none;
}

/* Whether a list has a name. */
static bool has(const GArray *list, const char *name) {
    for (guint i = 0; i < list->len; i++)
        if (!strcmp(g_array_index(list, struct figure, i).name, name)) return true;
    return false;
}

/* How far two figures are apart, of the larger one: 0 to 1. 0 if one is undefined. */
static double moved(const struct compare_figure *f) {
    const double most = fmax(fabs(f->of[0]), fabs(f->of[1]));
    return isfinite(f->of[0]) && isfinite(f->of[1]) && most > 0 ? fabs(f->of[1] - f->of[0]) / most
                                                                : 0;
}

/* Puts the figures of two lists beside each other: all names of the first, then the others of the
 * second. `launches`: of each side; `none`: the value of a name that the side does not have. */
static GArray *pair(GArray *const list[2], const double launches[2], const double none[2]) {
    GArray *out = g_array_new(FALSE, FALSE, sizeof(struct compare_figure));
    for (unsigned side = 0; side < 2; side++) {
        for (guint i = 0; i < list[side]->len; i++) {
            const struct figure *f = &g_array_index(list[side], struct figure, i);
            struct compare_figure p = {.name = f->name, .unit = f->unit};
            if (side && has(list[0], f->name)) continue;
            for (unsigned s = 0; s < 2; s++)
                p.of[s] = value_of(list[s], f->name, launches[s], none[s]);
            g_array_append_val(out, p);
        }
    }
    return out;
}

/* Keeps the figures that moved by at least `from`, most first; equal ones stay in their order. */
static void keep_moved(GArray *list, double from) {
    guint kept = 0;
    for (guint i = 0; i < list->len; i++) {
        const struct compare_figure f = g_array_index(list, struct compare_figure, i);
        if (moved(&f) < from || moved(&f) <= 0) continue;
        guint at = kept++;
        struct compare_figure *of = &g_array_index(list, struct compare_figure, 0);
        for (; at > 0 && moved(&of[at - 1]) < moved(&f); at--) of[at] = of[at - 1];
        of[at] = f;
    }
    g_array_set_size(list, kept);
}

/* Marks the counters that follow the cycles of the execution, and puts them behind the others. */
static void mark_followers(struct compare_kernel *k) {
    const double near = 0.02;
    double execution[2] = {k->cycles[0], k->cycles[1]};
    for (guint i = 0; i < k->parts->len; i++) {
        const struct compare_figure *p = &g_array_index(k->parts, struct compare_figure, i);
        for (unsigned s = 0; s < 2 && !strcmp(p->name, "launch"); s++) execution[s] -= p->of[s];
    }
    const double longer = ratio(execution[1], execution[0]);
    GArray *others = g_array_new(FALSE, FALSE, sizeof(struct compare_figure));
    for (unsigned follows = 0; follows < 2; follows++) {
        for (guint i = 0; i < k->counters->len; i++) {
            struct compare_figure f = g_array_index(k->counters, struct compare_figure, i);
            const double by = ratio(f.of[1], f.of[0]);
            f.follows = fabs(by / longer - 1) < near || fabs(by * longer - 1) < near;
            if (f.follows == (follows != 0)) g_array_append_val(others, f);
        }
    }
    g_array_unref(k->counters);
    k->counters = others;
}

/* A kernel from the sums of both runs; without `has_a` or `has_b` that of the run is not used. */
static struct compare_kernel *kernel_new(const struct comparison *c, const struct sum *const sum[2],
                                         bool has_a, bool has_b) {
    const struct sum *a = sum[!has_a], *b = sum[has_b];
    const bool there[2] = {has_a, has_b};
    struct compare_kernel *k = g_new0(struct compare_kernel, 1);
    double launches[2] = {1, 1}, timed[2] = {1, 1};
    k->name = a->name;
    for (unsigned s = 0; s < 2; s++) {
        k->cycles[s] = k->time_us[s] = NAN;
        if (!there[s]) continue;
        launches[s] = (double)sum[s]->launches;
        timed[s] = (double)sum[s]->timed;
        k->shape[s] = sum[s]->shapes == 1 ? g_strdup(sum[s]->shape)
                                          : g_strdup_printf("%u shapes", sum[s]->shapes);
        k->launches[s] = sum[s]->launches;
        k->cycles[s] = ratio(sum[s]->cycles, timed[s]);
        k->time_us[s] = ratio(sum[s]->time_ps * 1e-6, timed[s]);
        k->estimated[s] = sum[s]->estimated;
    }
    k->change = c->by_time ? change_of(k->time_us[0], k->time_us[1])
                           : change_of(k->cycles[0], k->cycles[1]);
    GArray *parts[2] = {a->parts, b->parts};
    /* A launch that was not timed lacks most counts: it is compared with its like alone. */
    const bool is_timed = a->timed && b->timed;
    GArray *counters[2] = {a->counters[is_timed], b->counters[is_timed]};
    const double no_part[2] = {a->timed ? 0 : NAN, b->timed ? 0 : NAN};
    const double no_counter[2] = {NAN, NAN};
    k->parts = pair(parts, timed, no_part);
    k->counters = pair(counters, is_timed ? timed : launches, no_counter);
    if (!a->timed != !b->timed) g_array_set_size(k->counters, 0);
    keep_moved(k->counters, c->counters_from);
    mark_followers(k);
    return k;
}

/* ---- matching */

/* Takes the sum of the same name, and shape if `shape`, out of the list. NULL: there is none. */
static struct sum *take_same(GPtrArray *list, const struct sum *like, bool shape) {
    for (guint i = 0; i < list->len; i++) {
        const struct sum *s = list->pdata[i];
        if (!strcmp(s->name, like->name) && (!shape || !strcmp(s->shape, like->shape)))
            return g_ptr_array_steal_index(list, i);
    }
    return NULL;
}

/* Matches the sums of both runs and takes those that have a partner out of the lists. */
static void match(struct comparison *c, GPtrArray *const list[2], bool shape) {
    guint i = 0;
    while (i < list[0]->len) {
        struct sum *b = take_same(list[1], list[0]->pdata[i], shape);
        if (!b) {
            i++;
            continue;
        }
        struct sum *a = g_ptr_array_steal_index(list[0], i);
        const struct sum *const both[2] = {a, b};
        g_ptr_array_add(c->kernels, kernel_new(c, both, true, true));
        sum_free(a);
        sum_free(b);
    }
}

/* Joins all sums of a list that have one name. */
static void join_names(GPtrArray *list) {
    for (guint i = 0; i < list->len; i++) {
        struct sum *first = list->pdata[i];
        guint at = i + 1;
        while (at < list->len) {
            const struct sum *s = list->pdata[at];
            if (strcmp(s->name, first->name)) {
                at++;
                continue;
            }
            join(first, s);
            g_ptr_array_remove_index(list, at);
        }
    }
}

/* Order of the kernels: most time in A first, by name and shape if equal. */
static int by_weight(const void *x, const void *y) {
    const struct compare_kernel *const *a = x, *const *b = y;
    const double of[2] = {(*a)->time_us[0] * (double)(*a)->launches[0],
                          (*b)->time_us[0] * (double)(*b)->launches[0]};
    const double w[2] = {isfinite(of[0]) ? of[0] : 0, isfinite(of[1]) ? of[1] : 0};
    if (w[0] != w[1]) return w[0] < w[1] ? 1 : -1;
    const int order = strcmp((*a)->name, (*b)->name);
    return order ? order : g_strcmp0((*a)->shape[0], (*b)->shape[0]);
}

/* ---- what else differs */

static void add_fact(struct comparison *c, const char *name, const char *unit, char *a, char *b) {
    const struct compare_fact f = {.name = name, .unit = unit, .of = {a, b}};
    if (!strcmp(a, b)) {
        g_free(a);
        g_free(b);
        return;
    }
    g_array_append_val(c->facts, f);
}

/* The value of a parameter as text; a dash without one. */
static char *parameter_text(const json_t *parameter) {
    const json_t *v = json_object_get(parameter, "value");
    if (json_is_string(v)) return g_strdup(json_string_value(v));
    if (json_is_integer(v)) return g_strdup_printf("%lld", (long long)json_integer_value(v));
    if (json_is_real(v)) return g_strdup_printf("%.15g", json_real_value(v));
    return g_strdup("-");
}

/* The parameter of a name in a report. */
static const json_t *parameter_of(const struct run_file *run, const char *name) {
    size_t i;
    const json_t *p;
    json_array_foreach(json_object_get(run->root, "parameters"), i, p) {
        if (!strcmp(run_text(p, "name"), name)) return p;
    }
    return NULL;
}

/* Adds the parameters that differ: those of A in its order, then those that only B has. */
static void add_parameters(struct comparison *c) {
    const json_t *list[2], *p;
    size_t i;
    for (unsigned s = 0; s < 2; s++) list[s] = json_object_get(c->run[s]->root, "parameters");
    if (!json_is_array(list[0]) || !json_is_array(list[1])) {
        add_fact(c, "parameters", "", g_strdup(list[0] ? "in the report" : "not in the report"),
                 g_strdup(list[1] ? "in the report" : "not in the report"));
        return;
    }
    for (unsigned s = 0; s < 2; s++) {
        json_array_foreach(list[s], i, p) {
            const char *name = run_text(p, "name");
            const json_t *other = parameter_of(c->run[!s], name);
            if (s && other) continue;
            add_fact(c, name, run_text(p, "unit"), parameter_text(s ? other : p),
                     parameter_text(s ? p : other));
        }
    }
}

/* A value of what a run was made from, as text: words with blanks between. The caller frees it. */
static char *input_text(const json_t *v) {
    size_t i;
    const json_t *word;
    if (!json_is_array(v)) return g_strdup(json_is_string(v) ? json_string_value(v) : "-");
    GString *out = g_string_new(NULL);
    json_array_foreach(v, i, word) {
        g_string_append_printf(out, "%s%s", i ? " " : "",
                               json_is_string(word) ? json_string_value(word) : "(bytes)");
    }
    return g_string_free(out, FALSE);
}

/* Adds what the runs were made from, if both reports say it. */
static void add_inputs(struct comparison *c) {
    const json_t *of[2], *heddle[2];
    for (unsigned s = 0; s < 2; s++) {
        of[s] = json_object_get(c->run[s]->root, "inputs");
        heddle[s] = json_object_get(of[s], "heddle");
    }
    if (!json_is_object(of[0]) || !json_is_object(of[1])) return;
    static const char *const members[] = {"program_sha256", "arguments"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        add_fact(c, members[i], "", input_text(json_object_get(of[0], members[i])),
                 input_text(json_object_get(of[1], members[i])));
    add_fact(c, "revision", "", input_text(json_object_get(heddle[0], "revision")),
             input_text(json_object_get(heddle[1], "revision")));
}

/* Adds all that differs besides the kernels. */
static void add_facts(struct comparison *c) {
    static const char *const members[] = {"program", "gpu", "gpu_file", "timing", "heddle_version"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        add_fact(c, members[i], "", g_strdup(run_text(c->run[0]->run, members[i])),
                 g_strdup(run_text(c->run[1]->run, members[i])));
    add_inputs(c);
    add_parameters(c);
}

/* ---- the whole */

/* Adds the totals of a run. */
static void add_totals(struct comparison *c, unsigned side, const GPtrArray *sums) {
    for (guint i = 0; i < sums->len; i++) {
        const struct sum *s = sums->pdata[i];
        c->launches[side] += s->launches;
        c->timed[side] += s->timed;
        c->cycles[side] += s->cycles;
        c->time_us[side] += s->time_ps * 1e-6;
    }
    if (!c->timed[side]) c->cycles[side] = c->time_us[side] = NAN;
}

void compare_make(struct comparison *c, const struct run_file *a, const struct run_file *b,
                  double counters_from) {
    *c = (struct comparison){.run = {a, b}, .counters_from = counters_from};
    c->kernels = g_ptr_array_new_with_free_func(kernel_free);
    c->names = g_ptr_array_new_with_free_func(g_free);
    c->facts = g_array_new(FALSE, FALSE, sizeof(struct compare_fact));
    const double clock[2] = {run_number(json_object_get(a->root, "peaks"), "core_hz"),
                             run_number(json_object_get(b->root, "peaks"), "core_hz")};
    c->by_time = isfinite(clock[0]) && isfinite(clock[1]) && clock[0] != clock[1];
    GPtrArray *sums[2] = {sums_of(c, a), sums_of(c, b)};
    for (unsigned s = 0; s < 2; s++) add_totals(c, s, sums[s]);
    c->change = c->by_time ? change_of(c->time_us[0], c->time_us[1])
                           : change_of(c->cycles[0], c->cycles[1]);
    match(c, sums, true);
    for (unsigned s = 0; s < 2; s++) join_names(sums[s]);
    match(c, sums, false);
    g_ptr_array_sort(c->kernels, by_weight);
    for (unsigned s = 0; s < 2; s++) {
        c->only[s] = g_ptr_array_new_with_free_func(kernel_free);
        for (guint i = 0; i < sums[s]->len; i++) {
            const struct sum *const left[2] = {sums[s]->pdata[i], sums[s]->pdata[i]};
            g_ptr_array_add(c->only[s], kernel_new(c, left, !s, s));
        }
        g_ptr_array_unref(sums[s]);
    }
    add_facts(c);
}

void compare_clear(struct comparison *c) {
    g_ptr_array_unref(c->kernels);
    for (unsigned s = 0; s < 2; s++) g_ptr_array_unref(c->only[s]);
    for (guint i = 0; i < c->facts->len; i++) {
        struct compare_fact *f = &g_array_index(c->facts, struct compare_fact, i);
        g_free(f->of[0]);
        g_free(f->of[1]);
    }
    g_array_unref(c->facts);
    g_ptr_array_unref(c->names);
}
