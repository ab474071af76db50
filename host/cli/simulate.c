/* simulate.c - starts `heddle run` for each model and waits; see simulate.h. Called by
 * cmd_project.c on the main thread of `heddle project --check`. */
#include "cli/simulate.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "common/processors.h"
#include "sweep/sweep_pool.h"

/* The runs, and what has become of them. */
struct simulation {
    const char *out;
    const char *const *models;
    size_t count, ended;
    char **program;
    gchar *heddle; /* path of this executable */
    GPtrArray *argv;
    size_t failed; /* index of a run that failed, or count */
    int status;    /* of that; 0: it did not start, because */
    int error;     /* (errno) its log could not be written */
};

/* Prepares the command line of run `index` and opens its log; callback of the pool. @return false:
 * there is no log. */
static bool begin(void *user, unsigned index, char ***argv, int *log) {
    struct simulation *s = user;
    gchar *path = g_strdup_printf("%s/%s.log", s->out, s->models[index]);
    *log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = errno;
    g_free(path);
    if (*log < 0) {
        if (s->failed == s->count) {
            s->failed = index;
            s->error = error;
        }
        return false;
    }
    const char *const fixed[] = {s->heddle, "run", "-q", "--gpu", s->models[index], "--out"};
    g_ptr_array_set_size(s->argv, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) g_ptr_array_add(s->argv, g_strdup(fixed[i]));
    g_ptr_array_add(s->argv, g_build_filename(s->out, s->models[index], NULL));
    g_ptr_array_add(s->argv, g_strdup("--"));
    for (char **p = s->program; *p; p++) g_ptr_array_add(s->argv, g_strdup(*p));
    g_ptr_array_add(s->argv, NULL);
    *argv = (char **)s->argv->pdata;
    return true;
}

/* Notes the end of run `index`; callback of the pool. */
static void ended(void *user, unsigned index, int status) {
    struct simulation *s = user;
    s->ended++;
    fprintf(stderr, "heddle: simulated on %s (%zu of %zu)%s\n", s->models[index], s->ended,
            s->count, status ? ": failed" : "");
    if (!status || s->failed < s->count) return;
    s->failed = index;
    s->status = status;
}

heddle_err simulate_on_models(const char *out, const char *const *models, size_t count,
                              char **program, struct heddle_diag *diag) {
    struct simulation s = {
        .out = out, .models = models, .count = count, .program = program, .failed = count};
    const struct sweep_pool pool = {
        .jobs = processors(), .count = (unsigned)count, .begin = begin, .ended = ended, .user = &s};
    heddle_err e = HEDDLE_OK;
    s.heddle = g_file_read_link("/proc/self/exe", NULL);
    if (!s.heddle) return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find this executable");
    if (g_mkdir_with_parents(out, 0777)) {
        e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot make %s: %s", out, strerror(errno));
    } else {
        s.argv = g_ptr_array_new_with_free_func(g_free);
        int stopped = sweep_pool_run(&pool);
        if (stopped)
            e = heddle_fail(diag, HEDDLE_ERR_STOPPED, "interrupted by signal %d", stopped);
        else if (s.failed < count && !s.status)
            e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s/%s.log: %s", out,
                            models[s.failed], strerror(s.error));
        else if (s.failed < count)
            e = heddle_fail(diag, HEDDLE_ERR_IO,
                            "the run on %s ended with status %d: %s/%s.log has what it printed",
                            models[s.failed], s.status, out, models[s.failed]);
        g_ptr_array_free(s.argv, TRUE);
    }
    g_free(s.heddle);
    return e;
}
