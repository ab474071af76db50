/* read_measured.c - reads times measured on the targets from a CSV file (--measured) and puts them
 * beside the projections; see read_measured.h. cmd_project.c calls read_measured() on the main
 * thread of `heddle project`. The lists of a reading are owned by read_measured(), which frees
 * them. Errors are HEDDLE_ERR_ARGUMENT with file and line in *diag unless a comment says
 * otherwise. */
#include "project/read_measured.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* The fields of a row. */
enum { NAME, LAUNCH, GPU, TIME, NUM_FIELDS };
static const char columns[] = "name,launch,gpu,us";

/* A time, and the line that gave it; 0: none did. */
struct given {
    double us;
    unsigned line;
};

/* A file while it is read. */
struct reading {
    const struct project_results *r;
    const char *path;
    unsigned line;
    GHashTable *launches; /* name -> GArray of indices of kernels */
    struct given *own;    /* [kernel * num_targets + target]: by rows of one launch */
    struct given *any;    /* the same, by rows of all launches */
    struct heddle_diag *diag;
};

#define FAIL(reading, ...) fail_at(reading, g_strdup_printf(__VA_ARGS__))

/* An error of the line that is read. Frees the text. */
static heddle_err fail_at(struct reading *m, char *text) {
    heddle_err e = heddle_fail(m->diag, HEDDLE_ERR_ARGUMENT, "%s:%u: %s", m->path, m->line, text);
    g_free(text);
    return e;
}

/* ---- rows */

/* Cuts the field at `from`, in place. @return what follows its comma, NULL behind the last field;
 * *good: its quotes are in order. */
static char *cut_field(char *from, char **field, bool *good) {
    *field = from;
    *good = true;
    if (*from != '"') {
        char *comma = strchr(from, ',');
        if (comma) *comma++ = '\0';
        return comma;
    }
    char *in = from + 1, *out = from;
    for (; *in && (*in != '"' || in[1] == '"'); in++) {
        if (*in == '"') in++; /* two stand for one */
        *out++ = *in;
    }
    *good = *in == '"' && (in[1] == ',' || !in[1]);
    char *next = *good && in[1] ? in + 2 : NULL;
    *out = '\0';
    return next;
}

/* Cuts a line into its fields, in place. @return an error also when there are more or fewer than
 * NUM_FIELDS. */
static heddle_err cut(struct reading *m, char *line, char *fields[NUM_FIELDS]) {
    unsigned count = 0;
    for (char *next = line; next; count++) {
        char *field;
        bool good;
        next = cut_field(next, &field, &good);
        if (!good) return FAIL(m, "a quote does not end, or text follows it");
        if (count < NUM_FIELDS) fields[count] = field;
    }
    if (count == NUM_FIELDS) return HEDDLE_OK;
    return FAIL(m, "%u fields, %d are expected: %s (a name with commas needs quotes)", count,
                NUM_FIELDS, columns);
}

/* *us: the microseconds of the text, above 0. */
static heddle_err read_time(struct reading *m, const char *text, double *us) {
    char *end;
    *us = g_ascii_strtod(text, &end);
    if (end != text && !*end && isfinite(*us) && *us > 0) return HEDDLE_OK;
    return FAIL(m, "'%s' is no time: microseconds above 0 are expected, such as 12.5", text);
}

/* Notes in `times` (m->own or m->any) the time of a kernel on a target, and the line. A second time
 * is an error. */
static heddle_err take(struct reading *m, struct given *times, size_t kernel, size_t target,
                       double us) {
    struct given *g = &times[kernel * m->r->num_targets + target];
    if (g->line)
        return FAIL(m, "the time of '%s' on %s is given twice, first in line %u",
                    m->r->kernels->at[kernel].name, m->r->targets[target]->name, g->line);
    *g = (struct given){us, m->line};
    return HEDDLE_OK;
}

/* Takes a row's time for a target: of one launch into m->own, of all launches of the name into
 * m->any. */
static heddle_err take_row(struct reading *m, char *const *fields, size_t target, double us) {
    const GArray *launches = g_hash_table_lookup(m->launches, fields[NAME]);
    heddle_err e = HEDDLE_OK;
    if (!launches) return FAIL(m, "the profile has no kernel '%s'", fields[NAME]);
    if (!*fields[LAUNCH]) {
        for (guint i = 0; i < launches->len && !e; i++)
            e = take(m, m->any, g_array_index(launches, size_t, i), target, us);
        return e;
    }
    guint64 launch;
    if (!g_ascii_string_to_unsigned(fields[LAUNCH], 10, 0, G_MAXUINT64, &launch, NULL))
        return FAIL(m, "'%s' is no launch: a whole number is expected, or nothing for all launches",
                    fields[LAUNCH]);
    for (guint i = 0; i < launches->len; i++) {
        size_t kernel = g_array_index(launches, size_t, i);
        if (m->r->kernels->at[kernel].launch == launch) return take(m, m->own, kernel, target, us);
    }
    return FAIL(m, "the profile has no launch %s of '%s'", fields[LAUNCH], fields[NAME]);
}

/* Reads a row. *some: it is of a target; is only ever set. Rows of other GPUs are counted in
 * *others. A GPU may be several targets. */
static heddle_err read_row(struct reading *m, char *line, struct measured_others *others,
                           bool *some) {
    char *fields[NUM_FIELDS];
    double us;
    heddle_err e = cut(m, line, fields);
    if (!e) e = read_time(m, fields[TIME], &us);
    bool target = false;
    for (size_t t = 0; t < m->r->num_targets && !e; t++) {
        if (strcmp(m->r->targets[t]->name, fields[GPU])) continue;
        target = *some = true;
        e = take_row(m, fields, t, us);
    }
    if (e || target) return e;
    if (!others->rows++) {
        others->line = m->line;
        snprintf(others->gpu, sizeof others->gpu, "%s", fields[GPU]);
    }
    return HEDDLE_OK;
}

/* ---- files */

/* GDestroyNotify of m->launches: frees a list. */
static void free_launches(gpointer array) {
    g_array_unref(array);
}

/* @return a table of the kernels' names, which it borrows, to lists of their indices; the caller
 * destroys it. */
static GHashTable *index_launches(const struct project_kernels *kernels) {
    GHashTable *index = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_launches);
    for (size_t i = 0; i < kernels->count; i++) {
        GArray *launches = g_hash_table_lookup(index, kernels->at[i].name);
        if (!launches) {
            launches = g_array_new(FALSE, FALSE, sizeof i);
            g_hash_table_insert(index, kernels->at[i].name, launches);
        }
        g_array_append_val(launches, i);
    }
    return index;
}

/* Reads the file: its first line must be `columns`; comments and empty lines are skipped. @return
 * also HEDDLE_ERR_IO: reading failed. */
static heddle_err read_lines(struct reading *m, FILE *f, struct measured_others *others) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    heddle_err e = HEDDLE_OK;
    bool header = false, some = false;
    while (!e && (n = getline(&line, &room, f)) >= 0) {
        m->line++;
        if (strlen(line) != (size_t)n)
            e = FAIL(m, "a byte is 0: the file is no text");
        else if (line[strcspn(line, "\r\n")] = '\0', !*line || *line == '#')
            continue;
        else if (header)
            e = read_row(m, line, others, &some);
        else if (strcmp(line, columns))
            e = FAIL(m, "the first line is expected to be %s", columns);
        header = true;
    }
    free(line);
    if (!e && ferror(f))
        e = heddle_fail(m->diag, HEDDLE_ERR_IO, "cannot read %s: %s", m->path, strerror(errno));
    if (!e && !some)
        e = heddle_fail(m->diag, HEDDLE_ERR_ARGUMENT,
                        "%s: no row is of a GPU that is projected to%s%s", m->path,
                        others->rows ? ", the first one is of " : "", others->gpu);
    return e;
}

/* Allocates r->measured_target and fills it: the time of a launch's own row, else that of its name,
 * else 0. Sets the totals of targets on which every projected launch has one, else 0. */
static void keep(const struct reading *m, struct project_results *r) {
    size_t count = r->kernels->count * r->num_targets;
    r->measured_target = heddle_alloc_array(count, sizeof(double), "measured times");
    for (size_t i = 0; i < count; i++)
        r->measured_target[i] = m->own[i].line ? m->own[i].us : m->any[i].us;
    for (size_t t = 0; t < r->num_targets; t++) {
        double sum = 0;
        bool all = r->kernels->count > r->num_refused;
        for (size_t i = 0; i < r->kernels->count; i++) {
            if (r->refused[i].err) continue;
            sum += project_measured(r, i, t);
            all &= project_measured(r, i, t) > 0;
        }
        r->total[t].measured_target_us = all ? sum : 0;
    }
}

/* Reads file `path` into r->measured_target, which project_results_clear() frees, and into the
 * measured totals. Call once. *others: rows of GPUs that are no target. @return HEDDLE_ERR_IO: the
 * file cannot be read; HEDDLE_ERR_ARGUMENT: a row is wrong, or none is of a target. r is then
 * unchanged. */
heddle_err read_measured(struct project_results *r, const char *path,
                         struct measured_others *others, struct heddle_diag *diag) {
    size_t count = r->kernels->count * r->num_targets;
    *others = (struct measured_others){0};
    FILE *f = fopen(path, "re");
    if (!f) return heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    struct reading m = {
        .r = r,
        .path = path,
        .launches = index_launches(r->kernels),
        .own = heddle_alloc_array(count, sizeof *m.own, "measured times"),
        .any = heddle_alloc_array(count, sizeof *m.any, "measured times"),
        .diag = diag,
    };
    heddle_err e = read_lines(&m, f, others);
    if (!e) keep(&m, r);
    g_hash_table_destroy(m.launches);
    free(m.own);
    free(m.any);
    fclose(f);
    return e;
}
