/* dram_channel.h - one channel: its queues, its scheduler and the device behind it.
 *
 * Requests wait in the queues of their pseudo-channel, oldest first in their bank. The scheduler
 * looks for the command that can be given soonest - among those of one clock, in this order: the
 * oldest row hit of the current direction; what a refresh that can wait no longer needs; opening
 * and closing rows for the oldest request; the same for the other direction, in banks that the
 * current one leaves alone; refreshes of banks without requests; closing rows that nobody has used
 * for `row_idle` - and jumps to its clock. Reads go before writes until `write_high` writes wait or
 * no read does; then writes until `write_low` are left or, in the second case, a read comes.
 *
 * In order (timing_dram): a bank's requests are served in order of arrival, reads and writes alike.
 *
 * All times are clocks of the device. One thread at a time. */
#ifndef HEDDLE_MODELS_HBM_DRAM_CHANNEL_H
#define HEDDLE_MODELS_HBM_DRAM_CHANNEL_H

#include "models/hbm/dram_map.h"
#include "models/hbm/dram_timing.h"
#include "models/hbm/hbm.h"

#define DRAM_NEVER UINT64_MAX
#define DRAM_NONE UINT32_MAX
enum dram_direction { DRAM_READS, DRAM_WRITES, DRAM_DIRECTIONS };

struct dram_entry {
    struct hbm_request request;
    uint64_t at, sequence;
    uint32_t row, column, bank;
    uint32_t next, previous; /* in the bank's list, or in what waits for a place in the queue */
    uint8_t bursts;          /* mask of those left */
    bool opened, closed;     /* a row has been opened, another one closed for it */
};

struct dram_list {
    uint32_t head, tail;
};

struct dram_bank_queue {
    struct dram_list list[DRAM_DIRECTIONS];
    uint32_t hit[DRAM_DIRECTIONS]; /* the oldest for the open row */
};

struct dram_refresh_state {
    uint64_t due;  /* of the next refresh */
    uint64_t done; /* banks refreshed in this round: per-bank refresh */
};

/* The scheduler's choice. */
struct dram_choice {
    uint64_t at, rank; /* clock; among those of one clock the lowest goes first */
    enum dram_command_kind kind;
    uint32_t pc, bank, entry; /* entry DRAM_NONE: for none */
};

struct dram_queue {                    /* of a pseudo-channel */
    uint64_t waiting[DRAM_DIRECTIONS]; /* mask of banks with requests */
    uint32_t count[DRAM_DIRECTIONS];
    struct dram_list outside[DRAM_DIRECTIONS]; /* for which the queue has no place */
    enum dram_direction direction;
    bool draining;  /* since write_high */
    bool was_write; /* the last burst */
    bool changed;   /* since `choice` was made: by a request or a command of this pseudo-channel */
    struct dram_choice choice;
    struct dram_bank_queue bank[DRAM_MAX_BANKS];
    struct dram_refresh_state refresh[DRAM_MAX_SIDS];
};

struct dram_channel {
    const struct dram_spec *spec; /* borrowed */
    const struct hbm_config *config;
    hbm_done_fn done;
    void *user;
    uint32_t number;
    bool in_order;
    uint64_t path_ps; /* on top of the device's own latency */
    uint64_t wake;    /* nothing can be done before */
    uint64_t sequence;
    uint32_t queued; /* requests, those outside included */
    uint32_t capacity, free;
    struct dram_entry *entry;
    uint64_t bursts;
    struct hbm_stats stats; /* busy_ps: see bursts */
    struct dram_timing timing;
    struct dram_queue queue[DRAM_MAX_PCS];
};

void dram_channel_init(struct dram_channel *channel, uint32_t number);
void dram_channel_clear(struct dram_channel *channel);
/* A request of clock `at`, which dram_channel_run() has been called up to. */
void dram_channel_add(struct dram_channel *channel, const struct hbm_request *request,
                      const struct dram_place *place, uint64_t at);
/* Gives all commands before clock `to`. Without requests nothing is given unless `idle` says so:
 * what an idle device does is made up for when the next request comes. */
void dram_channel_run(struct dram_channel *channel, uint64_t to, bool idle);

/* The command that comes next, at `now` or later; at == DRAM_NEVER: there is none. */
struct dram_choice dram_pick(struct dram_channel *channel, uint64_t now);

#endif
