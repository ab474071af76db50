/* group.h - an SM group: one instance of the timing core, the executor of its warps, and the feed
 * between them, as a component of the fabric.
 *
 * The group runs the warps of its SMs ahead of timing, delivers their packets, and acts on what the
 * core reports: a warp's buffer has room, an operation takes effect, a CTA has ended, L2 wants
 * memory. Message formats: timing/message.h.
 *
 * An operation takes effect at the group of its L2 slice, in the order in which the slice serves
 * them. When that is another group, the operands travel there with the request, and the results
 * come back (group_remote.c). Groups share device memory, the heap and printf of the GPU
 * (exec/memory/device_io.h) and the launches, which are const, and nothing else; but a race check
 * of global memory knows all CTAs of a launch (exec/check/global_race.h).
 *
 * Threads: one thread at a time, that of the fabric. */
#ifndef HEDDLE_TIMING_GROUP_H
#define HEDDLE_TIMING_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "exec/exec.h"
#include "fabric/fabric.h"
#include "feed/feed.h"
#include "timing/core.h"

enum { TIMING_MAX_CTAS = 32, TIMING_MAX_WARPS = 64 }; /* per SM */
#define GROUP_LOCAL_LINES UINT32_C(0x80000000) /* above any device memory: local memory's lines */
#define TIMING_CODE_BASE UINT32_C(0xfffe0000)  /* line 0 of the code: the last 2^17 lines */
enum { TIMING_REPORTED_AFTER = 16 }; /* cycles from the end of a CTA until the core reports it */

/* A launch as all groups see it; const while it runs. */
struct timing_launch {
    struct exec_launch exec;
    const struct feed_template *feed;
    uint32_t local_bytes; /* local memory per thread */
    uint32_t constants;   /* launches with equal numbers find each other's in the caches */
    uint32_t code;        /* the same of instructions: where its module's code begins */
    uint32_t last_ctas;   /* no CTA is expected to follow where this one or a later one ends: these
                         * wait for their stores, and so does the end of the kernel */
};
/* The launches of a GPU by number: messages name them so. The owner adds to it between windows, and
 * a launch stays until it has ended. */
struct timing_launches {
    const struct timing_launch **of;
};

struct timing_config {
    const char *library; /* exports the XRT calls; NULL: the emulation beside heddle */
    const char *xclbin;  /* NULL in emulation */
    uint32_t sub_cores;  /* of an SM */
    uint32_t first_card; /* of group 0; the next group has the next one */
    uint64_t khz;        /* core clock */
    uint32_t num_sms, num_slices, num_groups;
    uint32_t run_ahead;  /* packets per warp */
    uint32_t hold_place; /* packets more after a Hold, which takes no instruction's place: 0 or 1 */
    uint32_t texture_lanes; /* filtered in a cycle */
    uint32_t code_launched; /* instructions of the longest kernel that SMs have since its launch */
    uint32_t lookahead;     /* cycles, both ways between core and host */
    uint32_t window;        /* cycles, least latency between two groups */
    uint32_t num_params;    /* settings of the core, tables/core_params.def */
    struct {
        uint32_t number, value;
    } param[64];
    struct {
        uint32_t pipe, interval, latency, flags;
    } cls[MIR_CLASS_COUNT];
    uint32_t delay_seed; /* not 0: deliver late at random (a test of host delays) */
};

struct timing_group;

struct timing_wiring {
    struct fabric *fabric;
    const struct timing_launches *launches;
    uint32_t num_groups;
    uint32_t *group_id;                        /* component numbers of the groups */
    uint32_t memory_id, scheduler_id, host_id; /* host: the CPU, a driver */
};
/* Creates the group `index`; config is borrowed. */
heddle_err timing_group_create(struct timing_group **out, const struct timing_config *config,
                               const struct timing_wiring *wiring, uint32_t index,
                               struct exec_memory *memory, struct heddle_diag *diag);
void timing_group_free(struct timing_group *g);
extern const struct fabric_ops timing_group_ops;

/* Writes what the resident warps wait for, one line each, as far as there is room, beginning with a
 * newline. @return characters written. */
size_t timing_group_story(const struct timing_group *g, char *out, size_t size);

/* What CTAs of this launch have executed here: adds it to *sum, and forgets it. Between windows,
 * when the launch has ended. */
void timing_group_take_counts(struct timing_group *g, uint64_t launch, struct exec_counts *sum);
/* The fault of a warp, with which the group has failed, and its launch. @return NULL: none. */
const struct exec_fault *timing_group_fault(const struct timing_group *g, uint64_t *launch);

/* What a core has counted since its creation, by enum core_counter (tables/core_regs.def). */
struct timing_counters {
    uint64_t of[CORE_NUM_COUNTERS];
};
/* Zeros when they cannot be read. @return the error of the core, with which the group
 * has failed. */
heddle_err timing_group_counters(struct timing_group *g, struct timing_counters *out);
/* The error that ended this group's part of the simulation, or HEDDLE_OK. */
heddle_err timing_group_failed(const struct timing_group *g, struct heddle_diag *diag);

#endif
