/* cmd_run.c - `heddle run`: builds the GPU, starts the program, serves it, reports. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/compile.h"
#include "cli/elf_scan.h"
#include "cli/launcher.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/resume.h"
#include "cli/sampling.h"
#include "cli/select.h"
#include "common/config.h"
#include "cuda/server.h"
#include "cuda/space.h"
#include "report/report.h"
#include "report/topology.h"
#include "sched/gpu.h"

struct options {
    gchar *gpu, *timing, *out, *backend, *memcheck, *kernels, *launches, *topology, *sample,
        *compare, *checkpoint, *resume, **sets, **program;
    unsigned checks; /* EXEC_CHECK_*, from memcheck */
    bool one_thread; /* more were asked for than the checks allow */
    gint devices, sm_groups, threads, every;
    gboolean strict_target, trace_api, quiet;
};

struct run {
    struct options o;
    struct cli_paths paths;
    struct config *config;
    struct space *space;
    struct gpu *gpu[SPACE_MAX_DEVICES];
    struct heap {
        struct space *space;
        unsigned device;
    } heap[SPACE_MAX_DEVICES];
    struct sampling *sampling;     /* --sample, or NULL */
    struct checkpoint *checkpoint; /* --checkpoint, --resume, or NULL */
    unsigned every;                /* launches from one to the next */
    struct selection *selection;   /* which kernels are timed, or NULL: all */
    struct server *server;
    struct trace *trace; /* of CUDA calls, or NULL */
    struct progress progress;
    bool made_directory;
    double begin, ready;
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- options */

static bool parse_checks(struct options *o) {
    static const struct {
        const char *name;
        unsigned checks;
    } known[] = {{"init", EXEC_CHECK_INIT},
                 {"race", EXEC_CHECK_RACE},
                 {"sync", EXEC_CHECK_SYNC},
                 {"global", EXEC_CHECK_GLOBAL},
                 {"all", EXEC_CHECK_INIT | EXEC_CHECK_RACE | EXEC_CHECK_SYNC | EXEC_CHECK_GLOBAL}};
    gchar **list = g_strsplit(o->memcheck, ",", -1);
    bool good = list[0] != NULL;
    for (gchar **name = list; *name && good; name++) {
        unsigned checks = 0;
        for (unsigned i = 0; i < G_N_ELEMENTS(known); i++)
            if (!strcmp(known[i].name, *name)) checks = known[i].checks;
        good = checks != 0;
        o->checks |= checks;
    }
    g_strfreev(list);
    if (!good) cli_error("--memcheck %s: a list of init, race, sync, global, or all", o->memcheck);
    return good;
}

/* --sample, with options or without. */
static gboolean read_sample(const gchar *name, const gchar *value, gpointer user, GError **error) {
    struct options *o = user;
    (void)name;
    (void)error;
    g_free(o->sample);
    o->sample = g_strdup(value ? value : "");
    return TRUE;
}

/* What kernel sampling goes with. @return false, said: not with this. */
static bool parse_sample(const struct options *o) {
    if (o->compare && !o->sample) {
        cli_error("--compare DIR says how far --sample is off: there is no --sample");
        return false;
    }
    if (!o->sample) return true;
    if (o->timing && !strcmp(o->timing, "none")) {
        cli_error("--timing none times no kernel: --sample would have nothing to estimate from");
        return false;
    }
    if (o->kernels || o->launches) {
        cli_error("--sample chooses which kernels are timed, and so does %s: one of them",
                  o->kernels ? "--kernels" : "--launches");
        return false;
    }
    if (o->memcheck) {
        cli_error("--memcheck looks at every access and --sample at few: run the program twice");
        return false;
    }
    return true;
}

/* What checkpoints go with. @return false, said: not with this. */
static bool parse_checkpoint(struct options *o) {
    const char *option = o->resume ? "--resume" : "--checkpoint";
    const char *other = o->timing && !strcmp(o->timing, "none") ? "--timing none"
                        : o->sample                             ? "--sample"
                        : o->kernels                            ? "--kernels"
                        : o->launches                           ? "--launches"
                        : o->devices > 1                        ? "--devices"
                                                                : NULL;
    if (o->every && !o->checkpoint) {
        cli_error("--every N goes with --checkpoint DIR%s",
                  o->resume ? "; a resumed run keeps what it was" : "");
        return false;
    }
    if (o->every < 0 || (o->checkpoint && o->resume)) {
        cli_error(o->every < 0 ? "--every must be at least 1"
                               : "--resume goes on writing checkpoints: without --checkpoint");
        return false;
    }
    if ((o->checkpoint || o->resume) && other) {
        cli_error("%s is for a run of one GPU in full detail: not with %s", option, other);
        return false;
    }
    if (!o->every) o->every = 100;
    return true;
}

/* @return false: *status is the exit status */
static bool parse(int argc, char **argv, struct options *o, int *status) {
    /* GLib wants a function as a pointer to data, which ISO C does not convert. */
    const union {
        GOptionArgFunc function;
        gpointer pointer;
    } sample = {read_sample};
    *o = (struct options){.devices = 1, .sm_groups = 1, .threads = 1};
    GOptionEntry entries[] = {
        {"gpu", 0, 0, G_OPTION_ARG_STRING, &o->gpu, "GPU by name, or its file (default: v100)",
         "GPU"},
        {"devices", 0, 0, G_OPTION_ARG_INT, &o->devices, "GPUs of this kind (default: 1)", "N"},
        {"kernels", 0, 0, G_OPTION_ARG_STRING, &o->kernels,
         "time these kernels only (names with * and ?, separated by commas)", "PATTERN"},
        {"launches", 0, 0, G_OPTION_ARG_STRING, &o->launches,
         "time these launches only (such as 0,3,10-19,100-)", "LIST"},
        {"sample", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, sample.pointer,
         "time some launches of each kernel and estimate the others (docs/sampling.md); OPTIONS is "
         "a "
         "list of first=N, gap=N, tolerance=X, warm=0|1",
         "OPTIONS"},
        {"compare", 0, 0, G_OPTION_ARG_FILENAME, &o->compare,
         "with --sample: say how far off it is, by the report of a run in full detail", "DIR"},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &o->checkpoint,
         "leave there what --resume needs, should the run be interrupted (docs/checkpoints.md); "
         "caches "
         "are emptied at each checkpoint",
         "DIR"},
        {"every", 0, 0, G_OPTION_ARG_INT, &o->every,
         "with --checkpoint: launches from one to the next (default: 100)", "N"},
        {"resume", 0, 0, G_OPTION_ARG_FILENAME, &o->resume,
         "go on from the last checkpoint of a run that was interrupted", "DIR"},
        {"sm-groups", 0, 0, G_OPTION_ARG_INT, &o->sm_groups, "parts that the SMs are split into",
         "N"},
        {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "threads that simulate", "N"},
        {"timing", 0, 0, G_OPTION_ARG_STRING, &o->timing,
         "rtl: the timing core (default); none: results only", "rtl|none"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->sets, "override a parameter of the GPU",
         "KEY=VALUE"},
        {"out", 0, 0, G_OPTION_ARG_FILENAME, &o->out,
         "directory of the report (default: heddle-out)", "DIR"},
        {"backend", 0, 0, G_OPTION_ARG_FILENAME, &o->backend,
         "library with the XRT calls (default: the emulation)", "FILE"},
        {"memcheck", 0, 0, G_OPTION_ARG_STRING, &o->memcheck,
         "more checks of kernels, a list of: init (shared memory is written before it is read), "
         "race (on shared memory), sync (threads of a warp at different barriers), global (races "
         "on global memory between CTAs); or all",
         "LIST"},
        {"strict-target", 0, 0, G_OPTION_ARG_NONE, &o->strict_target,
         "refuse PTX for a newer compute capability than the GPU's", NULL},
        {"trace-api", 0, 0, G_OPTION_ARG_NONE, &o->trace_api,
         "write every CUDA call with arguments, result and target time into api.txt and api.json "
         "of the report's directory",
         NULL},
        {"topology", 0, 0, G_OPTION_ARG_FILENAME, &o->topology,
         "draw the components of the node and the links between them; no program is needed then",
         "FILE.svg"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "no table at the end", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->program, NULL, NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    const struct cli_command command = {.name = "heddle run",
                                        .arguments = "-- PROGRAM [ARGUMENTS]",
                                        .summary = "Runs a CUDA program on the simulated GPU.",
                                        .user = o,
                                        .options_first = true};
    if (!cli_options(&command, entries, &argc, &argv, status)) return false;
    *status = EXIT_HEDDLE;
    gchar **p = o->program;
    cli_drop_dashes(p);
    if ((!p || !p[0]) && !o->topology) {
        cli_error("no program: heddle run [OPTIONS] -- PROGRAM [ARGUMENTS]");
        return false;
    }
    if (o->timing && strcmp(o->timing, "rtl") && strcmp(o->timing, "none")) {
        cli_error("--timing %s: rtl or none", o->timing);
        return false;
    }
    if (o->devices < 1 || o->devices > SPACE_MAX_DEVICES) {
        cli_error("--devices must be 1 to %d", SPACE_MAX_DEVICES);
        return false;
    }
    if (o->memcheck && !parse_checks(o)) return false;
    if (!parse_sample(o) || !parse_checkpoint(o)) return false;
    if (o->sm_groups < 1 || o->threads < 1) {
        cli_error("--sm-groups and --threads must be at least 1");
        return false;
    }
    o->one_thread = o->checks & EXEC_CHECK_GLOBAL && o->threads > 1;
    if (o->one_thread) o->threads = 1; /* the race that is found is always the same */
    if (o->timing && !strcmp(o->timing, "none") && (o->backend || o->sm_groups > 1)) {
        cli_error("--timing none leaves out the timing core: %s would have no effect",
                  o->backend ? "--backend" : "--sm-groups");
        return false;
    }
    if (o->timing && !strcmp(o->timing, "none") && o->topology) {
        cli_error("--timing none leaves out all that has a time: --topology would draw nothing");
        return false;
    }
    return true;
}

static void free_options(struct options *o) {
    g_free(o->gpu);
    g_free(o->timing);
    g_free(o->out);
    g_free(o->backend);
    g_free(o->kernels);
    g_free(o->launches);
    g_free(o->sample);
    g_free(o->compare);
    g_free(o->checkpoint);
    g_free(o->resume);
    g_free(o->topology);
    g_free(o->memcheck);
    g_strfreev(o->sets);
    g_strfreev(o->program);
}

/* ---- set-up */

static bool on_progress(void *user, const struct gpu_progress *p) {
    struct run *r = user;
    progress_show(&r->progress, p);
    return !r->server || !server_should_stop(r->server);
}

/* Memory of a device for the heap of its malloc. */
static uint64_t heap_memory(void *user, uint64_t bytes) {
    const struct heap *h = user;
    return space_alloc(h->space, SPACE_DEVICE + h->device, bytes, 0, NULL);
}

static heddle_err set_up_checkpoint(struct run *r, const char *path, struct heddle_diag *diag) {
    const struct options *o = &r->o;
    char library[600];
    if (!o->checkpoint && !o->resume) return HEDDLE_OK;
    snprintf(library, sizeof library, "%s/%s", r->paths.lib,
             core_emulation((uint32_t)r->config->sm_subcores));
    const struct resume_run run = {.directory = o->resume ? o->resume : o->checkpoint,
                                   .resume = o->resume != NULL,
                                   .every = (unsigned)o->every,
                                   .program = o->program,
                                   .found = path,
                                   .library = o->backend ? o->backend : library,
                                   .memcheck = o->memcheck,
                                   .config = r->config,
                                   .space = r->space};
    return resume_open(&r->checkpoint, &run, &r->every, diag);
}

/* `path`: the program's file, NULL: there is none. */
static heddle_err set_up(struct run *r, const char *path, struct heddle_diag *diag) {
    const struct options *o = &r->o;
    if (!cli_find_paths(&r->paths))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where Heddle is installed");
    heddle_err e = launcher_check(r->paths.lib, diag);
    if (!e)
        e = config_load(&r->config, o->gpu ? o->gpu : "v100", r->paths.gpus,
                        (const char *const *)o->sets, o->sets ? g_strv_length(o->sets) : 0, diag);
    if (!e && (o->kernels || o->launches))
        e = selection_create(&r->selection, o->kernels, o->launches, diag);
    if (!e && o->sample) e = sampling_create(&r->sampling, o->sample, o->compare, diag);
    if (e) return e;
    const struct space_size size = {.device_bytes = r->config->dram_bytes,
                                    .pinned_bytes = r->config->host_pinned_bytes,
                                    .managed_bytes = r->config->dram_bytes,
                                    .devices = (unsigned)o->devices};
    e = space_create(&r->space, &size, diag);
    if (!e && path) e = set_up_checkpoint(r, path, diag);
    if (e) return e;
    bool timed = !o->timing || !strcmp(o->timing, "rtl");
    struct gpu_options gpu = {.config = r->config,
                              .memory = space_memory(r->space),
                              .timing = timed ? GPU_TIMING_RTL : GPU_TIMING_NONE,
                              .sm_groups = (unsigned)o->sm_groups,
                              .threads = (unsigned)o->threads,
                              .checks = o->checks,
                              .sample = sampling_options(r->sampling),
                              .checkpoint = r->checkpoint,
                              .backend = o->backend,
                              .progress = on_progress,
                              .progress_user = r,
                              .heap = heap_memory};
    for (int i = 0; i < o->devices && !e; i++) {
        r->heap[i] = (struct heap){r->space, (unsigned)i};
        gpu.heap_user = &r->heap[i];
        gpu.first_card = (unsigned)(i * o->sm_groups);
        e = gpu_create(&r->gpu[i], &gpu, diag);
    }
    if (e) return e;
    struct server_options server = {.config = r->config,
                                    .space = r->space,
                                    .gpu = r->gpu[0],
                                    .more = r->gpu + 1,
                                    .num_more = (unsigned)o->devices - 1,
                                    .times = r->selection ? selection_times : NULL,
                                    .times_user = r->selection,
                                    .answer = r->checkpoint ? checkpoint_answer : NULL,
                                    .answer_user = r->checkpoint,
                                    .compile = compile_texts,
                                    .strict_target = o->strict_target};
    return server_create(&r->server, &server, diag);
}

static void tear_down(struct run *r) {
    for (int i = 0; i < SPACE_MAX_DEVICES; i++) /* first: they may still know of copies */
        gpu_free(r->gpu[i]);
    server_free(r->server);
    checkpoint_free(r->checkpoint);
    space_free(r->space);
    selection_free(r->selection);
    sampling_free(r->sampling);
    config_free(r->config);
    free_options(&r->o);
}

/* ---- the report */

/* The kernels of all devices, in order of their end. The caller frees the list. */
static struct gpu_kernel_record *all_kernels(const struct run *r, size_t *count) {
    struct gpu_kernel_record *all = NULL;
    *count = 0;
    for (int d = 0; d < r->o.devices; d++) {
        size_t n;
        const struct gpu_kernel_record *k = gpu_kernels(r->gpu[d], &n);
        struct gpu_kernel_record *more = realloc(all, (*count + n + 1) * sizeof *all);
        if (!more) break;
        all = more;
        for (size_t i = 0; i < n; i++) {
            all[*count + i] = k[i];
            all[*count + i].device = (uint32_t)d;
        }
        *count += n;
    }
    return all;
}

static uint64_t statistic(const struct run *r, unsigned row) {
    uint64_t sum = 0;
    for (int d = 0; d < r->o.devices; d++) sum += gpu_statistic(r->gpu[d], row);
    return sum;
}

static const char *directory_of(const struct run *r) {
    return r->o.out ? r->o.out : "heddle-out";
}

static void note_checkpoints(const struct run *r, char *out, size_t size) {
    int n = snprintf(out, size,
                     "a checkpoint every %u launches, %llu written: there caches were emptied",
                     r->every, (unsigned long long)checkpoint_written(r->checkpoint));
    uint64_t resumed = checkpoint_resumed(r->checkpoint);
    if (resumed)
        snprintf(out + n, size - (size_t)n, "; resumed behind launch %llu",
                 (unsigned long long)resumed - 1);
}

/* @return false when the report could not be written. */
static bool report(struct run *r, int status, const char *ended) {
    struct server_summary sum;
    struct server_call_count *counts;
    const char *notes[13];
    char chosen[120], passed[160];
    double wall = now_s() - r->begin;
    const char *directory = directory_of(r);
    server_summarize(r->server, &sum);
    size_t num_calls = server_call_counts(r->server, &counts);
    struct report_call *calls = calloc(num_calls + 1, sizeof *calls);
    struct report rep = {.version = HEDDLE_VERSION,
                         .program = r->o.program[0],
                         .timing = r->o.timing ? r->o.timing : "rtl",
                         .config = r->config,
                         .sm_groups = (unsigned)r->o.sm_groups,
                         .threads = (unsigned)r->o.threads,
                         .wall_s = wall,
                         .startup_s = r->ready - r->begin,
                         .simulate_s = sum.simulate_s,
                         .exit_status = status,
                         .ended = ended,
                         .calls = calls,
                         .num_calls = calls ? num_calls : 0,
                         .notes = notes,
                         .num_notes = sum.num_notes};
    for (unsigned i = 0; i < sum.num_notes; i++) notes[i] = sum.notes[i];
    if (sum.several_threads)
        notes[rep.num_notes++] = "calls of several host threads or programs: ordered by arrival";
    if (r->o.one_thread) notes[rep.num_notes++] = "--memcheck global: on one thread";
    for (size_t i = 0; calls && i < num_calls; i++)
        calls[i] = (struct report_call){counts[i].name, counts[i].count, counts[i].scheduler,
                                        counts[i].sm, counts[i].refused};
    if (r->selection) {
        uint64_t timed, untimed;
        selection_counts(r->selection, &timed, &untimed);
        snprintf(chosen, sizeof chosen,
                 "timed as chosen: %llu launches; run functionally, in no time: %llu",
                 (unsigned long long)timed, (unsigned long long)untimed);
        notes[rep.num_notes++] = chosen;
    }
    if (r->checkpoint) {
        note_checkpoints(r, passed, sizeof passed);
        notes[rep.num_notes++] = passed;
    }
    struct gpu_kernel_record *kernels = all_kernels(r, &rep.num_kernels);
    rep.kernels = kernels;
    for (unsigned i = 0; i < NUM_STATISTICS; i++)
        if (strcmp(statistic_rows[i].scope, "host")) rep.statistics[i] = statistic(r, i);
    rep.statistics[STATISTIC_HOST_CALLS] = sum.calls;
    rep.statistics[STATISTIC_HOST_TIME] = sum.end_ps;
    rep.statistics[STATISTIC_HOST_PROGRAMS] = sum.programs;
    rep.statistics[STATISTIC_HOST_DROPPED] = sum.dropped;
    struct heddle_diag diag = {0};
    rep.sampling = sampling_report(r->sampling, r->gpu, (unsigned)r->o.devices, &rep, &diag);
    bool compared = !diag.err;
    if (!compared) cli_error("%s", diag.text);
    heddle_err e = report_write(&rep, directory, &diag);
    if (e) cli_error("%s", diag.text);
    if (!r->o.quiet) report_print(&rep, e ? NULL : directory, stderr);
    free(kernels);
    free(calls);
    free(counts);
    return !e && compared;
}

static heddle_err draw_topology(const struct run *r, struct heddle_diag *diag) {
    if (!r->o.topology) return HEDDLE_OK;
    return topology_write(r->config, r->gpu, (unsigned)r->o.devices, r->o.topology, diag);
}

/* Tells, before a program is started in vain, what can be told from its file. */
static bool is_in_vain(const char *path, const struct elf_scan *scan) {
    char why[1024];
    if (scan->kind != ELF_PROGRAM || !scan->static_runtime || scan->runtime[0] ||
        scan->names_runtime)
        return false;
    elf_explain(path, scan, why, sizeof why);
    cli_error("0 CUDA calls would be intercepted: %s", why);
    return true;
}

/* A program that ended badly may have ended before its first call. */
static int no_calls(const char *path, const struct elf_scan *scan, uint64_t programs, int status,
                    const char *ended) {
    char why[1200];
    if (programs) {
        snprintf(why, sizeof why, "%s loaded libcudart but made no CUDA call", path);
    } else {
        elf_explain(path, scan, why, sizeof why);
    }
    if (status > 128) {
        cli_error("0 CUDA calls were intercepted: %s was %s", path, ended);
        return status;
    }
    if (status) return cli_error("0 CUDA calls were intercepted: %s (%s)", why, ended);
    return cli_error("0 CUDA calls were intercepted: %s", why);
}

static int cannot_run(const char *program, int error) {
    return cli_error("cannot run %s: %s%s", program, strerror(error),
                     error == EACCES ? "; is it executable (chmod +x)?" : "");
}

static heddle_err start_trace(struct run *r, struct heddle_diag *diag) {
    if (!r->o.trace_api) return HEDDLE_OK;
    heddle_err e = trace_open(&r->trace, directory_of(r), diag);
    if (!e) server_set_trace(r->server, r->trace);
    return e;
}

/* @return false when it is not all on the disk. */
static bool end_trace(struct run *r) {
    server_set_trace(r->server, NULL);
    bool good = trace_close(r->trace);
    if (!good) cli_error("the trace of CUDA calls could not be written into %s", directory_of(r));
    r->trace = NULL;
    return good;
}

static int serve(struct run *r, const char *path, const struct elf_scan *scan) {
    struct heddle_diag diag = {0};
    struct launcher launcher;
    char ended[128];
    int error = launcher_start(&launcher, r->o.program, r->paths.lib, server_address(r->server),
                               scan->thread_sanitizer ? LAUNCHER_TLS_THREAD_SANITIZER
                                                      : LAUNCHER_TLS);
    if (error) return cannot_run(r->o.program[0], error);
    heddle_err e = server_run(r->server, launcher.pidfd, &diag);
    progress_clear(&r->progress);
    bool traced = end_trace(r);
    if (e) cli_error("%s", diag.text);
    int status = launcher_finish(&launcher, ended, sizeof ended);
    struct server_summary sum;
    server_summarize(r->server, &sum);
    if (sum.calls == 0) {
        if (r->made_directory) rmdir(directory_of(r)); /* nothing came to be in it */
        return no_calls(path, scan, sum.programs, status, ended);
    }
    bool written = report(r, status, ended), resumed = true;
    if (r->checkpoint && checkpoint_failed(r->checkpoint)) {
        cli_error("%s", checkpoint_failed(r->checkpoint));
        resumed = false;
    }
    if (status > 128) fprintf(stderr, "heddle: %s was %s\n", r->o.program[0], ended);
    return e || !written || !traced || !resumed ? EXIT_HEDDLE : status;
}

/* --topology without a program. */
static int only_draw(struct run *r) {
    struct heddle_diag diag = {0};
    if (set_up(r, NULL, &diag) || draw_topology(r, &diag)) return cli_error("%s", diag.text);
    return 0;
}

int cli_run(int argc, char **argv) {
    struct run r = {.begin = now_s()};
    struct heddle_diag diag = {0};
    struct elf_scan scan;
    char path[1024];
    int status = EXIT_HEDDLE;
    progress_begin(&r.progress);
    if (!parse(argc, argv, &r.o, &status)) {
        free_options(&r.o);
        return status;
    }
    if (!r.o.program || !r.o.program[0]) {
        status = only_draw(&r);
        tear_down(&r);
        return status;
    }
    if (!elf_find_program(r.o.program[0], path, sizeof path)) {
        status = cannot_run(r.o.program[0], errno ? errno : ENOENT);
        tear_down(&r);
        return status;
    }
    elf_scan(path, &scan);
    if (!is_in_vain(path, &scan)) {
        if (set_up(&r, path, &diag) || draw_topology(&r, &diag) ||
            report_prepare(directory_of(&r), &r.made_directory, &diag) || start_trace(&r, &diag)) {
            cli_error("%s", diag.text);
        } else {
            r.ready = now_s();
            status = serve(&r, path, &scan);
        }
    }
    tear_down(&r);
    return status;
}
