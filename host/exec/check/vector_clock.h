/* vector_clock.h - vector clocks over the CTAs of a launch: for each CTA, its last known epoch. For
 * global_race.c.
 *
 * Clocks are immutable trees: the thousands of copies that a chain of CTAs passes on share their
 * equal parts. NULL is the clock that knows nothing.
 *
 * Ownership: reference counts. Every function that returns a clock gives the caller a new
 * reference, which exec_vclock_drop() releases. Threads: one at a time for all clocks of a
 * launch. */
#ifndef HEDDLE_EXEC_VECTOR_CLOCK_H
#define HEDDLE_EXEC_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct exec_vclock;

/* Depth of the trees for this many CTAs (0: a single node); the same for all clocks of a launch. */
unsigned exec_vclock_levels(uint64_t ctas);

/* Adds a reference. Accepts NULL. @return c. */
struct exec_vclock *exec_vclock_keep(struct exec_vclock *c);
/* Releases a reference and frees nodes that have none left. Accepts NULL. */
void exec_vclock_drop(struct exec_vclock *c, unsigned levels);

/* @return the last known epoch of a CTA; 0: none. */
uint32_t exec_vclock_get(const struct exec_vclock *c, unsigned levels, uint32_t cta);
/* @return c with another value for one CTA; c stays as it is. Without memory sets *failed and
 * returns c. */
struct exec_vclock *exec_vclock_set(struct exec_vclock *c, unsigned levels, uint32_t cta,
                                    uint32_t value, bool *failed);
/* @return the later epoch of both clocks for every CTA. Without memory sets *failed and returns one
 * that knows less. */
struct exec_vclock *exec_vclock_join(struct exec_vclock *a, struct exec_vclock *b, unsigned levels,
                                     bool *failed);

#endif
