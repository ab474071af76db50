/* vector_clock.h - vector clocks over the CTAs of a launch: for each CTA the last of its epochs
 * that somebody knows of.
 *
 * Clocks are trees that are never changed once made, so that the thousands of copies that a chain
 * of CTAs hands on share what is equal in them. NULL is the clock that knows nothing.
 *
 * Ownership: a value is a reference; every function that returns one gives the caller a new one,
 * which exec_vclock_drop() takes back. Threads: one at a time for all clocks of a launch. */
#ifndef HEDDLE_EXEC_VECTOR_CLOCK_H
#define HEDDLE_EXEC_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct exec_vclock;

/* How deep the trees for this many CTAs are; the same for all clocks of a launch. */
unsigned exec_vclock_levels(uint64_t ctas);

struct exec_vclock *exec_vclock_keep(struct exec_vclock *c);
void exec_vclock_drop(struct exec_vclock *c, unsigned levels);

/* @return what the clock knows of a CTA, 0: nothing. */
uint32_t exec_vclock_get(const struct exec_vclock *c, unsigned levels, uint32_t cta);
/* @return the clock with another value for one CTA; *failed is set when there is no memory. */
struct exec_vclock *exec_vclock_set(struct exec_vclock *c, unsigned levels, uint32_t cta,
                                    uint32_t value, bool *failed);
/* @return what both know together. */
struct exec_vclock *exec_vclock_join(struct exec_vclock *a, struct exec_vclock *b, unsigned levels,
                                     bool *failed);

#endif
