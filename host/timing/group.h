/* group.h - an SM group: one instance of the timing core, the executor of its warps, and the feed
 * between them, as a component of the fabric.
 *
 * The group runs the warps of its SMs ahead of timing, delivers their packets to the core, and acts
 * on the core's events: a warp's buffer has room, an operation takes effect, a CTA has ended, L2
 * needs memory. It receives CTA_LAUNCH, FLUSH and FILL from the scheduler, DRAM_DATA and
 * DRAM_WRITTEN from device memory, and REMOTE, VALUES and PERFORMED from other groups. It sends
 * CTA_DONE to the scheduler (and ACCESSED, if managed memory migrates), DRAM_READ and DRAM_WRITE to
 * device memory, and REMOTE, VALUES and PERFORMED to other groups. Customers of its L2 slices that
 * are no SMs (l2_customer.h) send and get the same three. tables/messages.def has the words of
 * each.
 *
 * SMs and slices are dealt out in turn: SM s and slice s belong to group s % num_groups.
 *
 * An operation takes effect at the group of its L2 slice, in the order in which the slice serves
 * operations. If that is another group, the operands travel there with the request, and the results
 * come back (group_remote.c). Groups share device memory, the heap and printf of the GPU
 * (exec/memory/device_io.h), the launches, which are const, and with --memcheck global the race
 * check of each launch (exec/check/global_race.h).
 *
 * Clocks: messages carry arrival times in picoseconds of target time and cycles in words; the group
 * counts target cycles of the core clock (64 bits, since the GPU was created); the core counts its
 * own cycles, which are target cycles less a base, modulo 2^32.
 *
 * Threads: the fabric calls timing_group_ops (receive, advance) on any worker thread of a window,
 * one at a time. The thread that drives the fabric calls all other functions, between windows. */
#ifndef HEDDLE_TIMING_GROUP_H
#define HEDDLE_TIMING_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "core_regs.h"
#include "exec/exec.h"
#include "exec/memory/managed_blocks.h"
#include "fabric/fabric.h"
#include "feed/code_counts.h"
#include "feed/feed.h"
#include "timing/command_waits.h"
#include "timing/core.h"
#include "timing/group_pins.h"
#include "timing/atomic_lines.h"
#include "timing/l1_curve.h"
#include "timing/l2_slices.h"

enum { TIMING_MAX_CTAS = 32, TIMING_MAX_WARPS = 64 }; /* per SM */
/* Customers of L2 that are no SMs (docs/timing-model.md, rule 9), by number less
 * CORE_FIRST_CUSTOMER. */
enum { TIMING_CUSTOMERS = 256 - CORE_FIRST_CUSTOMER };
#define TIMING_NO_CUSTOMER UINT32_MAX
/* Numbers of 128-byte lines: local memory lies from here on, or higher (struct timing_config), code
 * in the last 2^17. */
#define GROUP_LOCAL_LINES UINT32_C(0x80000000)
#define TIMING_CODE_BASE UINT32_C(0xfffe0000)
/* Pieces of the lines, a bit each: those outside the GPU (docs/timing-model.md, rule 9). */
enum { GROUP_PIECE_BITS = 23, GROUP_PIECES = 512, GROUP_OUTSIDE_WORDS = GROUP_PIECES / 64 };
static inline bool group_is_outside(const uint64_t pieces[GROUP_OUTSIDE_WORDS], uint32_t line) {
    const uint32_t piece = line >> GROUP_PIECE_BITS;
    return pieces[piece / 64] >> piece % 64 & 1;
}
enum { TIMING_REPORTED_AFTER = 16 }; /* cycles from the end of a CTA until the core reports it */

/* A launch as all groups see it; const while it runs. */
struct timing_launch {
    struct exec_launch exec;
    const struct feed_template *feed; /* its packet templates */
    struct code_count *counts; /* [groups][instructions] each group writes its own; NULL: off */
    uint32_t local_bytes;      /* local memory per thread */
    uint32_t constants;        /* launches with equal numbers share lines in the constant caches */
    uint32_t code;      /* where its module's code begins, in instructions of the code space (mod
                         * 2^20); launches with equal numbers share lines in the code caches */
    uint32_t last_ctas; /* CTAs from this number on are expected to have no successor in their
                         * slots; they wait for their stores, so that the kernel's end does, too */
};
/* The launches of a GPU, a ring by number, the form in which messages name them. The GPU adds to it
 * between windows, and a launch stays until no message names it any more. */
struct timing_launches {
    const struct timing_launch **of;
    uint64_t mask; /* places less 1 */
};
static inline const struct timing_launch *timing_launch_of(const struct timing_launches *l,
                                                           uint64_t number) {
    return l->of[number & l->mask];
}

/* The parameters of a GPU's groups (gpu_build.c); all groups borrow one, which stays constant. */
struct timing_config {
    struct core_cards cards;
    uint32_t first_core;                       /* number of group 0's core among those of `cards` */
    uint32_t sub_cores;                        /* of an SM */
    uint32_t barrier_interval;                 /* of arrivals at CTA barriers, cycles */
    uint32_t address_interval, stage_interval; /* of instructions of the memory pipe: in a
                                                * sub-core's address unit, in the SM's stage */
    uint64_t khz;                              /* core clock */
    uint32_t num_sms, num_slices, num_groups;  /* of the GPU */
    struct l2_layout l2_layout;
    uint32_t port_time;  /* cycles that a customer's request port takes for a sector */
    uint32_t run_ahead;  /* packets per warp that the executor may be ahead of the core */
    uint32_t hold_place; /* extra places after a Hold, which takes no instruction's place: 0 or 1 */
    uint32_t texture_lanes; /* lanes that the texture filter serves per cycle */
    uint16_t repeat[2];     /* of atomics (struct feed_space) */
    uint32_t replay;        /* of constants (feed_constants_make()) */
    uint32_t code_launched; /* a kernel of at most this many instructions lies in the instruction
                             * caches of its SMs since its launch */
    uint64_t outside[GROUP_OUTSIDE_WORDS]; /* pieces of the lines that are outside the GPU */
    uint32_t local_line, local_end;       /* lines of local memory, and the first one behind them */
    const struct managed_blocks *managed; /* borrowed: managed memory migrates; NULL: it does not */
    uint32_t lookahead;                   /* cycles, sum of both ways between core and host */
    uint32_t window;                      /* cycles, minimum latency between two groups */
    uint32_t num_params;                  /* settings of the core, tables/core_params.def */
    struct {
        uint32_t number, value;
    } param[64];
    struct {
        uint32_t pipe, interval, latency, flags;
    } cls[MIR_CLASS_COUNT]; /* class table of the core; interval and latency in cycles */
    bool watch;             /* count what the core does with each instruction (core_watch.h) */
    uint32_t delay_seed;    /* not 0: deliver late at random (a test of host delays) */
};

struct timing_group;

/* The group's place in the system; the group copies it. */
struct timing_wiring {
    struct fabric *fabric;
    const struct timing_launches *launches;
    uint32_t num_groups;
    uint32_t *group_id;                        /* component numbers of the groups */
    uint32_t memory_id, scheduler_id, host_id; /* component numbers; host: the CPU, a driver */
    uint32_t customer_id[TIMING_CUSTOMERS];    /* component numbers, or TIMING_NO_CUSTOMER */
};
/* Creates group `index`, opens its core (number first_core + index) and sets the core's
 * parameters; `config` and `memory` are borrowed. On an error *out is NULL; diag has the text. */
heddle_err timing_group_create(struct timing_group **out, const struct timing_config *config,
                               const struct timing_wiring *wiring, uint32_t index,
                               struct exec_memory *memory, struct heddle_diag *diag);
/* Releases resident CTAs and closes the core. Accepts NULL. */
void timing_group_free(struct timing_group *g);
/* The group's callbacks for the fabric; their `self` is the struct timing_group. */
extern const struct fabric_ops timing_group_ops;

/* Sets the component of a customer of L2 (its number less CORE_FIRST_CUSTOMER), between windows. */
void timing_group_set_customer(struct timing_group *g, uint32_t index, uint32_t component);

/* Adds the resident warps of the launch. Between windows. */
void timing_group_standing(const struct timing_group *g, uint64_t launch, struct exec_standing *s);
/* Adds all resident CTAs (exec/check/look.h). Between windows. */
void timing_group_look(struct timing_group *g, struct exec_look *look);
/* Writes for up to eight resident warps what each waits for, one line per warp, beginning with a
 * newline, as far as there is room. @return characters written. */
size_t timing_group_story(const struct timing_group *g, char *out, size_t size);

/* Adds the counts of the launch's CTAs that are resident, to one that will never end. */
void timing_group_add_resident(const struct timing_group *g, uint64_t launch,
                               struct exec_counts *sum);

/* Adds the counts of this launch's CTAs that ended in the group to *sum, and forgets them. Called
 * between windows, when the launch has ended. */
void timing_group_take_counts(struct timing_group *g, uint64_t launch, struct exec_counts *sum);
/* Whether a warp here has had a fault since the last call. It has exited, or will; the rest of its
 * launch goes on until that is cancelled. */
bool timing_group_faulted(struct timing_group *g);
/* @return the launch's first fault here, until its counts are taken; NULL: none. */
const struct exec_fault *timing_group_fault(const struct timing_group *g, uint64_t launch);

/* Counters of a core since its creation, by enum core_counter (tables/core_regs.def), and what its
 * group has counted. */
struct timing_counters {
    uint64_t of[CORE_NUM_COUNTERS];
    uint64_t waits; /* core_waits() */
    struct pin_counts pins;
};
/* Reads the counters over XRT; those that cannot be read are 0. @return the error of the core,
 * which also becomes the group's. */
heddle_err timing_group_counters(struct timing_group *g, struct timing_counters *out);
/* One of these; 0: it cannot be read, and the group has then failed. */
uint64_t timing_group_counter(struct timing_group *g, enum core_counter number);
/* Adds the bytes between L1 and L2 since creation if L1 had other capacities. `idle`: no kernel
 * runs; otherwise what the last instructions requested is not counted yet. */
void timing_group_l1(struct timing_group *g, bool idle, struct l1_curve_counts *sum);
/* Adds the lanes of atomics at each line since creation, of the instructions executed so far. */
void timing_group_atomics(const struct timing_group *g, struct atomic_lines *sum);
/* Adds what warps have waited for since creation that use the network. */
void timing_group_waits(struct timing_group *g, struct command_waits *sum);
/* The error that ended this group's part of the simulation, or HEDDLE_OK. */
heddle_err timing_group_failed(const struct timing_group *g, struct heddle_diag *diag);

#endif
