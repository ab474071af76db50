/* read_run.c - reads the report of a `heddle run` (report.json) as a profile: its timed launches
 * with their curves and special operations, and the timeline; see read_run.h. project_input.c calls
 * read_run() on the main thread of `heddle project`. Every number that it takes must be there.
 * Errors are HEDDLE_ERR_ARGUMENT with file and place in *diag; r->e keeps the first one, and the
 * functions that return no error go on after it, with 0. */
#include "project/read_run.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/packed_lines.h"
#include "project/isa.h"

enum { SECTOR = 32 }; /* bytes */

/* A report while it is read. */
struct reading {
    const char *path;
    struct heddle_diag *diag;
    heddle_err e;            /* the first error */
    const char *list;        /* that is read: "kernels", "copies" */
    size_t index;            /* in it */
    double sms;              /* of the GPU */
    size_t untimed, stopped; /* stopped: those of them that were timed, not to their end */
};

/* Records an error of the launch or copy that is read, unless there is one. @return the first
 * error. */
static heddle_err fail(struct reading *r, const char *name, const char *what) {
    if (r->e) return r->e;
    return r->e = heddle_fail(r->diag, HEDDLE_ERR_ARGUMENT, "%s: %s[%zu].%s: %s", r->path, r->list,
                              r->index, name, what);
}

/* A number of an object, or 0 and an error. */
static double number(struct reading *r, const json_t *o, const char *name) {
    const json_t *v = json_object_get(o, name);
    if (!json_is_number(v)) fail(r, name, "a number is expected");
    double x = json_number_value(v);
    if (x < 0) fail(r, name, "it is negative");
    return x;
}

/* The product of a list of three numbers, as grid and block are. */
static double volume(struct reading *r, const json_t *o, const char *name) {
    const json_t *list = json_object_get(o, name);
    double product = 1;
    if (json_array_size(list) != 3) fail(r, name, "three numbers are expected");
    for (size_t i = 0; i < 3; i++) product *= fmax(0, json_number_value(json_array_get(list, i)));
    if (product <= 0) fail(r, name, "it is empty");
    return product;
}

/* A truth value of an object, or false and an error. */
static bool flag(struct reading *r, const json_t *o, const char *name) {
    const json_t *v = json_object_get(o, name);
    if (!json_is_boolean(v)) fail(r, name, "true or false is expected");
    return json_is_true(v);
}

/* Metrics that report.json has under a name of its own, and how many of the metric's units one of
 * its units is. */
static const struct {
    enum project_metric metric;
    const char *name;
    double scale;
} numbers[] = {
    {METRIC_REGISTERS, "registers", 1},
    {METRIC_CTA_SHARED, "shared_bytes", 1},
    {METRIC_WARP_INST, "warp_instructions", 1},
    {METRIC_THREAD_INST, "thread_instructions", 1},
    {METRIC_L1_BYTES, "l1_accesses", SECTOR},
    {METRIC_L2_BYTES, "l2_accesses", SECTOR},
    {METRIC_DRAM_READ, "dram_read_bytes", 1},
    {METRIC_DRAM_WRITE, "dram_write_bytes", 1},
    {METRIC_SHARED_BYTES, "shared_traffic_bytes", 1},
    {METRIC_SHARED_PASSES, "shared_passes", 1},
    {METRIC_L1_REQUESTS, "l1_requests", 1},
    {METRIC_L1_LINES, "l1_lines", 1},
    {METRIC_MEMORY_WAITS, "memory_waits", 1},
    {METRIC_ATOMIC_TURNS, "atomic_turns", 1},
};

/* Metrics in the object "operations", under the metric's name. */
static const enum project_metric operations[] = {
    METRIC_FP16_ADD,    METRIC_FP16_MUL, METRIC_FP16_FMA, METRIC_FP32_ADD, METRIC_FP32_MUL,
    METRIC_FP32_FMA,    METRIC_FP64_ADD, METRIC_FP64_MUL, METRIC_FP64_FMA, METRIC_TENSOR_FP16,
    METRIC_TENSOR_FP64, METRIC_INTEGER,  METRIC_SPECIAL,
};

/* A curve of a launch. */
struct curve {
    const char *name;         /* of the object */
    const char *read, *write; /* of its lists of bytes; write may be NULL */
};

/* A number of the list `name` in a curve, or 0 and an error. */
static double curve_number(struct reading *r, const struct curve *c, const json_t *curve,
                           const char *name, size_t i) {
    const json_t *v = json_array_get(json_object_get(curve, name), i);
    if (!json_is_number(v) || json_number_value(v) < 0) fail(r, c->name, "it is malformed");
    return json_number_value(v);
}

/* Reads the traffic behind caches of other capacities into the list *points of *count elements,
 * which it allocates and the profile owns. Without a curve, sets neither. */
static void read_curve(struct reading *r, const json_t *launch, const struct curve *c,
                       struct project_cache_point **points, size_t *count) {
    const json_t *curve = json_object_get(launch, c->name);
    size_t n = json_array_size(json_object_get(curve, "capacity_bytes"));
    if (n && (json_array_size(json_object_get(curve, c->read)) != n ||
              (c->write && json_array_size(json_object_get(curve, c->write)) != n)))
        fail(r, c->name, "it is malformed");
    if (!n) {
        fail(r, c->name, "it is missing: the report is of an older Heddle, run the program again");
        return;
    }
    struct project_cache_point *p = heddle_alloc_array(n, sizeof *p, "a curve of a cache");
    *points = p;
    *count = n;
    for (size_t i = 0; i < n; i++) {
        p[i] = (struct project_cache_point){
            .capacity = curve_number(r, c, curve, "capacity_bytes", i),
            .read = curve_number(r, c, curve, c->read, i),
            .write = c->write ? curve_number(r, c, curve, c->write, i) : 0};
        if (p[i].capacity <= (i ? p[i - 1].capacity : 0))
            fail(r, c->name, "its capacities do not grow");
    }
}

/* Reads both curves of a launch, and the capacity of its own L1. */
static void read_curves(struct reading *r, const json_t *launch, struct project_kernel *k) {
    static const struct curve l1 = {"l1_curve", "bytes", NULL};
    static const struct curve l2 = {"l2_curve", "read_bytes", "write_bytes"};
    read_curve(r, launch, &l2, &k->l2, &k->num_l2);
    read_curve(r, launch, &l1, &k->l1, &k->num_l1);
    k->own_l1 = json_number_value(json_object_get(json_object_get(launch, l1.name), "own_bytes"));
    if (k->own_l1 <= 0) fail(r, l1.name, "it is malformed");
}

/* Reads the special operations that the kernel executed into its list, which it allocates and the
 * profile owns. Forms point into the table of isa.h. */
static void read_special(struct reading *r, const json_t *launch, struct project_kernel *k) {
    const json_t *list = json_object_get(launch, "special"), *o;
    size_t i;
    if (!json_is_array(list)) {
        fail(r, "special",
             "it is missing: the report is of an older Heddle, run the program again");
        return;
    }
    k->special = heddle_alloc_array(json_array_size(list), sizeof *k->special,
                                    "special operations");
    k->special_known = true;
    json_array_foreach(list, i, o) {
        const char *form = json_string_value(json_object_get(o, "form"));
        const struct isa_expansion *row = form ? isa_find(form, ISA_HEDDLE, SASS_FAST) : NULL;
        if (!row) {
            fail(r, "special",
                 "a form is not in this Heddle's table: the report is of another Heddle, run the "
                 "program again");
            return;
        }
        k->special[k->num_special++] = (struct isa_execution){.form = row->form,
                                                              .threads = number(r, o, "threads"),
                                                              .slow = number(r, o, "slow_threads"),
                                                              .warps = number(r, o, "warps")};
    }
}

/* Sets the shares of memory and shared memory in the time that warps wait for results: the parts of
 * the CPI stack that more warps would hide. Leaves both unknown where that time is 0. */
static void set_waits(struct project_kernel *k, const json_t *stack) {
    static const char *const causes[] = {"memory", "shared", "stall", "sfu"};
    double sum = 0, part[sizeof causes / sizeof *causes];
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        sum += part[i] = json_number_value(json_object_get(stack, causes[i]));
    if (sum <= 0) return;
    project_set(k, METRIC_MEMORY_WAIT, part[0] / sum);
    project_set(k, METRIC_SHARED_WAIT, part[1] / sum);
}

/* Makes a step of the timeline from a launch or copy; its times are the run's own, us. */
static struct project_step step_of(struct reading *r, const json_t *o,
                                   enum project_step_kind kind) {
    return (struct project_step){.kind = kind,
                                 .device = (uint32_t)number(r, o, "device"),
                                 .stream = (uint32_t)number(r, o, "stream"),
                                 .begin_us = number(r, o, "start_ps") * 1e-6,
                                 .end_us = number(r, o, "end_ps") * 1e-6};
}

/* Adds a copy or fill to the timeline. @return r->e. */
static heddle_err read_copy(struct reading *r, const json_t *copy, struct project_kernels *out) {
    static const struct {
        const char *name;
        enum project_step_kind kind;
    } kinds[] = {{"host to device", STEP_TO_DEVICE},
                 {"device to host", STEP_TO_HOST},
                 {"device to device", STEP_DEVICE},
                 {"fill", STEP_FILL}};
    const char *name = json_string_value(json_object_get(copy, "kind"));
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name)) continue;
        struct project_step step = step_of(r, copy, kinds[i].kind);
        step.bytes = number(r, copy, "bytes");
        project_steps_add(out, &step);
        return r->e;
    }
    return fail(r, "kind", "the kind of a copy is expected");
}

/* @return whether the launch has matrix instructions that no metric counts: of TF32, which has a
 * rate of its own, or of integers, which `operations` leaves out. */
static bool has_other_tensor(struct reading *r, const json_t *launch, const json_t *counts) {
    const json_t *mix = json_object_get(launch, "instruction_mix");
    double counted = number(r, counts, "tensor_fp16") + number(r, counts, "tensor_fp64");
    return number(r, counts, "tensor_tf32") > 0 || (number(r, mix, "tensor") > 0 && counted == 0);
}

/* Adds a timed launch with its metrics to *out, and its step to the timeline; counts one that was
 * not timed, or not to its end, in r->untimed. An estimate of --sample is an error.
 * @return r->e. */
static heddle_err read_launch(struct reading *r, const json_t *launch,
                              struct project_kernels *out) {
    const char *name = json_string_value(json_object_get(launch, "name"));
    if (!name) return fail(r, "name", "a text is expected");
    const bool timed = flag(r, launch, "timed");
    const bool stopped = json_is_true(json_object_get(launch, "stopped"));
    if (!timed || stopped) {
        r->untimed++;
        r->stopped += timed;
        return r->e;
    }
    if (flag(r, launch, "estimated"))
        return fail(r, "estimated",
                    "the launch is an estimate without counters: run the program "
                    "again without --sample");
    struct project_kernel *k = project_kernels_add(out, name,
                                                   (uint64_t)number(r, launch, "launch"));
    double ps = number(r, launch, "end_ps") - number(r, launch, "start_ps");
    double cycles = number(r, launch, "cycles"), overhead = number(r, launch, "launch_cycles");
    if (cycles <= 0) return fail(r, "cycles", "it took no time");
    struct project_step step = step_of(r, launch, STEP_KERNEL);
    step.kernel = out->count - 1;
    project_steps_add(out, &step);
    project_set(k, METRIC_TIME, ps * 1e-6);
    project_set(k, METRIC_LAUNCH, ps * 1e-6 * overhead / cycles);
    if (cycles > overhead)
        project_set(k, METRIC_RESIDENT_WARPS,
                    number(r, launch, "warp_cycles") / r->sms / (cycles - overhead));
    read_curves(r, launch, k);
    read_special(r, launch, k);
    set_waits(k, json_object_get(launch, "cpi_stack"));
    project_set(k, METRIC_CTAS, volume(r, launch, "grid"));
    project_set(k, METRIC_CTA_THREADS, volume(r, launch, "block"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        project_set(k, numbers[i].metric, number(r, launch, numbers[i].name) * numbers[i].scale);
    const json_t *counts = json_object_get(launch, "operations");
    if (!counts)
        return fail(r, "operations",
                    "it is missing: the report is of an older Heddle, run the "
                    "program again");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        project_set(k, operations[i], number(r, counts, project_metric_rows[operations[i]].name));
    if (has_other_tensor(r, launch, counts)) {
        k->of[METRIC_TENSOR_FP16] = 0;
        k->known[METRIC_TENSOR_FP16] = false;
    }
    return r->e;
}

/* ---- lists that report.json has in part: a run of many launches or copies. All of them are in a
 * compressed file beside it. */

/* The number of the column `name`, by a CSV file's head; that of columns if there is none. */
static unsigned column_of(const char *head, const char *name) {
    const size_t n = strlen(name);
    unsigned column = 0;
    for (const char *at = head; *at; column++) {
        const size_t length = strcspn(at, ",");
        if (length == n && !strncmp(at, name, n)) return column;
        at += length + (at[length] != '\0');
    }
    return column;
}

/* Opens the file that member `name` of the report describes, behind its head; *device: the number
 * of its column of that name. @return NULL: r->e. */
static struct packed_reader *open_file(struct reading *r, const json_t *file, unsigned *device) {
    char path[600];
    char *line = NULL;
    struct packed_reader *reader = NULL;
    const char *slash = strrchr(r->path, '/');
    const char *name = json_string_value(json_object_get(file, "name"));
    if (!name || strchr(name, '/') || strlen(name) > 60) {
        r->e = heddle_fail(r->diag, HEDDLE_ERR_ARGUMENT,
                           "%s: it lists a part of the %s, and names no file that has all: run the "
                           "program again",
                           r->path, r->list);
        return NULL;
    }
    snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - r->path), r->path, name);
    r->e = packed_reader_open(&reader, path, r->diag);
    if (!r->e) r->e = packed_reader_line(reader, &line, r->diag);
    *device = !r->e && line ? column_of(line, "device") : 0;
    return reader;
}

/* At the end of the file: checks that it is the one that belongs to the report, and closes it. */
static void close_file(struct reading *r, struct packed_reader *reader, const json_t *file) {
    char sum[16];
    const char *want = json_string_value(json_object_get(file, "crc32c"));
    uint64_t rows = reader ? packed_reader_lines(reader) - 1 : 0;
    snprintf(sum, sizeof sum, "%08x", reader ? packed_reader_sum(reader) : 0);
    if (!r->e && (!want || strcmp(sum, want) ||
                  rows != (uint64_t)json_integer_value(json_object_get(file, "rows"))))
        r->e = heddle_fail(r->diag, HEDDLE_ERR_ARGUMENT,
                           "%s: %s is not of this run: run the program again", r->path,
                           json_string_value(json_object_get(file, "name")));
    packed_reader_close(reader);
}

/* The next launch of a GPU in the list, from *at on; NULL: there is none. Moves *at behind it. */
static const json_t *next_of_device(const json_t *list, size_t *at, size_t device) {
    while (*at < json_array_size(list)) {
        const json_t *launch = json_array_get(list, (*at)++);
        if ((size_t)json_integer_value(json_object_get(launch, "device")) == device) return launch;
    }
    return NULL;
}

/* Reads every launch from the compressed file. Its last cell is the launch's object; it is empty
 * for the first launches of each GPU, which are in `list` in the same order. */
static void read_all_launches(struct reading *r, const json_t *root, const json_t *list,
                              struct project_kernels *out) {
    const json_t *file = json_object_get(root, "kernels_file");
    unsigned column;
    struct packed_reader *reader = open_file(r, file, &column);
    size_t *listed = NULL, cap = 0, devices = 0; /* next one in `list`, by device */
    char *line = NULL;
    for (r->index = 0; !r->e; r->index++) {
        json_t *own = NULL;
        const json_t *launch = NULL;
        r->e = packed_reader_line(reader, &line, r->diag);
        if (r->e || !line) break;
        char *cell = strrchr(line, ',');
        if (cell && cell[1]) {
            unsigned at = 0;
            bool quoted = false;
            for (const char *c = line; *c; c++) {
                quoted ^= *c == '"';
                at += *c == ',' && !quoted;
            }
            launch = own = json_loads(packed_cell(line, at), 0, NULL);
        } else if (cell) {
            const char *number = packed_cell(line, column);
            size_t device = number ? strtoul(number, NULL, 10) : 1024;
            if (device < 1024) {
                listed = heddle_grow(listed, &cap, device + 1, sizeof *listed, "launches");
                for (; devices <= device; devices++) listed[devices] = 0;
                launch = next_of_device(list, &listed[device], device);
            }
        }
        if (!json_is_object(launch))
            fail(r, "object", "the line is damaged; run the program again");
        else
            read_launch(r, launch, out);
        json_decref(own);
    }
    close_file(r, reader, file);
    free(listed);
}

/* Reads every copy from the compressed file. */
static void read_all_copies(struct reading *r, const json_t *root, struct project_kernels *out) {
    const json_t *file = json_object_get(root, "copies_file");
    unsigned column;
    struct packed_reader *reader = open_file(r, file, &column);
    char *line = NULL;
    for (r->index = 0; !r->e; r->index++) {
        unsigned long long of[3];
        unsigned device, stream;
        char kind[40];
        r->e = packed_reader_line(reader, &line, r->diag);
        if (r->e || !line) break;
        if (sscanf(line, "%u,%u,%39[^,],%llu,%llu,%llu", &device, &stream, kind, &of[0], &of[1],
                   &of[2]) != 6) {
            fail(r, "line", "it is damaged");
            break;
        }
        json_t *copy = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "kind", kind, "device",
                                 (json_int_t)device, "stream", (json_int_t)stream, "bytes",
                                 (json_int_t)of[0], "start_ps", (json_int_t)of[1], "end_ps",
                                 (json_int_t)of[2]);
        read_copy(r, copy, out);
        json_decref(copy);
    }
    close_file(r, reader, file);
}

/* Reads all launches and copies of the report into *out. *launches: how many launches it has. */
static void read_lists(struct reading *r, const json_t *root, struct project_kernels *out,
                       uint64_t *launches) {
    const json_t *run = json_object_get(root, "run");
    const json_t *list = json_object_get(root, "kernels"), *launch;
    const json_t *copies = json_object_get(root, "copies"), *copy;
    const json_t *all_copies = json_object_get(run, "copies");
    const json_t *all = json_object_get(run, "launches");
    *launches = all ? (uint64_t)json_integer_value(all) : json_array_size(list);
    const char *timing = json_string_value(json_object_get(run, "timing"));
    if (timing && !strcmp(timing, "none")) {
        r->untimed = *launches;
    } else if (*launches != json_array_size(list)) {
        read_all_launches(r, root, list, out);
    } else {
        json_array_foreach(list, r->index, launch) {
            if (read_launch(r, launch, out)) break;
        }
    }
    if (!r->e && !json_is_array(copies))
        r->e = heddle_fail(r->diag, HEDDLE_ERR_ARGUMENT,
                           "%s: 'copies' is missing: the report is of an older Heddle, run the "
                           "program again",
                           r->path);
    r->list = "copies";
    if (!r->e && all_copies && (size_t)json_integer_value(all_copies) != json_array_size(copies)) {
        read_all_copies(r, root, out);
        return;
    }
    json_array_foreach(copies, r->index, copy) {
        if (r->e || read_copy(r, copy, out)) break;
    }
}

/* source->gpu: the file's name without folder and extension, "/…/gpus/v100.ini" gives "v100". */
static void gpu_name(struct run_source *source, const char *path) {
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    size_t n = strcspn(from, ".");
    snprintf(source->gpu, sizeof source->gpu, "%.*s", (int)n, from);
}

/* Reads DIRECTORY/report.json: adds each timed launch and the timeline to *out, and sets *source.
 * Leaves the timeline out if a launch was not timed. @return HEDDLE_ERR_IO: the file cannot be
 * read, or is no JSON; HEDDLE_ERR_ARGUMENT: it is no report, lacks something, or has no timed
 * launch. The caller clears *out in any case. */
heddle_err read_run(struct project_kernels *out, struct run_source *source, const char *directory,
                    struct heddle_diag *diag) {
    char path[512];
    json_error_t error;
    if (snprintf(path, sizeof path, "%s/report.json", directory) >= (int)sizeof path)
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s: the path is too long", directory);
    FILE *f = fopen(path, "re");
    if (!f)
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s: a report of heddle run is expected: %s", path,
                           strerror(errno));
    json_t *root = json_loadf(f, 0, &error);
    fclose(f);
    if (!root) return heddle_fail(diag, HEDDLE_ERR_IO, "%s:%d: %s", path, error.line, error.text);
    struct reading r = {.path = path, .diag = diag, .list = "kernels"};
    const json_t *run = json_object_get(root, "run");
    uint64_t launches = 0;
    const char *file = json_string_value(json_object_get(run, "gpu_file"));
    r.sms = json_number_value(json_object_get(run, "sms"));
    if (!file || !json_is_array(json_object_get(root, "kernels")) || r.sms <= 0) {
        r.e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s is no report of heddle run", path);
    } else {
        gpu_name(source, file);
        read_lists(&r, root, out, &launches);
        /* Untimed launches took no time: the timeline is not the application's. */
        if (r.untimed) out->num_steps = 0;
        if (!r.e && launches == 0)
            r.e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s: no kernel was run", path);
        if (!r.e && r.untimed == launches)
            r.e = r.stopped
                      ? heddle_fail(
                            diag, HEDDLE_ERR_ARGUMENT,
                            "%s: no launch was timed to its end: all failed or were stopped", path)
                      : heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                                    "%s: no launch was timed: run the program again without "
                                    "--timing none",
                                    path);
        source->untimed = r.untimed;
    }
    json_decref(root);
    return r.e;
}
