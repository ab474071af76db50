/* network_topology.c - star, fat tree and dragonfly as numbers; contracts in network_topology.h.
 *
 * Why no packets can wait for each other in a circle. A packet in a buffer waits for room in the
 * buffer of its next link and virtual channel; nodes always take packets in the end. So it suffices
 * that "is followed by" orders the pairs of link and channel:
 *
 *   star       to the switch, then to a node.
 *   fat tree   up links, lower levels first, then down links, higher levels first. One channel.
 *   dragonfly  to a router; local; global; local; to a node. The two local hops may be on the same
 *              links: with one channel, two groups whose packets to each other fill the local
 *              buffers would wait for each other. So the local hop behind a global one has a
 *              channel of its own, 1, and the order is local 0, global 0, local 1.
 *
 * Fat tree: a k-ary n-tree (Petrini, Vanneschi 1997). Switches have k ports down and k up. A level
 * has k^(n-1) switches, whose numbers w have n-1 digits of base k. Node p hangs at switch p/k of
 * level 0. Levels l and l+1 are joined where all digits but digit l are equal. A packet climbs to
 * the first level l from which the target is below, at w/k^l = target/k^(l+1); going down, digit l
 * of the target is the port. Going up, any port will do; taking the same digit of the target
 * spreads targets over switches so that each down link leads to one target only. No two targets
 * ever share a down link, and shifts (each node to the one a fixed distance away) share no up link
 * either. Other permutations may: the nodes of a leaf whose targets agree in a digit share an up
 * link.
 *
 * Dragonfly (Kim, Dally, Scott, Abts 2008): groups of routers, each joined to each other of its
 * group. The global ports of a group are numbered j = router * globals + i. Port j of group g leads
 * to group g + 1 + j mod (groups - 1); if a group has at least twice as many ports as there are
 * other groups, pairs have several links, used in turn by (source + target). Minimal routing. */
#include "network/network_topology.h"

#include <string.h>

struct network_topology topology_of(const struct network_config *c) {
    struct network_topology t = {.nodes = (uint32_t)c->nodes, .channels = 1};
    if (!strcmp(c->topology, "fat_tree")) {
        t.kind = TOPOLOGY_FAT_TREE;
        t.arity = (uint32_t)c->tree_arity;
        t.levels = (uint32_t)c->tree_levels;
        t.power[0] = 1;
        for (uint32_t i = 1; i <= t.levels; i++) t.power[i] = t.power[i - 1] * t.arity;
        t.per_level = t.power[t.levels - 1];
        t.switches = t.per_level * t.levels;
        t.radix = 2 * t.arity;
    } else if (!strcmp(c->topology, "dragonfly")) {
        t.kind = TOPOLOGY_DRAGONFLY;
        t.groups = (uint32_t)c->fly_groups;
        t.routers = (uint32_t)c->fly_routers;
        t.hosts = (uint32_t)c->fly_hosts;
        t.globals = (uint32_t)c->fly_globals;
        t.copies = t.groups > 1 ? t.routers * t.globals / (t.groups - 1) : 0;
        t.switches = t.groups * t.routers;
        t.radix = t.hosts + t.routers - 1 + t.globals;
        t.channels = 2;
    } else {
        t.kind = TOPOLOGY_STAR;
        t.switches = 1;
        t.radix = t.nodes;
    }
    return t;
}

uint32_t topology_first(const struct network_topology *t, uint32_t node) {
    switch (t->kind) {
    case TOPOLOGY_FAT_TREE: return node / t->arity;
    case TOPOLOGY_DRAGONFLY: return node / t->hosts;
    default: return 0;
    }
}

/* A link to a node, if that exists. */
static bool to_node(const struct network_topology *t, uint32_t node, struct topology_link *out) {
    *out = (struct topology_link){.class = LINK_NODE, .to_node = true, .to = node};
    return node < t->nodes;
}

/* ---- fat tree */

static uint32_t digit(const struct network_topology *t, uint32_t number, uint32_t i) {
    return number / t->power[i] % t->arity;
}

/* `number` with another digit i. */
static uint32_t with_digit(const struct network_topology *t, uint32_t number, uint32_t i,
                           uint32_t value) {
    return number + (value - digit(t, number, i)) * t->power[i];
}

static bool tree_link(const struct network_topology *t, uint32_t at, uint32_t port,
                      struct topology_link *out) {
    uint32_t level = at / t->per_level, w = at % t->per_level;
    out->class = LINK_LOCAL;
    out->to_node = false;
    if (port >= t->arity) {
        if (level + 1 == t->levels) return false;
        out->to = (level + 1) * t->per_level + with_digit(t, w, level, port - t->arity);
        return true;
    }
    if (level == 0) return to_node(t, w * t->arity + port, out);
    out->to = (level - 1) * t->per_level + with_digit(t, w, level - 1, port);
    return true;
}

static struct topology_hop tree_route(const struct network_topology *t, uint32_t at,
                                      uint32_t target) {
    uint32_t level = at / t->per_level, w = at % t->per_level;
    uint32_t port = digit(t, target, level);
    bool down = w / t->power[level] == target / t->power[level + 1];
    return (struct topology_hop){.port = down ? port : t->arity + port};
}

/* ---- dragonfly */

/* The port of a router that leads to another router of its group. */
static uint32_t local_port(const struct network_topology *t, uint32_t from, uint32_t to) {
    return t->hosts + (to < from ? to : to - 1);
}

static bool fly_link(const struct network_topology *t, uint32_t at, uint32_t port,
                     struct topology_link *out) {
    uint32_t group = at / t->routers, router = at % t->routers;
    if (port < t->hosts) return to_node(t, at * t->hosts + port, out);
    port -= t->hosts;
    out->to_node = false;
    if (port < t->routers - 1) {
        out->class = LINK_LOCAL;
        out->to = group * t->routers + (port < router ? port : port + 1);
        return true;
    }
    uint32_t j = router * t->globals + port - (t->routers - 1), others = t->groups - 1;
    if (j >= t->copies * others) return false;
    uint32_t distance = j % others, there = (group + distance + 1) % t->groups;
    uint32_t back = j - distance + others - 1 - distance; /* the port there that leads here */
    out->class = LINK_GLOBAL;
    out->to = there * t->routers + back / t->globals;
    return true;
}

static struct topology_hop fly_route(const struct network_topology *t, uint32_t at, uint32_t source,
                                     uint32_t target) {
    uint32_t last = target / t->hosts, group = at / t->routers, router = at % t->routers;
    if (at == last) return (struct topology_hop){.port = target % t->hosts};
    uint32_t there = last / t->routers;
    if (group == there)
        return (struct topology_hop){.port = local_port(t, router, last % t->routers),
                                     .channel = source / t->hosts / t->routers != group};
    uint32_t distance = (there + t->groups - group - 1) % t->groups;
    uint32_t j = (source + target) % t->copies * (t->groups - 1) + distance;
    uint32_t owner = j / t->globals;
    return (struct topology_hop){.port = owner == router
                                             ? t->hosts + t->routers - 1 + j % t->globals
                                             : local_port(t, router, owner)};
}

/* ---- all of them */

bool topology_link(const struct network_topology *t, uint32_t at_switch, uint32_t port,
                   struct topology_link *out) {
    switch (t->kind) {
    case TOPOLOGY_FAT_TREE: return tree_link(t, at_switch, port, out);
    case TOPOLOGY_DRAGONFLY: return fly_link(t, at_switch, port, out);
    default: return to_node(t, port, out);
    }
}

struct topology_hop topology_route(const struct network_topology *t, uint32_t at_switch,
                                   uint32_t source, uint32_t target) {
    switch (t->kind) {
    case TOPOLOGY_FAT_TREE: return tree_route(t, at_switch, target);
    case TOPOLOGY_DRAGONFLY: return fly_route(t, at_switch, source, target);
    default: return (struct topology_hop){.port = target};
    }
}
