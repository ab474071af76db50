/* network.c - messages and events of a network, for both models; contracts in network.h.
 *
 * Determinism rests on two rules. Every event has a place in a total order (time, kind, place,
 * sequence) that does not involve the order of posting. And whatever one port causes at another
 * comes at least 1 ps later, so that all events of a time are known when its first one is
 * performed; messages that a callback sends at that time concern the source's port alone, which
 * chooses after all callbacks (network_model.h). What is delivered at a time is announced
 * before it, or by an arrival at that time, which comes before the callbacks. */
#include "network/network.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "network/network_model.h"

heddle_err network_create(struct network **out, const struct network_config *config,
                          network_event_fn happened, void *user, struct heddle_diag *diag) {
    *out = NULL;
    struct network *n = heddle_alloc(sizeof *n, "a network");
    bool loggp = !strcmp(config->model, "loggp");
    n->model = loggp ? &network_loggp : &network_packets;
    n->happened = happened;
    n->user = user;
    n->num_nodes = (uint32_t)config->nodes;
    n->free_flight = NETWORK_NONE;
    n->node = calloc(n->num_nodes, sizeof *n->node);
    for (uint32_t i = 0; n->node && i < n->num_nodes; i++) {
        n->node[i].send_gap = network_ps(loggp ? config->loggp_send_gap : config->packet_send_gap);
        n->node[i].receive_gap = network_ps(loggp ? config->loggp_receive_gap
                                                  : config->packet_receive_gap);
    }
    n->self = n->node ? n->model->create(n, config) : NULL;
    if (!n->self) {
        network_free(n);
        return heddle_fail(diag, HEDDLE_ERR_NOMEM, "%s: out of memory for a network of %llu nodes",
                           config->file, (unsigned long long)config->nodes);
    }
    *out = n;
    return HEDDLE_OK;
}

void network_free(struct network *n) {
    if (!n) return;
    if (n->self) n->model->free(n->self);
    event_heap_clear(&n->heap);
    free(n->flight);
    free(n->node);
    free(n);
}

/* ---- messages */

heddle_err network_send(struct network *n, const struct network_message *m,
                        struct heddle_diag *diag) {
    const unsigned long long at = m->at;
    if (m->source >= n->num_nodes || m->target >= n->num_nodes)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "a message from node %u to node %u: the network has nodes 0 to %u",
                           m->source, m->target, n->num_nodes - 1);
    struct network_node *node = &n->node[m->source];
    if (m->bytes > NETWORK_MAX_BYTES)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "a message of node %u of %llu bytes: at most %llu are possible",
                           m->source, (unsigned long long)m->bytes,
                           (unsigned long long)NETWORK_MAX_BYTES);
    if (m->at < n->now)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "a message of node %u at %llu ps: the network has reached %llu ps",
                           m->source, at, (unsigned long long)n->now);
    if (m->at < node->last_at)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "a message of node %u at %llu ps: the one before it is at %llu ps",
                           m->source, at, (unsigned long long)node->last_at);
    if (m->at > NETWORK_MAX_PS)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "a message of node %u at %llu ps: at most %llu ps are possible",
                           m->source, at, (unsigned long long)NETWORK_MAX_PS);
    node->last_at = m->at;
    const uint32_t flight = network_take_flight(n, m, node->sequence++);
    n->counters.sent++;
    n->counters.sent_bytes += m->bytes;
    n->model->send(n->self, flight);
    return HEDDLE_OK;
}

/* ---- events */

/* Calls back. A delivered message gives up its place first, so that an answer finds it free. */
static void call_back(struct network *n, const struct event *event, enum network_event_kind kind) {
    struct network_flight *f = &n->flight[event->item];
    const struct network_event happened = {
        .kind = kind, .at = event->at, .sequence = f->sequence, .message = f->message};
    if (kind == NETWORK_DELIVERED) {
        n->counters.delivered++;
        n->counters.delivered_bytes += f->message.bytes;
        network_give_flight(n, event->item);
    }
    n->happened(n->user, &happened);
}

void network_advance(struct network *n, uint64_t until) {
    while (event_heap_next(&n->heap) < until) {
        const struct event event = event_heap_take(&n->heap);
        n->now = event.at;
        n->counters.events++;
        switch (event_kind(event.key)) {
        case EVENT_SENT: call_back(n, &event, NETWORK_SENT); break;
        case EVENT_DELIVERED: call_back(n, &event, NETWORK_DELIVERED); break;
        default: n->model->event(n->self, &event);
        }
    }
    if (until > n->now && until != NETWORK_NEVER) n->now = until;
}

uint64_t network_now_ps(const struct network *n) {
    return n->now;
}

uint64_t network_next_ps(const struct network *n) {
    return event_heap_next(&n->heap);
}

/* ---- the rest */

uint64_t network_lookahead_ps(const struct network *n) {
    return n->model->lookahead(n->self);
}

heddle_err network_set_gaps(struct network *n, uint32_t node, uint64_t send_gap_ps,
                            uint64_t receive_gap_ps, struct heddle_diag *diag) {
    if (node >= n->num_nodes)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "gaps of node %u: the network has nodes 0 to %u", node,
                           n->num_nodes - 1);
    n->node[node].send_gap = send_gap_ps;
    n->node[node].receive_gap = receive_gap_ps;
    return HEDDLE_OK;
}

uint32_t network_nodes(const struct network *n) {
    return n->num_nodes;
}

struct network_counters network_get_counters(const struct network *n) {
    struct network_counters c = n->counters;
    n->model->count(n->self, &c);
    return c;
}

size_t network_memory(const struct network *n) {
    return sizeof *n + n->num_nodes * sizeof *n->node + n->room * sizeof *n->flight +
           n->heap.capacity * sizeof *n->heap.event + n->model->memory(n->self);
}
