/* topology_nodes.h - the part of the picture that joins several nodes. */
#ifndef HEDDLE_REPORT_TOPOLOGY_NODES_H
#define HEDDLE_REPORT_TOPOLOGY_NODES_H

#include "report/topology_draw.h"

/* What node number `node` has besides its GPUs and the CPU, below the frames of its GPUs, of which
 * the first takes the pixels from `left` on, `width` of them, down to `bottom`. `cpu`: the box of
 * the node's CPU. */
void topology_draw_node(FILE *f, const struct topology_nodes *nodes, unsigned node, struct rect cpu,
                        unsigned left, unsigned width, unsigned bottom);
/* The network, a bar below all nodes. */
void topology_draw_network(FILE *f, const struct topology_nodes *nodes, unsigned left,
                           unsigned width, unsigned bottom);
/* How much these take below the frames. */
unsigned topology_nodes_height(void);

#endif
