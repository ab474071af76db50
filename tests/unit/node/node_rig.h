/* node_rig.h - nodes without GPUs, for tests: the command processor, CPU, bus and NIC of each,
 * around a memory and a network of fixed latency.
 *
 * Memory serves an access half of ACCESS_PS after it was sent, and its answer comes in the other
 * half. The network takes WIRE_PS and PER_BYTE_PS for each byte, one message of a source after the
 * other. Times are ps. */
#ifndef HEDDLE_TESTS_NODE_RIG_H
#define HEDDLE_TESTS_NODE_RIG_H

#include "node/command_processor.h"
#include "node/cpu_messages.h"
#include "node/nic.h"
#include "node/node_cpu.h"

enum { RIG_NODES = 3, RIG_QUEUES = 4, RIG_PORTS = 32 };
enum { ACCESS_PS = 200000, WIRE_PS = 100000, PER_BYTE_PS = 80 };
#define RIG_HEAP (UINT64_C(4) << 20)

struct rig_event {
    uint64_t at, sequence;
    enum { RIG_SERVE, RIG_ANSWER, RIG_DOORBELL, RIG_PACKET, RIG_JOB, RIG_DONE, RIG_KERNEL } kind;
    uint32_t node, port; /* port: the service thread; RIG_BUS: the bus */
    uint32_t number;     /* of an operation or a job */
    struct nic_packet packet;
    struct memory_access access;
};
enum { RIG_BUS = 1000 };

struct node_rig {
    struct node_config *config;
    struct shmem_pes pes;
    struct exec_memory memory;
    struct net_ops ops;
    struct cpu_messages *messages;
    bool on_cpu;         /* the service threads are */
    bool queues_at_host; /* with that */
    struct rig_node {
        struct node_rig *rig;
        uint32_t number;
        struct nic *nic;
        struct bus *bus;
        struct node_cpu *cpu;
        struct command_processor *cp;
        struct rig_port {
            struct rig_node *node;
            uint32_t number, under_way;
        } cp_port[SHMEM_THREADS], bus_port;
        void *ports[SHMEM_THREADS];
        uint64_t wire_free_ps;
        char refused[300];
    } node[RIG_NODES];
    struct rig_event *event;
    size_t num_events, capacity;
    uint64_t sequence, now, served; /* accesses that memory has served */
    uint64_t base;
    bool uneven; /* accesses take up to twice as long, each its own time */
};

/* `sets`: parameters of the node "modern" that differ, separated by blanks. */
void node_rig_create(struct node_rig *rig, const char *sets);
/* The same with the service threads on the CPU, WAY_PS from the GPU's memory, with loads of `load`
 * bytes; load 0: the queues lie in the host's memory. */
void node_rig_create_on_cpu(struct node_rig *rig, const char *sets, uint32_t load);
enum { WAY_PS = 400000 };
/* A CPU posts a message. */
void node_rig_send(struct node_rig *rig, const struct cluster_message *message);
void node_rig_free(struct node_rig *rig);
/* A kernel of `ctas` CTAs begins or ends on a node. */
void node_rig_kernel(struct node_rig *rig, uint32_t node, bool begins, uint64_t ctas, uint64_t at);
/* Writes a command as a kernel does. @return its number. */
uint32_t node_rig_post(struct node_rig *rig, uint32_t pe, uint32_t queue,
                       const struct heddle_shmem_entry *entry);
/* Runs until nothing is left to happen or `until`. */
void node_rig_run(struct node_rig *rig, uint64_t until);

/* A byte of a PE's heap, at the same offset for all. */
uint8_t *node_rig_at(struct node_rig *rig, uint32_t pe, uint64_t offset);
uint64_t node_rig_address(struct node_rig *rig, uint32_t pe, uint64_t offset);
/* The state of a command: enum heddle_shmem_status, or -1 if another one has its place. */
int node_rig_status(struct node_rig *rig, uint32_t pe, uint32_t queue, uint32_t number);

#endif
