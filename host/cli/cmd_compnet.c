/* cmd_compnet.c - `heddle compnet`: runs the figures of the paper on ComP-Net (PACT'18) and prints
 * them beside its claims (compnet/compnet.h, docs/compnet.md). */
#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/claim.h"
#include "compnet/compnet.h"

struct compnet_options {
#define OPTION CLI_MEMBER
#include "tables/options/compnet.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct compnet_options, __VA_ARGS__)
#include "tables/options/compnet.def"
};

#define FIGURES "4, 7, 8, 9, 10 or 11" /* of compnet_claims */

/* The figures that there are. */
static const struct {
    unsigned number;
    heddle_err (*run)(struct compnet *c, struct heddle_diag *diag);
} figures[] = {{4, compnet_figure4}, {7, compnet_figure7},   {8, compnet_figure8},
               {9, compnet_figure9}, {10, compnet_figure10}, {11, compnet_figure11}};

/* The directories of the command itself and of the programs. */
static bool find_programs(struct cli_paths *paths, gchar **heddle, gchar **apps) {
    if (!cli_find_paths(paths)) {
        cli_error("cannot find out where Heddle is installed");
        return false;
    }
    gchar *root = g_path_get_dirname(paths->lib);
    *heddle = g_build_filename(root, "bin", "heddle", NULL);
    if (!*apps) *apps = g_build_filename(root, "apps", NULL);
    gchar *one = g_build_filename(*apps, "shmem_latency", NULL);
    const bool found = g_file_test(one, G_FILE_TEST_IS_EXECUTABLE);
    if (!found)
        cli_error("%s is missing: build all of Heddle, or say --apps DIR (apps/shmem)", one);
    g_free(one);
    g_free(root);
    return found;
}

/* Runs the figures, or only one of them (0: all), and draws them. */
static heddle_err run_figures(struct compnet *c, unsigned only, struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++) c->value[i] = NAN;
    for (unsigned i = 0; i < G_N_ELEMENTS(figures) && !e; i++)
        if (!only || figures[i].number == only) e = figures[i].run(c, diag);
    for (unsigned i = 0; i < c->num_pictures && !e; i++) e = compnet_draw(c, &c->picture[i], diag);
    return e;
}

/* Whether all hard claims hold that were measured. */
static bool all_hold(const struct compnet *c) {
    bool all = true;
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++)
        if (!isnan(c->value[i]) && compnet_claims[i].kind == COMPNET_HARD && !compnet_holds(c, i))
            all = false;
    return all;
}

/* Whether the paper claims something there. */
static bool is_figure(int number) {
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++)
        if (compnet_claims[i].figure == (unsigned)number) return true;
    return false;
}

/* Claims the directory, runs, prints. @return the exit status. */
static int run(struct compnet *c, unsigned figure, bool json) {
    struct claim claim = {0};
    struct heddle_diag diag;
    const int error = claim_directory(&claim, c->out, NULL);
    if (error)
        return cli_error("--out %s: %s", c->out,
                         error == EWOULDBLOCK ? "another run writes there" : strerror(error));
    heddle_err e = run_figures(c, figure, &diag);
    claim_end(&claim);
    if (e) return cli_error("%s", diag.text);
    (json ? compnet_print_json : compnet_print)(c, stdout);
    return all_hold(c) ? 0 : 1;
}

int cli_compnet(int argc, char **argv) {
    static struct compnet c; /* large */
    struct compnet_options o = {0};
    gchar *heddle = NULL;
    struct cli_paths paths;
    int status;
    if (cli_options(CLI(compnet), places, &o, &argc, &argv, &status)) {
        if (argc > 1)
            status = cli_error("'%s' is not an option", argv[1]);
        else if (o.figure && !is_figure(o.figure))
            status = cli_error("--figure %d: " FIGURES, o.figure);
        else if (!find_programs(&paths, &heddle, &o.apps))
            status = EXIT_HEDDLE;
        else {
            c = (struct compnet){.heddle = heddle,
                                 .apps = o.apps,
                                 .out = o.out ? o.out : "heddle-compnet",
                                 .node_sets = o.node_sets,
                                 .quick = o.quick,
                                 .quiet = o.quiet};
            status = run(&c, (unsigned)o.figure, o.json);
        }
    }
    g_free(heddle);
    cli_options_free(CLI(compnet), places, &o);
    return status;
}
