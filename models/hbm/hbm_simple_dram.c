/* hbm_simple_dram.c - row buffers without commands: a request finds its row open, its bank
 * closed (only once: rows stay open), or another row open, and takes tCL, tRCD + tCL or tRP +
 * tRCD + tCL. It occupies its bank until its last burst has been requested, and the data bus of
 * its pseudo-channel during the bursts. Requests of a bank are served in order of arrival. No
 * refresh.
 *
 * The static functions are the members of struct hbm_ops (hbm.h), called on the back end's one
 * thread. submit() decides everything about a request and calls `done` or `written` itself, so
 * advance() and next() have nothing to do. Times are clocks of the device; path_ps is added to
 * answers. */
#include <stdlib.h>

#include "common/cycles.h"
#include "common/memory.h"
#include "models/hbm/dram_map.h"
#include "models/hbm/hbm.h"

#define NO_ROW UINT32_MAX

/* A bank of a pseudo-channel. */
struct bank {
    uint64_t free; /* clock from which it takes the next request */
    uint32_t row;  /* the open row, or NO_ROW */
};

/* A memory. */
struct simple_dram {
    struct hbm_config config;
    struct dram_spec spec;
    struct dram_map map;
    hbm_done_fn done;
    void *user;
    uint64_t path_ps;        /* way to the device and back (dram_spec_path()) */
    struct bank *bank;       /* of all pseudo-channels */
    uint64_t *bus;           /* per pseudo-channel: free from this clock on */
    uint64_t *bursts;        /* per channel: number of bursts so far */
    struct hbm_stats *stats; /* per channel; busy_ps: see bursts */
};

/* Finds the request's row state, takes its bank and data bus, counts it, and answers it at once
 * with a time in the future: calls `done` for a read, `written` (if not NULL) for a write. */
static void submit(void *self, const struct hbm_request *r) {
    struct simple_dram *h = self;
    const struct dram_spec *s = &h->spec;
    struct dram_place p = dram_map_line(&h->map, r->line, r->slice);
    struct hbm_stats *stats = &h->stats[p.unit / s->pcs];
    struct bank *b = &h->bank[p.unit * s->pc_banks + p.bank];
    uint32_t sectors = (uint32_t)__builtin_popcount(r->sectors), per = s->atom / 32;
    uint32_t bursts = (sectors + per - 1) / per;
    uint64_t at = clock_cycle_from(r->at_ps, s->khz), column = at > b->free ? at : b->free;
    uint64_t access = r->write ? s->cwl : s->cl;
    if (b->row == p.row) {
        stats->row_hits++;
    } else {
        bool closed = b->row == NO_ROW;
        column += (closed ? 0 : s->rp) + (r->write ? s->rcdwr : s->rcdrd);
        stats->row_misses += closed;
        stats->row_conflicts += !closed;
        b->row = p.row;
    }
    uint64_t data = column + access;
    if (data < h->bus[p.unit]) data = h->bus[p.unit];
    uint64_t end = data + (uint64_t)bursts * s->bl;
    h->bus[p.unit] = end;
    b->free = end - access;
    h->bursts[p.unit / s->pcs] += bursts;
    if (r->write) {
        stats->writes++;
        stats->write_bytes += 32 * sectors;
        if (h->config.written) h->config.written(h->user, r, clock_ps(end, s->khz));
    } else {
        stats->reads++;
        stats->read_bytes += 32 * sectors;
        h->done(h->user, r, clock_ps(end, s->khz) + h->path_ps);
    }
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
    struct simple_dram *h = self;
    *out = h->stats[channel];
    out->busy_ps = clock_ps(h->bursts[channel] * h->spec.bl, h->spec.khz);
}

/* The sum of the channels' counts. */
static void stats(void *self, struct hbm_stats *out) {
    struct simple_dram *h = self;
    *out = (struct hbm_stats){0};
    for (uint32_t i = 0; i < h->spec.channels; i++) {
        struct hbm_stats one;
        channel_stats(self, i, &one);
        hbm_stats_add(out, &one);
    }
}

static uint64_t least_latency(void *self) {
    struct simple_dram *h = self;
    return h->path_ps + clock_ps(h->spec.cl + h->spec.bl, h->spec.khz);
}

/* Frees the tables and the memory. Accepts NULL and a memory that was partly made. */
static void free_simple_dram(void *self) {
    struct simple_dram *h = self;
    if (!h) return;
    free(h->bank);
    free(h->bus);
    free(h->bursts);
    free(h->stats);
    free(h);
}

/* Copies the configuration and its spec, and creates the map and the tables; free_simple_dram()
 * frees them, also after an error. @return HEDDLE_ERR_CONFIG or NOMEM, with text in diag. */
static heddle_err set_up(struct simple_dram *h, const struct hbm_config *config,
                         struct heddle_diag *diag) {
    h->config = *config;
    h->spec = *config->spec;
    const struct dram_spec *s = &h->spec;
    uint32_t units = s->channels * s->pcs;
    heddle_err e = dram_spec_path(s, config->latency_ps, &h->path_ps, diag);
    if (!e) e = dram_map_create(&h->map, s, config->num_slices, diag);
    if (e) return e;
    h->bank = calloc((size_t)units * s->pc_banks, sizeof *h->bank);
    h->bus = calloc(units, sizeof *h->bus);
    h->bursts = calloc(s->channels, sizeof *h->bursts);
    h->stats = calloc(s->channels, sizeof *h->stats);
    if (!h->bank || !h->bus || !h->bursts || !h->stats)
        return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for device memory");
    for (uint32_t i = 0; i < units * s->pc_banks; i++) h->bank[i].row = NO_ROW;
    return HEDDLE_OK;
}

/* Creates the model `simple_dram` as *ops and *self, with all banks closed. @return the error of
 * set_up(), with *self NULL. */
heddle_err hbm_simple_dram_create(const struct hbm_ops **ops, void **self,
                                  const struct hbm_config *config, hbm_done_fn done, void *user,
                                  struct heddle_diag *diag) {
    static const struct hbm_ops simple_dram_ops = {
        submit, advance, next, stats, channel_stats, least_latency, free_simple_dram};
    *self = NULL;
    struct simple_dram *h = heddle_alloc(sizeof *h, "a memory model");
    h->done = done;
    h->user = user;
    heddle_err e = set_up(h, config, diag);
    if (e) {
        free_simple_dram(h);
        return e;
    }
    *ops = &simple_dram_ops;
    *self = h;
    return HEDDLE_OK;
}
