/* node_cpu.h - the CPU of a node and its memory, as far as messages need them: the NIC reads and
 * writes the host's memory, service threads may run here instead of on the command processor, and
 * the CPU learns what has become of its own messages.
 *
 * Of the GPU's service threads (command_processor.h) the CPU is the port, in the designs that have
 * them here. An access to the host's memory takes cpu.cache. One to the GPU's memory goes through
 * L2 as the command processor's does, each way `way_ps` longer. If the queues lie in the host's
 * memory, what kernels do there takes effect here as well.
 *
 * What arrives becomes an event, and events happen in order of time, so that a thread which polls
 * sees exactly what has been written before. Threads: a component of the fabric. Time: ps. */
#ifndef HEDDLE_NODE_NODE_CPU_H
#define HEDDLE_NODE_NODE_CPU_H

#include "node/bus.h"
#include "node/memory_access.h"
#include "node/net_op.h"

/* What the CPU does to others; called from within node_cpu_advance(). */
struct node_cpu_events {
    /* A job of the NIC has ended; the NIC knows at at_ps. */
    void (*job_done)(void *user, uint32_t job, uint64_t at_ps);
    /* An access of service thread `thread` has ended. */
    void (*access_ended)(void *user, uint32_t thread, const struct memory_access *access,
                         uint64_t at_ps);
    /* A kernel begins or ends; the service threads know. */
    void (*kernel)(void *user, bool begins, uint64_t ctas, uint64_t at_ps);
    /* A kernel's access to the queues takes effect: operation `op` of the GPU's port to memory
     * outside it. */
    void (*outside)(void *user, uint32_t op, uint32_t lanes);
    /* The CPU learns of a message: the job's pe and op, which enum bus_news. */
    void (*told)(void *user, const struct bus_job *job, uint64_t at_ps);
    void *user;
};

struct node_cpu;
/* way_ps: from the CPU to the GPU's L2, more than what L2's port has; gpu[t]: the port of thread t
 * to it. All borrowed. */
struct node_cpu *node_cpu_create(const struct node_config *config, uint64_t way_ps,
                                 const struct memory_port_fns *gpu_fns, void *const *gpu,
                                 const struct node_cpu_events *events);
void node_cpu_free(struct node_cpu *cpu); /* accepts NULL */

/* Memory of the host for the service threads: SHMEM_COMMANDS commands, then the rings. */
uint8_t *node_cpu_memory(struct node_cpu *cpu);
/* The ports of service threads, one each. */
extern const struct memory_port_fns node_cpu_port_fns;
void *const *node_cpu_ports(struct node_cpu *cpu);
/* The service threads' queues lie in this memory of the host; 0 bytes: they do not. Between
 * windows. */
void node_cpu_set_queues(struct node_cpu *cpu, uint64_t address, uint64_t bytes);

/* These come in any order within a window. A job of the NIC arrives. */
void node_cpu_take(struct node_cpu *cpu, uint32_t job, struct bus_job *record, uint64_t at_ps);
/* L2 has answered an access of a service thread. */
void node_cpu_l2_answered(struct node_cpu *cpu, uint32_t thread, const struct memory_access *access,
                          uint64_t at_ps);
/* A kernel's access to the queues arrives. */
void node_cpu_outside(struct node_cpu *cpu, uint32_t op, uint32_t lanes, uint64_t at_ps);
/* A kernel begins or ends. */
void node_cpu_kernel(struct node_cpu *cpu, bool begins, uint64_t ctas, uint64_t at_ps);

/* Lets everything happen before `until`. */
void node_cpu_advance(struct node_cpu *cpu, uint64_t until);
/* When the next thing happens, or EVENT_NEVER (common/event_heap.h). */
uint64_t node_cpu_next(const struct node_cpu *cpu);

#endif
