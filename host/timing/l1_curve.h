/* l1_curve.h - what would pass between L1 and L2 if each SM's L1 had another capacity.
 *
 * Every request of an SM to L1 comes here, so smaller caches than the GPU's own are known as well
 * as larger ones. The policy is that of the simulated L1 (docs/timing-model.md, section 6): loads
 * allocate sectors; stores go through to L2 and change nothing; reductions, atomics and strong
 * loads go to L2 and invalidate their sectors. L1 is empty when a kernel begins while none runs.
 *
 * The caches replace the line used least recently (timing/lru_caches.h), where the simulated L1 has
 * sets and replaces in turn. One line in 32 is followed.
 *
 * Order. Results must not depend on how far the host runs warps ahead, so requests are taken in an
 * order of their own, by `key`, which estimates when the instruction issues (group_l1.c). A request
 * waits until no earlier one can come.
 *
 * Threads: one at a time, that of the SM group; l1_curve_add() between windows. */
#ifndef HEDDLE_TIMING_L1_CURVE_H
#define HEDDLE_TIMING_L1_CURVE_H

#include <stddef.h>
#include <stdint.h>

#include "timing/lru_caches.h"

enum {
#define CAPACITY(kibibytes, gpus) L1_POINT_##kibibytes,
#include "tables/l1_capacities.def"
    L1_POINTS
};
enum { L1_BLOCK_BITS = 5 };

/* Bytes between L1 and L2, both ways, by point. Those of the followed lines, times 32. */
struct l1_curve_counts {
    uint64_t bytes[L1_POINTS];
};

/* The capacity of a point, bytes. */
static inline uint64_t l1_curve_capacity(uint32_t point) {
    static const uint64_t bytes[L1_POINTS] = {
#define CAPACITY(kibibytes, gpus) UINT64_C(kibibytes) * 1024,
#include "tables/l1_capacities.def"
    };
    return bytes[point];
}

enum l1_access {
    L1_LOAD,  /* through L1 */
    L1_STORE, /* to L2, L1 as it was */
    L1_BYPASS /* to L2, invalid in L1 */
};

/* A request for sectors of a followed line. */
struct l1_request {
    uint64_t key; /* those of one SM differ, but where it makes no difference */
    uint32_t line;
    uint8_t sectors; /* mask */
    uint8_t access;  /* enum l1_access */
};

struct l1_curve;
/* Out of memory ends the process. */
struct l1_curve *l1_curve_create(uint32_t num_sms);
void l1_curve_free(struct l1_curve *c); /* accepts NULL */

/* Adds a request of an SM, which waits. Its line is followed
 * (lru_caches_follow(line, L1_BLOCK_BITS)). */
void l1_curve_request(struct l1_curve *c, uint32_t sm, const struct l1_request *r);
/* Requests of an SM that wait. */
size_t l1_curve_waiting(const struct l1_curve *c, uint32_t sm);
/* Takes the waiting requests of an SM with keys below `key`. None such comes any more. */
void l1_curve_advance(struct l1_curve *c, uint32_t sm, uint64_t key);
/* Takes all that wait. */
void l1_curve_finish(struct l1_curve *c);
/* Takes all that wait, and empties all caches. */
void l1_curve_flush(struct l1_curve *c);
/* Adds the counts since creation, of all SMs, of the requests taken so far. */
void l1_curve_add(const struct l1_curve *c, struct l1_curve_counts *sum);

#endif
