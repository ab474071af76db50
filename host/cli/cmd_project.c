/* cmd_project.c - `heddle project`: a kernel's time on other GPUs, from a run or a profile. Reads
 * the options and the inputs, calls host/project, and prints the results. main() calls
 * cli_project() on the main thread of `heddle`; all the rest serves that. Functions that return an
 * exit status have printed their error on standard error. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/measure.h"
#include "cli/project_clock.h"
#include "cli/project_input.h"
#include "common/output_file.h"
#include "project/plot_files.h"
#include "project/project.h"
#include "project/project_output.h"
#include "project/read_measured.h"
#include "project/roofs.h"

static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct project_options, __VA_ARGS__)
#include "tables/options/project.def"
};

/* Writes the rows to the file of --csv. @return 0, or EXIT_HEDDLE after printing an error. */
static int write_csv(const struct project_results *r, const char *path) {
    struct output_file o;
    struct heddle_diag diag = {0};
    heddle_err e = output_file_open(&o, path, OUTPUT_DEVICE, &diag);
    if (!e) {
        project_write_csv(r, o.f);
        e = output_file_commit(&o, false, &diag);
    }
    return e ? cli_error("%s", diag.text) : 0;
}

/* Reads the file of --measured into *r; notes on standard error the rows of GPUs that are not
 * projected to. @return 0, or EXIT_HEDDLE after printing an error. */
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

/* Writes the pictures of --plot. Its messages go to standard output, with --json to standard error,
 * because they must not end up in the JSON. @return 0, or EXIT_HEDDLE after printing an error. */
static int plot(const struct project_results *r, const struct project_options *o) {
    struct heddle_diag diag = {0};
    if (plot_files_write(r, o->plot, o->json ? stderr : stdout, &diag))
        return cli_error("%s", diag.text);
    return 0;
}

/* Notes on standard error of how many launches the profile does not count tensor operations, which
 * then count as none. */
static void note_tensor(const struct project_work *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->kernels.count; i++)
        count += roofs_tensor_unknown(&w->kernels.at[i], w->source);
    if (count)
        fprintf(
            stderr,
            "heddle: note: the profile does not count tensor operations of %zu of %zu launches; "
            "they are taken for none, and the confidence is less\n",
            count, w->kernels.count);
}

/* Prints the results on standard output, as tables or JSON, writes the files of --csv and --plot,
 * and prints the errors of up to ten refused launches. @return 0, or EXIT_HEDDLE if anything was
 * refused or not written. */
static int tell(const struct project_results *r, const struct project_options *o) {
    bool good = true;
    if (o->json)
        good = project_write_json(r, stdout);
    else
        project_print(r, stdout);
    if (fflush(stdout) || !good || ferror(stdout))
        return cli_error("cannot write the results: %s", strerror(errno));
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

/* Reads the options, loads the inputs, projects and prints; with --measure, runs the
 * microbenchmarks instead (measure.c), with --check the program on all models. Frees all that it
 * loads. @return the exit status: 0, or EXIT_HEDDLE after an error, also if a launch could not be
 * projected. */
int cli_project(int argc, char **argv) {
    struct project_options o = {0};
    int status;
    struct project_work w = {0};
    struct heddle_diag diag = {0};
    if (!cli_options(CLI(project), places, &o, &argc, &argv, &status)) {
        cli_options_free(CLI(project), places, &o);
        return status;
    }
    char **arguments = argv + 1;
    if (*arguments && !strcmp(*arguments, "--")) arguments++;
    if (o.measure || o.gpu || o.native) {
        if (measure_gpu(&o, arguments, &diag)) status = cli_error("%s", diag.text);
        cli_options_free(CLI(project), places, &o);
        return status;
    }
    if (o.check && !o.out) o.out = g_strdup("heddle-project");
    status = 0;
    if (project_work_load(&w, &o, arguments, &diag)) {
        status = cli_error("%s", diag.text);
    } else {
        struct project_results r;
        project_all(&r, w.model, &w.terms, &w.kernels, w.source,
                    (const struct capability *const *)w.targets->pdata, w.targets->len);
        if (o.check && project_work_compare(&r, &o, &diag))
            status = cli_error("%s", diag.text);
        else if (o.measured)
            status = add_measured(&r, o.measured);
        if (!status) status = tell(&r, &o);
        note_tensor(&w);
        project_note_clock(&w);
        if (w.untimed)
            fprintf(stderr,
                    "heddle: %zu launches of the run were not timed to their end and are left "
                    "out\n",
                    w.untimed);
        project_results_clear(&r);
    }
    project_work_clear(&w);
    cli_options_free(CLI(project), places, &o);
    return status;
}
