/* command_waits.h - what warps wait for while they use the network from inside a kernel, told from
 * the words that they access (include/device/heddle_shmem_abi.h): the waits that rocSHMEM's
 * profile has, without a profile in the kernel.
 *
 *   slot     from the first look for room in a queue until there is room
 *   packing  from taking a number until the status is written, less `slot`: the words, and
 *            the fence between them and the status
 *   service  from then to the last look at the status: until the command processor has said that
 *            the command is done. Nothing for a command that nobody waits for
 *   memory   between looks at the same word of the symmetric heap, one after another: a wait for
 *            what another PE writes
 *
 * A time is that at which L2, or the host's memory, performs an access. Accesses to other words
 * do not count, so work between two looks counts as waiting. Where lanes of a warp write commands
 * together, the first lane of each access stands for all.
 *
 * Threads: those of the SM group. Times: target cycles. */
#ifndef HEDDLE_TIMING_COMMAND_WAITS_H
#define HEDDLE_TIMING_COMMAND_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"

/* Where the program's PE keeps what kernels share with the command processor. */
struct command_places {
    uint64_t producers, queues; /* addresses; queues 0: the program is no PE */
    uint64_t heap, heap_bytes;
    uint32_t num_queues;
};
/* The places of the program of a launch: its bank 0 has the PE's state. */
struct command_places command_places_of(const struct exec_launch *launch);

/* Sums over warps, and how many waits they are of. */
struct command_waits {
    uint64_t slots, slot, commands, packing, services, service, looks, memory;
};
void command_waits_add(struct command_waits *sum, const struct command_waits *more);

/* How far a warp has come. All 0 when it begins. */
struct command_stage {
    enum { COMMAND_NONE, COMMAND_SLOT, COMMAND_PACK, COMMAND_SERVICE, COMMAND_MEMORY } at;
    uint64_t since;   /* when it came there, or looked last */
    uint64_t address; /* COMMAND_MEMORY */
    bool looked;      /* COMMAND_SERVICE */
};

/* The first lane of an operation of the warp accesses `address` in target cycle `at`. */
void command_waits_access(struct command_waits *w, struct command_stage *stage,
                          const struct command_places *places,
                          const struct exec_operation *operation, uint64_t address, uint64_t at);

#endif
