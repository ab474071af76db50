/* library_statistics.c - the figures of the library's GPUs and launches, by the names of
 * tables/statistics.def and tables/kernel_record.def. */
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "library/library.h"
#include "report/report_internal.h"

/* ---- statistics of a GPU */

static const struct {
    struct heddle_statistic row;
    const char *scope;
} statistics[] = {
#define STATISTIC(id, name, unit, scope, meaning) {{name, unit, meaning}, scope},
#include "tables/statistics.def"
};
enum { NUM_ROWS = sizeof statistics / sizeof *statistics };

/* Those that a GPU counts itself; the others are of programs. */
static bool is_of_gpu(unsigned row) {
    return strcmp(statistics[row].scope, "host") != 0;
}

static struct {
    pthread_once_t once;
    struct heddle_statistic row[NUM_ROWS];
    size_t count;
} of_gpu = {.once = PTHREAD_ONCE_INIT};

static void list_of_gpu(void) {
    for (unsigned i = 0; i < NUM_ROWS; i++)
        if (is_of_gpu(i)) of_gpu.row[of_gpu.count++] = statistics[i].row;
}

const struct heddle_statistic *heddle_gpu_statistics(size_t *count) {
    pthread_once(&of_gpu.once, list_of_gpu);
    if (count) *count = of_gpu.count;
    return of_gpu.row;
}

struct question {
    const char *name;
    uint64_t index;
    uint64_t *integer;
    double *number;
    const char **text;
};

static heddle_err gpu_value(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct question *q = arguments;
    for (unsigned i = 0; i < NUM_ROWS; i++) {
        if (!is_of_gpu(i) || strcmp(statistics[i].row.name, q->name)) continue;
        *q->integer = gpu_statistic(g->gpu, i);
        return gpu_settle(g->gpu, diag);
    }
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "a GPU has no statistic '%s' (heddle_gpu_statistics() lists them)", q->name);
}

heddle_err heddle_gpu_statistic(heddle_gpu *gpu, const char *name, uint64_t *value,
                                struct heddle_diag *diag) {
    struct question q = {.name = name, .integer = value};
    if (!name || !value) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "name or value is NULL");
    return library_call(gpu, gpu_value, &q, diag);
}

/* ---- launches that have ended */

void library_keep_record(void *user, const struct gpu_kernel_record *record) {
    struct heddle_gpu *g = user;
    if (record->stopped) return;
    g->records = heddle_grow(g->records, &g->cap_records, g->num_records + 1, sizeof *g->records,
                             "records of launches");
    struct gpu_kernel_record *r = &g->records[g->num_records];
    *r = *record;
    r->name = heddle_copy_text(record->name, "the name of a launch");
    r->code = NULL;
    const size_t bytes = record->num_special * sizeof *record->special;
    if (record->special)
        r->special = memcpy(heddle_alloc(bytes, "special operations"), record->special, bytes);
    g->num_records++;
}

void library_forget_records(struct heddle_gpu *g) {
    for (size_t i = 0; i < g->num_records; i++) {
        free((char *)(uintptr_t)g->records[i].name);
        free((struct exec_special *)(uintptr_t)g->records[i].special);
    }
    g->num_records = 0;
}

static heddle_err forget(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    (void)arguments, (void)diag;
    library_forget_records(g);
    return HEDDLE_OK;
}

heddle_err heddle_gpu_forget_launches(heddle_gpu *gpu, struct heddle_diag *diag) {
    return library_call(gpu, forget, NULL, diag);
}

static heddle_err count_launches(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    (void)diag;
    *(uint64_t *)arguments = g->num_records;
    return HEDDLE_OK;
}

heddle_err heddle_gpu_num_launches(heddle_gpu *gpu, uint64_t *count, struct heddle_diag *diag) {
    if (!count) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "count is NULL");
    return library_call(gpu, count_launches, count, diag);
}

/* The rows of kernel_record.def that are one number; by their form. */
#define AS_COUNT(x) x
#define AS_FLAG(x) x
#define AS_RATIO(x) x
#define AS_COLUMN(x) x
#define AS_NAME(x)
#define AS_HASH(x)
#define AS_SHAPE(x)
#define AS_SECONDS(x) /* of the host */
#define AS_OBJECT(x)
#define AS_SPECIAL(x)
#define AS_CODE(x)
#define AS_HIDDEN(x)
#define AS_PARTS(x)

static const struct heddle_statistic of_launch[] = {
#define ROW(name, unit, meaning) {name, unit, meaning},
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) \
    AS_##form(ROW(name, unit, meaning))
#define DERIVED(name, form, value, csv, unit, meaning) AS_##form(ROW(name, unit, meaning))
#include "tables/kernel_record.def"
};
enum { NUM_OF_LAUNCH = sizeof of_launch / sizeof *of_launch };

const struct heddle_statistic *heddle_launch_statistics(size_t *count) {
    if (count) *count = NUM_OF_LAUNCH;
    return of_launch;
}

/* The values of these rows. */
static void values_of(const struct report *r, const struct gpu_kernel_record *k,
                      double value[NUM_OF_LAUNCH]) {
    size_t n = 0;
#define VALUE(x) value[n++] = (double)(x);
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) AS_##form(VALUE(k->member))
#define DERIVED(name, form, x, csv, unit, meaning) AS_##form(VALUE(x))
#include "tables/kernel_record.def"
}

/* What derived values need of a report. */
static struct report report_of(const struct heddle_gpu *g) {
    return (struct report){.config = g->config, .timing = gpu_is_timed(g->gpu) ? "rtl" : "none"};
}

/* @return an error: there is no record of this index. */
static heddle_err check_index(const struct heddle_gpu *g, uint64_t index,
                              struct heddle_diag *diag) {
    if (index < g->num_records) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "launch %llu: the GPU has kept %zu launches that have ended",
                       (unsigned long long)index, g->num_records);
}

static heddle_err launch_value(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct question *q = arguments;
    const struct report r = report_of(g);
    double value[NUM_OF_LAUNCH];
    heddle_err e = check_index(g, q->index, diag);
    if (e) return e;
    for (size_t i = 0; i < NUM_OF_LAUNCH; i++) {
        if (strcmp(of_launch[i].name, q->name)) continue;
        values_of(&r, &g->records[q->index], value);
        *q->number = value[i];
        return HEDDLE_OK;
    }
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "a launch has no figure '%s' (heddle_launch_statistics() lists them)",
                       q->name);
}

heddle_err heddle_launch_statistic(heddle_gpu *gpu, uint64_t index, const char *name, double *value,
                                   struct heddle_diag *diag) {
    struct question q = {.name = name, .index = index, .number = value};
    if (!name || !value) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "name or value is NULL");
    return library_call(gpu, launch_value, &q, diag);
}

/* The members of a launch's object, and those that tell of the host, which it is not to have. */
enum {
    ALL_MEMBERS = 0
#define ONE(x) +1
#define SHOWN_COUNT 1
#define SHOWN_FLAG 1
#define SHOWN_RATIO 1
#define SHOWN_NAME 1
#define SHOWN_HASH 1
#define SHOWN_SHAPE 1
#define SHOWN_SECONDS 1
#define SHOWN_OBJECT 1
#define SHOWN_SPECIAL 1
#define SHOWN_COLUMN 0
#define SHOWN_CODE 0
#define SHOWN_HIDDEN 0
#define SHOWN_PARTS 0
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) +SHOWN_##form
#define DERIVED(name, form, value, csv, unit, meaning) +SHOWN_##form
#include "tables/kernel_record.def"
};

static heddle_err launch_json(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct question *q = arguments;
    const struct report r = report_of(g);
    heddle_err e = check_index(g, q->index, diag);
    if (e) return e;
    json_t *o = report_kernel_object(&r, &g->records[q->index]);
    const bool whole = json_object_size(o) == ALL_MEMBERS; /* else memory is out */
    json_object_del(o, "wall_s");
    free(g->json);
    g->json = whole ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(o);
    if (!g->json) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of host memory for a launch");
    *q->text = g->json;
    return HEDDLE_OK;
}

heddle_err heddle_launch_json(heddle_gpu *gpu, uint64_t index, const char **text,
                              struct heddle_diag *diag) {
    struct question q = {.index = index, .text = text};
    if (!text) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "text is NULL");
    *text = NULL;
    return library_call(gpu, launch_json, &q, diag);
}
