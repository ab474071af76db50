/* run_setup.h - the parts of a run - address space, GPUs, server - built in this order from the
 * options, and freed again. */
#ifndef HEDDLE_CLI_RUN_SETUP_H
#define HEDDLE_CLI_RUN_SETUP_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/cli.h"
#include "cli/pes.h"
#include "cli/plugins.h"
#include "cli/progress.h"
#include "cli/progress_estimate.h"
#include "cli/run_options.h"
#include "cli/status_file.h"
#include "common/claim.h"
#include "cli/stop.h"
#include "common/config.h"
#include "cuda/server/server.h"
#include "cuda/base/address_space.h"
#include "monitor/monitor.h"
#include "network/network_config.h"
#include "node/cluster.h"
#include "sched/gpu.h"
#include "timeline/timeline.h"

/* State of a `heddle run`. Starts as zeros; owns what its pointers lead to. */
struct run {
    struct run_options o;
    struct cli_paths paths;
    struct config *config;
    struct address_space *space;
    struct system *system; /* simulated system of all GPUs; NULL with timing off */
    struct gpu *gpu[ADDRESS_SPACE_MAX_DEVICES];
    struct heap { /* argument of the callback that allocates a heap of device malloc */
        struct address_space *space;
        unsigned device;
    } heap[ADDRESS_SPACE_MAX_DEVICES];
    struct sampling *sampling;        /* --sample, or NULL */
    struct checkpoint *checkpoint;    /* --checkpoint, --resume, or NULL */
    unsigned every;                   /* launches from one checkpoint to the next */
    struct selection *selection;      /* launches to be timed; NULL: all */
    struct report_launches *launches; /* for the report, as they end */
    struct network_config *network;   /* --nodes: the network between them; NULL: no nodes */
    struct node_config *node;         /* --nodes: what each has besides its GPUs; or NULL */
    struct cluster *cluster;          /* --nodes with timing on: their components, or NULL */
    struct shmem_pes pes_of_shmem;    /* the PEs among the programs */
    struct server *server;
    struct pes pes;            /* the programs that run */
    struct trace *trace;       /* of CUDA calls, or NULL */
    struct timeline *timeline; /* --timeline, once its file is begun; or NULL */
    struct gpu_timeline hears; /* with it: what the GPUs tell */
    struct progress progress;
    struct progress_estimate estimate;
    struct run_status progressed; /* the latest of these two */
    struct status_file status;
    struct monitor *monitor;          /* --monitor, once it listens; or NULL */
    unsigned snapshots;               /* that it has written */
    double paused_s;                  /* wall time for which it has held up the simulation */
    struct stop *stop;                /* signals, while the program runs; borrowed */
    struct claim report, checkpoints; /* their directories */
    json_t *inputs,
        *host; /* for the report: what the run is made from, and where; NULL: no program */
    struct stopwatch simulating;
    gchar *core;             /* file of the reference model, or NULL */
    struct plugins *plugins; /* --plugin, or NULL */
    double begin, ready;     /* wall times, seconds: start; set-up finished */
};

/* Loads the configuration and builds everything except the trace from the options r->o. `path`: the
 * program's file, NULL: there is none. Whatever the result, the caller calls run_tear_down().
 * @return an error, explained in diag. */
heddle_err run_set_up(struct run *r, const char *path, struct heddle_diag *diag);
/* The file of the timing core, by the options and the GPU, for g_free(). NULL: the run has none, or
 * cards hold it. */
gchar *run_core_file(const struct run *r);
/* Frees everything, including the options. Accepts a run that is only partly set up. */
void run_tear_down(struct run *r);

#endif
