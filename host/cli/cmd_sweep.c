/* cmd_sweep.c - `heddle sweep`: runs a program on every point of a cross product of parameter
 * values, or on their first values and with one parameter at a time moved away from them.
 *
 * Each point is a separate process `heddle run` with its report in DIR/points/NAME. A point that
 * has a record (sweep/sweep_record.h) is not run again, so repeating the command resumes an
 * interrupted sweep. main() calls cli_sweep(). All functions run on the main thread, keep their
 * state in struct run, and print their own errors on standard error; those that return bool return
 * false after an error, unless their comment says otherwise. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/elf_scan.h"
#include "common/claim.h"
#include "common/config.h"
#include "common/processors.h"
#include "common/wall_time.h"
#include "sweep/sweep.h"
#include "sweep/sweep_output.h"
#include "sweep/sweep_pool.h"
#include "sweep/sweep_record.h"

/* All emulations and reference models: points may have GPUs of either number of sub-cores. */
static const char *const emulations[] = {
#define SHAPE(sub_cores, emulation, reference) emulation, reference,
#include "tables/core_shapes.def"
#undef SHAPE
};
enum { NUM_EMULATIONS = G_N_ELEMENTS(emulations), MOST_FILES = 2 + NUM_EMULATIONS };

/* A sweep in progress. */
struct run {
#define OPTION CLI_MEMBER
#include "tables/options/sweep.def"
    struct sweep_more more;
    unsigned compared; /* column by its number */
    struct cli_paths paths;
    struct sweep *sweep;
    struct sweep_result *results; /* one per point */
    json_t **inputs;              /* one per point: what its result depends on */
    struct sweep_inputs common;   /* inputs that all points share */
    gchar **passed;               /* the options passed to `heddle run`, "--NAME=VALUE" */
    char heddle[512], emulation[NUM_EMULATIONS][600], found[1024]; /* files; found: the program's */
    struct stat made_from[MOST_FILES]; /* state of made_from_files() at the start */
    gchar **started;                   /* command line of the point started last */
    unsigned ended, failed, at_begin;  /* numbers of points; at_begin: done earlier */
    struct claim claim;                /* of the directory */
    double begin;                      /* wall time, seconds */
    bool terminal;                     /* standard error is one */
};

/* ---- options */

static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct run, __VA_ARGS__)
#include "tables/options/sweep.def"
};

/* The options given that each `heddle run` gets: those of level PASSED. The caller frees them. */
static gchar **passed_options(const struct run *r) {
    static const struct run none;
    GStrvBuilder *list = g_strv_builder_new();
    gchar **given = cli_options_given(CLI(sweep), places, r, &none);
    for (gchar **g = given; *g; g++) {
        gchar *name = g_strndup(*g + strlen("--"), strcspn(*g, "=") - strlen("--"));
        const int row = cli_find_option(CLI(sweep), name);
        if (row >= 0 && CLI(sweep)->options[row].level == CLI_PASSED) g_strv_builder_add(list, *g);
        g_free(name);
    }
    g_strfreev(given);
    gchar **passed = g_strv_builder_end(list);
    g_strv_builder_unref(list);
    return passed;
}

/* Finds the column of that name. @return false after an error. */
static bool find_column(struct run *r, const char *option, const char *name, unsigned *out) {
    *out = sweep_more_find(&r->more, name);
    if (*out != SWEEP_NO_COLUMN) return true;
    if (r->more.count == SWEEP_MOST_MORE) {
        cli_error("%s %s: more than %d columns", option, name, SWEEP_MOST_MORE);
        return false;
    }
    GString *names = g_string_new(NULL);
    for (unsigned c = 0; c < SWEEP_NUM_COLUMNS; c++)
        g_string_append_printf(names, "%s, ", sweep_columns[c].name);
    cli_error("%s %s: no such column, there are: %sipc, and the statistics and counts of "
              "docs/statistics.md",
              option, name, names->str);
    g_string_free(names, TRUE);
    return false;
}

/* Reads --plot and --column into r->compared and r->more. @return false after an error. */
static bool read_columns(struct run *r) {
    unsigned column;
    r->compared = SWEEP_KERNEL_TIME;
    if (r->column && !find_column(r, "--plot", r->column, &r->compared)) return false;
    for (gchar **name = r->columns; name && *name; name++) {
        if (!find_column(r, "--column", *name, &column)) return false;
        if (r->more.num_shown < SWEEP_MOST_MORE) r->more.shown[r->more.num_shown++] = column;
    }
    return true;
}

/* Reads the options into *r and checks them. @return false: nothing to run (an error, or --help);
 * *status is the exit status. */
static bool parse(int argc, char **argv, struct run *r, int *status) {
    if (!cli_options(CLI(sweep), places, r, &argc, &argv, status)) return false;
    *status = EXIT_HEDDLE;
    if (r->monitor) {
        cli_error("--monitor looks at one run, and a sweep has many: heddle run --monitor %s, with "
                  "the parameters of a point",
                  r->monitor);
        return false;
    }
    if (!r->program || !r->program[0]) {
        cli_error("no program: heddle sweep --set KEY=V1,V2,... -- PROGRAM [ARGUMENTS]");
        return false;
    }
    if (!r->sets && !(r->gpu && strchr(r->gpu, ','))) {
        cli_error("nothing to vary: heddle sweep --set KEY=V1,V2,... -- PROGRAM [ARGUMENTS]");
        return false;
    }
    if (r->jobs < 0 || r->jobs > 1024) {
        cli_error("--jobs must be 1 to 1024");
        return false;
    }
    return read_columns(r);
}

/* ---- before the first point */

/* Lists the files whose checksums are in every record: program, `heddle`, timing cores. NULL ends
 * it. */
static void made_from_files(const struct run *r, const char *files[MOST_FILES + 1]) {
    files[0] = r->found;
    files[1] = r->heddle;
    unsigned n = 2;
    if (r->backend)
        files[n++] = r->backend;
    else
        for (unsigned i = 0; i < NUM_EMULATIONS; i++) files[n++] = r->emulation[i];
    files[n] = NULL;
}

/* @return a file of made_from_files() that changed since the sweep began (inode, size, time), or
 * NULL. */
static const char *changed_file(const struct run *r) {
    const char *files[MOST_FILES + 1];
    made_from_files(r, files);
    for (unsigned i = 0; files[i]; i++) {
        const struct stat *then = &r->made_from[i];
        struct stat now = {0};
        if (stat(files[i], &now) != 0) now = (struct stat){0};
        if (now.st_ino != then->st_ino || now.st_size != then->st_size ||
            now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != then->st_mtim.tv_nsec)
            return files[i];
    }
    return NULL;
}

/* Finds the files, computes their checksums, and builds the inputs and options that points
 * share. */
static bool prepare_inputs(struct run *r) {
    ssize_t n = readlink("/proc/self/exe", r->heddle, sizeof r->heddle - 1);
    if (n <= 0 || !cli_find_paths(&r->paths)) {
        cli_error("cannot find out where Heddle is installed");
        return false;
    }
    r->heddle[n] = '\0';
    if (!elf_find_program(r->program[0], r->found, sizeof r->found)) {
        cli_error("cannot run %s: %s", r->program[0], strerror(errno ? errno : ENOENT));
        return false;
    }
    r->passed = passed_options(r);
    for (unsigned i = 0; i < NUM_EMULATIONS; i++)
        snprintf(r->emulation[i], sizeof r->emulation[i], "%s/%s", r->paths.lib, emulations[i]);
    const char *files[MOST_FILES + 1];
    made_from_files(r, files);
    for (unsigned i = 0; files[i]; i++)
        if (stat(files[i], &r->made_from[i]) != 0) r->made_from[i] = (struct stat){0};
    r->common = (struct sweep_inputs){.version = HEDDLE_VERSION,
                                      .program = r->program[0],
                                      .arguments = (const char *const *)r->program + 1,
                                      .options = (const char *const *)r->passed};
    if (!sweep_inputs_sum(&r->common, files[0], files + 1)) {
        cli_error("cannot read %s: %s", r->found, strerror(errno));
        return false;
    }
    return true;
}

/* Claims the directory of the results (r->claim, held until free_run()) and makes its folder
 * `points`. @return false after an error. */
static bool claim_results(struct run *r) {
    char *points = g_strdup_printf("%s/points", r->out);
    int error = claim_directory(&r->claim, r->out, NULL);
    if (!error && g_mkdir_with_parents(points, 0777) != 0) error = errno;
    if (error == EWOULDBLOCK)
        cli_error("another sweep is at work in %s", r->out);
    else if (error)
        cli_error("cannot make the directory %s: %s", points, strerror(error));
    g_free(points);
    return !error;
}

/* A point in messages: by its name, unless it is the only one, which has none. @return out. */
static const char *point_of(const struct sweep_point *p, char *out, size_t size) {
    snprintf(out, size, strcmp(p->name, "point") ? "point %s" : "the %s", p->name);
    return out;
}

/* Directory of point i; the caller frees it. */
static char *directory_of(const struct run *r, unsigned i) {
    return g_strdup_printf("%s/points/%s", r->out, r->sweep->points[i].name);
}

/* Loads the GPU of every point, so that errors are reported before the first point runs, and stores
 * the inputs of each point. */
static bool check_points(struct run *r) {
    struct heddle_diag diag = {0};
    char text[256];
    const struct sweep *s = r->sweep;
    r->results = g_new0(struct sweep_result, s->num_points);
    r->inputs = g_new0(json_t *, s->num_points);
    for (unsigned i = 0; i < s->num_points; i++) {
        const struct sweep_point *p = &s->points[i];
        struct config *config;
        heddle_err e = config_load(&config, p->gpu, r->paths.gpus, (const char *const *)p->sets,
                                   g_strv_length(p->sets), &diag);
        if (e) {
            cli_error("%s: %s", point_of(p, text, sizeof text), diag.text);
            return false;
        }
        r->inputs[i] = sweep_inputs_of_point(&r->common, config);
        config_free(config);
    }
    return true;
}

/* Reads the records that an earlier run of the sweep left into r->results; counts them in
 * r->at_begin and r->ended. A record of another sweep is an error. */
static bool find_done(struct run *r) {
    struct heddle_diag diag = {0};
    for (unsigned i = 0; i < r->sweep->num_points; i++) {
        char *directory = directory_of(r, i);
        heddle_err e = sweep_record_read(directory, r->inputs[i], &r->more, &r->results[i], &diag);
        g_free(directory);
        if (e) {
            cli_error("%s", diag.text);
            return false;
        }
        r->at_begin += r->results[i].state == SWEEP_DONE;
    }
    r->ended = r->at_begin;
    return true;
}

/* ---- points */

/* Erases the progress line on the terminal. */
static void clear_line(const struct run *r) {
    if (r->terminal) fputs("\r\033[K", stderr);
}

/* Makes the point's directory and its log. @return the open log, or -1 with errno. */
static int open_log(const char *directory) {
    char *path = g_strdup_printf("%s/log.txt", directory);
    int log = g_mkdir_with_parents(directory, 0777) != 0
                  ? -1
                  : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    g_free(path);
    return log;
}

/* Callback of the pool, on the main thread, before it starts point i: makes the point's directory,
 * its log, which the pool closes, and *argv, the command line of `heddle run`, which r->started
 * owns until the next call. @return false: the point is already done, or has failed for want of a
 * log, which it prints. */
static bool begin_point(void *user, unsigned i, char ***argv, int *log) {
    struct run *r = user;
    const struct sweep_point *p = &r->sweep->points[i];
    char text[256];
    if (r->results[i].state == SWEEP_DONE) return false;
    char *directory = directory_of(r, i);
    if ((*log = open_log(directory)) < 0) {
        clear_line(r);
        cli_error("%s failed: cannot write %s/log.txt: %s%s", point_of(p, text, sizeof text),
                  directory, strerror(errno), heddle_advice(errno));
        r->results[i] = (struct sweep_result){.state = SWEEP_FAILED, .status = EXIT_HEDDLE};
        r->ended++;
        r->failed++;
        g_free(directory);
        return false;
    }
    GPtrArray *list = g_ptr_array_new();
    g_ptr_array_add(list, g_strdup(r->heddle));
    g_ptr_array_add(list, g_strdup("run"));
    g_ptr_array_add(list, g_strdup_printf("--gpu=%s", p->gpu));
    g_ptr_array_add(list, g_strdup_printf("--out=%s", directory));
    for (char **set = p->sets; *set; set++)
        g_ptr_array_add(list, g_strdup_printf("--set=%s", *set));
    for (char **o = r->passed; *o; o++) g_ptr_array_add(list, g_strdup(*o));
    g_ptr_array_add(list, g_strdup("--"));
    for (char **a = r->program; *a; a++) g_ptr_array_add(list, g_strdup(*a));
    g_ptr_array_add(list, NULL);
    g_strfreev(r->started);
    r->started = (gchar **)g_ptr_array_free(list, FALSE);
    g_free(directory);
    *argv = r->started;
    return true;
}

/* Callback of the pool, on the main thread, when point i has ended with this exit status: reads its
 * report, writes its record, fills r->results[i] and prints a line. A point counts as failed if its
 * report cannot be read, or if the program or Heddle has changed meanwhile. */
static void end_point(void *user, unsigned i, int status) {
    struct run *r = user;
    struct sweep_result *result = &r->results[i];
    struct heddle_diag diag = {0};
    char text[256];
    char *directory = directory_of(r, i);
    r->ended++;
    clear_line(r);
    const char *changed = status ? NULL : changed_file(r);
    if (changed) { /* the point may have used either version */
        cli_error("%s has changed while the sweep ran", changed);
        status = EXIT_HEDDLE;
    }
    if (!status && sweep_record_make(directory, r->inputs[i], &r->more, result, &diag)) {
        cli_error("%s", diag.text);
        status = EXIT_HEDDLE;
    }
    if (status) {
        *result = (struct sweep_result){.state = SWEEP_FAILED, .status = status};
        r->failed++;
        cli_error("%s failed, exit status %d: %s/log.txt",
                  point_of(&r->sweep->points[i], text, sizeof text), status, directory);
    } else {
        fprintf(stderr, "heddle: %u of %u points: %s\n", r->ended, r->sweep->num_points,
                r->sweep->points[i].name);
    }
    g_free(directory);
}

/* Callback of the pool, on the main thread, some times a second: updates the progress line, if
 * standard error is a terminal. `running`: points. */
static void show_progress(void *user, unsigned running) {
    const struct run *r = user;
    unsigned here = r->ended - r->at_begin, left = r->sweep->num_points - r->ended;
    double s = wall_seconds() - r->begin;
    char rest[40] = "";
    if (!r->terminal || !running) return;
    if (here) snprintf(rest, sizeof rest, ", some %.0f s left", s * left / here);
    fprintf(stderr, "\r\033[K%u of %u points, %u failed, %u running, %.0f s%s", r->ended,
            r->sweep->num_points, r->failed, running, s, rest);
    fflush(stderr);
}

/* Runs the points that are left, then writes the results and prints their table on standard output.
 * @return the exit status: 0, 1 if a point failed, 128 + signal if one ended the sweep, EXIT_HEDDLE
 * if the results cannot be written. */
static int run_points(struct run *r) {
    struct heddle_diag diag = {0};
    unsigned left = r->sweep->num_points - r->at_begin;
    unsigned jobs = r->jobs ? (unsigned)r->jobs : processors();
    if (r->at_begin)
        fprintf(stderr, "heddle: %u of %u points were done before\n", r->at_begin,
                r->sweep->num_points);
    const struct sweep_pool pool = {.jobs = jobs < left ? jobs
                                            : left      ? left
                                                        : 1,
                                    .count = r->sweep->num_points,
                                    .begin = begin_point,
                                    .ended = end_point,
                                    .user = r,
                                    .waiting = show_progress};
    int stopped = sweep_pool_run(&pool);
    clear_line(r);
    const struct sweep_output output = {.sweep = r->sweep,
                                        .results = r->results,
                                        .inputs = &r->common,
                                        .column = r->compared,
                                        .more = &r->more,
                                        .directory = r->out};
    bool plotted;
    heddle_err e = sweep_write(&output, &plotted, &diag);
    if (e) return cli_error("%s", diag.text);
    if (!r->json)
        sweep_print(&output, stdout);
    else if (!sweep_print_json(&output, stdout))
        return cli_error("cannot write the output: %s", strerror(errno));
    fprintf(stderr, "Written: %s/sweep.csv, sweep.json%s\n", r->out,
            plotted ? ", sweep.svg" : "; no picture: no point has a value to draw");
    if (stopped) {
        cli_error("interrupted by signal %d after %u of %u points; the same command goes on",
                  stopped, r->ended, r->sweep->num_points);
        return 128 + stopped;
    }
    return r->failed ? 1 : 0;
}

/* Frees all members of a run and gives the directory back. Accepts a run that is partly set up. */
static void free_run(struct run *r) {
    for (unsigned i = 0; r->inputs && i < r->sweep->num_points; i++) json_decref(r->inputs[i]);
    g_free(r->inputs);
    g_free(r->results);
    sweep_free(r->sweep);
    claim_end(&r->claim);
    g_strfreev(r->passed);
    g_strfreev(r->started);
    cli_options_free(CLI(sweep), places, r);
}

/* Reads the options, prepares the sweep and runs its points. @return the exit status of
 * run_points(), or EXIT_HEDDLE if no point was run. */
int cli_sweep(int argc, char **argv) {
    struct run r = {.begin = wall_seconds(), .terminal = isatty(STDERR_FILENO) == 1};
    struct heddle_diag diag = {0};
    int status = EXIT_HEDDLE;
    if (parse(argc, argv, &r, &status)) {
        if (!r.out) r.out = g_strdup("heddle-sweep");
        if (sweep_create(&r.sweep, r.gpu, (const char *const *)r.sets,
                         r.sets ? g_strv_length(r.sets) : 0, r.around, &diag))
            cli_error("%s", diag.text);
        else if (prepare_inputs(&r) && check_points(&r) && claim_results(&r) && find_done(&r))
            status = run_points(&r);
    }
    free_run(&r);
    return status;
}
