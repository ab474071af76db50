/* dram_run.h - runs a trace of addresses on a memory model, without a GPU around it.
 *
 * Times are ps of simulated time unless a name says otherwise. One thread. */
#ifndef HEDDLE_CLI_DRAM_RUN_H
#define HEDDLE_CLI_DRAM_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "models/hbm/dram_check.h"
#include "models/hbm/hbm.h"

/* Distribution of read latencies (ps) in classes of 1/64 of a power of two, so that percentiles are
 * exact to 1.6 %. */
enum { LATENCY_PARTS = 64, LATENCY_CLASSES = 64 * LATENCY_PARTS };
struct latencies {
    uint64_t count, sum, least, most;
    uint64_t class[LATENCY_CLASSES]; /* numbers of reads */
};
void latencies_add(struct latencies *l, uint64_t ps);
/* The latency that `percent` of the reads do not exceed; 0 when there are none. */
uint64_t latencies_percentile(const struct latencies *l, double percent);

/* A run: the caller fills in the members before the results.
 * latency_ps: unloaded latency of a read; outstanding: requests in flight at which a line with "-"
 * waits; requests: number of those made, of a 128-byte line or part of one; end_ps: last answer. */
struct dram_run {
    struct dram_spec spec; /* the device */
    const char *model;     /* name of the memory model */
    uint64_t latency_ps, channel_bytes_per_s, outstanding;
    FILE *commands; /* gets a line for each DRAM command; NULL: none */
    bool check;     /* check the commands against the rules */
    /* results */
    uint64_t requests, end_ps;
    struct latencies reads;
    struct hbm_stats stats, *channel; /* channel: one each; the caller frees it with g_free() */
    struct dram_watch watch;
};

/* Runs the trace `in` (format: docs/memory.md); `name` stands in messages.
 * @return HEDDLE_ERR_ARGUMENT: an error in the trace, diag names the line. */
heddle_err dram_run_trace(struct dram_run *run, FILE *in, const char *name,
                          struct heddle_diag *diag);

#endif
