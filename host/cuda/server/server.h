/* server.h - the CUDA layer of the `heddle` process: programs connect, and their calls run on
 * simulated GPUs.
 *
 * Several programs may connect, in turn or at once, each with several threads. Calls are served one
 * at a time, in order of arrival or, with several nodes, of target time (pe_order.h). Each host
 * thread has a clock in target time: a call costs cpu.api_cost, a wait lasts until the GPU's work
 * has ended, and host code between calls costs nothing. */
#ifndef HEDDLE_CUDA_SERVER_SERVER_H
#define HEDDLE_CUDA_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cuda/base/server_options.h"

struct server;

/* Creates a server that listens on an abstract UNIX socket, and connects its callbacks to the GPUs
 * of the options. The caller owns *out. @return HEDDLE_ERR_IO with the reason in *diag. */
heddle_err server_create(struct server **out, const struct server_options *options,
                         struct heddle_diag *diag);
/* Closes all connections and frees the programs with everything they own. s may be NULL. */
void server_free(struct server *s);

/* Opens a trace of all calls in DIRECTORY/api.txt and api.json. @return HEDDLE_ERR_IO.
 * trace_close() ends the files and frees the trace; it fails if a write failed. A server borrows
 * its trace (NULL: none). */
struct trace;
heddle_err trace_open(struct trace **out, const char *directory, struct heddle_diag *diag);
heddle_err trace_close(struct trace *t, struct heddle_diag *diag);
void server_set_trace(struct server *s, struct trace *t);

/* Value for the environment variable WIRE_ENVIRONMENT of programs. */
const char *server_address(const struct server *s);

/* A process that was started: its pidfd is readable when it has ended. */
struct server_child {
    pid_t pid;
    int pidfd;
};
/* Serves on the calling thread until the processes `child` (`num` of them; with several nodes, one
 * for each in order) have ended and no program is connected any more. @return HEDDLE_ERR_IO: poll()
 * failed. */
heddle_err server_run(struct server *s, const struct server_child *child, unsigned num,
                      struct heddle_diag *diag);
/* From any thread, while server_run() runs: sends a signal to all processes that are connected, but
 * for `except`, `num` of them. */
void server_signal(struct server *s, int number, const pid_t *except, unsigned num);
/* When all programs have ended: waits for what the timing cores do last, and reports an error met
 * now, also while their counters were read for the report. @return whether the simulator has not
 * failed so far. */
bool server_settle(struct server *s);

/* For the GPU's progress callback, on the thread that makes it: cancels the kernels of programs
 * that have died. @return whether there was one. */
bool server_look_for_deaths(struct server *s);
/* On the same thread: wall time has passed in which nothing was to happen. */
void server_note_pause(struct server *s);

/* ---- what to report */
/* The first kernels that were running when their programs died, *n of them; owned by the
 * server. */
const struct gpu_interruption *const *server_interruptions(const struct server *s, size_t *n);
/* With several nodes: in which calls PEs waited that died there, *n texts of one line, the server's
 * own. */
const char *const *server_waits(const struct server *s, size_t *n);
/* How often the programs made a call. */
struct server_call_count {
    const char *name;
    uint64_t count;
    bool scheduler, sm; /* which part of the model the call reaches */
    bool refused;
};
/* Calls made at least once, in the order of the table. *out is the caller's, freed with free(). */
size_t server_call_counts(const struct server *s, struct server_call_count **out);

/* The run, for the report. */
struct server_summary {
    uint64_t programs;       /* program images that connected */
    uint64_t calls;          /* of all programs, those answered in the program included */
    uint64_t ended_abruptly; /* programs that went without saying goodbye */
    uint64_t dropped;        /* operations never carried out because their program died */
    uint64_t end_ps;         /* latest target time of a host thread */
    bool several_threads;    /* calls were ordered by arrival or, with several nodes, by clocks */
    bool refused;            /* a program could not be connected; the message has come */
    bool simulator_failed;   /* the timing core or this process, not the program: no result holds */
    char notes[8][200];      /* one line each, what else the report should say */
    unsigned num_notes;
};
/* Fills *out; the server does not change. */
void server_summarize(const struct server *s, struct server_summary *out);
/* The latest target time of a host thread of a node. */
uint64_t server_node_end_ps(const struct server *s, unsigned node);
/* What the checks of kernels have found; the server's own. */
struct findings;
const struct findings *server_findings(const struct server *s);

#endif
