/* project_input.c - loads what `heddle project` works on: GPUs, and kernels from a report, a
 * profiler's file, or runs that it makes itself; see project_input.h. cmd_project.c calls it on the
 * main thread of the command. Functions that return heddle_err explain an error in *diag; what was
 * loaded before an error stays in *w, for project_work_clear(). */
#include "cli/project_input.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/project_clock.h"
#include "cli/project_ptx.h"
#include "cli/simulate.h"
#include "project/read_profile.h"
#include "project/read_run.h"
#include "project/simulated.h"

/* GDestroyNotify of w->targets. */
static void free_gpu(gpointer gpu) {
    capability_free(gpu);
}

/* Adds a target, which w->targets owns from then on, also after an error. Results are told apart by
 * the GPU's name, so none may be there twice. `to`: the option, for the message. @return
 * HEDDLE_ERR_ARGUMENT. */
static heddle_err add_target(struct project_work *w, struct capability *gpu, const char *to,
                             struct heddle_diag *diag) {
    g_ptr_array_add(w->targets, gpu);
    for (guint t = 0; t + 1 < w->targets->len; t++) {
        const struct capability *other = w->targets->pdata[t];
        if (!strcmp(other->name, gpu->name))
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--to %s: %s is there twice", to,
                               gpu->name);
    }
    return HEDDLE_OK;
}

/* Loads the source, which is `from` or, without it, what `model` of the run stands for, into
 * w->source, and the targets, which `to` names separated by commas, into w->targets. @return
 * HEDDLE_ERR_IO, HEDDLE_ERR_ARGUMENT, or an error of capability_load(). */
static heddle_err load_gpus(struct project_work *w, const char *from, const char *model,
                            const char *to, struct heddle_diag *diag) {
    struct cli_paths paths;
    if (!cli_find_paths(&paths))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where Heddle is installed");
    heddle_err e = from ? capability_load(&w->source, from, paths.capabilities, diag)
                        : capability_load_model(&w->source, model, paths.capabilities, diag);
    gchar **names = g_strsplit(to, ",", -1);
    for (gchar **n = names; *n && !e; n++) {
        struct capability *gpu;
        if (!**n)
            e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--to %s: a name is empty", to);
        else if (!(e = capability_load(&gpu, *n, paths.capabilities, diag)))
            e = add_target(w, gpu, to, diag);
    }
    g_strfreev(names);
    return e;
}

/* Reads the kernels of a profiler's file into w->kernels. A missing --from is HEDDLE_ERR_ARGUMENT,
 * as are metrics that the model needs and the file lacks; the command that collects them is then
 * printed on standard error. Other errors are those of project_read_file(). */
static heddle_err read_file(struct project_work *w, const struct project_options *o,
                            const char *path, struct heddle_diag *diag) {
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

/* ---- --check: the same program on the models of source and targets */

/* @return the model of a GPU, in *gpu; NULL and HEDDLE_ERR_ARGUMENT in *diag: there is none. */
static const char *model_of(const struct capability *gpu, struct heddle_diag *diag) {
    if (*gpu->model) return gpu->model;
    heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                "--check: no model of %s is there to simulate it (key 'model' in "
                "models/capabilities)",
                gpu->name);
    return NULL;
}

/* Runs the program on the models of source and targets, each once and in processes of their own
 * (simulate_on_models()), and reads the kernels of the source's report into w->kernels. @return
 * HEDDLE_ERR_ARGUMENT: a GPU has no model; or errors of the runs and of read_run(). */
static heddle_err simulate(struct project_work *w, const struct project_options *o, char **program,
                           struct heddle_diag *diag) {
    GPtrArray *models = g_ptr_array_new();
    const char *model = model_of(w->source, diag);
    if (model) g_ptr_array_add(models, (gpointer)(uintptr_t)model);
    for (guint t = 0; t < w->targets->len && model; t++) {
        model = model_of(w->targets->pdata[t], diag);
        if (model && !g_ptr_array_find_with_equal_func(models, model, g_str_equal, NULL))
            g_ptr_array_add(models, (gpointer)(uintptr_t)model);
    }
    heddle_err e = model ? simulate_on_models(o->out, (const char *const *)models->pdata,
                                              models->len, program, diag)
                         : HEDDLE_ERR_ARGUMENT;
    if (!e) {
        struct run_source source;
        gchar *directory = g_build_filename(o->out, w->source->model, NULL);
        e = read_run(&w->kernels, &source, directory, diag);
        g_free(directory);
    }
    g_ptr_array_free(models, TRUE);
    return e;
}

/* With --check, after project_all(): reads the report of each target's run and puts its times
 * beside the projected ones, in r->measured_target and the totals. @return errors of read_run() and
 * project_take_run(). */
heddle_err project_work_compare(struct project_results *r, const struct project_options *o,
                                struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    for (size_t t = 0; t < r->num_targets && !e; t++) {
        struct project_kernels run = {0};
        struct run_source source;
        gchar *directory = g_build_filename(o->out, r->targets[t]->model, NULL);
        e = read_run(&run, &source, directory, diag);
        if (!e) e = project_take_run(r, t, &run, diag);
        project_kernels_clear(&run);
        g_free(directory);
    }
    return e;
}

/* ---- everything */

/* Reads the one file or directory of the command line into w->kernels and w->untimed, then loads
 * the GPUs. */
static heddle_err load_profile(struct project_work *w, const struct project_options *o,
                               const char *input, struct heddle_diag *diag) {
    struct run_source source = {0};
    heddle_err e = g_file_test(input, G_FILE_TEST_IS_DIR)
                       ? read_run(&w->kernels, &source, input, diag)
                       : read_file(w, o, input, diag);
    w->untimed = source.untimed;
    if (!e) e = load_gpus(w, o->from, source.gpu, o->to, diag);
    if (!e) e = project_set_clocks(w, o, diag);
    return e || !o->ptx ? e : project_take_ptx(w, o, diag);
}

/* Checks the options and fills *w, which is zeroed before: model, terms, GPUs and kernels.
 * `arguments`: a directory or file, with --check the program and its arguments, which it runs on
 * all models. @return HEDDLE_ERR_ARGUMENT: options are missing or do not go together; or the error
 * of what it loads. project_work_clear() frees *w in any case. */
heddle_err project_work_load(struct project_work *w, const struct project_options *o,
                             char **arguments, struct heddle_diag *diag) {
    static const char use[] = "heddle project --to GPU[,GPU...] RUN-DIRECTORY|FILE.csv";
    static const char check_use[] =
        "heddle project --from GPU --to GPU[,GPU...] --check -- PROGRAM [ARGUMENTS]";
    guint count = g_strv_length(arguments);
    w->targets = g_ptr_array_new_with_free_func(free_gpu);
    if (!o->to || !*o->to)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--to is missing: %s",
                           o->check ? check_use : use);
    if (o->check && (!o->from || !count))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s is missing: %s",
                           o->from ? "the program" : "--from", check_use);
    if (!o->check && count != 1)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "one directory or file is expected: %s", use);
    if (!o->check && o->out)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--out is for --check: what else is written has options of its own");
    if (o->check && o->measured)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--check simulates the times that --measured gives: one of them");
    if (o->ptx && (o->check || (count && g_file_test(arguments[0], G_FILE_TEST_IS_DIR))))
        return heddle_fail(
            diag, HEDDLE_ERR_ARGUMENT,
            "--ptx is for a profile of a real GPU: a run of Heddle counts its special "
            "operations itself");
    if (!project_model_find(o->model ? o->model : "heddle", &w->model))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--model %s: no such model, there are: heddle, paper", o->model);
    if (o->without && w->model == MODEL_PAPER)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--without is for --model heddle: the published model has no terms");
    heddle_err e = o->without ? project_terms_without(&w->terms, o->without, diag) : HEDDLE_OK;
    if (!e && o->ptx && w->terms.off[TERM_ISA])
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "--ptx is for the term isa, which --without leaves out");
    if (e || !o->check) return e ? e : load_profile(w, o, arguments[0], diag);
    w->terms.off[TERM_ISA] = true; /* all models execute the code of Heddle's compiler */
    e = load_gpus(w, o->from, NULL, o->to, diag);
    if (!e) e = project_set_clocks(w, o, diag);
    return e ? e : simulate(w, o, arguments, diag);
}

/* Frees GPUs and kernels; accepts what project_work_load() left after an error. */
void project_work_clear(struct project_work *w) {
    capability_free(w->source);
    if (w->targets) g_ptr_array_free(w->targets, TRUE);
    project_kernels_clear(&w->kernels);
    ptx_kernels_free(w->ptx);
}
