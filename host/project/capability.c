/* capability.c - reads a GPU's capabilities (rates and properties) from its file and answers for
 * them; see capability.h. project_input.c, measure.c and capability_page.c load GPUs on the main
 * thread of `heddle`; nothing changes a GPU that capability_load() returned. Errors are
 * HEDDLE_ERR_CONFIG with a text in diag; out of memory ends the process. */
#include "project/capability.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nearest.h"

/* A line that a file may have: a rate's peak, its max, or a property. */
struct row {
    const char *key, *unit, *meaning;
    double scale, min, max;
    bool must;
    size_t offset; /* of its struct capability_value */
};

#define PLACE(member) offsetof(struct capability, member)
/* A rate's greatest value in its own unit: no GPU comes near it. */
static const double most = 1e6;
static const struct row rows[] = {
#define RATE(id, key, unit, scale, meaning)                                      \
    {key "_peak", unit, meaning, scale, 0, most, false, PLACE(peak[RATE_##id])}, \
        {key "_max", unit, meaning, scale, 0, most, false, PLACE(max[RATE_##id])},
#include "tables/capabilities.def"
#define MUST true
#define MAY false
#define PROPERTY(id, key, unit, min, max, need, meaning) \
    {key, unit, meaning, 1, min, max, need, PLACE(property[GPU_##id])},
#include "tables/capabilities.def"
#undef MUST
#undef MAY
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

static const char *rate_keys[NUM_RATES] = {
#define RATE(id, key, unit, scale, meaning) key,
#include "tables/capabilities.def"
};

static const char *key_of(const void *user, unsigned i) {
    (void)user;
    return rows[i].key;
}

static struct capability_value *value_of(struct capability *c, const struct row *r) {
    return (struct capability_value *)((char *)c + r->offset);
}

/* The value of a row, or NULL where it is not known. */
static const struct capability_value *known_value(const struct capability *c, const struct row *r) {
    const struct capability_value *v = (const struct capability_value *)((const char *)c +
                                                                         r->offset);
    return v->known ? v : NULL;
}

/* Takes a line of a GPU's file into the struct capability `user`: checks it and stores its value
 * (rates in SI units) and remark, or the GPU's title or model. An ini_take_fn: ini_read() calls it
 * for each line of a file, and read_figures.c for each figure of a benchmark, on the same thread.
 * @return HEDDLE_ERR_CONFIG, with line->where: unknown key, no number, out of range, or a wrong
 * remark. */
heddle_err capability_take(void *user, const struct ini_line *line, struct heddle_diag *diag) {
    struct capability *c = user;
    if (!strcmp(line->key, "gpu.name")) {
        snprintf(c->title, sizeof c->title, "%s", line->value);
        return HEDDLE_OK;
    }
    if (!strcmp(line->key, "gpu.model")) {
        snprintf(c->model, sizeof c->model, "%s", strcmp(line->value, "none") ? line->value : "");
        return HEDDLE_OK;
    }
    const struct row *r = rows;
    while (r < rows + NUM_ROWS && strcmp(r->key, line->key)) r++;
    if (r == rows + NUM_ROWS)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: unknown key '%s', did you mean '%s'?",
                           line->where, line->key, nearest_name(line->key, key_of, NULL, NUM_ROWS));
    char *end;
    errno = 0;
    double number = strtod(line->value, &end);
    if (end == line->value || *end || errno || !isfinite(number))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s is not a number", line->where,
                           line->key, line->value);
    if (number < r->min || number > r->max)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s = %s is out of range: %.15g to %.15g %s", line->where, line->key,
                           line->value, r->min, r->max, r->unit);
    if (!line->remark)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s has no remark '; unit | status | source'", line->where,
                           line->key);
    struct capability_value *v = value_of(c, r);
    v->value = number * r->scale;
    v->known = true;
    return ini_read_remark(line, r->unit, &v->remark, diag);
}

/* Checks that the GPU has a name and every property that the table requires. @return
 * HEDDLE_ERR_CONFIG; its text begins with `where`. */
heddle_err capability_check(const struct capability *c, const char *where,
                            struct heddle_diag *diag) {
    for (const struct row *r = rows; r < rows + NUM_ROWS; r++)
        if (r->must && !known_value(c, r))
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: '%s' is missing (%s, in %s)", where,
                               r->key, r->meaning, r->unit);
    if (!*c->title) return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: 'gpu.name' is missing", where);
    return HEDDLE_OK;
}

/* Writes the name of a file without folder and extension: "dir/a100-80.ini" gives "a100-80". */
static void short_name(char *name, size_t size, const char *path) {
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    snprintf(name, size, "%.*s", (int)(dot ? dot - from : (long)strlen(from)), from);
}

/* Reads `gpu`, a name in `directory` or a file's path, into a new *out, which capability_free()
 * frees, and checks that nothing required is missing. @return HEDDLE_ERR_CONFIG; *out is then
 * NULL. */
heddle_err capability_load(struct capability **out, const char *gpu, const char *directory,
                           struct heddle_diag *diag) {
    const struct ini_kind kind = {.name = "GPU", .directory = directory};
    char path[512];
    struct capability *c = heddle_alloc(sizeof *c, "a GPU's capabilities");
    *out = NULL;
    ini_path(path, sizeof path, gpu, &kind);
    short_name(c->name, sizeof c->name, path);
    heddle_err e = ini_read(gpu, &kind, capability_take, c, diag);
    if (!e) e = capability_check(c, path, diag);
    if (e)
        capability_free(c);
    else
        *out = c;
    return e;
}

/* Loads the files of `directory` in order of their names until one says that `model` of models/gpus
 * simulates the GPU: *out, which the caller frees. @return HEDDLE_ERR_CONFIG, with *out NULL: no
 * file names the model, one before it is wrong, or the directory cannot be read. */
heddle_err capability_load_model(struct capability **out, const char *model, const char *directory,
                                 struct heddle_diag *diag) {
    struct dirent **entry = NULL;
    int n = scandir(directory, &entry, capability_is_file, alphasort);
    heddle_err e = HEDDLE_OK;
    *out = NULL;
    if (n < 0)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "cannot read %s: %s", directory,
                           strerror(errno));
    for (int i = 0; i < n; i++) {
        char path[600];
        struct capability *c = NULL;
        snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
        if (!e && !*out) e = capability_load(&c, path, directory, diag);
        if (c && !strcmp(c->model, model))
            *out = c;
        else
            capability_free(c);
        free(entry[i]);
    }
    free(entry);
    if (e || *out) return e;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "no file of %s has 'model = %s': say with --from on which GPU the run was",
                       directory, model);
}

/* Filter of scandir(). @return 1: the entry's name ends in .ini. */
int capability_is_file(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".ini");
}

void capability_free(struct capability *c) {
    free(c);
}

/* @return the rate's key in the table, such as "fp32.fma": static text. */
const char *capability_rate_key(enum capability_rate r) {
    return rate_keys[r];
}

/* @return the share of a peak that the board's power leaves: clock.power over clock.boost for
 * arithmetic, where it is known, else 1. */
static double power_share(const struct capability *gpu, enum capability_rate r) {
    const struct capability_value *of = gpu->property;
    bool arithmetic = r <= RATE_INT32;
    return arithmetic && of[GPU_CLOCK_POWER].known
               ? fmin(1, of[GPU_CLOCK_POWER].value / of[GPU_CLOCK].value)
               : 1;
}

/* @return the rate that programs reach on `gpu`, SI units: its max, else its peak times max over
 * peak of `source`, at most what its power leaves, else its peak, else 0; *origin says which. */
double capability_rate(const struct capability *gpu, const struct capability *source,
                       enum capability_rate r, enum capability_origin *origin) {
    if (gpu->max[r].known) {
        *origin = ORIGIN_MEASURED;
        return gpu->max[r].value;
    }
    if (!gpu->peak[r].known) {
        *origin = ORIGIN_NONE;
        return 0;
    }
    bool ratio = source->max[r].known && source->peak[r].known && source->peak[r].value > 0;
    *origin = ratio ? ORIGIN_RATIO : ORIGIN_PEAK;
    double reached = ratio ? source->max[r].value / source->peak[r].value : 1;
    return gpu->peak[r].value * fmin(reached, power_share(gpu, r));
}

/* @return the property in the unit of the table, or `otherwise` where it is not known. */
double capability_property(const struct capability *gpu, enum capability_property p,
                           double otherwise) {
    return gpu->property[p].known ? gpu->property[p].value : otherwise;
}

/* Prints to `out` every known value with unit, status and source. */
void capability_print(const struct capability *gpu, FILE *out) {
    fprintf(out, "# %s: %s\n", gpu->name, gpu->title);
    for (const struct row *r = rows; r < rows + NUM_ROWS; r++) {
        const struct capability_value *v = known_value(gpu, r);
        if (v)
            fprintf(out, "%-26s = %-10.6g ; %s | %s | %s\n", r->key, v->value / r->scale, r->unit,
                    v->remark.status, v->remark.source);
    }
}

/* Prints to `out` the sections of a file that capability_load() reads as the same GPU; errors of
 * `out` are the caller's to check. [gpu] comes first, so that the properties of that section follow
 * the name. The table has the rows of a section together. */
void capability_write(const struct capability *gpu, FILE *out) {
    char section[64] = "gpu";
    fprintf(out, "\n[gpu]\nname = %s\n", gpu->title);
    if (*gpu->model) fprintf(out, "model = %s\n", gpu->model);
    for (int rates = 0; rates < 2; rates++) { /* properties, then rates */
        for (const struct row *r = rows; r < rows + NUM_ROWS; r++) {
            const struct capability_value *v = known_value(gpu, r);
            int length = (int)strcspn(r->key, ".");
            if (!v || (r < rows + 2 * NUM_RATES) != rates) continue;
            if (strncmp(section, r->key, (size_t)length) || section[length]) {
                snprintf(section, sizeof section, "%.*s", length, r->key);
                fprintf(out, "\n[%s]\n", section);
            }
            fprintf(out, "%s = %.12g ; %s | %s | %s\n", r->key + length + 1, v->value / r->scale,
                    r->unit, v->remark.status, v->remark.source);
        }
    }
}
