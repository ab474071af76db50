/* run_inputs.c - gathers what a run is made from, and compares it with what is there now; contracts
 * in run_inputs.h. cmd_run.c and cmd_rerun.c call it on the main thread. */
#include "cli/run_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/elf_scan.h"
#include "cli/revision.h"
#include "common/crc32c.h"
#include "common/environment.h"
#include "common/processors.h"
#include "sweep/sweep_record.h"

/* ---- texts */

json_t *run_inputs_text(const char *bytes) {
    json_t *text = json_string(bytes);
    if (text) return text;
    gchar *coded = g_base64_encode((const guchar *)bytes, strlen(bytes));
    text = json_pack("{s:s}", "base64", coded);
    g_free(coded);
    return text;
}

gchar *run_inputs_bytes(const json_t *text) {
    const char *coded = json_string_value(json_object_get(text, "base64"));
    gsize n = 0;
    if (!coded) return g_strdup(json_string_value(text));
    guchar *bytes = g_base64_decode(coded, &n);
    gchar *all = g_strndup((const gchar *)bytes, n);
    g_free(bytes);
    return all;
}

/* ---- sums of files */

/* Maps a file. @return false: it cannot be read. */
static bool map_file(const char *path, const void **bytes, size_t *size) {
    struct stat s;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *bytes = "";
    *size = 0;
    if (fd < 0) return false;
    bool good = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
    if (good && s.st_size) {
        void *m = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        good = m != MAP_FAILED;
        if (good) *bytes = m, *size = (size_t)s.st_size;
    }
    close(fd);
    return good;
}

static void unmap_file(const void *bytes, size_t size) {
    if (size) munmap((void *)(uintptr_t)bytes, size);
}

/* SHA-256 of a file as new JSON; null: it cannot be read. */
static json_t *sha256(const char *path) {
    const void *bytes;
    size_t size;
    if (!map_file(path, &bytes, &size)) return json_null();
    char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, size);
    unmap_file(bytes, size);
    json_t *text = json_string(sum);
    g_free(sum);
    return text;
}

/* CRC-32C of a file as new JSON, for Heddle's own large files, which each run reads: null: it
 * cannot be read. */
static json_t *crc(const char *path) {
    const void *bytes;
    size_t size;
    char text[16];
    if (!map_file(path, &bytes, &size)) return json_null();
    snprintf(text, sizeof text, "%08x", crc32c(0, bytes, size));
    unmap_file(bytes, size);
    return json_string(text);
}

/* ---- names of files */

/* The directory of Heddle's installation; the caller frees it. */
static gchar *prefix_of(const struct cli_paths *paths) {
    return g_path_get_dirname(paths->lib);
}

/* The name of a file in the report: relative to Heddle's installation if it is of it. The caller
 * frees it. */
static gchar *name_of(const char *path, const struct cli_paths *paths) {
    gchar *prefix = prefix_of(paths), *plain = g_canonicalize_filename(path, NULL);
    const size_t n = strlen(prefix);
    const bool own = !strncmp(plain, prefix, n) && plain[n] == '/' &&
                     (g_str_has_prefix(plain + n, "/share/heddle/") ||
                      g_str_has_prefix(plain + n, "/lib/"));
    gchar *name = g_strdup(own ? plain + n + 1 : path);
    g_free(plain);
    g_free(prefix);
    return name;
}

/* The file that such a name stands for in this installation. The caller frees it. */
static gchar *file_of(const char *name, const struct cli_paths *paths) {
    if (!g_str_has_prefix(name, "share/heddle/") && !g_str_has_prefix(name, "lib/libheddle"))
        return g_strdup(name);
    gchar *prefix = prefix_of(paths), *file = g_build_filename(prefix, name, NULL);
    g_free(prefix);
    return file;
}

/* ---- the parts */

/* Adds the files of a configuration with their sums. */
static void add_files(json_t *list, const struct ini_files *files, const struct cli_paths *paths) {
    for (unsigned i = 0; i < files->count; i++) {
        gchar *name = name_of(files->path[i], paths);
        json_array_append_new(list, json_pack("{s:o, s:o}", "file", run_inputs_text(name), "sha256",
                                              sha256(files->path[i])));
        g_free(name);
    }
}

static json_t *texts(char *const *list) {
    json_t *o = json_array();
    for (; list && *list; list++) json_array_append_new(o, run_inputs_text(*list));
    return o;
}

/* The options given, but for where the report goes. */
static json_t *options_of(const struct run_options *o) {
    json_t *list = json_array();
    for (char **given = o->given; *given; given++)
        if (!g_str_has_prefix(*given, "--out="))
            json_array_append_new(list, run_inputs_text(*given));
    return list;
}

/* The variables of the environment that are set. */
static json_t *environment(void) {
    json_t *o = json_object();
    for (unsigned i = 0; i < ENVIRONMENT_COUNT; i++) {
        const char *value = g_getenv(environment_rows[i].name);
        if (value) json_object_set_new(o, environment_rows[i].name, run_inputs_text(value));
    }
    return o;
}

/* The parameters of `config` that have another value than in `base`, the GPU without --set. */
static json_t *differing(const struct config *config, const struct config *base) {
    json_t *o = json_object();
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        json_t *value = *config->origin[i].where ? sweep_parameter(config, i) : json_null();
        json_t *plain = *base->origin[i].where ? sweep_parameter(base, i) : json_null();
        if (json_equal(value, plain)) {
            json_decref(value);
            json_decref(plain);
        } else {
            json_object_set_new(o, config_rows[i].key,
                                json_pack("{s:o, s:o}", "value", value, "gpu_file", plain));
        }
    }
    return o;
}

/* Heddle itself. `core`: file of the timing core, NULL: there is none. */
static json_t *heddle_object(const char *core, const struct cli_paths *paths) {
    json_t *o = json_pack("{s:s, s:s, s:o}", "version", HEDDLE_VERSION, "revision", heddle_revision,
                          "crc32c", crc("/proc/self/exe"));
    gchar *name = core ? name_of(core, paths) : NULL;
    json_object_set_new(o, "core", name ? run_inputs_text(name) : json_null());
    json_object_set_new(o, "core_crc32c", core ? crc(core) : json_null());
    g_free(name);
    return o;
}

/* The name of the processor, from /proc/cpuinfo; the caller frees it. */
static gchar *processor(void) {
    gchar *text = NULL, *name = NULL;
    if (g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL)) {
        const char *at = strstr(text, "model name");
        at = at ? strchr(at, ':') : NULL;
        if (at) name = g_strstrip(g_strndup(at + 1, strcspn(at + 1, "\n")));
    }
    g_free(text);
    return name ? name : g_strdup("unknown");
}

static json_t *host_object(void) {
    struct utsname u = {.sysname = ""};
    (void)uname(&u); /* a system without a name stays without one */
    GDateTime *now = g_date_time_new_now_utc();
    gchar *date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ"), *name = processor();
    gchar *directory = g_get_current_dir();
    gchar *system = g_strdup_printf("%s %s %s", u.sysname, u.release, u.machine);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:i}", "date", date, "name", u.nodename, "system",
                          system, "processor", name, "processors", (int)processors());
    json_object_set_new(o, "directory", run_inputs_text(directory));
    g_free(system);
    g_free(directory);
    g_free(name);
    g_free(date);
    g_date_time_unref(now);
    return o;
}

/* ---- both */

heddle_err run_inputs_make(struct run *r, const char *path, struct heddle_diag *diag) {
    struct config *base = NULL;
    const char *gpu = r->o.gpu ? r->o.gpu : "v100";
    struct heddle_diag ignored;
    heddle_err e = config_load(&base, gpu, r->paths.gpus, NULL, 0, &ignored);
    if (e) /* the GPU's file alone is none that can be simulated, but with --set it is */
        e = config_load(&base, gpu, r->paths.gpus, (const char *const *)r->o.sets,
                        r->o.sets ? g_strv_length(r->o.sets) : 0, diag);
    if (e) return e;
    json_t *files = json_array(), *o = json_object();
    gchar *core = run_core_file(r);
    add_files(files, &r->config->files, &r->paths);
    if (r->network) add_files(files, &r->network->files, &r->paths);
    if (r->node) add_files(files, &r->node->files, &r->paths);
    json_object_set_new(o, "program", run_inputs_text(r->o.program[0]));
    json_object_set_new(o, "program_file", run_inputs_text(path));
    json_object_set_new(o, "program_sha256", sha256(path));
    json_object_set_new(o, "arguments", texts(r->o.program + 1));
    json_object_set_new(o, "options", options_of(&r->o));
    json_object_set_new(o, "environment", environment());
    json_object_set_new(o, "gpu", run_inputs_text(gpu));
    json_object_set_new(o, "files", files);
    json_object_set_new(o, "parameters", differing(r->config, base));
    json_object_set_new(o, "plugins", plugins_list(r->plugins));
    json_object_set_new(o, "heddle", heddle_object(core, &r->paths));
    r->inputs = o;
    r->host = host_object();
    g_free(core);
    config_free(base);
    return HEDDLE_OK;
}

/* Appends {what, before, after}, if they differ; `after` is taken. */
static void note(json_t *list, const char *what, const json_t *before, json_t *after) {
    if (!before) before = json_null();
    if (!json_equal((json_t *)before, after))
        json_array_append_new(list, json_pack("{s:o, s:O, s:O}", "what", run_inputs_text(what),
                                              "before", before, "after", after));
    json_decref(after);
}

json_t *run_inputs_changed(const json_t *inputs, const char *program,
                           const struct cli_paths *paths) {
    json_t *list = json_array();
    char path[1024];
    const json_t *heddle = json_object_get(inputs, "heddle");
    gchar *core = run_inputs_bytes(json_object_get(heddle, "core"));
    size_t i;
    json_t *file;
    note(list, "program", json_object_get(inputs, "program_sha256"),
         elf_find_program(program, path, sizeof path) ? sha256(path) : json_null());
    json_array_foreach(json_object_get(inputs, "files"), i, file) {
        gchar *name = run_inputs_bytes(json_object_get(file, "file"));
        gchar *now = file_of(name ? name : "", paths);
        note(list, name ? name : "", json_object_get(file, "sha256"), sha256(now));
        g_free(now);
        g_free(name);
    }
    json_array_foreach(json_object_get(inputs, "plugins"), i, file) {
        gchar *name = run_inputs_bytes(json_object_get(file, "file"));
        note(list, name ? name : "", json_object_get(file, "sha256"), sha256(name ? name : ""));
        g_free(name);
    }
    note(list, "Heddle's version", json_object_get(heddle, "version"), json_string(HEDDLE_VERSION));
    note(list, "Heddle's revision", json_object_get(heddle, "revision"),
         json_string(heddle_revision));
    note(list, "Heddle's executable", json_object_get(heddle, "crc32c"), crc("/proc/self/exe"));
    if (core) {
        gchar *now = file_of(core, paths);
        note(list, "the timing core", json_object_get(heddle, "core_crc32c"), crc(now));
        g_free(now);
    }
    g_free(core);
    return list;
}
