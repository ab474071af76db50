/* cta_dispatch.c - the CTA handler: chooses the next CTA among the queued kernels and the SM that
 * it goes to, and keeps the interval between dispatches. Contracts in cta_dispatch.h.
 *
 * The scheduler (scheduler.c) calls it inside its advance(), on the worker thread of the window;
 * `d` is a member of the scheduler, so no lock is needed. Cycles are target cycles of the core
 * clock. */
#include "sched/cta_dispatch.h"

#include <stddef.h>

#include "common/carveout.h"
#include "timing/clock.h"
#include "timing/group.h"
#include "timing/message.h"

/* Copies the configuration and allocates the occupancy table. @return HEDDLE_ERR_ARGUMENT for
 * limits beyond the table's maxima, HEDDLE_ERR_NOMEM; d->table is then NULL. */
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

/* @return the cycle of the next dispatch from `queue` (active kernels, linked by `next`),
 * UINT64_MAX: none before a CTA ends, or none has CTAs left. Changes nothing. */
uint64_t cta_dispatch_next(const struct cta_dispatch *d, const struct kernel *queue) {
    const struct kernel *k = next_kernel(d, queue);
    return k ? cycle_of(d, k) : UINT64_MAX;
}

/* Dispatches the next CTA of the chosen kernel in `cycle`, the result of cta_dispatch_next() for
 * this queue, which must not be UINT64_MAX. Takes a place in the table, moves next_cycle on by the
 * kernel's dispatch_interval, counts the CTA in k->dispatched, warp_cycles and sm_cycles (the first
 * also sets first_cycle), and sends CTA_LAUNCH to the SM's group, arriving half a look-ahead later,
 * behind L1_SIZE if the SM's shared memory has another size than before. Without room it dispatches
 * nothing and sets next_cycle to when there may be some. */
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
    if (place.resized)
        message_send_l1_size(
            wiring->fabric, wiring->scheduler_id, wiring->group_id[place.sm % wiring->num_groups],
            clock_ps(live, d->config.khz),
            &(struct message_l1_size){
                .sm = place.sm, .lines = carveout_l1_lines(d->config.gpu, k->need.shared_size)});
    message_send_cta_launch(
        wiring->fabric, wiring->scheduler_id, wiring->group_id[place.sm % wiring->num_groups],
        clock_ps(live, d->config.khz),
        &(struct message_cta_launch){.launch = k->number,
                                     .cta = k->dispatched,
                                     .place = place.sm * TIMING_MAX_CTAS + place.cta,
                                     .warps = place.warps.slots,
                                     .order = place.warps.order,
                                     .live = live});
    if (d->config.log) cta_log_begin(d->config.log, &place, k->dispatched, live);
    k->dispatched++;
    if (!k->on_sm[place.sm]++) k->sm_cycles -= live;
    k->warp_cycles -= live * (unsigned)__builtin_popcountll(place.warps.slots);
}

/* Takes the end of a CTA when its warps have left, and those before it were taken. Its place is
 * free then, when the scheduler has learned of it, or so that the next CTA there begins
 * launch.replace cycles later. Adds to k->warp_cycles and sm_cycles; if dispatch waited for a
 * place, it continues then. */
uint64_t cta_dispatch_retire(struct cta_dispatch *d, struct kernel *k, const struct cta_end *end) {
    const uint64_t half = d->config.half_lookahead; /* from dispatch to begin */
    if (end->cycle_left > d->next_end) {
        d->next_end = end->cycle_left;
        d->end_rest = 0;
    }
    const uint64_t taken = d->next_end;
    d->end_rest += k->end_interval;
    d->next_end += d->end_rest >> 16;
    d->end_rest &= 0xffff;
    uint64_t from = end->cycle_heard;
    if (taken + d->config.replace > from + half) from = taken + d->config.replace - half;
    occupancy_table_give(d->table, &end->place, &k->need, from);
    if (d->config.log) cta_log_end(d->config.log, k, &end->place, end->cycle_ended);
    if (d->next_cycle == UINT64_MAX) d->next_cycle = from;
    if (!--k->on_sm[end->place.sm]) k->sm_cycles += end->cycle_ended;
    k->warp_cycles += end->cycle_ended * (unsigned)__builtin_popcountll(end->place.warps.slots);
    return taken;
}
