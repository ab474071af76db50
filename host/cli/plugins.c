/* plugins.c - see plugins.h. cmd_run.c's set-up calls it on the main thread, before there are GPUs.
 *
 * A compiled file lies in the user's cache under a name that depends on the preprocessed text, so
 * that a header of its own that has changed counts. It is written under another name first, so that
 * two runs at a time do not disturb each other. */
#include "cli/plugins.h"

#include <dlfcn.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SYMBOL "heddle_plugin"

struct plugin {
    gchar *file, *sum; /* as given or found; SHA-256 of it */
    void *library;
    const struct heddle_policy *policy;
};

struct plugins {
    struct plugin *list;
    unsigned count;
    GString *names;
    struct heddle_policy all;
};

/* ---- finding and compiling */

/* The file of a plug-in, for g_free(). */
static gchar *find(const char *given, const struct cli_paths *paths) {
    if (g_str_has_suffix(given, ".so") || g_str_has_suffix(given, ".c") || strchr(given, '/'))
        return g_strdup(given);
    gchar *name = g_strdup_printf("%s.c", given);
    gchar *file = g_build_filename(paths->policies, name, NULL);
    g_free(name);
    return file;
}

static gint by_text(gconstpointer a, gconstpointer b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names that come with Heddle, for a message and g_free(). */
static gchar *known(const struct cli_paths *paths) {
    GString *text = g_string_new(NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(paths->policies, 0, NULL);
    for (const gchar *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir))
        if (g_str_has_suffix(name, ".c")) g_ptr_array_add(names, g_strndup(name, strlen(name) - 2));
    g_ptr_array_sort(names, by_text);
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", (char *)names->pdata[i]);
    if (dir) g_dir_close(dir);
    g_ptr_array_free(names, TRUE);
    return g_string_free(text, FALSE);
}

/* SHA-256 of a file, for g_free(). NULL: it cannot be read; diag says why. */
static gchar *sum_of(const char *file, struct heddle_diag *diag) {
    gchar *bytes = NULL;
    gsize n = 0;
    GError *error = NULL;
    if (!g_file_get_contents(file, &bytes, &n, &error)) {
        heddle_fail(diag, HEDDLE_ERR_IO, "--plugin: %s", error->message);
        g_error_free(error);
        return NULL;
    }
    gchar *hex = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, n);
    g_free(bytes);
    return hex;
}

/* Runs the compiler, whose messages go to standard error: makes the library `to`, or with NULL the
 * preprocessed text *text, for g_free(). */
static heddle_err compile(const char *file, const char *include, const char *to, gchar **text,
                          struct heddle_diag *diag) {
    gchar *from = g_strdup_printf("-I%s", include);
    const gchar *make[] = {"cc",      "-std=c17", "-O2", "-fPIC", "-shared", "-Wall",
                           "-Wextra", from,       "-o",  to,      file,      NULL};
    const gchar *preprocess[] = {"cc", "-std=c17", "-E", from, file, NULL};
    const gchar **argv = to ? make : preprocess;
    GError *error = NULL;
    gint status = 0;
    heddle_err e = HEDDLE_OK;
    if (!g_spawn_sync(NULL, (gchar **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, text,
                      NULL, &status, &error))
        e = heddle_fail(diag, HEDDLE_ERR_IO,
                        "--plugin %s: the compiler cc cannot be started (%s): install gcc, or "
                        "give a FILE.so",
                        file, error->message);
    else if (!g_spawn_check_wait_status(status, &error))
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--plugin %s: cc has found errors", file);
    g_clear_error(&error);
    g_free(from);
    return e;
}

/* Compiles a C file, unless that has been done. *library: the result, for g_free(). */
static heddle_err build(const char *file, const struct cli_paths *paths, gchar **library,
                        struct heddle_diag *diag) {
    gchar *text = NULL;
    gchar *folder = g_build_filename(g_get_user_cache_dir(), "heddle", "plugins", NULL);
    heddle_err e = compile(file, paths->include, NULL, &text, diag);
    *library = NULL;
    if (!e && g_mkdir_with_parents(folder, 0755) != 0)
        e = heddle_fail(diag, HEDDLE_ERR_IO, "--plugin %s: cannot make the directory %s: %s", file,
                        folder, g_strerror(errno));
    if (!e) {
        gchar *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
        gchar *name = g_strdup_printf("%.32s.so", sum);
        *library = g_build_filename(folder, name, NULL);
        g_free(name);
        g_free(sum);
    }
    if (!e && access(*library, R_OK) != 0) {
        gchar *new = g_strdup_printf("%s.%d", *library, (int)getpid());
        e = compile(file, paths->include, new, NULL, diag);
        if (!e && g_rename(new, *library) != 0)
            e = heddle_fail(diag, HEDDLE_ERR_IO, "--plugin %s: cannot write %s: %s", file, *library,
                            g_strerror(errno));
        g_unlink(new);
        g_free(new);
    }
    g_free(folder);
    g_free(text);
    return e;
}

/* ---- loading */

/* Checks what the file calls heddle_plugin. */
static heddle_err check(const struct plugin *p, struct heddle_diag *diag) {
    const struct heddle_policy *q = p->policy;
    const char *missing = NULL;
    if (q->version != HEDDLE_POLICY_VERSION)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--plugin %s: made for version %u of heddle_policy.h, this is version "
                           "%u: compile it again",
                           p->file, q->version, HEDDLE_POLICY_VERSION);
    if (!q->name || !*q->name)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--plugin %s: " SYMBOL " has no name",
                           p->file);
    if (q->memory_scheduler)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--plugin %s: %s has a memory_scheduler, which the reference model does "
                           "not offer yet: scheduler, l1_replacement and l1_prefetcher can be "
                           "replaced",
                           p->file, q->name);
    if (!q->scheduler && !q->l1_replacement && !q->l1_prefetcher)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--plugin %s: %s replaces nothing: set scheduler, l1_replacement or "
                           "l1_prefetcher of " SYMBOL,
                           p->file, q->name);
    if (q->scheduler && !q->scheduler->choose) missing = "scheduler.choose";
    if (q->l1_replacement && !q->l1_replacement->fill) missing = "l1_replacement.fill";
    if (q->l1_prefetcher && !q->l1_prefetcher->accessed) missing = "l1_prefetcher.accessed";
    if (missing)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--plugin %s: %s has no function %s", p->file,
                           q->name, missing);
    return HEDDLE_OK;
}

/* Adds the parts of a plug-in to those of all. @return ARGUMENT: another one has the same part. */
static heddle_err add(struct plugins *all, const struct plugin *p, struct heddle_diag *diag) {
    struct heddle_policy *to = &all->all;
    const struct heddle_policy *q = p->policy;
    const char *twice = NULL;
#define PART(name)                          \
    if (q->name && to->name) twice = #name; \
    if (q->name) to->name = q->name;
    PART(scheduler)
    PART(l1_replacement)
    PART(l1_prefetcher)
#undef PART
    if (twice)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--plugin %s: %s has the part %s, and so has a plug-in before it: one "
                           "of them",
                           p->file, q->name, twice);
    g_string_append_printf(all->names, "%s%s", all->names->len ? ", " : "", q->name);
    to->name = all->names->str;
    return HEDDLE_OK;
}

/* Loads one into *p, which plugins_free() frees after an error, too. */
static heddle_err load(struct plugin *p, const char *given, const struct cli_paths *paths,
                       struct heddle_diag *diag) {
    p->file = find(given, paths);
    if (access(p->file, R_OK) != 0) {
        const int error = errno;
        gchar *names = known(paths);
        heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                    "--plugin %s: %s: %s; a FILE.so, a FILE.c, or one of %s", given, p->file,
                    g_strerror(error), names);
        g_free(names);
        return HEDDLE_ERR_ARGUMENT;
    }
    gchar *library = NULL;
    p->sum = sum_of(p->file, diag);
    heddle_err e = p->sum ? HEDDLE_OK : HEDDLE_ERR_IO;
    if (!e && g_str_has_suffix(p->file, ".c"))
        e = build(p->file, paths, &library, diag);
    else if (!e)
        library = g_canonicalize_filename(p->file, NULL);
    if (!e && !(p->library = dlopen(library, RTLD_NOW | RTLD_LOCAL)))
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--plugin %s: cannot be loaded: %s", given,
                        dlerror());
    if (!e && !(p->policy = dlsym(p->library, SYMBOL)))
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "--plugin %s: defines no " SYMBOL " (include/heddle_policy.h)", given);
    if (!e) e = check(p, diag);
    g_free(library);
    return e;
}

heddle_err plugins_load(struct plugins **out, gchar *const *list, const struct cli_paths *paths,
                        struct heddle_diag *diag) {
    struct plugins *all = g_new0(struct plugins, 1);
    heddle_err e = HEDDLE_OK;
    all->list = g_new0(struct plugin, g_strv_length((gchar **)(uintptr_t)list));
    all->names = g_string_new(NULL);
    all->all.version = HEDDLE_POLICY_VERSION;
    for (; *list && !e; list++) {
        struct plugin *p = &all->list[all->count++];
        e = load(p, *list, paths, diag);
        if (!e) e = add(all, p, diag);
    }
    *out = e ? NULL : all;
    if (e) plugins_free(all);
    return e;
}

void plugins_free(struct plugins *all) {
    if (!all) return;
    for (unsigned i = 0; i < all->count; i++) {
        if (all->list[i].library) dlclose(all->list[i].library);
        g_free(all->list[i].file);
        g_free(all->list[i].sum);
    }
    g_string_free(all->names, TRUE);
    g_free(all->list);
    g_free(all);
}

const struct heddle_policy *plugins_policy(const struct plugins *p) {
    return &p->all;
}

json_t *plugins_list(const struct plugins *p) {
    json_t *list = json_array();
    for (unsigned i = 0; p && i < p->count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", p->list[i].policy->name,
                                              "file", p->list[i].file, "sha256", p->list[i].sum));
    return list;
}
