/* run_options.h - the options of `heddle run`, read and checked against each other. */
#ifndef HEDDLE_CLI_RUN_OPTIONS_H
#define HEDDLE_CLI_RUN_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

/* As given; a text is NULL where its option is missing. */
struct run_options {
    gchar *gpu, *timing, *out, *backend, *memcheck, *kernels, *launches, *topology, *sample,
        *compare, *checkpoint, *resume, **sets, **program;
    unsigned checks; /* EXEC_CHECK_*, from memcheck */
    bool one_thread; /* more were asked for than the checks allow */
    gint devices, sm_groups, threads, every;
    gboolean strict_target, trace_api, quiet;
};

/* Fills *o, which run_options_clear() takes back whatever the result. Errors are printed.
 * @return false: there is nothing to run (an error, or --help); *status is the exit status. */
bool run_options_read(struct run_options *o, int argc, char **argv, int *status);
void run_options_clear(struct run_options *o);

/* Directory of the report. */
static inline const char *run_directory(const struct run_options *o) {
    return o->out ? o->out : "heddle-out";
}

#endif
