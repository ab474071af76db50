/* cmd_ptx.c - `heddle ptx`: prints the MIR that Heddle compiles PTX files to, or compares it with
 * the code of NVIDIA's ptxas (ptxas_compare.c). main() calls cli_ptx() on the main thread of
 * `heddle`. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/ptxas_compare.h"
#include "cli/compile.h"
#include "cli/options.h"

/* Prints the MIR of a kernel on standard output. */
static void print_function(const struct mir_function *f) {
    char line[512];
    printf("// %s: %u instructions, %u registers, %u bytes shared, %u bytes local, %u bytes of "
           "parameters\n",
           f->name, f->num_inst, f->num_regs, f->shared_bytes, f->local_bytes, f->param_bytes);
    for (uint32_t i = 0; i < f->num_inst; i++) {
        mir_print_inst(line, sizeof line, &f->code[i], true);
        printf("%5u  %s\n", i, line);
    }
    printf("\n");
}

/* Compiles a file for the GPU and prints its kernels, or the one named `kernel` (NULL: all), on
 * standard output. Prints errors. @return the exit status: 0 or EXIT_HEDDLE. */
static int print_module(const char *file, const char *gpu, const char *kernel) {
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    struct mir_module *m = NULL;
    char *text = NULL;
    size_t bytes = 0;
    int status = 0;
    if (!compile_read(file, &text, &bytes)) {
        status = EXIT_HEDDLE;
    } else if (!cli_find_paths(&paths)) {
        status = cli_error("cannot find out where Heddle is installed");
    } else if (config_load(&config, gpu, paths.gpus, NULL, 0, &diag) ||
               compile_ptx(config, &m, text, bytes, file, &diag)) {
        status = cli_error("%s", diag.text);
    } else {
        bool found = false;
        for (uint32_t i = 0; i < m->num_functions; i++) {
            if (kernel && strcmp(kernel, m->functions[i].name)) continue;
            found = true;
            print_function(&m->functions[i]);
        }
        if (kernel && !found) status = cli_error("%s has no kernel '%s'", file, kernel);
    }
    mir_module_free(m);
    config_free(config);
    g_free(text);
    return status;
}

/* Reads the options and prints or compares the files; stops printing at the first file with an
 * error. @return the exit status: 0 or EXIT_HEDDLE. */
int cli_ptx(int argc, char **argv) {
    gchar *gpu = NULL, *kernel = NULL, *ptxas = NULL;
    gboolean compare = FALSE, csv = FALSE;
    GOptionEntry entries[] = {
        {"gpu", 0, 0, G_OPTION_ARG_STRING, &gpu, "GPU by name, or its file (default: v100)", "GPU"},
        {"kernel", 0, 0, G_OPTION_ARG_STRING, &kernel, "this kernel alone", "NAME"},
        {"compare-ptxas", 0, 0, G_OPTION_ARG_NONE, &compare,
         "instructions, registers and spills beside those of NVIDIA's ptxas for sm_75", NULL},
        {"ptxas", 0, 0, G_OPTION_ARG_FILENAME, &ptxas, "the ptxas to compare with", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_NONE, &csv, "the comparison as comma-separated values", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    static const struct cli_command command = {
        .name = "heddle ptx",
        .arguments = "FILE...",
        .summary = "Prints the machine code (MIR) that Heddle makes of a PTX file."};
    int status;
    if (!cli_options(&command, entries, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (compare && argc > 1) {
        struct ptxas_compare_options o = {
            .gpu = gpu ? gpu : "v100", .kernel = kernel, .ptxas = ptxas, .csv = csv};
        status = ptxas_compare_files(argv + 1, argc - 1, &o);
    } else if (!compare && (csv || ptxas)) {
        status = cli_error("--csv and --ptxas go with --compare-ptxas");
    } else if (argc < 2) {
        status = cli_error("no PTX file: heddle ptx %sFILE...", compare ? "--compare-ptxas " : "");
    } else {
        for (int i = 1; i < argc && !status; i++)
            status = print_module(argv[i], gpu ? gpu : "v100", kernel);
    }
    g_free(gpu);
    g_free(kernel);
    g_free(ptxas);
    return status;
}
