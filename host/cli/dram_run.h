/* dram_run.h - a trace of addresses on a memory model, without a GPU around it.
 *
 * Times are ps of target time unless a name says otherwise. One thread. */
#ifndef HEDDLE_CLI_DRAM_RUN_H
#define HEDDLE_CLI_DRAM_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "models/hbm/dram_check.h"
#include "models/hbm/hbm.h"

/* Times of reads, in classes of 1/64 of a power of two: percentiles are right to 1.6 %. */
enum { LATENCY_PARTS = 64, LATENCY_CLASSES = 64 * LATENCY_PARTS };
struct latencies {
    uint64_t count, sum, least, most;
    uint64_t class[LATENCY_CLASSES];
};
void latencies_add(struct latencies *l, uint64_t ps);
/* The time that so many of a hundred reads do not exceed; 0 when there are none. */
uint64_t latencies_percentile(const struct latencies *l, double percent);

struct dram_run {
    struct dram_spec spec; /* filled by the caller, as the next ones */
    const char *model;
    uint64_t latency_ps, channel_bytes_per_s, outstanding;
    FILE *commands; /* NULL: not written */
    bool check;
    /* results */
    uint64_t requests, end_ps;
    struct latencies reads;
    struct hbm_stats stats, *channel; /* channel: one each, the caller's, freed with g_free() */
    struct dram_watch watch;
};

/* Runs the trace in file `name`, which is open as `in`. Its form: docs/memory.md.
 * @return HEDDLE_ERR_ARGUMENT: the trace is wrong, diag names the line. */
heddle_err dram_run_trace(struct dram_run *run, FILE *in, const char *name,
                          struct heddle_diag *diag);

#endif
