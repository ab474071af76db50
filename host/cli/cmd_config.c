/* cmd_config.c - `heddle config`: the parameters of a GPU; pages made from tables. */
#include <glib.h>
#include <stdio.h>

#include "cli/cli.h"
#include "common/config.h"
#include "report/report.h"

int cli_config(int argc, char **argv) {
    gchar *gpu = NULL, **sets = NULL, *page = NULL;
    GOptionEntry entries[] = {
        {"gpu", 0, 0, G_OPTION_ARG_STRING, &gpu, "GPU by name, or its file (default: v100)", "GPU"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sets, "override a parameter", "KEY=VALUE"},
        {"page", 0, 0, G_OPTION_ARG_STRING, &page,
         "print a documentation page: parameters, statistics", "PAGE"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    GError *error = NULL;
    GOptionContext *context = g_option_context_new("- print the parameters of a GPU");
    g_option_context_add_main_entries(context, entries, NULL);
    gboolean good = g_option_context_parse(context, &argc, &argv, &error);
    g_option_context_free(context);
    int status = 0;
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    if (!good) {
        status = cli_error("%s", error->message);
        g_error_free(error);
    } else if (page && g_strcmp0(page, "parameters") == 0) {
        config_print_page(stdout);
    } else if (page && g_strcmp0(page, "statistics") == 0) {
        report_print_page(stdout);
    } else if (page) {
        status = cli_error("no page '%s'; there are: parameters, statistics", page);
    } else if (!cli_find_paths(&paths)) {
        status = cli_error("cannot find out where Heddle is installed");
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
