/* run_setup.h - what a run consists of: memory, GPUs, server. Built from the options, in this
 * order, and taken down again. */
#ifndef HEDDLE_CLI_RUN_SETUP_H
#define HEDDLE_CLI_RUN_SETUP_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "common/config.h"
#include "cuda/server/server.h"
#include "cuda/base/address_space.h"
#include "sched/gpu.h"

/* Starts as all zeros; owns what its pointers lead to. */
struct run {
    struct run_options o;
    struct cli_paths paths;
    struct config *config;
    struct address_space *space;
    struct system *system; /* that the GPUs are parts of; NULL with timing off */
    struct gpu *gpu[ADDRESS_SPACE_MAX_DEVICES];
    struct heap {
        struct address_space *space;
        unsigned device;
    } heap[ADDRESS_SPACE_MAX_DEVICES];
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

/* Loads the configuration and builds all of the run but the trace. `path`: the program's file,
 * NULL: there is none. r->o has been read. Whatever the result, run_tear_down() follows. @return an
 * error, with text in diag. */
heddle_err run_set_up(struct run *r, const char *path, struct heddle_diag *diag);
/* Frees all, the options as well. Accepts a run that is set up in part. */
void run_tear_down(struct run *r);

#endif
