/* command_processor.h - a GPU's command processor: service threads that poll the queues of the
 * GPU's PE, hand commands to the NIC and tell kernels of completions.
 *
 * A service thread is a core of its own (ComP-Net, PACT'18). Each of its loads goes to the GPU's
 * L2, as it has to see what kernels have written: it invalidates its own cache before it polls. How
 * many instructions each step takes are parameters of the node.
 *
 * In other designs the same threads run on the node's CPU (node_cpu.h), with its clock, ports that
 * are further from L2, and commands and completions in the host's memory.
 *
 * It works while a kernel of the GPU runs, or commands are under way. Thread t has the queues t,
 * t + cp.threads, ... of as many as the largest running kernel has CTAs.
 *
 * Threads: a component of the fabric. Time: ps. */
#ifndef HEDDLE_NODE_COMMAND_PROCESSOR_H
#define HEDDLE_NODE_COMMAND_PROCESSOR_H

#include "node/memory_access.h"
#include "node/net_op.h"
#include "node/node_config.h"

/* What the command processor does to others; called from within command_processor_ functions. */
struct command_processor_events {
    /* Rings the NIC's doorbell for operation `op` of the PE at at_ps. */
    void (*doorbell)(void *user, uint32_t op, uint64_t at_ps);
    /* A kernel's command is wrong (diag says how); it counts as done. */
    void (*refuse)(void *user, const struct heddle_diag *diag);
    void *user;
};

struct command_processor_counters {
    uint64_t polls, commands, command_hits, completions, instructions, refused;
    uint64_t loads, load_hits, stores; /* of the GPU's memory; load_hits waited for no memory */
    uint64_t host_accesses;            /* of the host's */
    uint64_t awake_ps;                 /* all threads together */
    /* Commands for which a kernel waits, by kind; from when they were found to when it is told that
     * they are done. */
    uint64_t awaited_puts, awaited_put_ps, awaited_gets, awaited_get_ps;
    uint64_t awaited_atomics, awaited_atomic_ps, awaited_quiets, awaited_quiet_ps;
    uint64_t unseen_ps; /* from the look before to the end of the one that found a command */
};

/* Where the threads run. */
struct service_place {
    double clock, ipc;                 /* MHz, instructions per cycle */
    uint32_t load;                     /* bytes of its widest load from a queue in the GPU's
                                        * memory, divides 64 */
    const struct memory_port_fns *fns; /* of port[t], through which thread t's accesses go */
    void *const *port;                 /* borrowed */
    uint8_t *host; /* the host's memory for commands and completions, as node_cpu_memory() has it;
                    * NULL: they are in the PE's device memory */
};

struct command_processor;
/* `pe`: number of the PE that it serves. */
heddle_err command_processor_create(struct command_processor **out,
                                    const struct node_config *config, const struct shmem_pes *pes,
                                    uint32_t pe, struct net_ops *ops,
                                    const struct service_place *place,
                                    const struct command_processor_events *events);
void command_processor_free(struct command_processor *c); /* accepts NULL */

/* A kernel of `ctas` CTAs begins, or ends, at at_ps. In order of time with the next one. */
void command_processor_kernel(struct command_processor *c, bool begins, uint64_t ctas,
                              uint64_t at_ps);
/* An access of a thread has ended at at_ps. */
void command_processor_access_ended(struct command_processor *c, uint32_t thread,
                                    const struct memory_access *access, uint64_t at_ps);
/* The PE has new queues, or none (pe->live). Between windows. */
void command_processor_reset(struct command_processor *c);
/* The number of commands under way, and the oldest, if there is one. Between windows. */
uint32_t command_processor_under_way(const struct command_processor *c,
                                     const struct net_op **oldest);
struct command_processor_counters command_processor_get_counters(const struct command_processor *c);

#endif
