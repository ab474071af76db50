/* hbm_stats.c - sums of the memory models' statistics. All models call it when their owner asks for
 * the sum of their channels, on its thread. Pure but for *a. */
#include "models/hbm/hbm.h"

/* Adds every member of b to a. */
void hbm_stats_add(struct hbm_stats *a, const struct hbm_stats *b) {
    a->reads += b->reads;
    a->writes += b->writes;
    a->read_bytes += b->read_bytes;
    a->write_bytes += b->write_bytes;
    a->busy_ps += b->busy_ps;
    a->row_hits += b->row_hits;
    a->row_misses += b->row_misses;
    a->row_conflicts += b->row_conflicts;
    a->forwarded += b->forwarded;
    a->activates += b->activates;
    a->refreshes += b->refreshes;
    a->turn_arounds += b->turn_arounds;
}
