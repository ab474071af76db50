/* net_story.h - messages under way, in words. Between windows. */
#ifndef HEDDLE_NODE_NET_STORY_H
#define HEDDLE_NODE_NET_STORY_H

#include "node/net_op.h"

/* Writes about message `i` of a node that is under way: what it is and what it waits for. First
 * those that have left their queue, the oldest first, then commands of kernels that wait in one.
 * of_cpu: how many operations the node's CPU has. @return false: there are no more. */
bool net_story(const struct net_ops *ops, const struct shmem_pes *pes, uint32_t node,
               uint32_t of_cpu, uint32_t i, char *text, size_t size);

#endif
