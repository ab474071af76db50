/* cmd_run.c - `heddle run`: starts the program as a child process, serves its CUDA calls until it
 * ends, and writes the report.
 *
 * This process is the server (cuda/server/). main() calls cli_run(); everything here runs on the
 * main thread, which is the server's thread. `struct run` (run_setup.h) holds the state of the run.
 * Errors are printed on standard error. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/elf_scan.h"
#include "cli/launcher.h"
#include "cli/nodes_picture.h"
#include "cli/pes.h"
#include "cli/run_inputs.h"
#include "cli/run_monitor.h"
#include "cli/run_report.h"
#include "cli/run_setup.h"
#include "cli/run_timeline.h"
#include "common/claim.h"
#include "common/wall_time.h"
#include "cuda/protocol/wire.h"
#include "report/report.h"
#include "report/topology.h"
#include "sched/checkpoint.h"

/* Writes the picture of --topology, if that was given. @return HEDDLE_ERR_IO, with text in diag. */
static heddle_err draw_topology(const struct run *r, struct heddle_diag *diag) {
    struct topology_nodes nodes;
    if (!r->o.topology) return HEDDLE_OK;
    if (r->o.nodes) nodes_picture(&nodes, (unsigned)r->o.nodes, r->o.service, r->node, r->network);
    return topology_write(r->config, r->gpu, run_gpus(&r->o), r->o.nodes ? &nodes : NULL,
                          r->o.topology, diag);
}

/* Whether none of the program's CUDA calls could be intercepted, known before it starts: it is
 * linked statically with a runtime and has no symbols. Prints the error. */
static bool is_in_vain(const char *path, const struct elf_scan *scan) {
    char why[1024];
    if (scan->kind != ELF_PROGRAM || !scan->static_runtime || scan->runtime[0] ||
        scan->names_runtime)
        return false;
    elf_explain(path, scan, why, sizeof why);
    cli_error("0 CUDA calls would be intercepted: %s", why);
    return true;
}

/* Prints why no CUDA call arrived. `sum`: of the server; `status`, `ended`: how the program ended.
 * A program that was killed may have ended before its first call: its own status stays. @return the
 * exit status. */
static int no_calls(const char *path, const struct elf_scan *scan, const struct server_summary *sum,
                    int status, const char *ended) {
    char why[1200];
    if (sum->refused) {
        snprintf(why, sizeof why, "%s could not be connected to the simulator", path);
    } else if (sum->programs) {
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

/* Prints why the program cannot be started; `error`: an errno. @return EXIT_HEDDLE. */
static int cannot_run(const char *program, int error) {
    return cli_error("cannot run %s: %s%s", program, strerror(error),
                     error == EACCES ? "; is it executable (chmod +x)?" : heddle_advice(error));
}

/* Opens the trace of CUDA calls (--trace-api) in the report's directory and attaches it to the
 * server. @return HEDDLE_ERR_IO, with text in diag. */
static heddle_err start_trace(struct run *r, struct heddle_diag *diag) {
    if (!r->o.trace_api) return HEDDLE_OK;
    heddle_err e = trace_open(&r->trace, run_directory(&r->o), diag);
    if (!e) server_set_trace(r->server, r->trace);
    return e;
}

/* Closes the trace of CUDA calls, if there is one. @return false after an error: it is
 * incomplete. */
static bool end_trace(struct run *r) {
    struct heddle_diag diag = {0};
    server_set_trace(r->server, NULL);
    heddle_err e = trace_close(r->trace, &diag);
    if (e) cli_error("the trace of CUDA calls: %s", diag.text);
    r->trace = NULL;
    return !e;
}

/* After a fault of the simulator, which may be one of a card: says how the run can go on. */
static void tell_checkpoint(const struct run *r) {
    const char *directory = r->o.resume ? r->o.resume : r->o.checkpoint;
    if (!r->checkpoint) {
        if (r->o.num_cards)
            fprintf(stderr, "heddle: with --checkpoint DIR, a run can go on after a fault of a "
                            "card (docs/checkpoints.md)\n");
        return;
    }
    if (checkpoint_failed(r->checkpoint) && !checkpoint_replays(r->checkpoint)) return;
    if (checkpoint_written(r->checkpoint) || checkpoint_resumed(r->checkpoint))
        fprintf(stderr,
                "heddle: the last checkpoint holds: go on from there, on another card or on the "
                "emulation, with --resume %s\n",
                directory);
    else
        fprintf(stderr,
                "heddle: there is no checkpoint yet: the fault came before the first one\n");
}

/* stop_others_fn: the programs of the server. */
static void signal_programs(void *user, int number, const pid_t *except, unsigned num) {
    server_signal(user, number, except, num);
}

/* Runs the program: starts it, serves it until it has ended, reaps it, writes and prints the report
 * and the errors. `path`: its file; `stop`: signals, held. A program that made no CUDA call gets no
 * report. @return the exit status of `heddle run`: the program's, or EXIT_HEDDLE after an error. */
static int serve(struct run *r, const char *path, const struct elf_scan *scan, struct stop *stop) {
    struct heddle_diag diag = {0};
    struct pes *pes = &r->pes;
    char ended[128];
    int error = pes_start(pes, (unsigned)r->o.nodes, r->o.design ? r->o.design : "compnet",
                          r->o.program, r->paths.lib, server_address(r->server),
                          scan->thread_sanitizer ? LAUNCHER_TLS_THREAD_SANITIZER : LAUNCHER_TLS,
                          stop);
    if (error) {
        end_trace(r);
        return cannot_run(r->o.program[0], error);
    }
    if (r->o.timeout_s > 0) stop_after(stop, r->o.timeout_s);
    stop_watch(stop, pes->pid, pes->num, signal_programs, r->server);
    r->stop = stop;
    pes_watch(pes, signal_programs, r->server);
    if (r->o.timeout_s > 0 && !stop->watches)
        cli_error("--timeout: the system gives no thread that could watch the time");
    heddle_err e = server_run(r->server, pes->child, pes->num, &diag);
    monitor_end(r->monitor);
    r->stop = NULL;
    progress_clear(&r->progress);
    bool traced = end_trace(r);
    if (e) cli_error("%s", diag.text);
    int status = pes_finish(pes, ended, sizeof ended);
    stop_end(stop);
    struct server_summary sum;
    server_summarize(r->server, &sum);
    if (sum.calls == 0) {
        report_launches_free(r->launches); /* removes its files */
        r->launches = NULL;
        return no_calls(path, scan, &sum, status, ended);
    }
    bool written = run_report(r, status, ended), resumed = true;
    sum.simulator_failed = !server_settle(r->server); /* it may have failed for the report */
    /* that a run still replays is no fault of the program, if the simulator has ended it */
    if (r->checkpoint && checkpoint_failed(r->checkpoint) &&
        !(sum.simulator_failed && checkpoint_replays(r->checkpoint))) {
        cli_error("%s", checkpoint_failed(r->checkpoint));
        resumed = false;
    }
    if (sum.simulator_failed) tell_checkpoint(r);
    if (status > 128) fprintf(stderr, "heddle: %s was %s\n", r->o.program[0], ended);
    bool failed = e || sum.simulator_failed || !written || !traced || !resumed;
    const bool hung = stop->timed_out || pes->given_up;
    return failed ? EXIT_HEDDLE : hung ? EXIT_TIMEOUT : status;
}

/* Claims the directory of the report: that of --out, or the first of heddle-out, heddle-out.2 ...
 * that no other run writes into. @return HEDDLE_ERR_IO, with text in diag. */
static heddle_err claim_report(struct run *r, struct heddle_diag *diag) {
    const bool chosen = r->o.out != NULL;
    int error = claim_directory(&r->report, run_directory(&r->o), &r->checkpoints);
    for (unsigned i = 2; error == EWOULDBLOCK && !chosen; i++) {
        g_free(r->o.out);
        r->o.out = g_strdup_printf("heddle-out.%u", i);
        error = claim_directory(&r->report, r->o.out, &r->checkpoints);
    }
    if (!chosen && r->o.out)
        fprintf(stderr,
                "heddle: another run writes into heddle-out: the report of this one goes into %s\n",
                r->o.out);
    if (error == EWOULDBLOCK)
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "another run writes into %s: name another directory with --out",
                           r->o.out);
    return error ? heddle_fail(diag, HEDDLE_ERR_IO, "cannot make the report's directory %s: %s",
                               run_directory(&r->o), strerror(error))
                 : HEDDLE_OK;
}

/* --topology without a program: sets up the GPUs and draws them. @return the exit status. */
static int only_draw(struct run *r) {
    struct heddle_diag diag = {0};
    if (run_set_up(r, NULL, &diag) || draw_topology(r, &diag)) return cli_error("%s", diag.text);
    return 0;
}

/* Reads the options, sets up the run, runs the program and frees everything. @return the exit
 * status: that of the program, or EXIT_HEDDLE after an error of Heddle's own. */
int cli_run(int argc, char **argv) {
    struct run r = {.begin = wall_seconds()};
    struct heddle_diag diag = {0};
    struct elf_scan scan;
    char path[1024];
    int status = EXIT_HEDDLE, asked;
    if (getenv(WIRE_ENVIRONMENT))
        return cli_error("this `heddle run` is itself a program of another `heddle run`, whose "
                         "libraries it has got: run it outside");
    progress_begin(&r.progress);
    if (!run_options_read(&r.o, argc, argv, &status)) {
        run_options_clear(&r.o);
        return status;
    }
    if (!r.o.program || !r.o.program[0]) {
        status = only_draw(&r);
        run_tear_down(&r);
        return status;
    }
    if (!elf_find_program(r.o.program[0], path, sizeof path)) {
        status = cannot_run(r.o.program[0], errno ? errno : ENOENT);
        run_tear_down(&r);
        return status;
    }
    elf_scan(path, &scan);
    if (!is_in_vain(path, &scan)) {
        struct stop stop;
        stop_hold(&stop);
        if (run_set_up(&r, path, &diag) || run_inputs_make(&r, path, &diag) ||
            draw_topology(&r, &diag) || claim_report(&r, &diag) ||
            report_prepare(run_directory(&r.o), &diag) ||
            report_launches_open(r.launches, run_directory(&r.o), &diag) ||
            start_trace(&r, &diag) || run_timeline_open(&r, &diag) || run_monitor_open(&r, &diag)) {
            cli_error("%s", diag.text);
        } else if ((asked = stop_asked(&stop))) {
            end_trace(&r);
            status = 128 + asked;
        } else {
            r.ready = wall_seconds();
            status_file_begin(&r.status, run_directory(&r.o), r.begin);
            status = serve(&r, path, &scan, &stop);
            status_file_end(&r.status);
        }
    }
    run_tear_down(&r);
    return status;
}
