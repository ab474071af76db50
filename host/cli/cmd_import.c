/* cmd_import.c - `heddle config import`: prints an SST/Balar configuration as a GPU's file.
 * import.c converts; this file has the options and checks that the result is a valid GPU.
 * cmd_config.c calls cli_import() on the main thread of `heddle`. */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/import.h"
#include "cli/options.h"

/* Checks the generated file: loads it as a GPU, from memory (memfd), and frees that again. @return
 * HEDDLE_ERR_IO (no memfd) or CONFIG, with text in diag. */
static heddle_err check(const char *text, size_t size, const char *gpus, struct heddle_diag *diag) {
    char path[64];
    struct config *config = NULL;
    int fd = memfd_create("imported", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text, size) != (ssize_t)size) {
        int error = errno;
        if (fd >= 0) close(fd);
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot check the result: %s", strerror(error));
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    heddle_err e = config_load(&config, path, gpus, NULL, 0, diag);
    config_free(config);
    close(fd);
    return e;
}

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
    } else if (check(text, size, gpus, &diag)) {
        /* leaves out the line number: it is that of the generated file, which is not printed */
        const char *what = strstr(diag.text, ": ");
        cli_error("what %s says is no GPU that can be simulated%s", file, what ? what : diag.text);
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
int cli_import(int argc, char **argv) {
    gchar *base = NULL;
    int status;
    struct cli_paths paths;
    GOptionEntry entries[] = {{"base", 0, 0, G_OPTION_ARG_STRING, &base,
                               "GPU by name, or its file, for what FILE does not say (default: "
                               "v100)",
                               "GPU"},
                              {NULL, 0, 0, 0, NULL, NULL, NULL}};
    static const struct cli_command command = {
        .name = "heddle config import",
        .arguments = "FILE",
        .summary = "Prints an SST/Balar configuration as a GPU's file."};
    if (!cli_options(&command, entries, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (argc != 2) {
        status = cli_error("one file is wanted: heddle config import FILE [--base GPU]");
    } else if (!cli_find_paths(&paths)) {
        status = cli_error("cannot find out where Heddle is installed");
    } else {
        status = import(argv[1], base ? base : "v100", paths.gpus);
    }
    g_free(base);
    return status;
}
