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
 * do not count, so work between two looks counts as waiting.
 *
 * An SM group learns of an access that another group performs a window later than of one of its
 * own. So accesses are kept for a window and then taken in order of time: what comes out does not
 * depend on the number of groups.
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
    /* Commands whose number is taken and whose status is not written yet. Of those since there were
     * none: the sum of the times at which numbers were taken, and statuses were written. */
    uint32_t open, written;
    uint64_t taken_sum, written_sum;
    uint64_t room_since;             /* the last look for room of a command; 0: none */
    uint64_t served_since;           /* the last look at a status, or its writing; 0: none */
    bool looked;                     /* at a status since one was written */
    uint64_t address, address_since; /* the word of the heap that it looked at last, and when; 0 */
};

/* An access of a warp: what it is, on which memory, of how many lanes. */
struct command_access {
    uint64_t at, address;
    uint32_t warp; /* the caller's number */
    uint8_t mem;   /* enum mir_mem; COMMAND_BEGIN: none, a warp begins */
    uint8_t lanes;
};
enum { COMMAND_BEGIN = 0xff };

/* Accesses that have not been taken yet. All 0 at first; freed with command_log_free(). */
struct command_log {
    struct command_access *access;
    size_t count, capacity;
};
void command_log_add(struct command_log *log, const struct command_access *access);
void command_log_free(struct command_log *log);

/* Takes all accesses before `before` in order of time. stage_of(user, warp): the warp's. */
void command_waits_take(struct command_waits *w, const struct command_places *places,
                        struct command_log *log, uint64_t before,
                        struct command_stage *(*stage_of)(void *user, uint32_t warp), void *user);

#endif
