/* measure.c - runs microbenchmarks on a model or on the GPU of this machine and writes a GPU's
 * capability file; see measure.h. cmd_project.c calls measure_gpu() on the main thread of `heddle
 * project --measure`. The program runs as a child process (sweep_pool.c), with its output in
 * m->log. Functions that return heddle_err explain an error in *diag; measure_gpu() frees what they
 * add to *m. */
#include "cli/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "common/config.h"
#include "common/output_file.h"
#include "project/model_capability.h"
#include "project/read_figures.h"
#include "sweep/sweep_pool.h"

/* The program, where the user names none. */
static const char benchmark[] = "micro_capability";

/* A measurement: what to run, and what it gives. Owned texts. */
struct measurement {
    const struct project_options *o;
    struct cli_paths paths;
    gchar *file, *log, *run; /* of the results, of the program's output, directory of the report */
    gchar *file_of_model;    /* "models/gpus/v100.ini"; NULL: the program runs on hardware */
    GPtrArray *argv;
    int error;               /* errno: the log cannot be made */
    int status;              /* of the program */
    struct capability gpu;   /* what was measured */
    struct config *model;    /* of the simulated GPU, or NULL */
    struct capability *base; /* with --native: what is known of the GPU; or NULL */
};

/* ---- the program */

/* Callback of sweep_pool_run(), on its thread, the main one: gives the command line, borrowed from
 * *m, and opens the log. @return true: there is a program to run; else m->error says why not. */
static bool begin(void *user, unsigned index, char ***argv, int *log) {
    struct measurement *m = user;
    (void)index;
    *argv = (char **)m->argv->pdata;
    *log = open(m->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (*log < 0) m->error = errno;
    return *log >= 0;
}

/* Callback of sweep_pool_run(), on the main thread, when the program has ended: keeps its status in
 * m->status. */
static void ended(void *user, unsigned index, int status) {
    struct measurement *m = user;
    (void)index;
    m->status = status;
}

/* @return the path of the benchmark in this installation, which the caller frees with g_free():
 * built by nvcc for the GPU of this machine, by heddle-cc for a simulated one, which nvcc's
 * replaces where clang is not installed. NULL and HEDDLE_ERR_ARGUMENT in *diag: it is not there. */
static gchar *find_benchmark(const struct measurement *m, struct heddle_diag *diag) {
    static const char *const places[] = {"apps", "apps/nvcc"};
    gchar *prefix = g_path_get_dirname(m->paths.lib), *path = NULL;
    for (size_t i = m->o->native ? 1 : 0; i < G_N_ELEMENTS(places) && !path; i++) {
        path = g_build_filename(prefix, places[i], benchmark, NULL);
        if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) g_clear_pointer(&path, g_free);
    }
    if (!path)
        heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                    "no %s in %s/%s: build it (%s -o %s apps/microbench/capability.cu) and name it "
                    "behind --",
                    benchmark, prefix, places[m->o->native ? 1 : 0],
                    m->o->native ? "nvcc -O3" : "heddle-cc -O3", benchmark);
    g_free(prefix);
    return path;
}

/* Composes the command line in m->argv: `arguments`, or the benchmark; for a model, `heddle run`
 * with it. @return HEDDLE_ERR_IO, HEDDLE_ERR_ARGUMENT: no program is there. */
static heddle_err compose(struct measurement *m, char **arguments, struct heddle_diag *diag) {
    m->argv = g_ptr_array_new_with_free_func(g_free);
    if (!m->o->native) {
        gchar *heddle = g_file_read_link("/proc/self/exe", NULL);
        if (!heddle) return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find this executable");
        g_ptr_array_add(m->argv, heddle);
        const char *const fixed[] = {"run", "-q", "--gpu", m->o->gpu, "--out", m->run, "--"};
        for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
            g_ptr_array_add(m->argv, g_strdup(fixed[i]));
    }
    gchar *program = *arguments ? g_strdup(*arguments++) : find_benchmark(m, diag);
    if (!program) return HEDDLE_ERR_ARGUMENT;
    g_ptr_array_add(m->argv, program);
    for (; *arguments; arguments++) g_ptr_array_add(m->argv, g_strdup(*arguments));
    g_ptr_array_add(m->argv, NULL);
    return HEDDLE_OK;
}

/* Runs the command line and waits for its end; says so on standard error. @return
 * HEDDLE_ERR_STOPPED: a signal ended it; HEDDLE_ERR_IO: its status is not 0, or there is no log. */
static heddle_err run(struct measurement *m, struct heddle_diag *diag) {
    const struct sweep_pool pool = {
        .jobs = 1, .count = 1, .begin = begin, .ended = ended, .user = m};
    fprintf(stderr, "heddle: measuring %s; %s has what the benchmark prints\n", m->o->gpu, m->log);
    int stopped = sweep_pool_run(&pool);
    if (stopped) return heddle_fail(diag, HEDDLE_ERR_STOPPED, "interrupted by signal %d", stopped);
    if (m->error)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s", m->log, strerror(m->error));
    if (m->status)
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "the benchmark ended with status %d: %s has what it printed", m->status,
                           m->log);
    return HEDDLE_OK;
}

/* Reads the figures that the program printed into m->gpu. @return the error of read_figures(). */
static heddle_err read_log(struct measurement *m, struct heddle_diag *diag) {
    gchar *on = m->model ? g_strdup_printf("simulated, %s: %s", m->file_of_model, benchmark)
                         : g_strdup(benchmark);
    heddle_err e = read_figures(&m->gpu, m->log, on, diag);
    g_free(on);
    return e;
}

/* ---- what it did not measure */

/* Sets a value that is not known from that of the base, called `name`; its source then says that it
 * was not measured. */
static void take_over(struct capability_value *v, const struct capability_value *base,
                      const char *name) {
    if (v->known || !base->known) return;
    *v = *base;
    snprintf(v->remark.source, sizeof v->remark.source, "%s, not measured: %.*s", name,
             (int)(sizeof v->remark.source - strlen(name) - 20), base->remark.source);
}

/* Adds to m->gpu what the base knows and the program did not measure. Its peaks are at the base's
 * clock. @return HEDDLE_ERR_ARGUMENT: the program ran on a simulated GPU, or on another one than
 * --gpu names. */
static heddle_err add_base(struct measurement *m, struct heddle_diag *diag) {
    static const enum capability_property same[] = {GPU_MAJOR, GPU_MINOR, GPU_SMS};
    static const char *const names[] = {"compute_major", "compute_minor", "SMs"};
    const struct capability *base = m->base;
    if (strstr(m->gpu.title, "(simulated)"))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--native: the program ran on '%s': leave out --native", m->gpu.title);
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        const struct capability_value *v = &m->gpu.property[same[i]];
        if (v->known && v->value != base->property[same[i]].value)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "--gpu %s: this machine has '%s': %s is %.15g, not %.15g", m->o->gpu,
                               m->gpu.title, names[i], v->value, base->property[same[i]].value);
    }
    for (int i = 0; i < NUM_GPU_PROPERTIES; i++)
        take_over(&m->gpu.property[i], &base->property[i], base->name);
    for (int i = 0; i < NUM_RATES; i++) {
        take_over(&m->gpu.peak[i], &base->peak[i], base->name);
        take_over(&m->gpu.max[i], &base->max[i], base->name);
    }
    return HEDDLE_OK;
}

/* ---- the file */

/* Writes m->gpu to m->file, over an older file. @return HEDDLE_ERR_IO. */
static heddle_err write_file(const struct measurement *m, struct heddle_diag *diag) {
    struct output_file o;
    heddle_err e = output_file_open(&o, m->file, OUTPUT_DEVICE, diag);
    if (e) return e;
    FILE *f = o.f;
    fprintf(f, "# heddle project --measure --gpu %s%s\n#\n", m->o->gpu,
            m->o->native ? " --native" : "");
    fprintf(f,
            m->o->native
                ? "# What the benchmark did not measure is from %s, and its source says so.\n"
                : "# What the benchmark did not measure is derived from %s, or left out.\n",
            m->o->native ? m->base->name : m->file_of_model);
    capability_write(&m->gpu, f);
    return output_file_commit(&o, false, diag);
}

/* @return how many values are known. */
static unsigned count(const struct capability *c) {
    unsigned n = 0;
    for (int i = 0; i < NUM_GPU_PROPERTIES; i++) n += c->property[i].known;
    for (int i = 0; i < NUM_RATES; i++) n += (unsigned)c->peak[i].known + c->max[i].known;
    return n;
}

/* ---- everything */

/* Loads m->model or m->base, and names files and sources: all are freed by measure_gpu(). @return
 * errors of the loaders; HEDDLE_ERR_ARGUMENT: the path of --gpu is too long. */
static heddle_err prepare(struct measurement *m, struct heddle_diag *diag) {
    const char *gpu = m->o->gpu;
    heddle_err e = m->o->native ? capability_load(&m->base, gpu, m->paths.capabilities, diag)
                                : config_load(&m->model, gpu, m->paths.gpus, NULL, 0, diag);
    if (e) return e;
    gchar *name = g_path_get_basename(gpu);
    if (g_str_has_suffix(name, ".ini")) name[strlen(name) - strlen(".ini")] = '\0';
    m->file = m->o->out ? g_strdup(m->o->out) : g_strdup_printf("%s-measured.ini", name);
    m->log = g_strdup_printf("%s.log", m->file);
    m->run = g_strdup_printf("%s.run", m->file);
    if (m->model)
        m->file_of_model = strcmp(name, gpu) ? g_strdup(gpu)
                                             : g_strdup_printf("models/gpus/%s.ini", name);
    g_free(name);
    if (!m->model) return HEDDLE_OK;
    if (strlen(gpu) >= sizeof m->gpu.model)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--gpu %s: the path is too long", gpu);
    snprintf(m->gpu.model, sizeof m->gpu.model, "%s", gpu);
    return HEDDLE_OK;
}

/* Checks that the options go together. @return HEDDLE_ERR_ARGUMENT, with the usage. */
static heddle_err check(const struct project_options *o, struct heddle_diag *diag) {
    static const char use[] =
        "heddle project --measure --gpu GPU [--native] [--out FILE] [-- PROGRAM [ARGUMENTS]]";
    if (!o->measure)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s is for --measure: %s",
                           o->gpu ? "--gpu" : "--native", use);
    if (!o->gpu) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--gpu is missing: %s", use);
    if (o->from || o->to || o->model || o->without || o->check || o->json || o->csv ||
        o->measured || o->plot)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--measure does not project: project with the file that it writes: %s",
                           use);
    return HEDDLE_OK;
}

/* Runs the program (`arguments`, or micro_capability where it is empty), reads its figures, adds
 * what the model or the base knows, writes the file, and prints a line on standard output. @return
 * HEDDLE_ERR_ARGUMENT, _CONFIG, _IO or _STOPPED: see measure.h. Frees all that it loads; the log
 * and the report of the run stay. */
heddle_err measure_gpu(const struct project_options *o, char **arguments,
                       struct heddle_diag *diag) {
    struct measurement m = {.o = o};
    heddle_err e = check(o, diag);
    if (e) return e;
    if (!cli_find_paths(&m.paths))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where Heddle is installed");
    e = prepare(&m, diag);
    if (!e) e = compose(&m, arguments, diag);
    if (!e) e = run(&m, diag);
    if (!e) e = read_log(&m, diag);
    unsigned measured = e ? 0 : count(&m.gpu);
    if (!e && m.model) model_capability_add(&m.gpu, m.model, m.file_of_model);
    if (!e && m.base) e = add_base(&m, diag);
    if (!e) e = capability_check(&m.gpu, m.log, diag);
    if (!e) e = write_file(&m, diag);
    if (!e)
        printf("%s: %u values measured, %u others: %s\n", m.gpu.title, measured,
               count(&m.gpu) - measured, m.file);
    if (m.argv) g_ptr_array_free(m.argv, TRUE);
    g_free(m.file);
    g_free(m.log);
    g_free(m.run);
    g_free(m.file_of_model);
    config_free(m.model);
    capability_free(m.base);
    return e;
}
