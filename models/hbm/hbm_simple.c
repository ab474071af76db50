/* hbm_simple.c - fixed latency and a bandwidth cap: each channel's data bus serves requests in
 * order of arrival; a read's data arrives one latency after its transfer began.
 *
 * Three effects make reads wait before the bus saturates, as on GPUs:
 * - The controller batches writes; reads that arrive then wait for the whole batch.
 * - The bus turns around: sectors read and written close in time are paired, and each pair costs
 *   bus time.
 * - A channel pauses at intervals, together with few others. The configured rates are averages;
 *   between pauses the bus is faster by that share.
 *
 * The static functions are the members of struct hbm_ops (hbm.h), called on the back end's one
 * thread, and their helpers, which change the channel `ch`. submit() decides everything about a
 * request and calls `done` or `written` itself, so advance() and next() have nothing to do. Times
 * within a channel are femtoseconds of target time. */
#include "common/memory.h"
#include "models/hbm/hbm.h"

#include <stdlib.h>

enum { SECTOR = 32 }; /* bytes */
/* One channel of a V100 holds 1 KB of consecutive addresses (Jain et al., RTAS'19), which this
 * model spreads over several channels. Those pause together; the phases of other groups lie far
 * apart: 2^16 over the golden ratio. */
enum { ROW_LINES = 8, GOLDEN = 40503 };
/* Most unpaired sectors of a kind that still find a partner: a guess, the 64 requests of the
 * devices' queues in models/memory. */
enum { FAR = 256 };

/* A memory. */
struct simple {
    struct hbm_config config;
    hbm_done_fn done;
    void *user;
    uint64_t sector_fs[2]; /* time of one sector on a channel's bus, femtoseconds: read, written */
    uint64_t turn_fs;      /* bus time lost for each pair of a read and a written sector */
    uint64_t pause_fs, interval_fs;
    struct channel *channel; /* config.num_channels */
};

/* A channel: its data bus. */
struct channel {
    uint64_t free_fs;      /* the bus is free from then on */
    uint64_t phase_fs;     /* a pause begins when time + phase is a multiple of the interval */
    uint64_t collected_fs; /* bus time that the waiting writes will take, */
    uint32_t collected;    /* and their sectors */
    uint32_t alone[2];     /* sectors read and written that have no partner */
    struct hbm_stats stats;
};

/* @return the channel of a request. Slices and channels share each other in order; the lines of a
 * slice with several channels use these in turn. Without slices, lines use the channels in turn. */
static uint32_t channel_of(const struct hbm_config *c, const struct hbm_request *r) {
    if (!c->num_slices) return (uint32_t)(r->line % c->num_channels);
    uint32_t first = (uint32_t)((uint64_t)r->slice * c->num_channels / c->num_slices);
    uint32_t end = (uint32_t)((uint64_t)(r->slice + 1) * c->num_channels / c->num_slices);
    return end - first > 1 ? first + (uint32_t)(r->line / c->num_slices % (end - first)) : first;
}

/* @return bus time (fs) that turn-arounds cost when `n` more sectors are read or written: pairs
 * them with sectors of the other kind that have no partner yet. */
static uint64_t turn(const struct simple *s, struct channel *ch, bool write, uint32_t n) {
    uint32_t *own = &ch->alone[write], *other = &ch->alone[!write];
    uint32_t pairs = n < *other ? n : *other;
    *other -= pairs;
    *own += n - pairs;
    if (*own > FAR) *own = FAR;
    return pairs * s->turn_fs;
}

/* Occupies the bus for `busy`, no sooner than `at`; pauses on the way add to it (all fs). @return
 * the end of the transfer. */
static uint64_t take_bus(const struct simple *s, struct channel *ch, uint64_t at, uint64_t busy) {
    uint64_t end = (at > ch->free_fs ? at : ch->free_fs) + busy;
    if (s->pause_fs) {
        uint64_t start = end - busy, into = (start + ch->phase_fs) % s->interval_fs;
        uint64_t late = into < s->pause_fs ? s->pause_fs - into : 0;
        uint64_t more = (into + late - s->pause_fs + busy - 1) / (s->interval_fs - s->pause_fs);
        end += late + more * s->pause_fs;
    }
    ch->free_fs = end;
    return end;
}

/* Adds a write to the batch, which takes the bus when it is full. The controller takes the write's
 * data once the batches before have gone: calls `written`. */
static void collect(struct simple *s, struct channel *ch, const struct hbm_request *r,
                    uint32_t sectors, uint64_t busy) {
    uint64_t at = r->at_ps * 1000, taken = at > ch->free_fs ? at : ch->free_fs;
    ch->collected += sectors;
    ch->collected_fs += busy;
    if (ch->collected >= s->config.drain_sectors) {
        take_bus(s, ch, at, ch->collected_fs);
        ch->collected = 0;
        ch->collected_fs = 0;
    }
    if (s->config.written) s->config.written(s->user, r, (taken + 999) / 1000);
}

/* Takes bus time for the request, counts it, and answers it at once with a time in the future:
 * calls `done` for a read, `written` (if not NULL) for a write. */
static void submit(void *self, const struct hbm_request *r) {
    struct simple *s = self;
    struct channel *ch = &s->channel[channel_of(&s->config, r)];
    uint32_t sectors = (uint32_t)__builtin_popcount(r->sectors);
    uint64_t busy = sectors * s->sector_fs[r->write] + turn(s, ch, r->write, sectors);
    ch->stats.busy_ps += busy / 1000;
    if (r->write) {
        ch->stats.writes++;
        ch->stats.write_bytes += (uint64_t)sectors * SECTOR;
        collect(s, ch, r, sectors, busy);
        return;
    }
    ch->stats.reads++;
    ch->stats.read_bytes += (uint64_t)sectors * SECTOR;
    /* The latency includes the time of one sector; the request's other sectors come on top. */
    uint64_t end = take_bus(s, ch, r->at_ps * 1000, busy);
    s->done(s->user, r, (end - s->sector_fs[0] + 999) / 1000 + s->config.latency_ps);
}

static void advance(void *self, uint64_t to_ps) {
    (void)self; /* completions are known as soon as a request comes */
    (void)to_ps;
}

static uint64_t next(void *self) {
    (void)self;
    return UINT64_MAX;
}

static void channel_stats(void *self, uint32_t channel, struct hbm_stats *out) {
    *out = ((struct simple *)self)->channel[channel].stats;
}

static void stats(void *self, struct hbm_stats *out) {
    struct simple *s = self;
    *out = (struct hbm_stats){0};
    for (uint32_t i = 0; i < s->config.num_channels; i++) hbm_stats_add(out, &s->channel[i].stats);
}

static uint64_t least_latency(void *self) {
    return ((struct simple *)self)->config.latency_ps;
}

static void free_simple(void *self) {
    struct simple *s = self;
    if (!s) return;
    free(s->channel);
    free(s);
}

/* Creates the model `simple` as *ops and *self: computes bus times from the configured rates, and
 * the phase of each channel's pauses. Copies *config. @return HEDDLE_ERR_NOMEM, with text in diag
 * and *self NULL. */
heddle_err hbm_simple_create(const struct hbm_ops **ops, void **self,
                             const struct hbm_config *config, hbm_done_fn done, void *user,
                             struct heddle_diag *diag) {
    static const struct hbm_ops simple_ops = {submit,        advance,       next,       stats,
                                              channel_stats, least_latency, free_simple};
    struct simple *s = heddle_alloc(sizeof *s, "a memory model");
    *self = NULL;
    s->config = *config;
    s->done = done;
    s->user = user;
    uint64_t written = config->channel_write_bytes_per_s;
    if (!written) written = config->channel_bytes_per_s;
    /* Between pauses the bus is faster: the configured rate is the average over an interval. */
    s->pause_fs = config->pause_ps * 1000;
    s->interval_fs = config->pause_interval_ps * 1000;
    double left = s->pause_fs ? 1 - (double)s->pause_fs / (double)s->interval_fs : 1;
    s->sector_fs[0] = (uint64_t)(left * SECTOR * 1e15 / (double)config->channel_bytes_per_s);
    s->sector_fs[1] = (uint64_t)(left * SECTOR * 1e15 / (double)written);
    s->turn_fs = (uint64_t)(config->turnaround * (double)s->sector_fs[1]);
    s->channel = calloc(config->num_channels, sizeof *s->channel);
    if (!s->channel) {
        free_simple(s);
        return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for device memory");
    }
    uint32_t together = ROW_LINES;
    if (config->num_slices) together = ROW_LINES * config->num_channels / config->num_slices;
    for (uint32_t i = 0; i < config->num_channels; i++) {
        uint32_t group = i / (together ? together : 1);
        s->channel[i].phase_fs = (s->interval_fs >> 16) * (uint16_t)(group * GOLDEN);
    }
    *ops = &simple_ops;
    *self = s;
    return HEDDLE_OK;
}
