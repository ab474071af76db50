/* cluster.h - the nodes of a run, joined by a network: for each GPU a command processor, a bus, a
 * CPU and a NIC, all on the fabric of the GPUs.
 *
 *   command processor -- doorbell --> NIC -- packets --> network -- packets --> NIC
 *        |  accesses                   |  jobs
 *        v                             v
 *   L2 of the GPU  <---- accesses --- bus, CPU
 *
 * Threads: one thread calls these functions, between windows. */
#ifndef HEDDLE_NODE_CLUSTER_H
#define HEDDLE_NODE_CLUSTER_H

#include "network/network_config.h"
#include "node/command_processor.h"
#include "node/cpu_messages.h"
#include "node/nic.h"
#include "node/service_energy.h"
#include "sched/gpu.h"

struct cluster;

/* All pointers are borrowed, the array `gpu` only while the cluster is created. gpu[i]: the GPU of
 * node i that has its PE's heap. */
struct cluster_options {
    enum node_design design;
    const struct node_config *node;
    const struct network_config *network;
    struct system *system;
    struct gpu *const *gpu;
    uint32_t nodes;
    const struct shmem_pes *pes;
};

/* Builds the components and joins them to the GPUs, which have run nothing yet. @return
 * HEDDLE_ERR_CONFIG, NOMEM, with text in diag. */
heddle_err cluster_create(struct cluster **out, const struct cluster_options *options,
                          struct heddle_diag *diag);
/* Before the GPUs are freed. Accepts NULL. */
void cluster_free(struct cluster *cluster);

/* Posts a message of a CPU. Those of one source to one target arrive in order.
 * @return HEDDLE_ERR_ARGUMENT, with text: too many are under way, or there is no such node. */
heddle_err cluster_post(struct cluster *cluster, const struct cluster_message *message,
                        struct heddle_diag *diag);
/* What CPUs have learnt: cpu_messages_take() of the cluster. */
bool cluster_take_event(struct cluster *cluster, struct cluster_event *event);

/* PE `pe` has begun or left. */
void cluster_pe_changed(struct cluster *cluster, uint32_t pe);
/* The first command of a kernel that was wrong, if there was one since the last call: *pe, and its
 * text in diag. */
bool cluster_take_refused(struct cluster *cluster, uint32_t *pe, struct heddle_diag *diag);

/* Whether no message is under way, of kernels or of CPUs. *sent: a number that grows with each. */
bool cluster_rests(const struct cluster *cluster, uint64_t *sent);
/* net_story() of the node: its message `i` that is under way, the oldest first. */
bool cluster_story(const struct cluster *cluster, uint32_t node, uint32_t i, char *text,
                   size_t size);
/* What the node's service threads have used. */
struct service_energy cluster_energy(const struct cluster *cluster, uint32_t node);
/* Row `row` of tables/node_statistics.def: of the node, or of the network (any node). */
uint64_t cluster_statistic(const struct cluster *cluster, uint32_t node, unsigned row);

#endif
