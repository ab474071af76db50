/* cta_dispatch.c - see cta_dispatch.h. Inside the scheduler's advance(), on its thread; sends
 * CTA_LAUNCH. */
#include "sched/cta_dispatch.h"

#include <stddef.h>

#include "timing/clock.h"
#include "timing/message.h"

/* Copies the configuration and creates the occupancy table. */
heddle_err cta_dispatch_create(struct cta_dispatch *d, const struct cta_dispatch_config *config) {
    *d = (struct cta_dispatch){.config = *config};
    return occupancy_table_create(&d->table, config->num_sms, &config->limits, config->placement);
}

void cta_dispatch_free(struct cta_dispatch *d) {
    occupancy_table_free(d->table);
    d->table = NULL;
}

/* The first cycle in which the kernel's next CTA may go. */
static uint64_t cycle_of(const struct cta_dispatch *d, const struct kernel *k) {
    return k->dispatch_from > d->next_cycle ? k->dispatch_from : d->next_cycle;
}

/* @return the kernel whose CTA is dispatched next, NULL: none has CTAs left. Of each priority only
 * the first kernel with CTAs left competes. Among these the one that can be dispatched earliest
 * wins; at the same cycle, the most urgent. */
static const struct kernel *next_kernel(const struct cta_dispatch *d, const struct kernel *queue) {
    const struct kernel *best = NULL;
    uint64_t seen = 0; /* priorities, of which there are few */
    for (const struct kernel *k = queue; k; k = k->next) {
        uint64_t priority = UINT64_C(1) << (k->priority & 63);
        if (k->dispatched == k->num_ctas || seen & priority) continue;
        seen |= priority;
        uint64_t mine = cycle_of(d, k), its = best ? cycle_of(d, best) : UINT64_MAX;
        if (!best || mine < its || (mine == its && k->priority < best->priority)) best = k;
    }
    return best;
}

/* The cycle of the next dispatch; changes nothing. */
uint64_t cta_dispatch_next(const struct cta_dispatch *d, const struct kernel *queue) {
    const struct kernel *k = next_kernel(d, queue);
    return k ? cycle_of(d, k) : UINT64_MAX;
}

/* Takes a place in the table for the chosen kernel's next CTA and sends CTA_LAUNCH; without room,
 * sets next_cycle to when there may be some. */
void cta_dispatch_one(struct cta_dispatch *d, struct kernel *queue, uint64_t cycle,
                      const struct timing_wiring *wiring) {
    const struct kernel *chosen = next_kernel(d, queue);
    struct kernel *k = queue;
    struct occupancy_table_place place;
    while (k != chosen) k = k->next;
    if (cycle > d->next_cycle) d->rest = 0;
    d->next_cycle = cycle;
    if (!occupancy_table_take(d->table, &k->need, &place, cycle)) {
        d->next_cycle = occupancy_table_more_at(d->table);
        return;
    }
    d->rest += k->dispatch_interval;
    d->next_cycle += d->rest >> 16;
    d->rest &= 0xffff;
    uint64_t live = cycle + d->config.half_lookahead;
    if (!k->dispatched) k->first_cycle = live;
    message_send_cta_launch(wiring->fabric, wiring->scheduler_id,
                            wiring->group_id[place.sm % wiring->num_groups],
                            clock_ps(live, d->config.khz),
                            &(struct message_cta_launch){.launch = k->number,
                                                         .cta = k->dispatched,
                                                         .sm = place.sm,
                                                         .slot = place.cta,
                                                         .warps = place.warps,
                                                         .live = live});
    k->dispatched++;
    k->warp_cycles -= live * (unsigned)__builtin_popcountll(place.warps);
}

/* Gives a CTA's place back from the cycle on in which another may be dispatched there. */
void cta_dispatch_retire(struct cta_dispatch *d, struct kernel *k,
                         const struct occupancy_table_place *place, uint64_t ended,
                         uint64_t heard) {
    uint64_t from = heard, half = d->config.half_lookahead; /* half: from dispatch to begin */
    if (ended + d->config.replace > from + half) from = ended + d->config.replace - half;
    occupancy_table_give(d->table, place, &k->need, from);
    if (d->next_cycle == UINT64_MAX) d->next_cycle = from;
    k->warp_cycles += ended * (unsigned)__builtin_popcountll(place->warps);
}
