/* packet_link.c - see packet_link.h. A copy is one transfer whose end moves; its packets have no
 * events of their own, so a long copy costs no more than a short one. */
#include "sched/packet_link.h"

#include "timing/clock.h"

uint64_t packet_link_transfer_ps(uint64_t bytes, uint64_t bytes_per_s) {
    return (uint64_t)((clock_u128)bytes * 1000000000000u / bytes_per_s);
}

uint64_t packet_link_send(struct packet_link *l, enum link_way way, uint64_t at_ps,
                          uint64_t bytes) {
    uint64_t *free_ps = &l->way[way].free_ps, *copy_ps = &l->way[way].copy_ps;
    const uint64_t own = packet_link_transfer_ps(bytes, l->config.bytes_per_s);
    uint64_t leaves = (at_ps > *free_ps ? at_ps : *free_ps) + own;
    if (leaves - own < *copy_ps) {
        const uint64_t left = *copy_ps - (leaves - own);
        const uint64_t turn = packet_link_transfer_ps(l->config.payload, l->config.bytes_per_s);
        leaves += turn < left ? turn : left;
        *copy_ps += own;
    }
    *free_ps = leaves;
    return leaves;
}

/* Packets of kernels that wait already go first. */
void packet_link_copy(struct packet_link *l, enum link_way way, uint64_t at_ps, uint64_t bytes) {
    const uint64_t free_ps = l->way[way].free_ps;
    l->way[way].copy_ps = (at_ps > free_ps ? at_ps : free_ps) +
                          packet_link_transfer_ps(bytes, l->config.bytes_per_s);
}

void packet_link_copy_end(struct packet_link *l, enum link_way way) {
    l->way[way].copy_ps = 0;
}
