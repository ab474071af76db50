/* run_report.c - gathers the report of a finished `heddle run` from the GPUs, the server and the
 * options, writes its files and prints its table. cmd_run.c calls run_report() on the main thread,
 * when the program has ended. */
#include "cli/run_report.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/elf_scan.h"
#include "cli/resume.h"
#include "cli/run_timeline.h"
#include "cli/sampling.h"
#include "cli/select.h"
#include "common/memory.h"
#include "cuda/base/findings.h"
#include "report/report.h"
#include "sched/gpu_view.h"

/* A statistic (row of tables/statistics.def), summed over all devices. */
static uint64_t statistic(const struct run *r, unsigned row) {
    uint64_t sum = 0;
    for (int d = 0; d < (int)run_gpus(&r->o); d++) sum += gpu_statistic(r->gpu[d], row);
    return sum;
}

/* The note about checkpoints, for the report. */
static void note_checkpoints(const struct run *r, char *out, size_t size) {
    int n = snprintf(out, size,
                     "a checkpoint every %u launches, %llu written: there caches were emptied",
                     r->every, (unsigned long long)checkpoint_written(r->checkpoint));
    uint64_t resumed = checkpoint_resumed(r->checkpoint);
    if (resumed)
        snprintf(out + n, size - (size_t)n, "; resumed behind launch %llu",
                 (unsigned long long)resumed - 1);
}

/* The note of --inject-latency. */
static void note_latency(const struct run *r, const struct report *rep, char *out, size_t size) {
    const uint64_t runs = rep->statistics[STATISTIC_CORE_RUNS];
    const double busy = (double)rep->statistics[STATISTIC_CORE_CLOCKS];
    const double waits = (double)rep->statistics[STATISTIC_CORE_WAITS];
    snprintf(out, size,
             "with %g us for each of %llu round trips, a card of %d MHz would be busy in %.0f %% "
             "of its clocks",
             r->o.inject_latency, (unsigned long long)runs, CARDS_MHZ,
             busy > 0 ? 100 * busy / (busy + waits) : 0);
}

/* Fills in what the checks of kernels have found. @return the list, which the caller frees. */
static struct report_finding *all_findings(const struct run *r, struct report *rep) {
    const struct findings *all = server_findings(r->server);
    struct report_finding *list = heddle_alloc_array(all->num, sizeof *list, "findings");
    for (unsigned i = 0; i < all->num; i++) {
        const struct finding *f = &all->place[i];
        list[i] = (struct report_finding){heddle_err_text(f->kind), f->kernel, f->text, f->count};
    }
    rep->findings = list;
    rep->num_findings = all->num;
    rep->found = all->total;
    rep->found_beyond = all->beyond;
    return list;
}

/* What the nodes have done, with --nodes. @return the list, which the caller frees. */
static struct report_node *all_nodes(const struct run *r, struct report *rep) {
    const unsigned n = (unsigned)r->o.nodes;
    struct report_node *list = heddle_alloc_array(n ? n : 1, sizeof *list, "nodes");
    for (unsigned i = 0; i < n && i < r->pes.num; i++)
        list[i] = (struct report_node){.program = r->o.program[0],
                                       .exit_status = r->pes.of[i].status,
                                       .ended = r->pes.of[i].ended,
                                       .end_ps = server_node_end_ps(r->server, i)};
    for (unsigned i = 0; i < n && r->cluster; i++)
        for (unsigned row = 0; row < NUM_NODE_STATISTICS; row++)
            list[i].statistic[row] = cluster_statistic(r->cluster, i, row);
    for (unsigned i = 0; i < n && r->cluster; i++) {
        const struct service_energy e = cluster_energy(r->cluster, i);
        const double all[] = {
#define ENERGY(member, meaning) e.member,
#include "tables/service_energy.def"
        };
        memcpy(list[i].energy, all, sizeof all);
    }
    rep->has_network = r->cluster != NULL;
    rep->network = r->network ? r->network->name : NULL;
    rep->node = r->node ? r->node->name : NULL;
    rep->design = r->o.design ? r->o.design : "compnet";
    rep->node_sets = r->o.node_sets;
    rep->nodes = list;
    rep->num_nodes = n;
    rep->gpus = run_gpus(&r->o);
    return list;
}

/* The last line about findings, also with --quiet. */
static void tell_findings(const struct report *rep, const char *directory) {
    if (!rep->found) return;
    fprintf(stderr, "heddle: memcheck: %llu finding%s at %zu place%s%s: %s/report.json\n",
            (unsigned long long)rep->found, rep->found == 1 ? "" : "s", rep->num_findings,
            rep->num_findings == 1 ? "" : "s", rep->found_beyond ? " and more" : "", directory);
}

enum { MESSAGES = 64, WAITS = 64 }; /* in notes, at most */

/* Notes of the messages that are under way: some of each node. @return how many. */
static unsigned note_messages(const struct run *r, char story[MESSAGES][300], const char **notes) {
    const unsigned nodes = r->cluster ? (unsigned)r->o.nodes : 0;
    unsigned n = 0;
    for (unsigned pe = 0; pe < nodes; pe++) {
        uint32_t i = 0;
        while (i < MESSAGES / nodes && cluster_story(r->cluster, pe, i, story[n], sizeof *story)) {
            notes[n] = story[n];
            n++;
            i++;
        }
    }
    return n;
}

/* The report, with what it points to. */
struct gathered {
    struct report rep;
    struct server_summary sum;
    struct server_call_count *counts;
    struct report_call *calls;
    struct report_finding *findings;
    struct report_node *nodes;
    gchar *policies;
    const char *notes[20 + WAITS + MESSAGES];
    char story[MESSAGES][300]; /* messages under way */
    char chosen[120], passed[160], waits[160], cut[200], left_out[500];
};

/* Adds notes about how the run was done. */
static void note_ways(const struct run *r, struct gathered *g) {
    struct report *rep = &g->rep;
    if (g->sum.several_threads)
        g->notes[rep->num_notes++] = r->o.nodes > 1
                                         ? "calls of several host threads or programs: ordered by "
                                           "target time"
                                         : "calls of several host threads or programs: ordered by "
                                           "arrival";
    size_t num_waits;
    const char *const *waiting = server_waits(r->server, &num_waits);
    for (size_t i = 0; i < num_waits && i < WAITS; i++) g->notes[rep->num_notes++] = waiting[i];
    if (r->plugins) {
        g->policies = g_strdup_printf("policies of plug-ins: %s", plugins_policy(r->plugins)->name);
        g->notes[rep->num_notes++] = g->policies;
    }
    if (rep->num_interrupted)
        rep->num_notes += note_messages(r, g->story, g->notes + rep->num_notes);
    if (r->o.one_thread) g->notes[rep->num_notes++] = "--memcheck global: on one thread";
    if (r->selection) {
        uint64_t timed, untimed;
        selection_counts(r->selection, &timed, &untimed);
        snprintf(g->chosen, sizeof g->chosen,
                 "timed as chosen: %llu launches; run functionally, in no time: %llu",
                 (unsigned long long)timed, (unsigned long long)untimed);
        g->notes[rep->num_notes++] = g->chosen;
    }
    if (r->checkpoint) {
        note_checkpoints(r, g->passed, sizeof g->passed);
        g->notes[rep->num_notes++] = g->passed;
        if (strcmp(rep->timing, "none") && !r->o.no_code_counts)
            g->notes[rep->num_notes++] = "instructions.csv has no rows: checkpoints do not keep "
                                         "what each instruction did";
    }
}

/* Gathers what the run is and has done so far, but for its launches and statistics; changes nothing
 * in it. `interrupted`: kernels that have not come to their end. The caller frees it with
 * gathered_free(). */
static void gather(const struct run *r, struct gathered *g,
                   const struct gpu_interruption *const *interrupted, size_t num_interrupted) {
    *g = (struct gathered){.policies = NULL};
    server_summarize(r->server, &g->sum);
    const size_t num_calls = server_call_counts(r->server, &g->counts);
    g->calls = heddle_alloc_array(num_calls, sizeof *g->calls, "counts of calls");
    g->rep = (struct report){.version = HEDDLE_VERSION,
                             .program = r->o.program[0],
                             .timing = r->o.timing ? r->o.timing : "rtl",
                             .config = r->config,
                             .sm_groups = (unsigned)r->o.sm_groups,
                             .threads = (unsigned)r->o.threads,
                             .begin = r->begin,
                             .startup_s = r->ready - r->begin,
                             .simulate_s = r->simulating.seconds,
                             .calls = g->calls,
                             .num_calls = num_calls,
                             .notes = g->notes,
                             .traced = r->o.trace_api,
                             .has_timeline = r->timeline != NULL,
                             .no_sources = r->o.no_sources,
                             .power_table = r->o.power,
                             .num_notes = g->sum.num_notes,
                             .num_said = g->sum.num_notes,
                             .interrupted = interrupted,
                             .num_interrupted = num_interrupted,
                             .launches = r->launches,
                             .inputs = r->inputs,
                             .host = r->host};
    struct stat program;
    char path[1024];
    if (elf_find_program(r->o.program[0], path, sizeof path) && !stat(path, &program))
        g->rep.program_time = program.st_mtim;
    for (unsigned i = 0; i < g->sum.num_notes; i++) g->notes[i] = g->sum.notes[i];
    for (size_t i = 0; i < num_calls; i++)
        g->calls[i] = (struct report_call){g->counts[i].name, g->counts[i].count,
                                           g->counts[i].scheduler, g->counts[i].sm,
                                           g->counts[i].refused};
    note_ways(r, g);
    g->findings = all_findings(r, &g->rep);
    g->nodes = all_nodes(r, &g->rep);
}

static void gathered_free(struct gathered *g) {
    free(g->findings);
    free(g->nodes);
    free(g->calls);
    free(g->counts);
    g_free(g->policies);
}

/* Fills in the statistics of the run, which reads the counters of the cores. */
static void add_statistics(const struct run *r, struct gathered *g) {
    struct report *rep = &g->rep;
    for (unsigned i = 0; i < NUM_STATISTICS; i++)
        if (strcmp(statistic_rows[i].scope, "host")) rep->statistics[i] = statistic(r, i);
    rep->statistics[STATISTIC_HOST_CALLS] = g->sum.calls;
    rep->statistics[STATISTIC_HOST_TIME] = g->sum.end_ps;
    rep->statistics[STATISTIC_HOST_PROGRAMS] = g->sum.programs;
    rep->statistics[STATISTIC_HOST_DROPPED] = g->sum.dropped;
}

/* Removes a directory that has only files. */
static void remove_flat(const char *directory) {
    GDir *list = g_dir_open(directory, 0, NULL);
    for (const char *name; list && (name = g_dir_read_name(list));) {
        gchar *path = g_build_filename(directory, name, NULL);
        remove(path);
        g_free(path);
    }
    if (list) g_dir_close(list);
    remove(directory);
}

/* The report cannot be written into the run's directory, whose disk may be full: writes it into a
 * new one for temporary files, so that a long run is not in vain. @return the new directory, which
 * the caller frees; NULL: there is no room there either. */
static gchar *write_elsewhere(const struct report *rep) {
    struct heddle_diag diag;
    gchar *directory = g_dir_make_tmp("heddle-report-XXXXXX", NULL);
    if (!directory) return NULL;
    if (!report_write(rep, directory, &diag)) {
        fprintf(stderr, "heddle: the report is in %s instead\n", directory);
        return directory;
    }
    remove_flat(directory);
    g_free(directory);
    return NULL;
}

/* Gathers everything, writes the files into the run's directory and prints the table on standard
 * error, unless --quiet was given. `status`, `ended`: exit status and description of
 * the program's end. @return false after an error, which it prints: the
 * report could not be written, or not compared (--compare). */
bool run_report(const struct run *r, int status, const char *ended) {
    struct gathered g;
    struct report *rep = &g.rep;
    size_t num_interrupted;
    const struct gpu_interruption *const *interrupted = server_interruptions(r->server,
                                                                             &num_interrupted);
    const char *directory = run_directory(&r->o);
    gather(r, &g, interrupted, num_interrupted);
    rep->exit_status = status;
    rep->ended = ended;
    struct heddle_diag diag = {0};
    for (int d = 0; d < (int)run_gpus(&r->o); d++) gpu_hand_over(r->gpu[d]);
    heddle_err e = report_launches_end(r->launches, &diag);
    if (e) cli_error("%s", diag.text);
    const bool drawn = run_timeline_write(r, g.sum.end_ps, g.left_out, sizeof g.left_out);
    if (g.left_out[0]) g.notes[rep->num_notes++] = g.left_out;
    if (!report_tells_issues(rep))
        g.notes[rep->num_notes++] =
            "instructions.csv has no cycles: this timing core does not tell "
            "of each issue";
    if (report_launches_count(r->launches) > 2 * REPORT_KEPT) {
        snprintf(g.cut, sizeof g.cut,
                 "of %llu launches, report.json lists the first and the last %d of each GPU; "
                 "kernels.csv.zst has all, and kernel_groups the sums of all",
                 (unsigned long long)report_launches_count(r->launches), REPORT_KEPT);
        g.notes[rep->num_notes++] = g.cut;
    }
    add_statistics(r, &g);
    if (r->o.inject_latency >= 0) {
        note_latency(r, rep, g.waits, sizeof g.waits);
        g.notes[rep->num_notes++] = g.waits;
    }
    diag.err = HEDDLE_OK;
    rep->sampling = sampling_report(r->sampling, r->gpu, run_gpus(&r->o), rep, &diag);
    bool compared = !diag.err;
    if (!compared) cli_error("%s", diag.text);
    if (!e && (e = report_write(rep, directory, &diag))) cli_error("%s", diag.text);
    gchar *elsewhere = e ? write_elsewhere(rep) : NULL;
    if (!r->o.quiet) report_print(rep, e ? NULL : directory, stderr);
    tell_findings(rep, elsewhere ? elsewhere : directory);
    g_free(elsewhere);
    gathered_free(&g);
    return !e && compared && drawn;
}

/* ---- a report while the run goes on */

/* The kernels that run at the moment. */
struct running {
    const struct run *run;
    struct gpu_view view; /* of the GPU that is asked */
    GPtrArray *list;      /* of struct gpu_interruption, owned */
};

/* gpu_standing_fn: keeps where the warps of a kernel stand, and how far it is. */
static void add_running(void *user, const char *kernel, uint64_t launch,
                        const struct exec_standing *standing) {
    struct running *all = user;
    struct gpu_interruption *i = heddle_alloc(sizeof *i, "a kernel that runs");
    struct exec_standing *copy = heddle_alloc(sizeof *copy, "where warps stand");
    *copy = *standing;
    *i = (struct gpu_interruption){.kernel = heddle_copy_text(kernel, "a kernel that runs"),
                                   .launch = launch,
                                   .standing = copy};
    for (unsigned n = 0; n < all->view.num_kernels && n < GPU_VIEW_KERNELS; n++) {
        const struct gpu_view_kernel *k = &all->view.kernel[n];
        if (k->launch != launch) continue;
        i->ctas_done = k->ctas_done;
        i->ctas = k->ctas;
        i->cycles = k->cycles;
        i->warp_inst = all->view.since[CORE_COUNTER_ISSUED];
    }
    g_ptr_array_add(all->list, i);
}

static void free_running(gpointer of) {
    struct gpu_interruption *i = of;
    free((char *)(uintptr_t)i->kernel);
    free((struct exec_standing *)(uintptr_t)i->standing);
    free(i);
}

bool run_report_snapshot(struct run *r, char *said, size_t size) {
    struct gathered g;
    struct heddle_diag diag = {0};
    char name[40];
    struct running all = {.run = r, .list = g_ptr_array_new_with_free_func(free_running)};
    for (int d = 0; d < (int)run_gpus(&r->o); d++) {
        gpu_view_look(r->gpu[d], &all.view);
        gpu_tell_standing(r->gpu[d], add_running, &all);
    }
    report_launches_list(r->launches);
    gather(r, &g, (const struct gpu_interruption *const *)all.list->pdata, all.list->len);
    g.rep.ended = "a snapshot: the run goes on";
    add_statistics(r, &g);
    snprintf(name, sizeof name, "snapshot-%u.json", r->snapshots + 1);
    const heddle_err e = report_write_snapshot(&g.rep, run_directory(&r->o), name, &diag);
    if (!e) r->snapshots++;
    if (e)
        snprintf(said, size, "%s", diag.text);
    else
        snprintf(said, size, "%s/%s", run_directory(&r->o), name);
    gathered_free(&g);
    g_ptr_array_unref(all.list);
    return !e;
}
