/* cmd_report.c - `heddle report`: the report of a run as one HTML file. main() calls cli_report()
 * on the main thread of `heddle`; host/runs makes the page. */
#include <glib.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/output_file.h"
#include "runs/page.h"

struct report_options {
#define OPTION CLI_MEMBER
#include "tables/options/report.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct report_options, __VA_ARGS__)
#include "tables/options/report.def"
};

/* Writes the page to `path`, or as report.html into the run's directory. @return the exit
 * status. */
static int write_page(const struct run_file *run, const char *path) {
    struct output_file o;
    struct heddle_diag diag = {0};
    char *own = path ? NULL : g_build_filename(run->directory, "report.html", NULL);
    heddle_err e = output_file_open(&o, path ? path : own, path ? OUTPUT_DEVICE : OUTPUT_OWN,
                                    &diag);
    if (!e) {
        page_write_run(run, o.f);
        e = output_file_commit(&o, false, &diag);
    }
    const int status = e ? cli_error("%s", diag.text) : 0;
    if (!e) fprintf(stderr, "heddle: written: %s\n", path ? path : own);
    g_free(own);
    return status;
}

/* Reads the options, loads the run and writes its page. @return the exit status. */
int cli_report(int argc, char **argv) {
    struct report_options o = {NULL};
    struct run_file run = {0};
    struct heddle_diag diag = {0};
    int status;
    if (cli_options(CLI(report), places, &o, &argc, &argv, &status)) {
        if (argc != 2)
            status = cli_error("one run is expected: heddle report [OPTIONS] RUN");
        else if (run_file_load(&run, argv[1], &diag))
            status = cli_error("%s", diag.text);
        else
            status = write_page(&run, o.output);
    }
    run_file_clear(&run);
    cli_options_free(CLI(report), places, &o);
    return status;
}
