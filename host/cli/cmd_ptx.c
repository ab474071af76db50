/* cmd_ptx.c - `heddle ptx`: prints the MIR that Heddle compiles PTX files to, or compares it with
 * the code of NVIDIA's ptxas (ptxas_compare.c). main() calls cli_ptx() on the main thread of
 * `heddle`. */
#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/ptxas_compare.h"
#include "cli/compile.h"
#include "cli/kernel_choice.h"
#include "common/readable_name.h"

struct ptx_command {
#define OPTION CLI_MEMBER
#include "tables/options/ptx.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct ptx_command, __VA_ARGS__)
#include "tables/options/ptx.def"
};

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

/* A kernel as a new object. */
static json_t *function_object(const char *file, const struct mir_function *f) {
    char line[512], *readable = readable_name(f->name);
    json_t *code = json_array();
    for (uint32_t i = 0; i < f->num_inst; i++) {
        mir_print_inst(line, sizeof line, &f->code[i], true);
        json_array_append_new(code, json_string(line));
    }
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "file", file,
                          "kernel", f->name, "name", readable, "instructions",
                          (json_int_t)f->num_inst, "registers", (json_int_t)f->num_regs,
                          "shared_bytes", (json_int_t)f->shared_bytes, "local_bytes",
                          (json_int_t)f->local_bytes, "param_bytes", (json_int_t)f->param_bytes,
                          "spill_bytes", (json_int_t)f->spill_bytes, "code", code);
    g_free(readable);
    return o;
}

/* Compiles a file for the GPU and prints the kernels that o->kernel names on standard output, or
 * adds them to `list`. Prints errors. @return the exit status: 0 or EXIT_HEDDLE. */
static int print_module(const char *file, const struct ptx_command *o, json_t *list) {
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
    } else if (config_load(&config, o->gpu ? o->gpu : "v100", paths.gpus, NULL, 0, &diag) ||
               compile_ptx(config, &m, text, bytes, file, &diag)) {
        status = cli_error("%s", diag.text);
    } else {
        bool *chosen = kernel_choose(m, file, o->kernel);
        if (!chosen) status = EXIT_HEDDLE;
        for (uint32_t i = 0; i < m->num_functions && chosen; i++) {
            if (!chosen[i]) continue;
            if (list)
                json_array_append_new(list, function_object(file, &m->functions[i]));
            else
                print_function(&m->functions[i]);
        }
        g_free(chosen);
    }
    mir_module_free(m);
    config_free(config);
    g_free(text);
    return status;
}

/* Prints all files; stops at the first one with an error. @return the exit status. */
static int print_files(char *const *files, int n, const struct ptx_command *o) {
    json_t *list = o->json ? json_array() : NULL;
    int status = 0;
    for (int i = 0; i < n && !status; i++) status = print_module(files[i], o, list);
    if (list && !status) {
        json_dumpf(list, stdout, JSON_INDENT(2));
        printf("\n");
    }
    json_decref(list);
    return status;
}

/* Reads the options and prints or compares the files. @return the exit status: 0 or EXIT_HEDDLE. */
int cli_ptx(int argc, char **argv) {
    struct ptx_command o = {0};
    int status;
    if (!cli_options(CLI(ptx), places, &o, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (o.csv && o.json) {
        status = cli_error("--csv and --json: one of them");
    } else if (o.compare && argc > 1) {
        const struct ptxas_compare_options compare = {.gpu = o.gpu ? o.gpu : "v100",
                                                      .kernel = o.kernel,
                                                      .ptxas = o.ptxas,
                                                      .csv = o.csv,
                                                      .json = o.json};
        status = ptxas_compare_files(argv + 1, argc - 1, &compare);
    } else if (!o.compare && (o.csv || o.ptxas)) {
        status = cli_error("--csv and --ptxas go with --compare-ptxas");
    } else if (argc < 2) {
        status = cli_error("no PTX file: heddle ptx %sFILE...",
                           o.compare ? "--compare-ptxas " : "");
    } else {
        status = print_files(argv + 1, argc - 1, &o);
    }
    cli_options_free(CLI(ptx), places, &o);
    return status;
}
