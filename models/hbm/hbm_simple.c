/* hbm_simple.c - fixed latency and a bandwidth cap: each channel's data bus serves requests in
 * order of arrival, a read's data is there one latency after its turn on the bus began. */
#include "models/hbm/hbm.h"

#include <stdlib.h>

enum { SECTOR = 32 };

struct simple {
    struct hbm_config config;
    hbm_done_fn done;
    void *user;
    uint64_t sector_fs; /* time of one sector on a channel's bus, femtoseconds */
    uint64_t *free_fs;  /* per channel */
    struct hbm_stats stats;
};

static void submit(void *self, const struct hbm_request *r) {
    struct simple *s = self;
    uint32_t channel = (uint32_t)((uint64_t)r->slice * s->config.num_channels /
                                  s->config.num_slices);
    uint64_t at = r->at_ps * 1000, bytes = (uint64_t)__builtin_popcount(r->sectors) * SECTOR;
    uint64_t start = at > s->free_fs[channel] ? at : s->free_fs[channel];
    uint64_t busy = bytes / SECTOR * s->sector_fs;
    s->free_fs[channel] = start + busy;
    s->stats.busy_ps += busy / 1000;
    if (r->write) {
        s->stats.writes++;
        s->stats.write_bytes += bytes;
        return;
    }
    s->stats.reads++;
    s->stats.read_bytes += bytes;
    /* The latency holds the time of one sector; the others of the request follow. */
    uint64_t done = (start + busy - s->sector_fs + 999) / 1000 + s->config.latency_ps;
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

static void stats(void *self, struct hbm_stats *out) {
    *out = ((struct simple *)self)->stats;
}

static void free_simple(void *self) {
    struct simple *s = self;
    if (!s) return;
    free(s->free_fs);
    free(s);
}

heddle_err hbm_simple_create(const struct hbm_ops **ops, void **self,
                             const struct hbm_config *config, hbm_done_fn done, void *user) {
    static const struct hbm_ops simple_ops = {submit, advance, next, stats, free_simple};
    struct simple *s = calloc(1, sizeof *s);
    *self = NULL;
    if (!s) return HEDDLE_ERR_NOMEM;
    s->config = *config;
    s->done = done;
    s->user = user;
    s->sector_fs = (uint64_t)SECTOR * 1000000000000000u / config->channel_bytes_per_s;
    s->free_fs = calloc(config->num_channels, sizeof *s->free_fs);
    if (!s->free_fs) {
        free(s);
        return HEDDLE_ERR_NOMEM;
    }
    *ops = &simple_ops;
    *self = s;
    return HEDDLE_OK;
}
