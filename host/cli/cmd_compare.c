/* cmd_compare.c - `heddle compare`: two runs beside each other, on the terminal, as JSON and as a
 * page. main() calls cli_compare() on the main thread of `heddle`; host/runs does the work. */
#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/output_file.h"
#include "runs/compare.h"
#include "runs/page.h"

enum { EXIT_SLOWER = 1 };

struct options {
#define OPTION CLI_MEMBER
#include "tables/options/compare.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct options, __VA_ARGS__)
#include "tables/options/compare.def"
};

/* Reads a percentage of an option. @return 0, or EXIT_HEDDLE after printing an error. */
static int read_percent(const char *option, const char *text, double *out) {
    char *end;
    errno = 0;
    const double x = strtod(text, &end);
    if (errno || end == text || *end || !isfinite(x) || x < 0)
        return cli_error("%s %s: a number of percent from 0 on is expected", option, text);
    *out = x / 100;
    return 0;
}

/* Writes the page of --html. @return 0, or EXIT_HEDDLE after printing an error. */
static int write_page(const struct comparison *c, const char *path) {
    struct output_file o;
    struct heddle_diag diag = {0};
    heddle_err e = output_file_open(&o, path, OUTPUT_GIVEN, &diag);
    if (!e) {
        page_write_comparison(c, o.f);
        e = output_file_commit(&o, false, &diag);
    }
    return e ? cli_error("%s", diag.text) : 0;
}

/* Prints the comparison and writes the page. @return the exit status. */
static int tell(const struct comparison *c, const struct options *o, double fail_above) {
    int status = 0;
    if (o->json) {
        json_t *object = compare_object(c);
        json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(object);
    } else {
        compare_print(c, cli_width(), stdout);
    }
    if (o->html) status = write_page(c, o->html);
    if (!o->fail_above || status) return status;
    for (unsigned s = 0; s < 2; s++)
        if (!isfinite(c->cycles[s]))
            return cli_error("--fail-above: no launch of %s was timed", c->run[s]->directory);
    fflush(stdout);
    return compare_slower(c, fail_above, stderr) ? EXIT_SLOWER : 0;
}

/* Reads the options, loads both runs and compares them. @return the exit status. */
int cli_compare(int argc, char **argv) {
    struct options o = {0};
    struct run_file run[2] = {{0}, {0}};
    struct heddle_diag diag = {0};
    double fail_above = 0, counters_above = 0.05;
    int status;
    if (cli_options(CLI(compare), places, &o, &argc, &argv, &status)) {
        if (argc != 3)
            status = cli_error("two runs are expected: heddle compare [OPTIONS] RUN-A RUN-B");
        if (!status && o.fail_above)
            status = read_percent("--fail-above", o.fail_above, &fail_above);
        if (!status && o.counters_above)
            status = read_percent("--counters-above", o.counters_above, &counters_above);
        if (!status &&
            (run_file_load(&run[0], argv[1], &diag) || run_file_load(&run[1], argv[2], &diag)))
            status = cli_error("%s", diag.text);
        if (!status) {
            struct comparison c;
            compare_make(&c, &run[0], &run[1], counters_above);
            status = tell(&c, &o, fail_above);
            compare_clear(&c);
        }
    }
    for (unsigned s = 0; s < 2; s++) run_file_clear(&run[s]);
    cli_options_free(CLI(compare), places, &o);
    return status;
}
