/* group_managed.c - which blocks of managed memory each CTA accesses, as its warps are executed.
 * The scheduler hears of them when the CTA has ended, since only then their number is certain.
 *
 * A CTA's blocks are runs of 64 with a mask each, in a hash table of its slot, which the next CTA
 * there uses again. The last run that was used is looked at first: neighbouring accesses hit it. */
#include <stdlib.h>

#include "common/memory.h"
#include "timing/group_internal.h"

enum { FIRST_ROOM = 16 }; /* runs; a power of two, and so is every later room */

/* The place of a run in the table: its own, or the first free one behind where it should be. */
static uint32_t place_of(const struct group_blocks *b, uint32_t run) {
    uint32_t i = run * UINT32_C(2654435769) >> 7 & (b->room - 1);
    while (b->run[i].mask && b->run[i].number != run) i = (i + 1) & (b->room - 1);
    return i;
}

/* Doubles the room. */
static void grow(struct group_blocks *b) {
    const struct group_blocks old = *b;
    b->room = old.room ? 2 * old.room : FIRST_ROOM;
    b->run = heddle_alloc_array(b->room, sizeof *b->run, "blocks that a CTA accesses");
    for (uint32_t i = 0; i < old.room; i++)
        if (old.run[i].mask) b->run[place_of(b, old.run[i].number)] = old.run[i];
    b->last = 0;
    free(old.run);
}

void group_managed_access(struct group_cta *cta, uint32_t block) {
    struct group_blocks *b = &cta->blocks;
    const uint32_t run = block / MANAGED_RUN;
    const uint64_t bit = UINT64_C(1) << block % MANAGED_RUN;
    if (b->count && b->run[b->last].number == run) {
        b->run[b->last].mask |= bit;
        return;
    }
    if (2 * b->count >= b->room) grow(b);
    b->last = place_of(b, run);
    if (!b->run[b->last].mask) b->count++;
    b->run[b->last].number = run;
    b->run[b->last].mask |= bit;
}

void group_managed_end(const struct timing_group *g, struct group_cta *cta, uint64_t at_ps) {
    struct group_blocks *b = &cta->blocks;
    for (uint32_t i = 0; b->count && i < b->room; i++) {
        if (!b->run[i].mask) continue;
        message_send_accessed(g->wiring.fabric, group_id_of(g), g->wiring.scheduler_id, at_ps,
                              &(struct message_accessed){.first = b->run[i].number * MANAGED_RUN,
                                                         .mask = b->run[i].mask});
        b->run[i].mask = 0;
    }
    b->count = 0;
}
