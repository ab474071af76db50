/* global_race.h - races on global memory between the CTAs of a launch (--memcheck global).
 *
 * A race is two accesses of different CTAs to a byte of global memory, at least one of them a weak
 * write, without a chain of synchronisation from the first to the second as PTX's memory model has
 * it: fence (or release), then a strong write, which a strong read observes, itself or through
 * atomic operations on the same word, then a fence (or acquire); of scope GPU or system. Whether
 * the two happened to overlap in time plays no part. What is not weak: atomics, volatile, relaxed,
 * acquire and release accesses, and those that go past L1 (.cg, .cv, .wt).
 *
 * A CTA is one: its threads are not told apart. A weak store behind a fence to a word of which
 * strong accesses were made counts as strong, since programs give back locks so.
 *
 * Owner: the launch (what is known of memory) and the CTA (what it knows of others). Threads: any;
 * one at a time is inside. Exists only when the launch asks for it. */
#ifndef HEDDLE_EXEC_GLOBAL_RACE_H
#define HEDDLE_EXEC_GLOBAL_RACE_H

#include "exec/warp/exec_state.h"

struct exec_race;     /* of a launch */
struct exec_race_cta; /* of a CTA */

/* @return HEDDLE_ERR_NOMEM; HEDDLE_ERR_LAUNCH: the grid has more CTAs than clocks can count. */
heddle_err exec_race_create(struct exec_race **out, const struct exec_launch *launch,
                            struct heddle_diag *diag);
void exec_race_free(struct exec_race *g);
heddle_err exec_race_enter(struct exec_race_cta **out, struct exec_race *g, uint64_t cta);
void exec_race_leave(struct exec_race_cta *c);

/* A fence of the warp, when its turn comes. */
void exec_race_fence(struct exec_warp *w, const struct exec_op *op);

/* The lanes of a part access global memory, in program order, before the access is performed.
 * @return EX_NEXT or EX_FAULT. */
exec_code exec_race_access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                           const uint64_t *address);

/* A race of an earlier acquire of the CTA, which is known only when that has been performed. (Asked
 * by exec_race_access as well.) @return EX_NEXT or EX_FAULT. */
exec_code exec_race_late(struct exec_warp *w);

/* A strong access, from its place in program order to its result; struct exec_race_sync
 * (warp/exec_state.h) goes with it. One that is performed at once has all three in a row. */
void exec_race_begin(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                     const uint64_t *address, struct exec_race_sync *s);
void exec_race_perform(struct exec_cta *cta, const struct exec_op *op, uint32_t lanes,
                       const uint64_t *address, struct exec_race_sync *s);
/* Ends it, performed or not; `complete`: the warp has the result. */
void exec_race_end(struct exec_cta *cta, const struct exec_op *op, struct exec_race_sync *s,
                   bool complete);

#endif
