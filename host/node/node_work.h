/* node_work.h - how long a node's CPU takes for work that its program states: a roofline of all its
 * cores (cpu.* of tables/node_parameters.def). A pure function. */
#ifndef HEDDLE_NODE_NODE_WORK_H
#define HEDDLE_NODE_NODE_WORK_H

#include "node/node_config.h"

/* Work in one parallel region: floating-point operations, bytes that are read and written, and the
 * bytes of memory that it touches. @return ps; NODE_WORK_NEVER: more than can be counted. */
#define NODE_WORK_NEVER UINT64_MAX
uint64_t node_work_ps(const struct node_config *config, uint64_t operations, uint64_t bytes,
                      uint64_t touched);

#endif
