/* monitor.h - looks at a run while it goes on, over HTTP: `heddle run --monitor` (docs/monitor.md).
 *
 * The server's threads never read the simulation. They leave a wish behind a lock and wait for the
 * next moment (sched/gpu.h, enum gpu_moment): there the thread that simulates takes a picture of
 * the run, if one is wished for, and holds up the simulation while a client wants it paused. No
 * result depends on it, and while nobody asks, a moment costs a lock.
 *
 * It listens on 127.0.0.1 alone. The address has a token of 128 random bits, without which there is
 * nothing to see, and requests for another host's name are refused, so that no page of another site
 * can reach it. */
#ifndef HEDDLE_MONITOR_MONITOR_H
#define HEDDLE_MONITOR_MONITOR_H

#include <stdbool.h>

#include "common/error.h"
#include "monitor/run_status.h"
#include "sched/gpu.h"

struct monitor;

/* The run that is watched. All pointers are borrowed; texts and GPUs outlive the monitor. */
struct monitor_options {
    unsigned port; /* 0: one that is free */
    double begin;  /* wall_seconds() when the run began */
    const char *program, *gpu_name, *timing;
    struct gpu *const *gpu;
    unsigned gpus, nodes;    /* all GPUs; nodes among which they divide evenly, 0: none */
    uint32_t sms, sub_cores; /* of a GPU; of an SM */
    bool timed;
    /* On the thread that simulates: */
    bool (*ends)(void *user);            /* a paused run is to go on, since it was asked to end */
    void (*held)(void *user, bool held); /* the simulation is held up, or goes on */
    uint64_t (*launches_ended)(void *user);
    /* Writes the report of the moment. `said`: the name of the file; @return false: why not. */
    bool (*snapshot)(void *user, char *said, size_t size);
    void *user;
};

/* Starts the server. @return HEDDLE_ERR_IO: the port cannot be had; text in diag; *out is NULL. */
heddle_err monitor_create(struct monitor **out, const struct monitor_options *options,
                          struct heddle_diag *diag);
/* Ends the server; waits for requests under way. Accepts NULL. */
void monitor_free(struct monitor *m);
/* The address of the page, "http://127.0.0.1:PORT/TOKEN/". */
const char *monitor_address(const struct monitor *m);

/* ---- for the simulation, on its threads; they accept NULL */
/* A report of a kernel's progress has come; the status is copied. */
void monitor_tell(struct monitor *m, const struct run_status *status);
/* gpu_moment_fn. */
double monitor_moment(struct monitor *m, uint32_t device, enum gpu_moment moment);
/* The program has ended: nothing is held up any more. */
void monitor_end(struct monitor *m);

#endif
