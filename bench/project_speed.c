/* project_speed.c - how fast a profile of many kernels is read and projected to four GPUs.
 *
 *   project_speed DIRECTORY_OF_CAPABILITIES [KERNELS [FILE]]
 *
 * Writes a raw page of Nsight Compute with KERNELS (10,000) kernels and 100 columns, among them all
 * that the models use, and reads it. FILE keeps the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "project/metric_forms.h"
#include "project/project.h"
#include "project/read_profile.h"

enum { COLUMNS = 100, FIXED = 11, TARGETS = 4 };
static const char *const targets[TARGETS] = {"v100", "a100-80", "h100-sxm", "l40s"};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "project_speed: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- the page */

static const char *unit_of(const struct form_value *v) {
    static const char *const units[] = {
        [VALUE_TIME] = "us",
        [VALUE_BYTES] = "Kbyte",
        [VALUE_COUNT] = "inst",
        [VALUE_RATIO] = "",
        [VALUE_CYCLE_RATE] = "cycle/nsecond",
        [VALUE_BYTE_RATE] = "Gbyte/s",
        [VALUE_SIZE] = "",
    };
    return units[v->kind];
}

/* A value within what a GPU can do. */
static void write_value(FILE *f, const struct form_value *v, int kernel) {
    bool launch = !strncmp(v->name, "launch__", 8);
    if (strstr(v->name, "tensor_src_fp64")) /* which not all targets have */
        fprintf(f, ",\"0\"");
    else if (launch && v->kind == VALUE_COUNT)
        fprintf(f, ",\"64\"");
    else if (launch || v->kind == VALUE_RATIO)
        fprintf(f, ",\"%d.25\"", 1 + kernel % 20);
    else if (v->kind == VALUE_COUNT)
        fprintf(f, ",\"%d,%03d\"", 1 + kernel % 900, kernel % 1000);
    else
        fprintf(f, ",\"%d,%03d.25\"", 1 + kernel % 90, kernel % 1000);
}

/* Which rows of a column are written. */
enum { NAMES = -2, UNITS = -1 };

/* Columns behind the fixed ones: what the first form of each metric needs, then others. */
static void write_columns(FILE *f, int kernel) {
    bool written[FORM_VALUES] = {true}, met[NUM_PROJECT_METRICS] = {false};
    int n = FIXED;
    for (size_t i = 0; i < ncu_form_count; i++) {
        if (met[ncu_forms[i].metric]) continue;
        met[ncu_forms[i].metric] = true;
        for (int t = 0; t < FORM_TERMS * FORM_FACTORS; t++) {
            unsigned value = ncu_forms[i].term[t / FORM_FACTORS].value[t % FORM_FACTORS];
            const struct form_value *v = &ncu_values[value];
            if (written[value]) continue;
            written[value] = true;
            n++;
            if (kernel >= 0)
                write_value(f, v, kernel);
            else
                fprintf(f, ",\"%s\"", kernel == NAMES ? v->name : unit_of(v));
        }
    }
    for (; n < COLUMNS; n++)
        if (kernel == NAMES)
            fprintf(f, ",\"sm__other_%d.avg.pct_of_peak_sustained_elapsed\"", n);
        else
            fprintf(f, kernel == UNITS ? ",\"%%\"" : ",\"%d.50\"", n);
    fprintf(f, "\n");
}

static void write_page(FILE *f, int kernels) {
    fprintf(f, "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
               "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"");
    write_columns(f, NAMES);
    fprintf(f, "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"");
    write_columns(f, UNITS);
    for (int i = 0; i < kernels; i++) {
        fprintf(f,
                "\"%d\",\"77\",\"app\",\"127.0.0.1\",\"kernel_%d(float *, int)\",\"1\",\"7\","
                "\"(64, 1, 1)\",\"(64, 1, 1)\",\"0\",\"8.0\"",
                i, i % 20);
        write_columns(f, i);
    }
}

/* @return bytes of the page. */
static long write_file(FILE *f, int kernels) {
    if (!f) fail("cannot write the page");
    write_page(f, kernels);
    long bytes = ftell(f);
    if (fclose(f)) fail("cannot write the page");
    return bytes;
}

/* ---- projection */

static void project(const struct project_kernels *list, const char *directory,
                    enum project_model model) {
    struct capability *source, *gpu[TARGETS];
    struct heddle_diag diag = {0};
    struct project_results r;
    const struct project_terms terms = {{false}};
    if (capability_load(&source, "a100-40", directory, &diag)) fail(diag.text);
    for (int i = 0; i < TARGETS; i++)
        if (capability_load(&gpu[i], targets[i], directory, &diag)) fail(diag.text);
    double begin = seconds();
    project_all(&r, model, &terms, list, source, (const struct capability *const *)gpu, TARGETS);
    printf("projected to %d GPUs, --model %s: %.3f s, %zu refused\n", TARGETS,
           project_model_name(model), seconds() - begin, r.num_refused);
    for (size_t i = 0; i < list->count; i++)
        if (r.refused[i].err) fail(r.refused[i].text);
    project_results_clear(&r);
    for (int i = 0; i < TARGETS; i++) capability_free(gpu[i]);
    capability_free(source);
}

int main(int argc, char **argv) {
    if (argc < 2) fail("no directory of capabilities");
    int kernels = argc > 2 ? atoi(argv[2]) : 10000;
    char temporary[] = "project_speed-XXXXXX", gpu[96];
    const char *path = argc > 3 ? argv[3] : temporary;
    if (kernels < 1) fail("the number of kernels is not positive");
    long bytes = write_file(argc > 3 ? fopen(path, "w") : fdopen(mkstemp(temporary), "w"), kernels);

    struct project_kernels list = {0};
    struct heddle_diag diag = {0};
    double begin = seconds();
    heddle_err e = project_read_file(&list, gpu, sizeof gpu, path, &diag);
    double took = seconds() - begin;
    if (argc <= 3) unlink(path);
    if (e) fail(diag.text);
    printf("%zu kernels, %d columns, %.1f MB read: %.3f s, %.0f MB/s\n", list.count, COLUMNS,
           1e-6 * (double)bytes, took, 1e-6 * (double)bytes / took);
    project(&list, argv[1], MODEL_PAPER);
    project(&list, argv[1], MODEL_HEDDLE);
    project_kernels_clear(&list);
    return 0;
}
