/* run_monitor.c - see run_monitor.h. */
#include "cli/run_monitor.h"

#include <stdio.h>

#include "cli/run_report.h"
#include "report/report.h"

/* gpu_moment_fn */
static double on_moment(void *user, uint32_t device, enum gpu_moment moment) {
    struct run *r = user;
    const double held_s = monitor_moment(r->monitor, device, moment);
    /* that was no simulation */
    if (r->simulating.depth) r->simulating.since += held_s;
    r->paused_s += held_s;
    return held_s;
}

/* monitor_options.ends: whether the run was asked to end, by a signal or for its time, or a program
 * has died, whose kernels are then cancelled. */
static bool ends(void *user) {
    const struct run *r = user;
    const bool died = server_look_for_deaths(r->server);
    return died || (r->stop && atomic_load(&r->stop->asked));
}

/* monitor_options.held: wall time that counts against the program stands still meanwhile. */
static void on_held(void *user, bool held) {
    const struct run *r = user;
    if (r->stop) stop_hold_time(r->stop, held);
    if (!held) server_note_pause(r->server);
}

static uint64_t launches_ended(void *user) {
    const struct run *r = user;
    return report_launches_count(r->launches);
}

/* monitor_options.snapshot */
static bool on_snapshot(void *user, char *said, size_t size) {
    return run_report_snapshot(user, said, size);
}

gpu_moment_fn run_monitor_hear(const struct run *r) {
    return r->o.monitor ? on_moment : NULL;
}

heddle_err run_monitor_open(struct run *r, struct heddle_diag *diag) {
    if (!r->o.monitor) return HEDDLE_OK;
    const struct monitor_options options = {.port = (unsigned)r->o.monitor_port,
                                            .begin = r->begin,
                                            .program = r->o.program[0],
                                            .gpu_name = r->config->gpu_name,
                                            .timing = r->o.timing ? r->o.timing : "rtl",
                                            .gpu = r->gpu,
                                            .gpus = run_gpus(&r->o),
                                            .nodes = (unsigned)r->o.nodes,
                                            .sms = (uint32_t)r->config->sm_count,
                                            .sub_cores = (uint32_t)r->config->sm_subcores,
                                            .timed = run_is_timed(&r->o),
                                            .ends = ends,
                                            .held = on_held,
                                            .launches_ended = launches_ended,
                                            .snapshot = on_snapshot,
                                            .user = r};
    const heddle_err e = monitor_create(&r->monitor, &options, diag);
    if (!e) fprintf(stderr, "heddle: monitor: %s\n", monitor_address(r->monitor));
    return e;
}
