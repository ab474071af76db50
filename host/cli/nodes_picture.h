/* nodes_picture.h - what the picture of --topology says of nodes and their network. */
#ifndef HEDDLE_CLI_NODES_PICTURE_H
#define HEDDLE_CLI_NODES_PICTURE_H

#include "network/network_config.h"
#include "node/node_config.h"
#include "node/service_energy.h"
#include "report/topology.h"

/* Fills *out with the parameters of `count` nodes. */
void nodes_picture(struct topology_nodes *out, unsigned count, enum node_design design,
                   const struct node_config *node, const struct network_config *network);

#endif
