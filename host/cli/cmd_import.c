/* cmd_import.c - `heddle config import`: prints an SST/Balar configuration as a GPU's file.
 * import.c converts; this file has the options and checks that the result is a valid GPU.
 * main() calls cli_config_import() on the main thread of `heddle`. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/gpu_text.h"
#include "cli/import.h"

struct import_options {
#define OPTION CLI_MEMBER
#include "tables/options/config_import.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct import_options, __VA_ARGS__)
#include "tables/options/config_import.def"
};

/* Converts `file` into memory, checks the result and prints it on standard output. @return the exit
 * status: 1 if keys were not known, EXIT_HEDDLE after an error, which it prints. */
static int import(const char *file, const char *base_name, const char *gpus) {
    struct heddle_diag diag = {0};
    struct config *base = NULL;
    char *text = NULL;
    size_t size = 0;
    unsigned unknown = 0;
    int status = EXIT_HEDDLE;
    FILE *out = open_memstream(&text, &size);
    heddle_err e = config_load(&base, base_name, gpus, NULL, 0, &diag);
    if (!e && out) e = import_write(file, base_name, base, out, stderr, &unknown, &diag);
    /* fclose() shrinks the text; it does not report that this failed */
    if ((!out || fclose(out) != 0 || !text) && !e)
        e = heddle_fail(&diag, HEDDLE_ERR_NOMEM, "out of memory");
    if (e) {
        cli_error("%s", diag.text);
    } else if (gpu_text_check(text, size, gpus, &diag)) {
        cli_error("what %s says is no GPU that can be simulated: %s", file, diag.text);
    } else {
        fwrite(text, 1, size, stdout);
        status = unknown ? 1 : 0;
    }
    config_free(base);
    free(text);
    return status;
}

/* Reads the options and imports the file. @return the exit status: 0, 1 if keys were not known, or
 * EXIT_HEDDLE. */
int cli_config_import(int argc, char **argv) {
    struct import_options o = {0};
    int status;
    struct cli_paths paths;
    if (!cli_options(CLI(config_import), places, &o, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (argc != 2) {
        status = cli_error("one file is wanted: heddle config import FILE [--base GPU]");
    } else if (!cli_find_paths(&paths)) {
        status = cli_error("cannot find out where Heddle is installed");
    } else {
        status = import(argv[1], o.base ? o.base : "v100", paths.gpus);
    }
    cli_options_free(CLI(config_import), places, &o);
    return status;
}
