/* cmd_doctor.c - `heddle doctor`: says which tools and libraries are installed, whether Heddle's
 * files are in place, which accelerators XRT and OpenCL see, and the command that installs what is
 * missing. main() calls cli_doctor() on the main thread of `heddle`. Output goes to standard
 * output, as lines or as one JSON object. */
#include <dlfcn.h>
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/accelerators.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "common/config.h"
#include "cuda/base/address_space.h"

struct doctor_options {
#define OPTION CLI_MEMBER
#include "tables/options/doctor.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct doctor_options, __VA_ARGS__)
#include "tables/options/doctor.def"
};

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

/* The visit: what has been found, and whether it is printed as it is found. */
struct visit {
    bool as_lines;
    json_t *found;    /* array of objects */
    unsigned missing; /* of what is needed */
};

/* Adds one finding, and prints it as a line. */
static void find(struct visit *v, bool good, bool required, const char *what, const char *remark) {
    const char *state = good ? "ok" : required ? "MISSING" : "absent";
    v->missing += !good && required;
    if (v->as_lines) printf("%-8s %-28s %s\n", state, what, remark);
    json_array_append_new(v->found, json_pack("{s:s,s:b,s:b,s:s}", "name", what, "found", good,
                                              "needed", required, "remark", remark));
}

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

/* Tries the first steps of a run: find Heddle's files, load a GPU, map its address space (freed
 * again). */
static void try_set_up(struct visit *v) {
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    struct address_space *space = NULL;
    if (!cli_find_paths(&paths)) {
        find(v, false, true, "installation", "cannot be found");
        return;
    }
    static const char *const files[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13",
#define SHAPE(sub_cores, emulation, reference) emulation, reference,
#include "tables/core_shapes.def"
#undef SHAPE
                                        "../bin/heddle-cc", "../include/device/cuda_runtime.h"};
    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
        gchar *path = g_build_filename(paths.lib, files[i], NULL);
        gchar *plain = g_canonicalize_filename(path, NULL), *name = g_path_get_basename(plain);
        bool good = access(plain, R_OK) == 0;
        find(v, good, true, name, good ? plain : "build Heddle: ./run.sh");
        g_free(name);
        g_free(plain);
        g_free(path);
    }
    if (g_getenv("XCL_EMULATION_MODE")) /* timing/xrt.c says why */
        find(v, false, true, "XCL_EMULATION_MODE", "is set: unset it, it selects Vitis' emulation");
    heddle_err e = config_load(&config, "v100", paths.gpus, NULL, 0, &diag);
    find(v, !e, true, "GPU v100", e ? diag.text : config->file);
    if (config) {
        e = address_space_create(
            &space,
            &(struct address_space_size){.device_bytes = config->dram_bytes,
                                         .pinned_bytes = config->host_pinned_bytes,
                                         .managed_bytes = config->dram_bytes},
            &diag);
        find(v, !e, true, "address space", e ? diag.text : "device memory can be mapped");
    }
    address_space_free(space);
    config_free(config);
}

/* Adds a line for XRT's view. */
static void show_cards(struct visit *v, const json_t *xrt) {
    const char *error = json_string_value(json_object_get(xrt, "error"));
    const size_t cards = json_array_size(json_object_get(xrt, "cards"));
    gchar *remark = !json_is_true(json_object_get(xrt, "library"))
                        ? g_strdup("no XRT: the timing core runs in the emulation")
                    : error ? g_strdup_printf("XRT cannot be asked: %s", error)
                    : cards ? g_strdup_printf("%zu; `heddle card check` says what works", cards)
                            : g_strdup("XRT finds none");
    find(v, cards > 0, false, "FPGA cards (XRT)", remark);
    g_free(remark);
}

/* Adds a line for an OpenCL platform: its version and its devices. */
static void show_platform(struct visit *v, const json_t *platform) {
    const json_t *devices = json_object_get(platform, "devices");
    GString *remark = g_string_new(json_string_value(json_object_get(platform, "version")));
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);
        g_string_append_printf(remark, ", %s (%s)",
                               json_string_value(json_object_get(device, "name")),
                               json_string_value(json_object_get(device, "type")));
    }
    gchar *name = g_strdup_printf("OpenCL: %s",
                                  json_string_value(json_object_get(platform, "name")));
    find(v, true, false, name, remark->str);
    g_free(name);
    g_string_free(remark, TRUE);
}

/* Adds a line for each OpenCL platform, or one that says why there is none. */
static void show_platforms(struct visit *v, const json_t *opencl) {
    const char *error = json_string_value(json_object_get(opencl, "error"));
    const json_t *platforms = json_object_get(opencl, "platforms");
    if (!json_array_size(platforms)) {
        gchar *remark = !json_is_true(json_object_get(opencl, "library"))
                            ? g_strdup("no ICD loader (package ocl-icd-libopencl1)")
                        : error ? g_strdup_printf("cannot be asked: %s", error)
                                : g_strdup("the ICD loader lists none");
        find(v, false, false, "OpenCL platforms", remark);
        g_free(remark);
    }
    for (size_t i = 0; i < json_array_size(platforms); i++)
        show_platform(v, json_array_get(platforms, i));
}

/* Prints what to do. `packages`: those that are missing, each behind a blank. */
static void conclude(const struct visit *v, const char *packages) {
    if (*packages)
        printf("\nTo get what is missing: sudo apt-get install%s\n", packages);
    else if (v->missing)
        printf("\nLines that begin with MISSING say what to do.\n");
    else
        printf("\nAll that is needed is there. Try: heddle run -- build/apps/vector_add\n");
}

/* Looks for the rows of tables/doctor.def, takes the steps of try_set_up() and asks for
 * accelerators. @return 0, 1 if something needed is missing, or EXIT_HEDDLE for an argument. */
int cli_doctor(int argc, char **argv) {
    struct doctor_options o = {0};
    int status;
    if (!cli_options(CLI(doctor), places, &o, &argc, &argv, &status)) return status;
    if (argc > 1) return cli_error("heddle doctor takes no arguments, not '%s'", argv[1]);
    struct visit v = {.as_lines = !o.json, .found = json_array()};
    GString *packages = g_string_new(NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(needs); i++) {
        bool good = is_there(needs[i].kind, needs[i].what);
        find(&v, good, needs[i].required, needs[i].what, needs[i].use);
        if (!good && needs[i].required) g_string_append_printf(packages, " %s", needs[i].package);
    }
    try_set_up(&v);
    json_t *xrt = accelerators_xrt(), *opencl = accelerators_opencl();
    show_cards(&v, xrt);
    show_platforms(&v, opencl);
    if (o.json) {
        json_t *all = json_pack("{s:b,s:O,s:O,s:O,s:O}", "ok", !v.missing, "found", v.found, "xrt",
                                xrt, "opencl", opencl, "cards", json_object_get(xrt, "cards"));
        json_dumpf(all, stdout, JSON_INDENT(2));
        printf("\n");
        json_decref(all);
    } else {
        conclude(&v, packages->str);
    }
    json_decref(xrt);
    json_decref(opencl);
    json_decref(v.found);
    g_string_free(packages, TRUE);
    return v.missing ? 1 : 0;
}
