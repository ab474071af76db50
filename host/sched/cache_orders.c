/* cache_orders.c - see cache_orders.h. */
#include "sched/cache_orders.h"

void cache_orders_fill(const struct timing_wiring *w, const uint64_t *outside, uint64_t at_ps,
                       uint64_t first, uint64_t count, uint64_t before) {
    const struct message_fill m = {.first = (uint32_t)first, .count = (uint32_t)count};
    if (group_is_outside(outside, m.first)) return;
    message_send_fill(w->fabric, w->scheduler_id, w->memory_id, at_ps,
                      &(struct message_fill){.first = (uint32_t)(first - before),
                                             .count = (uint32_t)(before + count)});
    for (uint32_t i = 0; i < w->num_groups; i++)
        message_send_fill(w->fabric, w->scheduler_id, w->group_id[i], at_ps, &m);
}

void cache_orders_flush(const struct timing_wiring *w, uint64_t at_ps, uint64_t written_ps,
                        const struct message_flush *m) {
    for (uint32_t i = 0; i < w->num_groups; i++)
        message_send_flush(w->fabric, w->scheduler_id, w->group_id[i], at_ps, m);
    if (m->l2) message_send_flush(w->fabric, w->scheduler_id, w->memory_id, written_ps, m);
}
