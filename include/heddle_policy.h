/* heddle_policy.h - policies of the reference model as plug-ins: `heddle run --timing reference
 * --plugin FILE.c`. docs/reference-core.md has a worked example; examples/policies has more.
 *
 * A plug-in is a C file that defines the constant heddle_plugin. It replaces the model's own policy
 * in each part that it has; parts that are NULL stay the model's. All else of docs/timing-model.md
 * holds as it is.
 *
 * State: the model keeps `state_bytes` bytes for each instance of a policy, aligned for any type
 * and zero at first. A function may look at its arguments and its state and at nothing else, so
 * that equal runs give equal results. Functions of one GPU are called from one thread at a time,
 * those of several GPUs from several. Pointers are borrowed during the call. Times are core cycles
 * since the core's reset. */
#ifndef HEDDLE_POLICY_H
#define HEDDLE_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_POLICY_VERSION 1 /* of this header: a plug-in of another one is refused */

/* ---- which warp of a sub-core issues (rule 2) */

/* A sub-core in a cycle. Bit n of a mask: warp slot n. */
struct heddle_issue {
    uint64_t cycle;
    uint32_t sm, sub_core;
    uint32_t slots;         /* of the sub-core: 16 or 32 */
    uint32_t ready;         /* can issue in this cycle */
    uint32_t live;          /* have a warp */
    uint32_t at_barrier;    /* wait at a CTA barrier */
    uint32_t waits_memory;  /* the next instruction waits for global or local memory */
    uint32_t last;          /* slot that issued last, 0 at first */
    uint32_t last_yields;   /* 1: that instruction had do_yield, so it should not be preferred */
};

struct heddle_scheduler {
    size_t state_bytes; /* of each sub-core */
    /* Called where a warp is ready; several times in a cycle if a warp that was chosen turns out to
     * lack its code. @return the slot that issues, one of `ready`, or -1: none in this cycle */
    int (*choose)(void *state, const struct heddle_issue *issue);
    /* The warp in the slot has issued. May be NULL. */
    void (*issued)(void *state, const struct heddle_issue *issue, uint32_t slot);
};

/* ---- which line of a set of L1 makes room (rule 6) */

struct heddle_l1_set {
    uint32_t sm, set;
    uint32_t ways;        /* in use, 1 to 8 */
    uint32_t present;     /* bit n: way n has a line */
    const uint32_t *line; /* numbers of the lines in the ways */
};

struct heddle_l1_replacement {
    size_t state_bytes; /* of each set; zero again when the SM's L1 is emptied */
    /* A load has found sectors of the line in a way. May be NULL. */
    void (*hit)(void *state, const struct heddle_l1_set *set, uint32_t way);
    /* A line comes that the set does not have. @return the way that it takes, less than `ways` */
    uint32_t (*fill)(void *state, const struct heddle_l1_set *set, uint32_t line);
};

/* ---- which lines L1 fetches besides those that loads want */

/* A line of a load, looked up in L1. */
struct heddle_l1_access {
    uint64_t cycle;
    uint32_t sm, warp; /* warp: its number on the SM */
    uint32_t pc;       /* of the load, in instructions */
    uint32_t line;     /* line number: 128 bytes each, from the base of device memory */
    uint32_t sectors;  /* that it wants, a mask of four bits */
    uint32_t hits;     /* those of them that are there or on their way */
};

enum { HEDDLE_MOST_PREFETCHES = 4, HEDDLE_PREFETCH_BLOCK = 512 /* lines */ };

struct heddle_l1_prefetcher {
    size_t state_bytes; /* of each SM */
    /* @return how many lines to fetch, written into lines[]. All four sectors of each are asked of
     * L2 at once, through the SM's port. A line is left out, silently, that is in L1 or on its way,
     * that finds no free miss status register, or that lies in another block of 64 KiB (512 lines)
     * than the access. */
    uint32_t (*accessed)(void *state, const struct heddle_l1_access *access,
                         uint32_t lines[HEDDLE_MOST_PREFETCHES]);
};

/* ---- a plug-in */

struct heddle_memory_scheduler; /* of L2 and device memory: not offered yet, and refused */

struct heddle_policy {
    uint32_t version; /* HEDDLE_POLICY_VERSION */
    const char *name; /* for messages and the report */
    const struct heddle_scheduler *scheduler;
    const struct heddle_l1_replacement *l1_replacement;
    const struct heddle_l1_prefetcher *l1_prefetcher;
    const struct heddle_memory_scheduler *memory_scheduler;
};

/* What a plug-in defines. */
extern const struct heddle_policy heddle_plugin;

#ifdef __cplusplus
}
#endif

#endif
