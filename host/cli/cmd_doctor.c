/* cmd_doctor.c - `heddle doctor`: prints which tools and libraries are installed, whether Heddle's
 * files are in place, and the command that installs what is missing. main() calls cli_doctor() on
 * the main thread of `heddle`. Output goes to standard output. */
#include <dlfcn.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/config.h"
#include "cuda/base/address_space.h"

enum need_kind { PROGRAM, LIBRARY };

/* The rows of tables/doctor.def. */
static const struct {
    enum need_kind kind;
    const char *what, *package, *use;
    bool required;
} needs[] = {
#define NEED(how, what, package, use, required) {how, what, package, use, required},
#include "tables/doctor.def"
};

/* Whether a program is on PATH, or a library can be loaded (it is unloaded again). */
static bool is_there(enum need_kind kind, const char *what) {
    if (kind == PROGRAM) {
        gchar *path = g_find_program_in_path(what);
        g_free(path);
        return path != NULL;
    }
    void *library = dlopen(what, RTLD_LAZY | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != NULL;
}

/* Prints one line of the result. */
static void line(bool good, bool required, const char *what, const char *remark) {
    printf("%-8s %-28s %s\n", good ? "ok" : required ? "MISSING" : "absent", what, remark);
}

/* Tries the first steps of a run, printing a line for each: find Heddle's files, load a GPU, map
 * its address space (freed again). @return number of failures. */
static unsigned try_set_up(void) {
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    struct address_space *space = NULL;
    unsigned bad = 0;
    if (!cli_find_paths(&paths)) {
        line(false, true, "installation", "cannot be found");
        return 1;
    }
    static const char *const files[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13",
#define SHAPE(sub_cores, library) library,
#include "tables/core_shapes.def"
#undef SHAPE
                                        "../bin/heddle-cc", "../include/device/cuda_runtime.h"};
    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
        gchar *path = g_build_filename(paths.lib, files[i], NULL);
        gchar *plain = g_canonicalize_filename(path, NULL), *name = g_path_get_basename(plain);
        bool good = access(plain, R_OK) == 0;
        line(good, true, name, good ? plain : "build Heddle: ./run.sh");
        bad += !good;
        g_free(name);
        g_free(plain);
        g_free(path);
    }
    const char *mode = g_getenv("XCL_EMULATION_MODE"); /* xrt.c says why */
    if (mode) {
        line(false, true, "XCL_EMULATION_MODE", "is set: unset it, it selects Vitis' emulation");
        bad++;
    }
    heddle_err e = config_load(&config, "v100", paths.gpus, NULL, 0, &diag);
    line(!e, true, "GPU v100", e ? diag.text : config->file);
    bad += e != HEDDLE_OK;
    if (config) {
        e = address_space_create(&space,
                                 &(struct address_space_size){config->dram_bytes,
                                                              config->host_pinned_bytes,
                                                              config->dram_bytes, 1},
                                 &diag);
        line(!e, true, "address space", e ? diag.text : "device memory can be mapped");
        bad += e != HEDDLE_OK;
    }
    address_space_free(space);
    config_free(config);
    return bad;
}

/* Prints a line for each row of tables/doctor.def and each step of try_set_up(), then the packages
 * to install. @return 0, 1 if something needed is missing, or EXIT_HEDDLE for an argument. */
int cli_doctor(int argc, char **argv) {
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        printf("Usage:\n  heddle doctor\n\n"
               "Says what is installed, what is missing, and how to get it. The exit status is 1\n"
               "when something is missing that is needed.\n");
        return 0;
    }
    if (argc > 1) return cli_error("heddle doctor takes no arguments, not '%s'", argv[1]);
    GString *missing = g_string_new(NULL);
    unsigned bad = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(needs); i++) {
        bool good = is_there(needs[i].kind, needs[i].what);
        line(good, needs[i].required, needs[i].what, needs[i].use);
        if (good || !needs[i].required) continue;
        bad++;
        g_string_append_printf(missing, " %s", needs[i].package);
    }
    unsigned broken = try_set_up();
    if (missing->len)
        printf("\nTo get what is missing: sudo apt-get install%s\n", missing->str);
    else if (broken)
        printf("\nLines that begin with MISSING say what to do.\n");
    else
        printf("\nAll that is needed is there. Try: heddle run -- build/apps/vector_add\n");
    g_string_free(missing, TRUE);
    return bad + broken ? 1 : 0;
}
