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
#include "cli/options.h"
#include "cli/project_clock.h"
#include "cli/project_input.h"
#include "common/output_file.h"
#include "project/plot_files.h"
#include "project/project.h"
#include "project/project_output.h"
#include "project/read_measured.h"
#include "project/roofs.h"

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

/* For the help: each use once. */
static const char examples[] =
    "Examples:\n"
    "  heddle run -- ./program                          a run on a V100 to project from\n"
    "  heddle project --to a100-80,h100-pcie heddle-out\n"
    "  heddle project --from v100 --to h100-sxm profile.csv\n"
    "                                                   from Nsight Compute, nvprof or by hand\n"
    "                                                   (docs/projection-metrics.md)\n"
    "  heddle project --from v100 --to h100-sxm --ptx ./program profile.csv\n"
    "                                                   with the PTX of the profile's kernels\n"
    "  heddle project --to h200 --model paper heddle-out\n"
    "  heddle project --to h200 --without cache,waves heddle-out\n"
    "  heddle project --to t4,h200 --clock t4=1100,h200=1700 heddle-out\n"
    "  heddle project --to t4,l40s --json --csv projection.csv --plot pictures heddle-out\n"
    "  heddle project --to a100-80 --measured times.csv heddle-out\n"
    "  heddle project --from v100-pcie --to a100-80 --check -- ./program\n"
    "\n"
    "`heddle config --page capabilities` lists the GPUs, docs/projection.md explains the models.\n";

/* Reads the options, loads the inputs, projects and prints; with --measure, runs the
 * microbenchmarks instead (measure.c), with --check the program on all models. Frees all that it
 * loads. @return the exit status: 0, or EXIT_HEDDLE after an error, also if a launch could not be
 * projected. */
int cli_project(int argc, char **argv) {
    struct project_options o = {0};
    gchar *without = g_strconcat("leave terms out of the default model: ", project_term_names(),
                                 NULL);
    GOptionEntry entries[] = {
        {"from", 0, 0, G_OPTION_ARG_STRING, &o.from,
         "GPU of the measurements (default: that of the run)", "GPU"},
        {"to", 0, 0, G_OPTION_ARG_STRING, &o.to, "GPUs to project to, separated by commas",
         "GPU[,GPU...]"},
        {"clock", 0, 0, G_OPTION_ARG_STRING, &o.clock,
         "clock of the SMs of targets under load (default: clock.boost of each)", "GPU=MHZ[,...]"},
        {"from-clock", 0, 0, G_OPTION_ARG_STRING, &o.from_clock,
         "clock of the source GPU, for a profile that does not say it", "MHZ"},
        {"ptx", 0, 0, G_OPTION_ARG_STRING, &o.ptx,
         "PTX of the profile's kernels, or programs that hold it: how often divisions and other "
         "special operations ran",
         "FILE[,FILE...]"},
        {"model", 0, 0, G_OPTION_ARG_STRING, &o.model,
         "heddle (default), or paper: as published (docs/projection.md)", "MODEL"},
        {"without", 0, 0, G_OPTION_ARG_STRING, &o.without, without, "TERM[,TERM...]"},
        {"check", 0, 0, G_OPTION_ARG_NONE, &o.check,
         "run PROGRAM on the models of source and targets, and compare the projection with the "
         "simulation",
         NULL},
        {"out", 0, 0, G_OPTION_ARG_FILENAME, &o.out,
         "with --check: directory of the reports (default: heddle-project); with --measure: the "
         "file "
         "to write (default: GPU-measured.ini)",
         "PATH"},
        {"measure", 0, 0, G_OPTION_ARG_NONE, &o.measure,
         "run microbenchmarks on --gpu, and write what it can do as a file for --from and --to",
         NULL},
        {"gpu", 0, 0, G_OPTION_ARG_STRING, &o.gpu,
         "with --measure: the model to simulate; with --native: which GPU this machine has", "GPU"},
        {"native", 0, 0, G_OPTION_ARG_NONE, &o.native,
         "with --measure: on the GPU of this machine, without simulation", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print JSON instead of tables", NULL},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv, "write a row per launch and GPU", "FILE"},
        {"measured", 0, 0, G_OPTION_ARG_FILENAME, &o.measured,
         "times measured on the targets: name,launch,gpu,us", "FILE"},
        {"plot", 0, 0, G_OPTION_ARG_FILENAME, &o.plot, "write pictures", "DIRECTORY"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    static const struct cli_command command = {
        .name = "heddle project",
        .arguments = "RUN-DIRECTORY|FILE.csv|-- PROGRAM [ARGUMENTS]",
        .summary =
            "Projects kernels to other GPUs, from a report of heddle run or from the CSV file "
            "of a profiler.",
        .examples = examples,
    };
    int status;
    struct project_work w = {0};
    struct heddle_diag diag = {0};
    bool good = cli_options(&command, entries, &argc, &argv, &status);
    g_free(without);
    if (!good) return status;
    char **arguments = argv + 1;
    if (*arguments && !strcmp(*arguments, "--")) arguments++;
    if (o.measure || o.gpu || o.native) {
        if (measure_gpu(&o, arguments, &diag)) status = cli_error("%s", diag.text);
        project_options_clear(&o);
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
            fprintf(stderr, "heddle: %zu launches of the run were not timed and are left out\n",
                    w.untimed);
        project_results_clear(&r);
    }
    project_work_clear(&w);
    project_options_clear(&o);
    return status;
}
