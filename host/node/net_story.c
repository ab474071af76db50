/* net_story.c - messages under way, in words; see net_story.h. */
#include "node/net_story.h"

#include <stdio.h>

/* The operation that comes after `last` (NULL: the first) by age, then by number; NULL: none. */
static const struct net_op *next_op(const struct net_ops *ops, uint32_t node, uint32_t of_cpu,
                                    const struct net_op *last, uint32_t *number) {
    const struct net_op *best = NULL;
    const uint32_t before = *number;
    for (uint32_t i = 0; i < NET_OPS + of_cpu; i++) {
        const struct net_op *o = net_op_of(ops, node, i);
        const bool is_later = !last || o->posted_ps > last->posted_ps ||
                              (o->posted_ps == last->posted_ps && i > before);
        if (!o->used || !is_later || (best && o->posted_ps >= best->posted_ps)) continue;
        best = o;
        *number = i;
    }
    return best;
}

static void op_story(const struct net_op *o, uint32_t node, char *text, size_t size) {
    const struct heddle_shmem_entry *e = &o->command.entry;
    char from[60] = "of the CPU", state[120];
    if (!o->of_cpu) snprintf(from, sizeof from, "command %u of queue %u", o->number, o->queue);
    if (!o->fetched)
        snprintf(state, sizeof state, "the NIC has not fetched it");
    else
        snprintf(state, sizeof state, "the NIC has it; segments sent: %u, arrived: %u", o->sent,
                 o->arrived);
    snprintf(text, size, "PE %u: under way since %.3f us: %s of %llu bytes to PE %u, %s: %s", node,
             (double)o->posted_ps / 1e6, shmem_op_name(e->op), (unsigned long long)e->bytes, e->pe,
             from, state);
}

/* Whether the command of a queue is an operation under way. */
static bool is_under_way(const struct net_op *op, uint32_t queue, uint32_t number) {
    for (uint32_t i = 0; i < NET_OPS; i++)
        if (op[i].used && op[i].queue == queue && (op[i].number & HEDDLE_SHMEM_NUMBER) == number)
            return true;
    return false;
}

/* Command `i` of those that stay in a queue without being under way. */
static bool waiting_story(const struct net_ops *ops, const struct shmem_pe *pe, uint32_t node,
                          uint32_t i, char *text, size_t size) {
    for (uint32_t q = 0; pe->live && q < pe->num_queues; q++) {
        const struct heddle_shmem_queue *queue = shmem_pe_queue(pe, q);
        for (uint32_t k = 0; k < HEDDLE_SHMEM_ENTRIES; k++) {
            const struct heddle_shmem_entry *e = &queue->entry[k];
            const uint32_t number = e->status >> 2;
            if ((e->status & 3) != HEDDLE_SHMEM_READY) continue;
            if (is_under_way(ops->of[node], q, number) || i--) continue;
            const char *what = e->op == HEDDLE_SHMEM_QUIET ? "earlier commands, or a service thread"
                                                           : "a service thread";
            snprintf(text, size,
                     "PE %u: in queue %u: %s of %llu bytes to PE %u, command %u: waits "
                     "for %s",
                     node, q, shmem_op_name(e->op), e->bytes, e->pe, number, what);
            return true;
        }
    }
    return false;
}

bool net_story(const struct net_ops *ops, const struct shmem_pes *pes, uint32_t node,
               uint32_t of_cpu, uint32_t i, char *text, size_t size) {
    const struct net_op *o = NULL;
    uint32_t number = 0, passed = 0;
    while ((o = next_op(ops, node, of_cpu, o, &number)) && passed < i) passed++;
    if (o) {
        op_story(o, node, text, size);
        return true;
    }
    return waiting_story(ops, &pes->pe[node], node, i - passed, text, size);
}
