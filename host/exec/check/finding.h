/* finding.h - what the checks of a launch find, while it goes on: a list of places (instruction,
 * kind, and of a race the other instruction), each with a count and its first example.
 *
 * Real hardware goes on after a race, a read of unwritten memory, a divergent barrier or an access
 * to the padding between allocations. So does a launch that has a list of findings
 * (exec_launch.findings). Without a list, the first finding is a fault and ends the launch.
 *
 * Threads: all that run CTAs of the launch may add, under the list's lock; the list is read when
 * none of them runs. What it holds does not depend on the number of threads: the example of a place
 * is that of the lowest thread of the lowest CTA. */
#ifndef HEDDLE_EXEC_FINDING_H
#define HEDDLE_EXEC_FINDING_H

#include "exec/exec.h"

/* A place where a check found something. */
struct exec_finding {
    struct exec_fault example; /* the first one of the lowest thread that has any */
    uint64_t count;            /* accesses of lanes, or arrivals of lanes at a barrier together */
    uint64_t thread;           /* number of that thread in the grid */
    struct exec_finding *next;
};

/* Creates an empty list; the caller owns it. Frees a list; accepts NULL. */
struct exec_findings *exec_findings_create(void);
void exec_findings_free(struct exec_findings *f);
/* Forgets all places. */
void exec_findings_clear(struct exec_findings *f);
/* Sorts the places by instruction and kind. A read of unwritten memory is left out if a race of
 * that read with a write was found, too: the race names both. @return the first, or NULL; owned by
 * the list, valid until something is added. */
const struct exec_finding *exec_findings_sort(struct exec_findings *f);

#endif
