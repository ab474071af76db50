/* cache_orders.h - what the scheduler tells SM groups and device memory about caches: lines that
 * copies leave in L2 (FILL), and that caches are emptied, or pins ended (FLUSH).
 *
 * The functions send messages, from the scheduler's callbacks or between windows. Times are
 * picoseconds of target time at which the messages arrive. */
#ifndef HEDDLE_SCHED_CACHE_ORDERS_H
#define HEDDLE_SCHED_CACHE_ORDERS_H

#include "timing/group.h"
#include "timing/message.h"

/* Every group hears that `count` lines from number `first` on become valid in its share of L2,
 * which are none if they are outside the GPU (`outside`: as struct timing_config has it). Device
 * memory hears of the `before` lines before them as well, which L2 has no room for. */
void cache_orders_fill(const struct timing_wiring *w, const uint64_t *outside, uint64_t at_ps,
                       uint64_t first, uint64_t count, uint64_t before);
/* Every group hears of it, and of L2 device memory at written_ps, when it has taken what L2 writes
 * back. */
void cache_orders_flush(const struct timing_wiring *w, uint64_t at_ps, uint64_t written_ps,
                        const struct message_flush *m);

#endif
