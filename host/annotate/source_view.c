/* source_view.c - makes the view of a run: reads report.json, lets the files beside it be read
 * (view_code.c, view_counts.c), and finds kernels by name; contracts in source_view.h. */
#include "annotate/source_view.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/view_internal.h"
#include "common/memory.h"
#include "common/readable_name.h"

/* ---- report.json */

/* A report.json that is being read. */
struct report_file {
    char *path;
    json_t *root;
};

/* Whether an object has the member as an integer that is not negative. */
static bool get_count(const json_t *o, const char *name, uint64_t *out) {
    const json_t *n = json_object_get(o, name);
    if (!json_is_integer(n) || json_integer_value(n) < 0) return false;
    *out = (uint64_t)json_integer_value(n);
    return true;
}

/* Finds the directory of a run and reads its report.json. */
static heddle_err read_json(struct source_view *v, const char *run, struct report_file *r,
                            struct heddle_diag *diag) {
    struct stat st;
    json_error_t error;
    const size_t size = strlen(run) + 20;
    char *path = arena_alloc(v->arena, size), *directory = view_text(v, run);
    const size_t n = strlen(directory);
    const bool is_file = stat(run, &st) == 0 && S_ISREG(st.st_mode);
    if (is_file) {
        char *slash = strrchr(directory, '/');
        if (slash) *slash = 0;
        if (!slash) strcpy(directory, n ? "." : "");
        snprintf(path, size, "%s", run);
    } else {
        while (n > 1 && strlen(directory) > 1 && directory[strlen(directory) - 1] == '/')
            directory[strlen(directory) - 1] = 0;
        snprintf(path, size, "%s/report.json", directory);
    }
    v->directory = directory;
    r->path = path;
    if (!is_file && (stat(path, &st) || !S_ISREG(st.st_mode)))
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "cannot read %s: %s; give the report directory of a `heddle run`", path,
                           errno && errno != ENOTDIR ? strerror(errno) : "it is no regular file");
    r->root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!r->root)
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s is damaged: line %d: %s", path, error.line,
                           error.text);
    return HEDDLE_OK;
}

/* What the report says of a file beside it. */
static bool get_expected(const struct report_file *r, const char *name, struct view_expected *out) {
    const json_t *o = json_object_get(r->root, name);
    const char *sum = json_string_value(json_object_get(o, "crc32c"));
    char *end;
    if (!sum || !get_count(o, "rows", &out->rows)) return false;
    out->sum = (uint32_t)strtoul(sum, &end, 16);
    return *sum && !*end;
}

/* Adds what the report says of launches of one shape to their kernel. */
static void add_group(struct source_kernel *k, const json_t *o) {
    uint64_t n = 0, cycles = 0;
    const uint64_t before = k->launches;
    const json_t *occupancy = json_object_get(o, "occupancy");
    uint32_t grid[3], block[3];
    for (size_t i = 0; i < 3; i++) {
        grid[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(o, "grid"), i));
        block[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(o, "block"), i));
    }
    if (get_count(o, "launches", &n)) k->launches += n;
    if (json_is_true(json_object_get(o, "stopped"))) {
        uint64_t done = 0;
        get_count(o, "ctas_done", &done);
        k->stopped += n;
        k->ctas_done += done;
        k->ctas += n * grid[0] * grid[1] * grid[2];
    }
    if (get_count(o, "cycles", &cycles)) k->cycles += cycles;
    if (get_count(o, "time_ps", &n)) k->time_ps += n;
    if (get_count(o, "sub_core_cycles", &n)) k->sub_core_cycles += n;
    const json_t *theoretical = json_object_get(occupancy, "theoretical");
    const json_t *achieved = json_object_get(occupancy, "achieved");
    if (before) {
        k->shapes |= memcmp(grid, k->grid, sizeof grid) || memcmp(block, k->block, sizeof block);
    } else {
        memcpy(k->grid, grid, sizeof grid);
        memcpy(k->block, block, sizeof block);
        k->theoretical_occupancy = json_is_number(theoretical) ? json_number_value(theoretical)
                                                               : NAN;
        k->occupancy = 0;
    }
    /* on average over the cycles of the launches */
    const uint64_t all = k->cycles, own = cycles;
    const double here = json_is_number(achieved) ? json_number_value(achieved) : NAN;
    if (all) k->occupancy = (k->occupancy * (double)(all - own) + here * (double)own) / (double)all;
}

/* Takes the figures of the kernels from the report. */
static heddle_err read_groups(struct source_view *v, const struct report_file *r,
                              struct heddle_diag *diag) {
    size_t i;
    const json_t *o;
    json_array_foreach(json_object_get(r->root, "kernel_groups"), i, o) {
        uint64_t code;
        if (!get_count(o, "code", &code)) continue; /* null: not counted */
        const char *name = json_string_value(json_object_get(o, "name"));
        if (code >= v->num_kernels || !name || strcmp(name, v->kernel[code].name))
            return heddle_fail(diag, HEDDLE_ERR_IO,
                               "%s is damaged: kernel_groups[%zu] is none of the kernels of "
                               "code.txt.zst",
                               r->path, i);
        if (json_is_true(json_object_get(o, "timed")) &&
            !json_is_true(json_object_get(o, "estimated")))
            add_group(&v->kernel[code], o);
    }
    return HEDDLE_OK;
}

/* Why a run without counts has none. */
static heddle_err nothing(const struct source_view *v, const struct report_file *r,
                          struct heddle_diag *diag) {
    const json_t *run = json_object_get(r->root, "run");
    const char *timing = json_string_value(json_object_get(run, "timing"));
    if (timing && !strcmp(timing, "none"))
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "%s: the run was not timed (--timing none): nothing of its instructions "
                           "is known",
                           v->directory);
    return heddle_fail(diag, HEDDLE_ERR_IO,
                       "%s: the run counted no instructions: it had --no-instruction-counts or "
                       "checkpoints, or timed no kernel",
                       v->directory);
}

/* Most time first; of equal times the one that came first. */
static int compare_kernels(const void *a, const void *b) {
    const struct source_kernel *x = a, *y = b;
    if (x->time_ps != y->time_ps) return x->time_ps > y->time_ps ? -1 : 1;
    return x->of_code < y->of_code ? -1 : 1;
}

static heddle_err read_all(struct source_view *v, struct report_file *r, struct heddle_diag *diag) {
    struct view_expected code, counts;
    const json_t *run = json_object_get(r->root, "run");
    const char *program = json_string_value(json_object_get(run, "program"));
    const char *gpu = json_string_value(json_object_get(run, "gpu"));
    if (!program || !gpu || !json_object_get(r->root, "kernel_groups"))
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s is not the report of a `heddle run`", r->path);
    if (!get_expected(r, "code_file", &code) || !get_expected(r, "instructions_file", &counts))
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "%s has no code_file and instructions_file: an older Heddle wrote it; "
                           "run the program again",
                           r->path);
    v->program = view_text(v, program);
    v->gpu = view_text(v, gpu);
    v->has_waits = json_is_true(
        json_object_get(json_object_get(r->root, "instructions_file"), "issues"));
    heddle_err e = counts.rows ? view_read_code(v, &code, diag) : nothing(v, r, diag);
    if (!e) e = view_read_counts(v, &counts, diag);
    if (!e) e = read_groups(v, r, diag);
    if (e) return e;
    for (uint32_t i = 0; i < v->num_kernels; i++) v->kernel[i].of_code = i;
    qsort(v->kernel, v->num_kernels, sizeof *v->kernel, compare_kernels);
    for (uint32_t i = 0; i < v->num_kernels; i++) view_make_lines(v, &v->kernel[i]);
    return HEDDLE_OK;
}

heddle_err source_view_read(struct source_view **out, const char *run, struct heddle_diag *diag) {
    struct source_view *v = heddle_alloc(sizeof *v, "a view of a run");
    struct report_file r = {0};
    *out = NULL;
    v->arena = heddle_alloc(sizeof *v->arena, "a view of a run");
    arena_init(v->arena);
    heddle_err e = read_json(v, run, &r, diag);
    if (!e) e = read_all(v, &r, diag);
    json_decref(r.root);
    if (e)
        source_view_free(v);
    else
        *out = v;
    return e;
}

void source_view_free(struct source_view *v) {
    if (!v) return;
    arena_free(v->arena);
    free(v->arena);
    free(v->kernel);
    free(v->module);
    free(v->file);
    free(v);
}

/* ---- finding */

uint32_t source_view_find(const struct source_view *v, const char *name, uint32_t *found) {
    char *end;
    uint32_t n = 0;
    errno = 0;
    const unsigned long number = strtoul(name, &end, 10);
    if (isdigit((unsigned char)*name) && !*end && !errno) {
        if (number < v->num_kernels) found[n++] = (uint32_t)number;
        return n;
    }
    for (readable_fit fit = READABLE_WHOLE; fit > READABLE_NOT && !n; fit--)
        for (uint32_t i = 0; i < v->num_kernels; i++)
            if (readable_name_fit(v->kernel[i].symbol, v->kernel[i].name, name) == fit)
                found[n++] = i;
    return n;
}
