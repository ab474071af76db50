/* report_difference.c - compares two reports member by member, and the files beside them; contracts
 * in report_difference.h. `heddle rerun` calls it on its main thread. */
#include "report/report_difference.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- report.json */

/* A member that is looked at: its path with numbers, and as tables/host_members.def writes it. */
struct place {
    char path[512], form[512];
};

static bool is_of_host(const struct place *p) {
    static const char *const paths[] = {
#define HOST_MEMBER(path, why) path,
#include "tables/host_members.def"
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!strcmp(paths[i], p->form)) return true;
    return false;
}

/* Whether an object is a statistic of the simulation itself. */
static bool is_of_simulation(const json_t *o) {
    const char *scope = json_string_value(json_object_get(o, "scope"));
    return scope && !strcmp(scope, "simulation");
}

static struct place member_of(const struct place *p, const char *key) {
    struct place m;
    const char *dot = *p->path ? "." : "";
    snprintf(m.path, sizeof m.path, "%.250s%s%.250s", p->path, dot, key);
    snprintf(m.form, sizeof m.form, "%.250s%s%.250s", p->form, dot, key);
    return m;
}

static struct place element_of(const struct place *p, size_t i) {
    struct place m;
    snprintf(m.path, sizeof m.path, "%.480s.%zu", p->path, i);
    snprintf(m.form, sizeof m.form, "%.500s[]", p->form);
    return m;
}

/* Notes a difference. NULL: the member is not there. */
static void note(struct report_difference *d, const struct place *p, const json_t *before,
                 const json_t *after) {
    d->different++;
    if (json_array_size(d->list) >= REPORT_DIFFERENCES) return;
    json_t *o = json_pack("{s:s}", "member", p->path);
    if (before) json_object_set(o, "before", (json_t *)before);
    if (after) json_object_set(o, "after", (json_t *)after);
    json_array_append_new(d->list, o);
}

static void compare(struct report_difference *d, const struct place *p, const json_t *before,
                    const json_t *after);

/* Compares the members of two objects. */
static void compare_objects(struct report_difference *d, const struct place *p,
                            const json_t *before, const json_t *after) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)before, key, value) {
        const struct place m = member_of(p, key);
        compare(d, &m, value, json_object_get(after, key));
    }
    json_object_foreach((json_t *)after, key, value) {
        const struct place m = member_of(p, key);
        if (!json_object_get(before, key)) compare(d, &m, NULL, value);
    }
}

/* Whether two scalars are equal; 1 and 1.0 are, since programs that copy JSON change one into the
 * other. */
static bool is_equal(const json_t *a, const json_t *b) {
    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

/* Whether both are objects, or arrays, or neither. */
static bool have_one_form(const json_t *a, const json_t *b) {
    return json_is_object(a) == json_is_object(b) && json_is_array(a) == json_is_array(b);
}

/* Compares two values at a place; one may be NULL. */
static void compare(struct report_difference *d, const struct place *p, const json_t *before,
                    const json_t *after) {
    if (is_of_host(p) || is_of_simulation(before ? before : after)) return;
    if (!before || !after || !have_one_form(before, after)) {
        d->members++;
        note(d, p, before, after);
    } else if (json_is_object(before)) {
        compare_objects(d, p, before, after);
    } else if (json_is_array(before)) {
        const size_t a = json_array_size(before), b = json_array_size(after);
        for (size_t i = 0; i < a || i < b; i++) {
            const struct place m = element_of(p, i);
            compare(d, &m, json_array_get(before, i), json_array_get(after, i));
        }
    } else {
        d->members++;
        if (!is_equal(before, after)) note(d, p, before, after);
    }
}

/* ---- other files */

/* The files whose bytes are results. statistics.csv is in report.json, and api.txt and api.json
 * have addresses of the host. */
static const char *const files[] = {"kernels.csv",      "kernels.csv.zst", "copies.csv.zst",
                                    "cpi_stack.csv",    "cpi_stack.svg",   "instruction_mix.csv",
                                    "instructions.csv", "sampling.csv",    "trace.json"};

/* Opens DIRECTORY/NAME; *f NULL: it is not there. @return HEDDLE_ERR_IO. */
static heddle_err open_file(FILE **f, const char *directory, const char *name,
                            struct heddle_diag *diag) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    *f = fopen(path, "re");
    if (*f || errno == ENOENT) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_IO, "cannot open %s: %s", path, strerror(errno));
}

/* Whether the rest of two files is the same. @return HEDDLE_ERR_IO. */
static heddle_err same_bytes(FILE *a, FILE *b, const char *name, bool *same,
                             struct heddle_diag *diag) {
    char one[16384], other[sizeof one];
    for (*same = true; *same;) {
        const size_t n = fread(one, 1, sizeof one, a), m = fread(other, 1, sizeof other, b);
        if (ferror(a) || ferror(b))
            return heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", name, strerror(errno));
        *same = n == m && !memcmp(one, other, n);
        if (!n) break;
    }
    return HEDDLE_OK;
}

static heddle_err compare_files(struct report_difference *d, const char *before, const char *after,
                                struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !e; i++) {
        FILE *a = NULL, *b = NULL;
        bool same = false;
        e = open_file(&a, before, files[i], diag);
        if (!e) e = open_file(&b, after, files[i], diag);
        if (!e && a && b) e = same_bytes(a, b, files[i], &same, diag);
        d->files += a || b;
        if (!e && (a || b) && !same) json_array_append_new(d->others, json_string(files[i]));
        if (a) fclose(a);
        if (b) fclose(b);
    }
    return e;
}

/* ---- both */

heddle_err report_read(json_t **out, const char *directory, struct heddle_diag *diag) {
    char path[1200];
    json_error_t bad;
    snprintf(path, sizeof path, "%s/report.json", directory);
    *out = json_load_file(path, 0, &bad);
    return *out ? HEDDLE_OK : heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s", path, bad.text);
}

heddle_err report_compare(struct report_difference *out, const json_t *before, const json_t *after,
                          const char *directory_before, const char *directory_after,
                          struct heddle_diag *diag) {
    const struct place root = {"", ""};
    *out = (struct report_difference){.list = json_array(), .others = json_array()};
    compare(out, &root, before, after);
    return compare_files(out, directory_before, directory_after, diag);
}

void report_difference_clear(struct report_difference *d) {
    json_decref(d->list);
    json_decref(d->others);
}
