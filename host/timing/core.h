/* core.h - one instance of the timing core, on a card or in the emulation.
 *
 * The host appends commands to a batch, which lies in the command ring itself. It runs the core up
 * to a cycle and reads the events of that run; a second run may be under way meanwhile. Words:
 * tables/core_words.def, accessors in core_words.h; registers and counters: tables/core_regs.def.
 * Times are cycles of this core's clock modulo 2^32; an SM group sets the clock's zero
 * (group_internal.h: cycle_base).
 *
 * Threads: one core from one thread at a time; different cores from different threads. */
#ifndef HEDDLE_TIMING_CORE_H
#define HEDDLE_TIMING_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "core_regs.h"
#include "core_words.h"
#include "timing/core_policy.h"
#include "timing/core_watch.h"

#define CORE_NEVER UINT64_MAX

enum {
    /* Causes why a sub-core issues nothing, counters CORE_COUNTER_WAIT_NO_WARP + cause. */
    CORE_NUM_WAITS = CORE_COUNTER_WAIT_CONSTANT - CORE_COUNTER_WAIT_NO_WARP + 1,
    CORE_FLIGHTS = 2, /* runs that may be under way at a time */
};

struct core;

/* Where the rings lie. */
enum core_rings {
    CORE_RINGS_ANY,     /* in the host's memory where the card reaches it, else on the card */
    CORE_RINGS_IN_HOST, /* in the host's memory, which a card reads over PCIe */
    CORE_RINGS_ON_CARD, /* in the card's memory; XRT copies */
};

/* Which core to open; borrowed during core_create(). */
struct core_options {
    const char *library; /* exports the XRT functions; NULL: core_emulation(sub_cores) beside the
                               program or in ../lib of it */
    const char *image;   /* xclbin to load into a card; NULL: what it holds, or the emulation */
    uint32_t sub_cores;  /* per SM; core_create() refuses a core built for another number; 0: any,
                               with a library */
    unsigned device; /* index of the card, or of the emulated device, 0..63; CORE_ANY_DEVICE: the
                          * first one that nobody uses */
    uint32_t command_beats; /* ring sizes in beats of 64 bytes, powers of two, at least 64; */
    uint32_t event_beats;   /* 0: 4096 */
    enum core_rings rings;
    uint32_t run_timeout_ms; /* wall time that a run may take before it counts as hanging, which it
                                does not depend on otherwise; 0: CORE_RUN_TIMEOUT_MS */
    uint32_t round_trip;     /* of a card that core_waits() speaks of, in clocks of the core */
    const struct heddle_policy *policy; /* of plug-ins, which stay as long as the core; or NULL */
};

#define CORE_ANY_DEVICE UINT32_MAX
enum {
    CORE_RUN_TIMEOUT_MS =
        120000, /* emulation: a run takes milliseconds, on a machine with others */
    CORE_CARD_TIMEOUT_MS = 10000, /* card: it takes microseconds */
};

/* The name of the kernel in an image. */
#define CORE_KERNEL_NAME "heddle_kernel"
/* The library of XRT for a card. */
#define CORE_CARD_LIBRARY "libxrt_coreutil.so.2"

/* Where the cores of a run are, for those who only pass it on; borrowed. */
struct core_cards {
    const char *library, *image; /* as in core_options */
    const unsigned *card;        /* the device of each core; NULL: core n is on device n */
    enum core_rings rings;
    uint32_t run_timeout_ms, round_trip;
    const struct heddle_policy *policy; /* as in core_options */
    bool overlap; /* two runs are under way at a time, in windows half as long */
    bool any;     /* each core takes a device that nobody uses; `card` does not count */
};

/* The device of core `number`. */
static inline unsigned core_device(const struct core_cards *cards, unsigned number) {
    if (cards->any) return CORE_ANY_DEVICE;
    return cards->card ? cards->card[number] : number;
}

/* The build of a core, from its registers (tables/core_regs.def). */
struct core_info {
    uint32_t version, build_id;
    /* Limits: SMs, L2 slices, L2 sets of all slices, packets per warp's buffer, requests in the
     * network and waiting for memory. */
    uint32_t max_sms, max_slices, max_sets, max_packets, max_requests;
    uint32_t sub_cores; /* of an SM; they share its 64 warps */
    uint32_t time_bits; /* width of a stored time in SMs, 16 to 32 */
    bool rings_on_card; /* not a register: where core_create() has put the rings */
};

/* How a run ended. */
struct core_status {
    enum core_stop stop;
    bool parked;      /* a warp starves: deliver packets and run again */
    uint64_t reached; /* everything before this cycle is simulated, modulo 2^32 */
    uint64_t next;    /* nothing happens before this cycle without a command, or CORE_NEVER */
};

/* @return file name of the emulation built with this number of sub-cores per SM
 * (tables/core_shapes.def), or NULL: there is none. */
const char *core_emulation(uint32_t sub_cores);
/* @return the same of the reference model, whose library stands in for an emulation's. */
const char *core_reference(uint32_t sub_cores);

/* Loads the library, opens the device, checks magic, version, build id and size of the core, and
 * allocates the rings. On an error *out is NULL and diag has the text. */
heddle_err core_create(struct core **out, const struct core_options *options,
                       struct heddle_diag *diag);
/* Closes the device and unloads the library. Accepts NULL. */
void core_free(struct core *core);
/* Lets XRT copy `bytes` bytes (a multiple of 8) to a buffer of the card's memory and back: *words
 * is what came back. For a test of a card, between runs. */
heddle_err core_echo(struct core *core, uint64_t *words, size_t bytes);
/* Lets the core tell what it does, from its first run on; calls back inside the functions that run
 * it. @return false: a card, or an emulation that cannot tell. */
bool core_set_watch(struct core *core, const struct core_watch *watch);
/* Borrowed; valid as long as the core. */
const struct core_info *core_info(const struct core *core);
/* The text of the last error of this core. Valid until the next call. */
const char *core_error(const struct core *core);

/* Append a Set command (parameter `number` of tables/core_params.def) and a Class command (a row of
 * the class table: latency and interval in cycles). @return HEDDLE_ERR_CONFIG or ARGUMENT for a
 * value that the core was not built for (text: core_error()), or core_failed(). */
heddle_err core_set_param(struct core *core, uint32_t number, uint32_t value);
heddle_err core_set_class(struct core *core, uint32_t id, uint32_t pipe, uint32_t interval,
                          uint32_t latency, uint32_t flags);

/* Appends `beats` (at most half a ring) command beats of 8 words each and returns their place. The
 * caller fills all words before the next call; the place is valid until then. When the ring is
 * full, the call delivers the batch without simulating. Never NULL: after an error, which the next
 * core_start() or core_finish() returns, the place is a scratch buffer. */
uint64_t *core_command(struct core *core, uint32_t beats);

/* Begins a run that delivers the batch and simulates everything before core cycle `run_until`, or
 * until a warp starves. When a run is under way, it follows that one; at most CORE_FLIGHTS are. */
heddle_err core_start(struct core *core, uint32_t run_until);
/* Blocks until the oldest run under way has ended. *status: how; status->parked: a warp starves.
 * With stop EventsFull, another run under way goes on in its place. Events of this run, and of
 * deliveries since the last call, replace those of the last call. */
heddle_err core_finish(struct core *core, struct core_status *status);
/* Both: delivers, simulates and blocks; no run is under way before. */
heddle_err core_run(struct core *core, uint32_t run_until, struct core_status *status);
/* Whether the batch holds commands; runs that have been started and not finished. */
bool core_has_commands(const struct core *core);
unsigned core_under_way(const struct core *core);
/* Events of the last run, two words each, in the order in which the core produced them. Filler
 * events (kind None) may stand between them, not at the end. Valid until the next
 * core_finish(). */
const uint64_t *core_events(const struct core *core, size_t *count);

/* @return a counter (enum core_counter) since creation, when all runs under way have ended. When
 * XRT cannot read it, the core fails, and the result is 0. */
uint64_t core_counter(struct core *core, enum core_counter number);
/* @return clocks in which a card with the round trip of the options would have waited for the host
 * so far (core_pace.h). */
uint64_t core_waits(const struct core *core);
/* The error that every run returns from now on, or HEDDLE_OK; core_error() says why. */
heddle_err core_failed(const struct core *core);

#endif
