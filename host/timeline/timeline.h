/* timeline.h - `heddle run --timeline`: trace.json, what a run did over simulated time as
 * docs/timeline.md says: the calls of each host thread, kernels by stream, copies by direction,
 * CTAs by SM, and counters.
 *
 * `heddle run` creates it before the program starts and hands it what happens; memory does not
 * grow with the run, but for tracks. Threads: one at a time, the server's. Times are picoseconds of
 * target time. Out of memory ends the process. */
#ifndef HEDDLE_TIMELINE_TIMELINE_H
#define HEDDLE_TIMELINE_TIMELINE_H

#include "common/error.h"
#include "sched/gpu.h"
#include "timeline/event_file.h"

struct timeline;

/* Borrowed during timeline_open(). */
struct timeline_options {
    const char *directory; /* of trace.json */
    uint64_t most_bytes;   /* of the file, names of tracks apart */
    uint64_t interval_ps;  /* of the counters */
    bool fixed_interval;   /* false: it doubles whenever there are TIMELINE_INTERVALS of it */
    uint32_t gpus, nodes;  /* nodes 0: the run has none */
    uint64_t core_khz;
};
enum { TIMELINE_INTERVALS = 4096 };

/* @return HEDDLE_ERR_IO, with text in diag; *out is then NULL. */
heddle_err timeline_open(struct timeline **out, const struct timeline_options *options,
                         struct heddle_diag *diag);
void timeline_free(struct timeline *t); /* without a file; accepts NULL */
/* Writes trace.json, for a run that ended at end_ps; `heddle`: its version. @return HEDDLE_ERR_IO,
 * with text in diag; there is no file then. */
heddle_err timeline_write(struct timeline *t, uint64_t end_ps, const char *heddle,
                          struct heddle_diag *diag);
/* What is left out because the file has reached its limit: writes a sentence. @return false:
 * nothing is. */
bool timeline_left_out(const struct timeline *t, char *text, size_t size);

/* A call of a host thread that was answered. `program` and `thread` count from 1. */
struct timeline_call {
    const char *name, *result, *program_name;
    uint32_t program, thread;
    uint64_t begin_ps, end_ps;
    uint64_t local; /* > 0: so many calls that the library answered in the program, no name */
};
void timeline_add_call(struct timeline *t, const struct timeline_call *call);
/* A launch or copy that has ended, in the order in which a GPU hands them over. */
void timeline_add_kernel(struct timeline *t, const struct gpu_kernel_record *k);
/* A launch that was given up: name, numbers, shape and times. */
void timeline_add_given_up(struct timeline *t, const struct gpu_kernel_record *k);
void timeline_add_copy(struct timeline *t, const struct gpu_copy_record *c);
/* The counters that GPUs are to read (gpu_timeline.counters). */
uint32_t timeline_core_counters(void);
/* The calls of struct gpu_timeline; `user` is the struct timeline. */
void timeline_add_cta(void *user, const struct gpu_cta *cta);
void timeline_add_interval(void *user, const struct gpu_interval *interval);

/* The counters of a node, in the order of tables/timeline_counters.def. */
enum timeline_node_counter {
#define TIMELINE_NODE_COUNTER(name, unit, part, member, meaning) TIMELINE_NODE_##part##_##member,
#include "tables/timeline_counters.def"
    TIMELINE_NUM_NODE_COUNTERS
};
/* What a node has counted since the run began, at the end of interval `number`. */
void timeline_add_node(struct timeline *t, uint32_t node, uint64_t number,
                       const uint64_t counted[TIMELINE_NUM_NODE_COUNTERS]);

#endif
