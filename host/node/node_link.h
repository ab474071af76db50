/* node_link.h - times of a node's links, in ps. Pure functions. */
#ifndef HEDDLE_NODE_NODE_LINK_H
#define HEDDLE_NODE_NODE_LINK_H

#include <math.h>

#include "node/node_config.h"

static inline uint64_t node_ps(double ns) {
    return (uint64_t)llround(ns * 1000);
}

/* How long the transactions (TLPs) of a read or write of `bytes` take a direction of the link, at
 * least one; `payload`: the data in them, 0 for a read's requests. */
static inline uint64_t node_link_ps(const struct node_config *c, uint64_t bytes, uint64_t payload) {
    const uint64_t transactions = (bytes + c->link_payload - 1) / c->link_payload;
    const uint64_t headers = (transactions ? transactions : 1) * c->link_header;
    return node_ps((double)(payload + headers) / c->link_rate);
}

#endif
