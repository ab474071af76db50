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

/* Creates the check of a launch; the launch must outlive it. @return HEDDLE_ERR_NOMEM;
 * HEDDLE_ERR_LAUNCH: the grid has more CTAs than clocks can count. */
heddle_err exec_race_create(struct exec_race **out, const struct exec_launch *launch,
                            struct heddle_diag *diag);
/* Frees it, after all CTAs have left. Accepts NULL. */
void exec_race_free(struct exec_race *g);
/* A CTA, by its number in the grid, begins and ends. Leaving accepts NULL. */
heddle_err exec_race_enter(struct exec_race_cta **out, struct exec_race *g, uint64_t cta);
void exec_race_leave(struct exec_race_cta *c);

/* The warp executes a fence. One of CTA scope has no effect here. */
void exec_race_fence(struct exec_warp *w, const struct exec_op *op);

/* Checks and notes an access of the lanes of mask to global memory, in program order, before it is
 * performed. A race (HEDDLE_ERR_GLOBAL_RACE) becomes a finding, or the CTA's fault. @return EX_NEXT
 * or EX_FAULT. */
exec_code exec_race_access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                           const uint64_t *address);

/* Finds the race of an earlier acquire of the CTA, which is found only when the acquire is
 * performed. exec_race_access() does the same. Takes no lock. @return EX_NEXT or EX_FAULT. */
exec_code exec_race_late(struct exec_warp *w);

/* The same for a CTA that has ended, with all its operations performed: its last acquires may have
 * met a race. Takes the lock. @return EX_NEXT or EX_FAULT. */
exec_code exec_race_end(struct exec_cta *cta);

/* The life of a strong access: follow in program order, perform, unfollow. An access that is
 * performed at once calls all three in succession. The check knows the access by a number, so that
 * its performer need not know the warp. @return the number; 0: the access orders nothing, and the
 * calls below do nothing for it. */
uint32_t exec_race_follow(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                          const uint64_t *address);
/* Lanes of the access take effect on memory. `g`: the launch's (exec_program.race). Called by the
 * thread that performs them. */
void exec_race_perform(struct exec_race *g, uint32_t number, uint32_t lanes,
                       const uint64_t *address);
/* Ends the access, performed or not, and frees its number. `complete`: the warp has the result. */
void exec_race_unfollow(struct exec_cta *cta, uint32_t number, bool complete);

#endif
