/* shmem_pe.h - a PE as the simulator sees it: its symmetric heap, its state and its queues in the
 * memory of its node (include/device/heddle_shmem_abi.h), and the checks of what kernels write
 * there.
 *
 * A kernel's command is data from outside: every address and length is checked before use, and what
 * is wrong is named. Threads: a PE is written while nothing is simulated; readers are free. */
#ifndef HEDDLE_SHMEM_SHMEM_PE_H
#define HEDDLE_SHMEM_SHMEM_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "exec/memory/device_memory.h"
#include "include/device/heddle_shmem_abi.h"

enum { SHMEM_MAX_PES = 64 };

/* A PE. Addresses are of device memory, that of the queues of device or pinned memory; both are
 * mapped at the same addresses here. */
struct shmem_pe {
    bool live;                  /* it takes part: between shmem_init and finalize */
    unsigned device;            /* the GPU that has its heap, a number of the run */
    const void *owner;          /* of its kernels and memory: the program */
    struct exec_memory *memory; /* borrowed: what its kernels may access */
    uint64_t state;             /* struct heddle_shmem_state */
    uint64_t producers;         /* num_queues of struct heddle_shmem_producer */
    uint64_t queues;            /* num_queues of struct heddle_shmem_queue */
    uint32_t num_queues;
    bool queues_at_host;
    uint64_t commands;    /* SHMEM_COMMANDS places of 64 bytes, where the NIC finds commands */
    uint64_t completions; /* SHMEM_COMPLETIONS words for each service thread */
    uint64_t heap, heap_bytes;
};

/* All PEs of a run. */
struct shmem_pes {
    uint32_t count;
    struct shmem_pe pe[SHMEM_MAX_PES];
};

enum { SHMEM_COMMANDS = 1024, SHMEM_COMPLETIONS = 1024 };
enum { SHMEM_THREADS = 8 }; /* most service threads: cp.threads of tables/node_parameters.def */

/* The bytes that the queues take, and all else of a PE but its heap. */
uint64_t shmem_queues_bytes(uint32_t num_queues);
uint64_t shmem_own_bytes(uint32_t num_queues);
/* Where a PE's memory is: addresses. `own`, of shmem_own_bytes(), and `queues` are cleared. */
struct shmem_place {
    uint64_t own, queues, heap, heap_bytes;
    uint32_t num_queues;
    bool queues_at_host;
};
/* Fills in addresses, writes the state. `number`: of the PE. */
void shmem_pe_begin(struct shmem_pes *all, uint32_t number, const struct shmem_place *place);

static inline struct heddle_shmem_producer *shmem_pe_producer(const struct shmem_pe *pe,
                                                              uint32_t i) {
    return (struct heddle_shmem_producer *)(uintptr_t)pe->producers + i;
}
static inline struct heddle_shmem_queue *shmem_pe_queue(const struct shmem_pe *pe, uint32_t i) {
    return (struct heddle_shmem_queue *)(uintptr_t)pe->queues + i;
}

/* Checks the command of PE `from` and finds the bytes that it means.
 * @return HEDDLE_ERR_ARGUMENT with text in diag: which command, and what is wrong with it. */
struct shmem_command {
    struct heddle_shmem_entry entry;
    uint64_t remote, signal; /* addresses at the target PE; signal 0: none */
};
heddle_err shmem_command_check(const struct shmem_pes *all, uint32_t from,
                               const struct heddle_shmem_entry *entry, struct shmem_command *out,
                               struct heddle_diag *diag);

/* Performs an atomic operation on memory. @return the old value. */
uint64_t shmem_amo(uint64_t address, enum heddle_shmem_amo amo, unsigned width, uint64_t operand,
                   uint64_t compare);

/* What a word of the PE's queues, or of the reserved bytes of its heap, is for, in words.
 * @return false: it is none of these. */
bool shmem_pe_name(const struct shmem_pe *pe, uint64_t address, char *text, size_t size);
/* Names of operations, for messages and reports. */
const char *shmem_op_name(unsigned op);

#endif
