/* cmd_rerun.c - `heddle rerun`: does a run again, from what its report says that it was made from,
 * and compares the results. The run itself is a process `heddle run`. main() calls cli_rerun() on
 * the main thread of `heddle`; functions that return a status have printed their error. */
#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/run_inputs.h"
#include "common/environment.h"
#include "report/report_difference.h"

enum { SAME = 0, DIFFERENT = 1, MOST_SHOWN = 20 };

struct rerun_options {
#define OPTION CLI_MEMBER
#include "tables/options/rerun.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct rerun_options, __VA_ARGS__)
#include "tables/options/rerun.def"
};

/* A run that is done again. */
struct rerun {
    struct rerun_options o;
    struct cli_paths paths;
    gchar *before, *after; /* directories of the reports, absolute */
    gchar **program;       /* that replaces the run's, or NULL; borrowed */
    json_t *report;        /* of the run */
    const json_t *inputs;  /* in it */
    json_t *changed;       /* what has changed since */
    GPtrArray *argv;       /* of the new run */
};

/* ---- what is run */

/* Appends an option of the run, but for those that say where files go: checkpoints go beside the
 * new report, because they are part of what is timed; a picture of the components is left out.
 * @return false after an error. */
static bool add_option(struct rerun *r, const char *option) {
    if (g_str_has_prefix(option, "--resume=")) {
        cli_error("%s was resumed from a checkpoint (%s): its beginning is another run's",
                  r->before, option);
        return false;
    }
    if (g_str_has_prefix(option, "--topology=")) return true;
    if (!strcmp(option, "--quiet")) return true; /* that of this command counts */
    if (g_str_has_prefix(option, "--checkpoint="))
        g_ptr_array_add(r->argv, g_strdup_printf("--checkpoint=%s.checkpoints", r->after));
    else
        g_ptr_array_add(r->argv, g_strdup(option));
    return true;
}

/* Appends the texts of a list in the report. @return false after an error. */
static bool add_texts(struct rerun *r, const char *member, bool options) {
    const json_t *list = json_object_get(r->inputs, member);
    bool good = true;
    for (size_t i = 0; i < json_array_size(list) && good; i++) {
        gchar *text = run_inputs_bytes(json_array_get(list, i));
        if (options)
            good = add_option(r, text);
        else
            g_ptr_array_add(r->argv, g_strdup(text));
        g_free(text);
    }
    return good;
}

/* Composes the command line. @return false after an error. */
static bool compose(struct rerun *r) {
    gchar *heddle = g_file_read_link("/proc/self/exe", NULL);
    gchar *program = run_inputs_bytes(json_object_get(r->inputs, "program"));
    r->argv = g_ptr_array_new_with_free_func(g_free);
    bool good = heddle && program;
    if (!good) cli_error("cannot find %s", heddle ? "the program of the run" : "this executable");
    if (good) {
        g_ptr_array_add(r->argv, g_strdup(heddle));
        g_ptr_array_add(r->argv, g_strdup("run"));
        good = add_texts(r, "options", true);
    }
    if (good) {
        if (r->o.quiet) g_ptr_array_add(r->argv, g_strdup("--quiet"));
        g_ptr_array_add(r->argv, g_strdup_printf("--out=%s", r->after));
        g_ptr_array_add(r->argv, g_strdup("--"));
        g_ptr_array_add(r->argv, g_strdup(r->program ? r->program[0] : program));
        for (gchar **a = r->program ? r->program + 1 : NULL; a && *a; a++)
            g_ptr_array_add(r->argv, g_strdup(*a));
        if (!r->program) good = add_texts(r, "arguments", false);
        g_ptr_array_add(r->argv, NULL);
    }
    g_free(program);
    g_free(heddle);
    return good;
}

/* Goes where the run was made, if that is still there, and sets its environment. */
static void go_there(const struct rerun *r) {
    gchar *directory = run_inputs_bytes(
        json_object_get(json_object_get(r->report, "host"), "directory"));
    if (directory && chdir(directory) != 0)
        fprintf(stderr, "heddle: the run was made in %s (%s): this one is made here\n", directory,
                strerror(errno));
    g_free(directory);
    const json_t *environment = json_object_get(r->inputs, "environment");
    for (unsigned i = 0; i < ENVIRONMENT_COUNT; i++) {
        const char *name = environment_rows[i].name;
        gchar *value = run_inputs_bytes(json_object_get(environment, name));
        if (value)
            g_setenv(name, value, TRUE);
        else
            g_unsetenv(name);
        g_free(value);
    }
}

/* Says what has changed since the run, before the new one starts. */
static void tell_changed(const struct rerun *r) {
    size_t i;
    json_t *c;
    if (!json_array_size(r->changed)) {
        fprintf(stderr, "heddle: program, GPU's files and Heddle are those of the run\n");
        return;
    }
    json_array_foreach(r->changed, i, c) {
        gchar *what = run_inputs_bytes(json_object_get(c, "what"));
        const char *before = json_string_value(json_object_get(c, "before"));
        const char *after = json_string_value(json_object_get(c, "after"));
        fprintf(stderr, "heddle: changed since the run: %s (%.12s, now %.12s)\n", what,
                before ? before : "none", after ? after : "none");
        g_free(what);
    }
}

/* GLib calls it in the child before the program: signals as a shell gives them, and it ends with
 * its parent. `json`: standard output belongs to the comparison. */
static void set_up_child(gpointer json) {
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (json) dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Runs the command line. @return 0: its report is there; else the exit status. */
static int run(const struct rerun *r) {
    gint status = 0;
    GError *error = NULL;
    gchar *report = g_build_filename(r->after, "report.json", NULL);
    remove(report); /* of an earlier run: what is there afterwards is of this one */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    const bool good = g_spawn_sync(NULL, (gchar **)r->argv->pdata, NULL,
                                   G_SPAWN_CHILD_INHERITS_STDIN, set_up_child,
                                   (gpointer)(uintptr_t)r->o.json, NULL, NULL, &status, &error);
    const bool written = g_file_test(report, G_FILE_TEST_IS_REGULAR);
    g_free(report);
    if (!good) {
        cli_error("%s", error->message);
        g_error_free(error);
        return EXIT_HEDDLE;
    }
    if (written) return 0;
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    cli_error("the run left no report in %s", r->after);
    return EXIT_HEDDLE;
}

/* ---- the comparison */

/* Prints what differs. */
static void print_text(const struct report_difference *d) {
    size_t i;
    json_t *o;
    if (!d->different && !json_array_size(d->others)) {
        printf("same: %llu members of report.json, %u other files\n",
               (unsigned long long)d->members, d->files);
        return;
    }
    printf("different: %llu of %llu members of report.json, %zu of %u other files\n",
           (unsigned long long)d->different, (unsigned long long)d->members,
           json_array_size(d->others), d->files);
    json_array_foreach(d->list, i, o) {
        if (i == MOST_SHOWN) break;
        char *before = json_dumps(json_object_get(o, "before"), JSON_ENCODE_ANY | JSON_COMPACT);
        char *after = json_dumps(json_object_get(o, "after"), JSON_ENCODE_ANY | JSON_COMPACT);
        printf("  %-40s %.60s, now %.60s\n", json_string_value(json_object_get(o, "member")),
               before ? before : "missing", after ? after : "missing");
        free(before);
        free(after);
    }
    if (d->different > MOST_SHOWN)
        printf("  and %llu more: --json lists them\n",
               (unsigned long long)(d->different - MOST_SHOWN));
    json_array_foreach(d->others, i, o) {
        printf("  %s\n", json_string_value(o));
    }
}

static void print_json(const struct rerun *r, const struct report_difference *d, bool same) {
    json_t *o = json_pack("{s:b, s:s, s:s, s:O, s:I, s:I, s:O, s:i, s:O}", "same", same, "before",
                          r->before, "after", r->after, "changed", r->changed, "members",
                          (json_int_t)d->members, "different", (json_int_t)d->different,
                          "differences", d->list, "files", (int)d->files, "different_files",
                          d->others);
    json_dumpf(o, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(o);
}

/* Compares the reports and prints the result. @return the exit status. */
static int compare(const struct rerun *r) {
    struct report_difference d = {0};
    struct heddle_diag diag = {0};
    json_t *after = NULL;
    int status = EXIT_HEDDLE;
    if (report_read(&after, r->after, &diag) ||
        report_compare(&d, r->report, after, r->before, r->after, &diag)) {
        cli_error("%s", diag.text);
    } else {
        const bool same = !d.different && !json_array_size(d.others);
        if (r->o.json)
            print_json(r, &d, same);
        else
            print_text(&d);
        status = same ? SAME : DIFFERENT;
    }
    report_difference_clear(&d);
    json_decref(after);
    return status;
}

/* ---- the command */

/* Reads the report of the run; `said`: its directory as given. @return false after an error. */
static bool load(struct rerun *r, const char *said) {
    struct heddle_diag diag = {0};
    r->before = g_canonicalize_filename(said, NULL);
    gchar *after = r->o.out ? g_strdup(r->o.out) : g_strdup_printf("%s.rerun", r->before);
    r->after = g_canonicalize_filename(after, NULL);
    g_free(after);
    if (report_read(&r->report, r->before, &diag)) {
        cli_error("%s", diag.text);
        return false;
    }
    r->inputs = json_object_get(r->report, "inputs");
    if (!json_is_object(r->inputs)) {
        cli_error(
            "%s/report.json does not say what the run was made from: it is of an older Heddle",
            r->before);
        return false;
    }
    if (!strcmp(r->before, r->after)) {
        cli_error("--out %s: that is the run itself", r->o.out);
        return false;
    }
    return true;
}

/* Does the run again and compares. @return the exit status. */
static int again(struct rerun *r) {
    if (!cli_find_paths(&r->paths)) return cli_error("cannot find out where Heddle is installed");
    if (!compose(r)) return EXIT_HEDDLE;
    go_there(r);
    gchar *program = r->program ? g_strdup(r->program[0])
                                : run_inputs_bytes(json_object_get(r->inputs, "program"));
    r->changed = run_inputs_changed(r->inputs, program, &r->paths);
    g_free(program);
    tell_changed(r);
    const int status = r->o.only_compare ? 0 : run(r);
    return status ? status : compare(r);
}

int cli_rerun(int argc, char **argv) {
    struct rerun r = {.before = NULL};
    int status, end = 1;
    while (end < argc && strcmp(argv[end], "--") != 0) end++;
    if (end < argc) {
        r.program = argv + end + 1;
        argc = end;
    }
    if (!cli_options(CLI(rerun), places, &r.o, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (argc != 2 || (r.program && !r.program[0])) {
        status = cli_error("one run is wanted: heddle rerun RUN [-- PROGRAM [ARGUMENTS]]");
    } else if (r.o.only_compare && !r.o.out) {
        status = cli_error("--only-compare compares with the report in --out DIR");
    } else {
        status = load(&r, argv[1]) ? again(&r) : EXIT_HEDDLE;
    }
    if (r.argv) g_ptr_array_free(r.argv, TRUE);
    json_decref(r.changed);
    json_decref(r.report);
    g_free(r.before);
    g_free(r.after);
    cli_options_free(CLI(rerun), places, &r.o);
    return status;
}
