/* cmd_config.c - `heddle config`: prints the parameters of a GPU, or a page made from a table.
 * main() calls cli_config() on the main thread of `heddle`. */
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help_pages.h"
#include "common/config.h"
#include "project/capability_page.h"
#include "sweep/sweep_record.h"

struct config_options {
#define OPTION CLI_MEMBER
#include "tables/options/config.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct config_options, __VA_ARGS__)
#include "tables/options/config.def"
};

/* Prints the page made from tables, or that of the capabilities, which are files. @return the exit
 * status. */
static int print_page(const char *page, const struct cli_paths *paths) {
    struct heddle_diag diag = {0};
    if (help_print_named_page(page, stdout)) return 0;
    if (strcmp(page, "capabilities") != 0)
        return cli_error("no page '%s'; there are: %s", page, HELP_PAGES);
    if (capability_print_page(stdout, paths->capabilities, &diag))
        return cli_error("%s", diag.text);
    return 0;
}

/* Prints the parameters that have a value as one object: a member for each key. */
static void print_json(const struct config *config) {
    json_t *root = json_object(), *parameters = json_object();
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        const struct parameter_row *row = &config_rows[i];
        const struct parameter_origin *o = &config->origin[i];
        if (!*o->where) continue;
        json_object_set_new(parameters, row->key,
                            json_pack("{s:o, s:s, s:s, s:s, s:s, s:s}", "value",
                                      sweep_parameter(config, i), "unit", row->unit, "status",
                                      o->status, "source", o->source, "where", o->where, "meaning",
                                      row->meaning));
    }
    json_object_set_new(root, "file", json_string(config->file));
    json_object_set_new(root, "parameters", parameters);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', stdout);
    json_decref(root);
}

/* Reads the options, then loads the GPU and prints it on standard output, or prints a page. Errors
 * go to standard error. @return the exit status: 0, or EXIT_HEDDLE. */
int cli_config(int argc, char **argv) {
    struct config_options o = {0};
    int status;
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    if (!cli_options(CLI(config), places, &o, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (argc > 1) {
        status = cli_error("heddle config takes no arguments, not '%s'", argv[1]);
    } else if (!cli_find_paths(&paths)) {
        status = cli_error("cannot find out where Heddle is installed");
    } else if (o.page) {
        status = print_page(o.page, &paths);
    } else if (config_load(&config, o.gpu ? o.gpu : "v100", paths.gpus, (const char *const *)o.sets,
                           o.sets ? g_strv_length(o.sets) : 0, &diag)) {
        status = cli_error("%s", diag.text);
    } else if (o.json) {
        print_json(config);
    } else {
        config_print(config, stdout);
    }
    config_free(config);
    cli_options_free(CLI(config), places, &o);
    return status;
}
