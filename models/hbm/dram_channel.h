/* dram_channel.h - one channel: its queues, its scheduler and the device behind it.
 *
 * Requests wait in the queues of their pseudo-channel, oldest first in their bank. The scheduler
 * finds the command that can be issued soonest and jumps to its clock. Among commands of one clock
 * the order is:
 *   1. the oldest row hit of the current direction;
 *   2. commands for a refresh that can wait no longer;
 *   3. opening and closing rows for the oldest request;
 *   4. the same for the other direction, in banks without requests of the current one;
 *   5. refreshes of banks without requests;
 *   6. closing rows that no request has used for `row_idle`.
 * Reads go before writes until `write_high` writes wait or no read does; then writes go until
 * `write_low` are left or, in the second case, a read comes.
 *
 * In order (timing_dram): a bank's requests are served in order of arrival, reads and writes alike.
 *
 * All times are clocks of the device. Threads: as the back end that owns the channel (hbm.h). */
#ifndef HEDDLE_MODELS_HBM_DRAM_CHANNEL_H
#define HEDDLE_MODELS_HBM_DRAM_CHANNEL_H

#include "models/hbm/dram_map.h"
#include "models/hbm/dram_timing.h"
#include "models/hbm/hbm.h"

#define DRAM_NEVER UINT64_MAX
#define DRAM_NONE UINT32_MAX
/* In-order channels keep reads and writes together, as DRAM_READS. */
enum dram_direction { DRAM_READS, DRAM_WRITES, DRAM_DIRECTIONS };

/* A request in the channel. Entries are named by their index; DRAM_NONE names none. */
struct dram_entry {
    struct hbm_request request;
    uint64_t at, sequence; /* arrival; number of the request in the channel */
    uint32_t row, column, bank;
    uint32_t next, previous; /* in its bank's list or in `outside`; next also in the free list */
    uint8_t bursts;          /* mask of bursts that are left to transfer */
    bool opened, closed;     /* its row was opened for it, another one closed for it */
};

/* A list of entries, oldest first. */
struct dram_list {
    uint32_t head, tail;
};

/* The requests of a bank. */
struct dram_bank_queue {
    struct dram_list list[DRAM_DIRECTIONS];
    uint32_t hit[DRAM_DIRECTIONS]; /* the oldest entry for the open row */
};

/* The refreshes of a stack ID. */
struct dram_refresh_state {
    uint64_t due;  /* of the next refresh */
    uint64_t done; /* banks refreshed in this round: per-bank refresh */
};

/* The scheduler's choice. */
struct dram_choice {
    uint64_t at, rank; /* clock; among those of one clock the lowest goes first */
    enum dram_command_kind kind;
    uint32_t pc, bank, entry; /* entry: the request that it serves; DRAM_NONE: none */
};

/* The queue of a pseudo-channel. */
struct dram_queue {
    uint64_t waiting[DRAM_DIRECTIONS];         /* mask of banks with requests */
    uint32_t count[DRAM_DIRECTIONS];           /* requests in the queue */
    struct dram_list outside[DRAM_DIRECTIONS]; /* requests for which the queue has no place yet */
    enum dram_direction direction;             /* the current one */
    bool draining;  /* writes go first: write_high was reached, write_low not yet */
    bool was_write; /* the last burst was a write */
    bool changed;   /* a request or command of this pseudo-channel has come since `choice` */
    struct dram_choice choice;
    struct dram_bank_queue bank[DRAM_MAX_BANKS];
    struct dram_refresh_state refresh[DRAM_MAX_SIDS];
};

/* A channel. The creator sets the members up to path_ps, then calls dram_channel_init(). */
struct dram_channel {
    const struct dram_spec *spec;    /* borrowed */
    const struct hbm_config *config; /* borrowed */
    hbm_done_fn done;
    void *user;
    uint32_t number;
    bool in_order;
    uint64_t path_ps;         /* ps, added to the device's own latency */
    uint64_t wake;            /* no command can be issued before */
    uint64_t sequence;        /* of the next request */
    uint32_t queued;          /* requests, with those outside */
    uint32_t capacity, free;  /* entries; first of the free list */
    struct dram_entry *entry; /* owned */
    uint64_t bursts;          /* so far */
    struct hbm_stats stats;   /* busy_ps: see bursts */
    struct dram_timing timing;
    struct dram_queue queue[DRAM_MAX_PCS];
};

/* Sets up the queues and the times of the first refreshes. dram_channel_clear() frees entries. */
void dram_channel_init(struct dram_channel *channel, uint32_t number);
void dram_channel_clear(struct dram_channel *channel);
/* Adds a request that arrives at clock `at`, no earlier than the clock of the last
 * dram_channel_run(); issues all commands before `at` first. A read whose sectors all lie in
 * waiting writes is answered at once. */
void dram_channel_add(struct dram_channel *channel, const struct hbm_request *request,
                      const struct dram_place *place, uint64_t at);
/* Issues all commands before clock `to`, and calls `done` and `written` for requests whose last
 * burst is among them. Without requests it issues none unless `idle` is set: the next request
 * catches up on the refreshes of an idle device. */
void dram_channel_run(struct dram_channel *channel, uint64_t to, bool idle);

/* @return the next command, at `now` or later; at == DRAM_NEVER: there is none. Keeps the choice of
 * each pseudo-channel. */
struct dram_choice dram_pick(struct dram_channel *channel, uint64_t now);

#endif
