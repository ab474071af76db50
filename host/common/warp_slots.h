/* warp_slots.h - which of an SM's warp slots the warps of a CTA take: rule 19 of
 * docs/timing-model.md.
 *
 * Slot w belongs to sub-core w mod N, which has an equal share of the SM's slots and registers. The
 * occupancy table (sched/occupancy_table.h) keeps one table for each SM and takes slots as CTAs
 * begin. An SM group learns of them as a mask and an order, and finds each warp's slot with
 * warp_slots_list(). Pure functions of their arguments; no allocation. */
#ifndef HEDDLE_COMMON_WARP_SLOTS_H
#define HEDDLE_COMMON_WARP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { WARP_SLOTS_MOST_SUBCORES = 4, WARP_SLOTS_MOST = 64 };

/* Parameter sm.warp_placement. */
enum warp_placement {
    WARP_PLACEMENT_LOWEST, /* the lowest free slots */
    WARP_PLACEMENT_TURN,   /* sub-cores in turn, from behind the last CTA's last warp on */
    WARP_PLACEMENT_LEAST,  /* the sub-core with the fewest warps, of these the lowest */
    WARP_PLACEMENT_ROTATE, /* the same, but of these the next in turn, one further behind a CTA
                              whose warps divide evenly */
};
/* Names of the above in this order, NULL behind the last. */
extern const char *const warp_placement_names[];
/* @return the placement of this name, which is one of them. */
enum warp_placement warp_placement_of(const char *name);

/* Free slots and registers of an SM. */
struct warp_slots {
    uint64_t free; /* mask of slots */
    uint32_t registers[WARP_SLOTS_MOST_SUBCORES], warps[WARP_SLOTS_MOST_SUBCORES]; /* free; taken */
    uint8_t subcores, next; /* next: the sub-core whose turn it is; 0 for an SM without warps */
};
/* Slots of a CTA: a mask, and two bits for each warp, warp 0's lowest: its sub-core. */
struct warp_slots_of_cta {
    uint64_t slots, order;
};

/* @return an SM without warps, of this many slots and registers. */
struct warp_slots warp_slots_empty(uint32_t slots, uint32_t registers, uint32_t subcores);
/* Takes a slot with `registers` registers for each of `warps` warps of a CTA. @return false: there
 * is no room, and *s is unchanged. */
bool warp_slots_take(struct warp_slots *s, enum warp_placement placement, uint32_t warps,
                     uint32_t registers, struct warp_slots_of_cta *out);
/* Gives slots (a mask) back that were taken with `registers` registers each. */
void warp_slots_give(struct warp_slots *s, uint64_t slots, uint32_t registers);
/* Writes the slot of each of a CTA's warps, of which there are `warps`, to `slot`. `of`: what
 * warp_slots_take() gave. */
void warp_slots_list(struct warp_slots_of_cta of, unsigned subcores, unsigned warps, uint8_t *slot);

#endif
