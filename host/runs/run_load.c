/* run_load.c - reads and checks report.json; see run_load.h. */
#include "runs/run_load.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* An error about the report. */
static heddle_err wrong(const struct run_file *r, const char *what, struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s%s", r->path, what);
}

/* Sets path and directory by what the user named. */
static void set_paths(struct run_file *r, const char *name) {
    struct stat s;
    if (stat(name, &s) == 0 && !S_ISDIR(s.st_mode)) {
        r->path = g_strdup(name);
        r->directory = g_path_get_dirname(name);
        return;
    }
    size_t n = strlen(name);
    while (n > 1 && name[n - 1] == '/') n--;
    r->directory = g_strndup(name, n);
    r->path = g_build_filename(r->directory, "report.json", NULL);
}

/* Whether a value is a list of three sizes. */
static bool is_shape(const json_t *list) {
    if (json_array_size(list) != 3) return false;
    for (size_t i = 0; i < 3; i++)
        if (json_integer_value(json_array_get(list, i)) < 1) return false;
    return true;
}

/* Checks the members of the groups that identify them. */
static heddle_err check_groups(const struct run_file *r, struct heddle_diag *diag) {
    size_t i;
    const json_t *g;
    json_array_foreach(r->groups, i, g) {
        const char *bad = NULL, *what = "a text is expected";
        if (!json_is_string(json_object_get(g, "name"))) {
            bad = "name";
        } else if (!is_shape(json_object_get(g, "grid"))) {
            bad = "grid";
            what = "three sizes are expected";
        } else if (!is_shape(json_object_get(g, "block"))) {
            bad = "block";
            what = "three sizes are expected";
        } else if (json_integer_value(json_object_get(g, "launches")) < 1) {
            bad = "launches";
            what = "a number from 1 on is expected";
        }
        if (bad)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s: kernel_groups[%zu].%s: %s", r->path,
                               i, bad, what);
    }
    return HEDDLE_OK;
}

/* Reads the file into r->root. */
static heddle_err read_json(struct run_file *r, struct heddle_diag *diag) {
    json_error_t error;
    FILE *f = fopen(r->path, "re");
    if (!f)
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s: a report of heddle run is expected: %s",
                           r->path, strerror(errno));
    r->root = json_loadf(f, 0, &error);
    fclose(f);
    return r->root ? HEDDLE_OK
                   : heddle_fail(diag, HEDDLE_ERR_IO, "%s:%d: %s", r->path, error.line, error.text);
}

heddle_err run_file_load(struct run_file *out, const char *name, struct heddle_diag *diag) {
    struct run_file r = {0};
    set_paths(&r, name);
    heddle_err e = read_json(&r, diag);
    if (!e) {
        r.run = json_object_get(r.root, "run");
        r.groups = json_object_get(r.root, "kernel_groups");
        if (!json_is_object(r.run) || !*run_text(r.run, "gpu") || !*run_text(r.run, "timing"))
            e = wrong(&r, " is no report of heddle run", diag);
        else if (!json_is_array(r.groups))
            e = wrong(&r,
                      ": 'kernel_groups' is missing: the report is of an older Heddle, run the "
                      "program again",
                      diag);
        else
            e = check_groups(&r, diag);
    }
    if (e)
        run_file_clear(&r);
    else
        *out = r;
    return e;
}

void run_file_clear(struct run_file *r) {
    g_free(r->path);
    g_free(r->directory);
    json_decref(r->root);
    *r = (struct run_file){0};
}

const char *run_text(const json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

double run_number(const json_t *o, const char *name) {
    const json_t *v = json_object_get(o, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

bool run_is_timed(const json_t *group) {
    return json_is_true(json_object_get(group, "timed")) && run_number(group, "cycles") > 0;
}

/* Appends three sizes, "8x4" for 8 x 4 x 1. */
static void put_sizes(GString *out, const json_t *list) {
    json_int_t size[3];
    unsigned n = 3;
    for (unsigned i = 0; i < 3; i++) size[i] = json_integer_value(json_array_get(list, i));
    while (n > 1 && size[n - 1] == 1) n--;
    for (unsigned i = 0; i < n; i++)
        g_string_append_printf(out, "%s%lld", i ? "x" : "", (long long)size[i]);
}

char *run_shape(const json_t *group) {
    GString *out = g_string_new(NULL);
    put_sizes(out, json_object_get(group, "grid"));
    g_string_append(out, " x ");
    put_sizes(out, json_object_get(group, "block"));
    if (json_is_true(json_object_get(group, "stopped"))) g_string_append(out, ", stopped");
    return g_string_free(out, FALSE);
}
