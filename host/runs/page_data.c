/* page_data.c - what the page of a run shows, as one JSON object; see page.h. page_run.js reads it,
 * and has the other half of each list here.
 *
 * Lists are cut so that a page stays below 2 MB: groups by their time, launches and copies to the
 * first and the last ones. The object says how many there were. Values that a report lacks, or has
 * as null, are null; the page says why a section is empty. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runs/page.h"
#include "runs/page_calls.h"
#include "runs/page_source.h"
#include "runs/page_timeline.h"
#include "runs/run_columns.h"

enum { MOST_GROUPS = 800, MOST_LAUNCHES = 2000, MOST_COPIES = 2000 };

/* Counters of the core; those of waits are parts of the CPI stack. */
static const struct {
    const char *name, *meaning;
} counters[] = {
#define CONSTANT(name, value, meaning)
#define ARG(number, offset, name, bits, buffer, meaning)
#define REG(offset, name, meaning)
#define COUNTER(number, name, meaning) {#name, meaning},
#include "tables/core_regs.def"
};

/* What a part means; "" if this Heddle has none of the name. */
static const char *meaning_of(const char *part) {
    if (!strcmp(part, "issued")) return "a warp instruction was issued";
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (!strncmp(counters[i].name, "wait_", 5) && !strcmp(counters[i].name + 5, part))
            return counters[i].meaning;
    return "";
}

json_t *page_cpi_parts(void) {
    static const struct {
        const char *part, *colour;
    } rows[] = {
#define COLOUR(part, colour) {part, colour},
#include "tables/cpi_colours.def"
    };
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", rows[i].part, "meaning",
                                              meaning_of(rows[i].part), "colour", rows[i].colour));
    return list;
}

/* A member of an object with a new reference; null without one. */
static json_t *member(const json_t *o, const char *name) {
    json_t *v = json_object_get(o, name);
    return v ? json_incref(v) : json_null();
}

/* The members of each object of a list, as rows. */
static json_t *rows_of(const json_t *list, const char *const *names, size_t n) {
    json_t *out = json_array();
    size_t i;
    const json_t *o;
    json_array_foreach(list, i, o) {
        json_t *row = json_array();
        for (size_t k = 0; k < n; k++) json_array_append_new(row, member(o, names[k]));
        json_array_append_new(out, row);
    }
    return out;
}

/* The cycles of each part of the table of colours; null without a stack. */
static json_t *stack_row(const json_t *launch) {
    static const char *const parts[] = {
#define COLOUR(part, colour) part,
#include "tables/cpi_colours.def"
    };
    const json_t *stack = json_object_get(launch, "cpi_stack");
    if (!json_is_object(stack)) return json_null();
    json_t *row = json_array();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        json_array_append_new(row, member(stack, parts[i]));
    return row;
}

/* ---- groups */

/* The columns of the groups' numbers, in the order of their first appearance. */
struct columns {
    json_t *list;      /* of the page: name, unit, meaning, whether it adds up */
    GHashTable *place; /* by name, from 1 */
    json_t *row;       /* that is filled */
};

/* run_number_fn: puts a number into the row. */
static void put_number(void *user, const char *path, const struct run_column *column,
                       const json_t *value) {
    struct columns *c = user;
    size_t place = GPOINTER_TO_SIZE(g_hash_table_lookup(c->place, path));
    if (!place) {
        json_array_append_new(c->list,
                              json_pack("[s, s, s, b]", path, column->unit, column->meaning,
                                        column->adds_up && json_is_integer(value)));
        place = json_array_size(c->list);
        g_hash_table_insert(c->place, g_strdup(path), GSIZE_TO_POINTER(place));
    }
    while (json_array_size(c->row) < place) json_array_append_new(c->row, json_null());
    json_array_set(c->row, place - 1, (json_t *)(uintptr_t)value);
}

/* A group of the report in the order of the page. */
struct ordered {
    const json_t *group;
    size_t index;
};
static int by_time(const void *x, const void *y) {
    const struct ordered *a = x, *b = y;
    double of[2] = {run_number(a->group, "time_ps"), run_number(b->group, "time_ps")};
    for (unsigned i = 0; i < 2; i++)
        if (!isfinite(of[i])) of[i] = 0;
    if (of[0] != of[1]) return of[0] < of[1] ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

/* What a launch has in common with its group. The caller frees the text. */
static char *group_key(const json_t *o) {
    char *shape = run_shape(o);
    char *key = g_strdup_printf("%s|%.0f|%.0f|%.0f|%d|%d|%s", shape, run_number(o, "registers"),
                                run_number(o, "shared_bytes"), run_number(o, "device"),
                                json_is_true(json_object_get(o, "timed")),
                                json_is_true(json_object_get(o, "estimated")), run_text(o, "name"));
    g_free(shape);
    return key;
}

/* A group of launches on the page; adds its columns. */
static json_t *group_object(const json_t *group, struct columns *c) {
    static const char *const members[] = {
        "name",    "device",    "node",   "launches",      "first_launch",    "timed",
        "time_ps", "estimated", "cycles", "launch_cycles", "sub_core_cycles", "diagnosis"};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_t *v = json_object_get(group, members[i]);
        if (v) json_object_set(o, members[i], v);
    }
    char *shape = run_shape(group);
    json_object_set_new(o, "shape", json_string(shape));
    g_free(shape);
    json_object_set_new(o, "limiter", member(json_object_get(group, "occupancy"), "limiter"));
    json_object_set_new(o, "cpi", stack_row(group));
    c->row = json_array();
    run_numbers(group, put_number, c);
    json_object_set_new(o, "values", c->row);
    return o;
}

/* Adds the groups with most time, and their columns. @return their places by group_key(), from 1,
 * the caller's. */
static GHashTable *add_groups(const struct run_file *run, json_t *page) {
    const size_t n = json_array_size(run->groups), shown = n < MOST_GROUPS ? n : MOST_GROUPS;
    struct ordered *order = g_new(struct ordered, n + 1);
    GHashTable *places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct columns c = {.list = json_array(),
                        .place = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    json_t *list = json_array();
    double others_ps = 0;
    for (size_t i = 0; i < n; i++) order[i] = (struct ordered){json_array_get(run->groups, i), i};
    qsort(order, n, sizeof *order, by_time);
    for (size_t i = 0; i < shown; i++) {
        json_array_append_new(list, group_object(order[i].group, &c));
        g_hash_table_insert(places, group_key(order[i].group), GSIZE_TO_POINTER(i + 1));
    }
    for (size_t i = shown; i < n; i++) others_ps += fmax(0, run_number(order[i].group, "time_ps"));
    json_object_set_new(page, "columns", c.list);
    json_object_set_new(page, "groups", list);
    json_object_set_new(page, "groups_all", json_integer((json_int_t)n));
    json_object_set_new(page, "groups_others_ps", json_real(others_ps));
    g_hash_table_unref(c.place);
    g_free(order);
    return places;
}

/* ---- launches and copies */

/* Whether element i of n is among those that are shown: the first and the last ones. */
static bool is_shown(size_t i, size_t n, size_t most) {
    return n <= most || i < most / 2 || i >= n - most / 2;
}

/* Adds the launches, each with the place of its group (null: that is not on the page). */
static void add_launches(const struct run_file *run, GHashTable *places, json_t *page) {
    static const char *const members[] = {"launch", "device", "stream",        "start_ps",
                                          "end_ps", "cycles", "launch_cycles", "sub_core_cycles"};
    const json_t *list = json_object_get(run->root, "kernels"), *launch;
    json_t *rows = json_array();
    size_t i;
    json_array_foreach(list, i, launch) {
        if (!is_shown(i, json_array_size(list), MOST_LAUNCHES)) continue;
        char *key = json_array_size(json_object_get(launch, "grid")) == 3 ? group_key(launch)
                                                                          : g_strdup("");
        const size_t place = GPOINTER_TO_SIZE(g_hash_table_lookup(places, key));
        json_t *row = json_array();
        json_array_append_new(row, place ? json_integer((json_int_t)place - 1) : json_null());
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            json_array_append_new(row, member(launch, members[k]));
        json_array_append_new(row, stack_row(launch));
        json_array_append_new(rows, row);
        g_free(key);
    }
    json_object_set_new(page, "launches", rows);
}

/* Adds the copies. */
static void add_copies(const struct run_file *run, json_t *page) {
    static const char *const members[] = {"kind",  "device",   "stream",
                                          "bytes", "start_ps", "end_ps"};
    const json_t *list = json_object_get(run->root, "copies"), *copy;
    json_t *some = json_array();
    size_t i;
    json_array_foreach(list, i, copy) {
        if (is_shown(i, json_array_size(list), MOST_COPIES))
            json_array_append(some, (json_t *)(uintptr_t)copy);
    }
    json_object_set_new(page, "copies", rows_of(some, members, sizeof members / sizeof *members));
    json_decref(some);
}

/* ---- the whole */

json_t *page_run_data(const struct run_file *run) {
    static const char *const whole[] = {"run",     "inputs", "host",    "nodes",
                                        "network", "peaks",  "findings"};
    static const char *const parameters[] = {"name",   "value", "unit", "status",
                                             "source", "where", "set"};
    static const char *const statistics[] = {"name", "unit", "value", "scope", "meaning"};
    json_t *page = json_object();
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        json_object_set_new(page, whole[i], member(run->root, whole[i]));
    json_object_set_new(page, "directory", json_string(run->directory));
    json_object_set_new(page, "cpi", page_cpi_parts());
    json_object_set_new(page, "parameters",
                        rows_of(json_object_get(run->root, "parameters"), parameters,
                                sizeof parameters / sizeof *parameters));
    json_object_set_new(page, "statistics",
                        rows_of(json_object_get(run->root, "statistics"), statistics,
                                sizeof statistics / sizeof *statistics));
    GHashTable *places = add_groups(run, page);
    add_launches(run, places, page);
    g_hash_table_unref(places);
    add_copies(run, page);
    page_add_source(run, page);
    page_add_calls(run, page);
    page_add_timeline(run, page);
    return page;
}
