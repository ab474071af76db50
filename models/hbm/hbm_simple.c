/* hbm_simple.c - fixed latency and a bandwidth cap: each channel's data bus serves requests in
 * order of arrival, a read's data is there one latency after its turn on the bus began.
 *
 * A controller collects writes and gives many at a time, but now and then the bus has to turn
 * around. So sectors read and written are paired, as long as they are not too far apart, and each
 * pair costs some time of the bus. */
#include "models/hbm/hbm.h"

#include <stdlib.h>

enum { SECTOR = 32 };
enum { FAR = 256 }; /* sectors: a guess, the 64 requests of the devices' queues in models/memory */

struct simple {
    struct hbm_config config;
    hbm_done_fn done;
    void *user;
    uint64_t sector_fs[2]; /* time of one sector on a channel's bus, femtoseconds: read, written */
    uint64_t turn_fs;      /* for each pair */
    uint64_t *free_fs;     /* per channel */
    uint32_t (*alone)[2];  /* the same: sectors read and written that have no partner */
    struct hbm_stats *stats; /* per channel */
};

/* Slices are dealt to channels in order; the lines of one that has several go to these in turn. */
static uint32_t channel_of(const struct hbm_config *c, const struct hbm_request *r) {
    if (!c->num_slices) return (uint32_t)(r->line % c->num_channels);
    uint32_t first = (uint32_t)((uint64_t)r->slice * c->num_channels / c->num_slices);
    uint32_t end = (uint32_t)((uint64_t)(r->slice + 1) * c->num_channels / c->num_slices);
    return end - first > 1 ? first + (uint32_t)(r->line / c->num_slices % (end - first)) : first;
}

/* @return time lost, as `n` more sectors are read or written. */
static uint64_t turn(struct simple *s, uint32_t channel, bool write, uint32_t n) {
    uint32_t *own = &s->alone[channel][write], *other = &s->alone[channel][!write];
    uint32_t pairs = n < *other ? n : *other;
    *other -= pairs;
    *own += n - pairs;
    if (*own > FAR) *own = FAR;
    return pairs * s->turn_fs;
}

static void submit(void *self, const struct hbm_request *r) {
    struct simple *s = self;
    uint32_t channel = channel_of(&s->config, r);
    struct hbm_stats *stats = &s->stats[channel];
    uint32_t sectors = (uint32_t)__builtin_popcount(r->sectors);
    uint64_t at = r->at_ps * 1000, bytes = (uint64_t)sectors * SECTOR;
    uint64_t start = at > s->free_fs[channel] ? at : s->free_fs[channel];
    uint64_t busy = sectors * s->sector_fs[r->write] + turn(s, channel, r->write, sectors);
    s->free_fs[channel] = start + busy;
    stats->busy_ps += busy / 1000;
    if (r->write) {
        stats->writes++;
        stats->write_bytes += bytes;
        if (s->config.written) s->config.written(s->user, r, (start + busy + 999) / 1000);
        return;
    }
    stats->reads++;
    stats->read_bytes += bytes;
    /* The latency holds the time of one sector; the others of the request follow. */
    uint64_t done = (start + busy - s->sector_fs[0] + 999) / 1000 + s->config.latency_ps;
    s->done(s->user, r, done);
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
    *out = ((struct simple *)self)->stats[channel];
}

static void stats(void *self, struct hbm_stats *out) {
    struct simple *s = self;
    *out = (struct hbm_stats){0};
    for (uint32_t i = 0; i < s->config.num_channels; i++) hbm_stats_add(out, &s->stats[i]);
}

static uint64_t least_latency(void *self) {
    return ((struct simple *)self)->config.latency_ps;
}

static void free_simple(void *self) {
    struct simple *s = self;
    if (!s) return;
    free(s->free_fs);
    free(s->alone);
    free(s->stats);
    free(s);
}

heddle_err hbm_simple_create(const struct hbm_ops **ops, void **self,
                             const struct hbm_config *config, hbm_done_fn done, void *user,
                             struct heddle_diag *diag) {
    static const struct hbm_ops simple_ops = {submit,        advance,       next,       stats,
                                              channel_stats, least_latency, free_simple};
    struct simple *s = calloc(1, sizeof *s);
    *self = NULL;
    if (!s) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for device memory");
    s->config = *config;
    s->done = done;
    s->user = user;
    uint64_t written = config->channel_write_bytes_per_s;
    if (!written) written = config->channel_bytes_per_s;
    s->sector_fs[0] = (uint64_t)SECTOR * 1000000000000000u / config->channel_bytes_per_s;
    s->sector_fs[1] = (uint64_t)SECTOR * 1000000000000000u / written;
    s->turn_fs = (uint64_t)(config->turnaround * (double)s->sector_fs[1]);
    s->free_fs = calloc(config->num_channels, sizeof *s->free_fs);
    s->alone = calloc(config->num_channels, sizeof *s->alone);
    s->stats = calloc(config->num_channels, sizeof *s->stats);
    if (!s->free_fs || !s->alone || !s->stats) {
        free_simple(s);
        return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for device memory");
    }
    *ops = &simple_ops;
    *self = s;
    return HEDDLE_OK;
}
