/* network_topology.h - who is joined to whom in a network of packets, and the way of a packet.
 *
 * A link is one direction of a cable. It has the number of the port that sends on it: port i of
 * node i for i < nodes; then the ports of switch 0, of switch 1, ... All functions are pure. Only
 * for files of host/network. */
#ifndef HEDDLE_NETWORK_NETWORK_TOPOLOGY_H
#define HEDDLE_NETWORK_NETWORK_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "network/network_config.h"

enum topology_kind { TOPOLOGY_STAR, TOPOLOGY_FAT_TREE, TOPOLOGY_DRAGONFLY };

/* Classes of links, whose latency and rate the configuration gives. */
enum link_class { LINK_NODE, LINK_LOCAL, LINK_GLOBAL, LINK_CLASSES };

struct network_topology {
    enum topology_kind kind;
    uint32_t nodes, switches;
    uint32_t radix;                               /* ports of a switch */
    unsigned channels;                            /* virtual channels of a link */
    uint32_t arity, levels, per_level, power[21]; /* fat tree: switches of a level, arity^i */
    uint32_t groups, routers, hosts, globals;     /* dragonfly */
    uint32_t copies;                              /* links between two groups */
};

/* Where a link leads. */
struct topology_link {
    enum link_class class;
    bool to_node; /* `to` is a node, not a switch */
    uint32_t to;
};

/* What a switch does with a packet. */
struct topology_hop {
    uint32_t port;    /* 0 to radix - 1 */
    unsigned channel; /* virtual channel of the link */
};

/* The topology of a configuration, which network_config_load() has checked. */
struct network_topology topology_of(const struct network_config *config);
/* The switch of a node. */
uint32_t topology_first(const struct network_topology *t, uint32_t node);
/* Where the link of a switch's port leads. @return false: nothing is joined to it. */
bool topology_link(const struct network_topology *t, uint32_t at_switch, uint32_t port,
                   struct topology_link *out);
/* The next hop of a packet. It depends on source and target alone, so their packets stay in
 * order. */
struct topology_hop topology_route(const struct network_topology *t, uint32_t at_switch,
                                   uint32_t source, uint32_t target);

#endif
