/* global_race.h - races on global memory between the CTAs of a launch (--memcheck global).
 *
 * A race is two accesses of different CTAs to a byte of global memory, at least one of them a weak
 * write, without a chain of synchronisation from the first to the second as PTX's memory model has
 * it: fence (or release), then a strong write, which a strong read observes, itself or through
 * atomic operations on the same word, then a fence (or acquire); of scope GPU or system. Whether
 * the two happened to overlap in time plays no part. What is not weak: atomics, volatile, relaxed,
 * acquire and release accesses, and those that go past L1 (.cg, .cv, .wt).
 *
 * The threads of a CTA are not distinguished. A weak store after a fence to a word that has seen
 * strong accesses counts as strong, since programs release locks that way.
 *
 * Owner: the launch (state of memory, strong accesses that are followed) and the CTA (its vector
 * clocks). All SM groups that run CTAs of a launch share the launch's part, and through it the
 * clocks of its CTAs: the check needs one process. Threads: any; a lock serializes them. Exists
 * only when the launch sets EXEC_CHECK_GLOBAL. */
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

/* The warp executes a fence. */
void exec_race_fence(struct exec_warp *w, const struct exec_op *op);

/* The lanes of mask access global memory. Called in program order, before the access is
 * performed. @return EX_NEXT or EX_FAULT. */
exec_code exec_race_access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                           const uint64_t *address);

/* Reports a race of an earlier acquire of the CTA: it is found only when the acquire is
 * performed. exec_race_access() does the same. @return EX_NEXT or EX_FAULT. */
exec_code exec_race_late(struct exec_warp *w);

/* The life of a strong access: follow in program order, perform, unfollow. An access that is
 * performed at once calls all three in succession. The check knows the access by a number, so that
 * who performs it need not know its warp.
 * @return the number, or 0: it orders nothing, and nothing need be told (the others accept 0). */
uint32_t exec_race_follow(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                          const uint64_t *address);
/* Lanes of the access take effect on memory. `g`: the launch's (exec_program.race). */
void exec_race_perform(struct exec_race *g, uint32_t number, uint32_t lanes,
                       const uint64_t *address);
/* Ends the access, performed or not. `complete`: the warp has the result. */
void exec_race_unfollow(struct exec_cta *cta, uint32_t number, bool complete);

#endif
