/* timed.h - a fake timing model for the tests: it issues records of random warps when their wait
 * bits allow it, performs lanes of their operations after random delays and in random order, and
 * runs the executor ahead by random amounts. Values and records must be the same in every run, and
 * no warp may get stuck. */
#ifndef HEDDLE_TESTS_EXEC_TIMED_H
#define HEDDLE_TESTS_EXEC_TIMED_H

#include "assemble.h"

struct timed_result {
    struct exec_counts counts;
    struct exec_fault fault;
    uint64_t records;                /* number */
    uint64_t hash;                   /* over the records of every warp, each warp's in order */
    uint64_t posted, pending, waits; /* operations; records with wait bits of their own */
};

/* Runs all CTAs of the launch (not immediate), all resident. `in_order`: keep each warp's
 * operations on a sector in order, and tell the executor so.
 * @return HEDDLE_OK, the fault's error, or HEDDLE_ERR_DEADLOCK when nothing could be done. */
heddle_err timed_run(struct exec_launch *launch, uint64_t seed, bool in_order,
                     struct timed_result *out);

/* Runs a kernel functionally and under the fake model with several seeds, each time on the same
 * initial memory, and calls `verify` after each run. Fails the test when a run fails, or, with
 * `same_records`, when the timed runs differ in their records or counts. */
void run_everywhere(struct kernel *k, struct machine *m, uint32_t ctas, uint32_t threads,
                    bool same_records, void (*verify)(struct machine *m, void *user), void *user);

#endif
