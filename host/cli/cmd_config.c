/* cmd_config.c - `heddle config`: prints the parameters of a GPU, or a documentation page generated
 * from a table. `heddle config import` is passed on to cmd_import.c. main() calls cli_config() on
 * the main thread of `heddle`. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/import.h"
#include "cli/options.h"
#include "common/config.h"
#include "models/hbm/dram_page.h"
#include "project/capability_page.h"
#include "ptx/check/check_page.h"
#include "report/report.h"

#define PAGES "parameters, statistics, diagnosis, memory, import, ptx, capabilities"

/* @return the function that prints a page made from tables alone; NULL: there is none. */
static void (*page_of(const char *name))(FILE *) {
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } pages[] = {{"parameters", config_print_page},   {"statistics", report_print_page},
                 {"diagnosis", diagnosis_print_page}, {"memory", dram_print_page},
                 {"import", import_print_page},       {"ptx", check_print_page}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(name, pages[i].name) == 0) return pages[i].print;
    return NULL;
}

/* Reads the options, then loads the GPU and prints it on standard output, or prints a page. Errors
 * go to standard error. @return the exit status: 0, or EXIT_HEDDLE. */
int cli_config(int argc, char **argv) {
    gchar *gpu = NULL, **sets = NULL, *page = NULL;
    GOptionEntry entries[] = {
        {"gpu", 0, 0, G_OPTION_ARG_STRING, &gpu, "GPU by name, or its file (default: v100)", "GPU"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sets, "override a parameter", "KEY=VALUE"},
        {"page", 0, 0, G_OPTION_ARG_STRING, &page, "print a documentation page: " PAGES, "PAGE"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    static const struct cli_command command = {
        .name = "heddle config",
        .summary =
            "Prints the parameters of a GPU: value, unit, status, source, and where it is set.\n"
            "`heddle config import FILE` makes a GPU's file of an SST/Balar configuration."};
    int status;
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    if (argc > 1 && g_strcmp0(argv[1], "import") == 0) return cli_import(argc - 1, argv + 1);
    const bool read = cli_options(&command, entries, &argc, &argv, &status);
    void (*const print)(FILE *) = read && page ? page_of(page) : NULL;
    if (!read) {
        /* an error or --help, already printed */
    } else if (argc > 1) {
        status = cli_error("heddle config takes no arguments, not '%s'", argv[1]);
    } else if (print) {
        print(stdout);
    } else if (page && g_strcmp0(page, "capabilities") != 0) {
        status = cli_error("no page '%s'; there are: " PAGES, page);
    } else if (!cli_find_paths(&paths)) {
        status = cli_error("cannot find out where Heddle is installed");
    } else if (page) {
        if (capability_print_page(stdout, paths.capabilities, &diag))
            status = cli_error("%s", diag.text);
    } else if (config_load(&config, gpu ? gpu : "v100", paths.gpus, (const char *const *)sets,
                           sets ? g_strv_length(sets) : 0, &diag)) {
        status = cli_error("%s", diag.text);
    } else {
        config_print(config, stdout);
    }
    config_free(config);
    g_free(gpu);
    g_free(page);
    g_strfreev(sets);
    return status;
}
