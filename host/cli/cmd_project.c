/* cmd_project.c - `heddle project`: a kernel's time on other GPUs, from a run or a profile. Reads
 * the options and the inputs, calls host/project, and prints the results. main() calls
 * cli_project() on the main thread of `heddle`; all the rest serves that. Functions that return
 * heddle_err explain an error in *diag. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "project/plot_files.h"
#include "project/project.h"
#include "project/project_output.h"
#include "project/read_profile.h"
#include "project/read_measured.h"
#include "project/read_run.h"

/* The command line; texts are NULL where an option is missing. */
struct options {
    gchar *from, *to, *model, *without, *csv, *measured, *plot;
    gboolean json;
};

/* What a projection works on; everything is owned. */
struct work {
    struct project_kernels kernels;
    struct capability *source;
    GPtrArray *targets; /* of struct capability */
    enum project_model model;
    struct project_terms terms;
    size_t untimed; /* launches of the run that have no time */
};

static void free_gpu(gpointer gpu) {
    capability_free(gpu);
}

/* Loads the source, which is `from` or, without it, what the model of the run stands for, and the
 * targets, which `to` names separated by commas. What was loaded stays in *w after an error,
 * too. */
static heddle_err load_gpus(struct work *w, const char *from, const char *model, const char *to,
                            struct heddle_diag *diag) {
    struct cli_paths paths;
    if (!cli_find_paths(&paths))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where Heddle is installed");
    heddle_err e = from ? capability_load(&w->source, from, paths.capabilities, diag)
                        : capability_load_model(&w->source, model, paths.capabilities, diag);
    gchar **names = g_strsplit(to, ",", -1);
    for (gchar **n = names; *n && !e; n++) {
        struct capability *gpu;
        e = capability_load(&gpu, *n, paths.capabilities, diag);
        if (!e) g_ptr_array_add(w->targets, gpu);
    }
    g_strfreev(names);
    return e;
}

/* Reads the kernels of a profiler's file. Metrics that the model needs and the file lacks are an
 * error, with the command that collects them on standard error. */
static heddle_err read_file(struct work *w, const struct options *o, const char *path,
                            struct heddle_diag *diag) {
    char gpu[96];
    bool missing[NUM_PROJECT_METRICS];
    heddle_err e = project_read_file(&w->kernels, gpu, sizeof gpu, path, diag);
    if (e) return e;
    if (!o->from)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "%s: --from is missing: on which GPU was it measured?%s%s%s", path,
                           *gpu ? " The file says: " : "", gpu, *gpu ? "." : "");
    if (!project_missing(missing, &w->kernels, w->model == MODEL_PAPER ? NEED_PAPER : NEED_HEDDLE))
        return HEDDLE_OK;
    GString *names = g_string_new(NULL);
    for (int m = 0; m < NUM_PROJECT_METRICS; m++)
        if (missing[m])
            g_string_append_printf(names, "%s%s", names->len ? ", " : "",
                                   project_metric_rows[m].name);
    e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s: kernels lack %s", path, names->str);
    g_string_free(names, TRUE);
    fputs("To collect what is missing:\n  ", stderr);
    if (!read_ncu_command(stderr, missing)) fputs("(Nsight Compute has no such metric)", stderr);
    fputc('\n', stderr);
    return e;
}

/* Sets the model and terms of the options, reads the kernels of `input`, a run's directory or a
 * profiler's file, and loads the GPUs: fills *w. @return HEDDLE_ERR_ARGUMENT for options that do
 * not go together, or an error of the readers. */
static heddle_err load(struct work *w, const struct options *o, const char *input,
                       struct heddle_diag *diag) {
    struct run_source source = {0};
    if (!project_model_find(o->model ? o->model : "heddle", &w->model))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--model %s: no such model, there are: heddle, paper", o->model);
    if (o->without && w->model == MODEL_PAPER)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--without is for --model heddle: the published model has no terms");
    heddle_err e = o->without ? project_terms_without(&w->terms, o->without, diag) : HEDDLE_OK;
    if (!e)
        e = g_file_test(input, G_FILE_TEST_IS_DIR) ? read_run(&w->kernels, &source, input, diag)
                                                   : read_file(w, o, input, diag);
    w->untimed = source.untimed;
    return e ? e : load_gpus(w, o->from, source.gpu, o->to, diag);
}

/* Writes the rows to the file of --csv. @return 0, or EXIT_HEDDLE after printing an error. */
static int write_csv(const struct project_results *r, const char *path) {
    FILE *f = fopen(path, "we");
    if (!f) return cli_error("cannot write %s: %s", path, strerror(errno));
    project_write_csv(r, f);
    bool good = !ferror(f);
    if (fclose(f) || !good) return cli_error("cannot write %s: %s", path, strerror(errno));
    return 0;
}

/* Reads the file of --measured. @return the exit status. */
static int add_measured(struct project_results *r, const char *path) {
    struct measured_others others;
    struct heddle_diag diag = {0};
    if (read_measured(r, path, &others, &diag)) return cli_error("%s", diag.text);
    if (others.rows)
        fprintf(stderr,
                "heddle: note: %s: left out the rows of GPUs that are not projected to: %zu, first "
                "%s in line %u\n",
                path, others.rows, others.gpu, others.line);
    return 0;
}

/* Writes the pictures of --plot. What it prints must not end up in the JSON. */
static int plot(const struct project_results *r, const struct options *o) {
    struct heddle_diag diag = {0};
    if (plot_files_write(r, o->plot, o->json ? stderr : stdout, &diag))
        return cli_error("%s", diag.text);
    return 0;
}

/* Prints the results on standard output, as tables or JSON, writes the files of --csv and --plot,
 * and prints the errors of up to ten refused launches. @return the exit status: EXIT_HEDDLE if
 * anything was refused or not written. */
static int tell(const struct project_results *r, const struct options *o) {
    if (o->json) {
        if (!project_write_json(r, stdout))
            return cli_error("cannot write the results: %s", strerror(errno));
    } else {
        project_print(r, stdout);
    }
    int status = o->csv ? write_csv(r, o->csv) : 0;
    if (o->plot && !status) status = plot(r, o);
    size_t shown = 0;
    for (size_t i = 0; i < r->kernels->count && shown < 10; i++) {
        if (!r->refused[i].err) continue;
        status = cli_error("%s", r->refused[i].text);
        shown++;
    }
    if (r->num_refused > shown)
        cli_error("%zu more launches were not projected; --json has the reason of each",
                  r->num_refused - shown);
    return status;
}

/* Reads the options, projects and prints. @return the exit status: 0, or EXIT_HEDDLE after an
 * error, also if a launch could not be projected. */
int cli_project(int argc, char **argv) {
    struct options o = {0};
    GOptionEntry entries[] = {
        {"from", 0, 0, G_OPTION_ARG_STRING, &o.from,
         "GPU of the measurements (default: that of the run)", "GPU"},
        {"to", 0, 0, G_OPTION_ARG_STRING, &o.to, "GPUs to project to, separated by commas",
         "GPU[,GPU...]"},
        {"model", 0, 0, G_OPTION_ARG_STRING, &o.model,
         "heddle (default), or paper: as published (docs/projection.md)", "MODEL"},
        {"without", 0, 0, G_OPTION_ARG_STRING, &o.without,
         "leave terms out of the default model: waves, lanes, latency, writes, launch",
         "TERM[,TERM...]"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print JSON instead of tables", NULL},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv, "write a row per launch and GPU", "FILE"},
        {"measured", 0, 0, G_OPTION_ARG_FILENAME, &o.measured,
         "times measured on the targets: name,launch,gpu,us", "FILE"},
        {"plot", 0, 0, G_OPTION_ARG_FILENAME, &o.plot, "write pictures", "DIRECTORY"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    static const struct cli_command command = {
        .name = "heddle project",
        .arguments = "RUN-DIRECTORY|FILE.csv",
        .summary =
            "Projects kernels to other GPUs, from a report of heddle run or from the CSV file "
            "of a profiler.",
    };
    int status;
    if (!cli_options(&command, entries, &argc, &argv, &status)) return status;
    if (argc != 2)
        return cli_error(
            "one report directory or file is expected: heddle project --to GPU[,GPU...] "
            "RUN-DIRECTORY|FILE.csv");
    if (!o.to)
        return cli_error(
            "--to is missing: heddle project --to GPU[,GPU...] RUN-DIRECTORY|FILE.csv");
    struct work w = {.targets = g_ptr_array_new_with_free_func(free_gpu)};
    struct heddle_diag diag = {0};
    if (load(&w, &o, argv[1], &diag)) {
        status = cli_error("%s", diag.text);
    } else {
        struct project_results r;
        project_all(&r, w.model, &w.terms, &w.kernels, w.source,
                    (const struct capability *const *)w.targets->pdata, w.targets->len);
        status = o.measured ? add_measured(&r, o.measured) : 0;
        if (!status) status = tell(&r, &o);
        if (w.untimed)
            fprintf(stderr, "heddle: %zu launches of the run were not timed and are left out\n",
                    w.untimed);
        project_results_clear(&r);
    }
    capability_free(w.source);
    g_ptr_array_free(w.targets, TRUE);
    project_kernels_clear(&w.kernels);
    g_free(o.from);
    g_free(o.to);
    g_free(o.model);
    g_free(o.without);
    g_free(o.csv);
    g_free(o.measured);
    g_free(o.plot);
    return status;
}
