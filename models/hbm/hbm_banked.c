/* hbm_banked.c - the models `timing_dram` and `hbm`: channels that simulate every command.
 *
 * The static functions are the members of struct hbm_ops (hbm.h), called on the back end's one
 * thread, and their helpers; they convert ps to clocks of the device and pass requests to the
 * channels (dram_channel.h). submit() and advance() may call `done` and `written` inside. */
#include <assert.h>
#include <stdlib.h>

#include "common/cycles.h"
#include "common/memory.h"
#include "models/hbm/dram_channel.h"

/* A memory. */
struct banked {
    struct hbm_config config;
    struct dram_spec spec;
    struct dram_map map;
    uint64_t least_ps; /* result of least_latency() */
    uint32_t num_channels;
    uint64_t *wake; /* per channel: clock of its next command, DRAM_NEVER without requests */
    struct dram_channel *channel; /* num_channels */
};

/* Renews h->wake of a channel. */
static void note_wake(struct banked *h, uint32_t i) {
    const struct dram_channel *c = &h->channel[i];
    h->wake[i] = c->queued ? c->wake : DRAM_NEVER;
}

/* Passes a request to its channel, which issues the commands before its arrival, and renews
 * h->wake. */
static void submit(void *self, const struct hbm_request *r) {
    struct banked *h = self;
    struct dram_place place = dram_map_line(&h->map, r->line, r->slice);
    uint32_t i = place.unit / h->spec.pcs;
    dram_channel_add(&h->channel[i], r, &place, clock_cycle_from(r->at_ps, h->spec.khz));
    note_wake(h, i);
}

/* Runs the channels that have a command before to_ps. */
static void advance(void *self, uint64_t to_ps) {
    struct banked *h = self;
    uint64_t to = clock_cycle_from(to_ps, h->spec.khz);
    for (uint32_t i = 0; i < h->num_channels; i++)
        if (h->wake[i] < to) {
            dram_channel_run(&h->channel[i], to, false);
            note_wake(h, i);
        }
}

/* @return when the earliest command of all channels with requests is issued, ps; UINT64_MAX: none
 * has requests. */
static uint64_t next(void *self) {
    struct banked *h = self;
    uint64_t wake = DRAM_NEVER;
    for (uint32_t i = 0; i < h->num_channels; i++)
        if (h->wake[i] < wake) wake = h->wake[i];
    return wake == DRAM_NEVER ? UINT64_MAX : clock_ps(wake, h->spec.khz);
}

static void channel_stats(void *self, uint32_t channel, struct hbm_stats *out) {
    struct banked *h = self;
    *out = h->channel[channel].stats;
    out->busy_ps = clock_ps(h->channel[channel].bursts * h->spec.bl, h->spec.khz);
}

/* The sum of the channels' counts. */
static void stats(void *self, struct hbm_stats *out) {
    struct banked *h = self;
    *out = (struct hbm_stats){0};
    for (uint32_t i = 0; i < h->num_channels; i++) {
        struct hbm_stats one;
        channel_stats(self, i, &one);
        hbm_stats_add(out, &one);
    }
}

static uint64_t least_latency(void *self) {
    return ((struct banked *)self)->least_ps;
}

/* Frees the channels' entries, the channels and the memory. Accepts NULL and a memory that was
 * partly made. */
static void free_banked(void *self) {
    struct banked *h = self;
    if (!h) return;
    for (uint32_t i = 0; h->channel && i < h->num_channels; i++) dram_channel_clear(&h->channel[i]);
    free(h->channel);
    free(h->wake);
    free(h);
}

/* Copies the configuration and its spec, and creates the map and the channels; free_banked() frees
 * them, also after an error. @return HEDDLE_ERR_CONFIG or NOMEM, with text in diag. */
static heddle_err set_up(struct banked *h, const struct hbm_config *config, bool in_order,
                         hbm_done_fn done, void *user, struct heddle_diag *diag) {
    h->config = *config;
    h->spec = *config->spec;
    const struct dram_spec *s = &h->spec;
    uint64_t path_ps;
    heddle_err e = dram_spec_path(s, config->latency_ps, &path_ps, diag);
    if (!e) e = dram_map_create(&h->map, s, config->num_slices, diag);
    if (e) return e;
    h->least_ps = path_ps + clock_ps(s->cl + s->bl, s->khz); /* of a row hit */
    h->num_channels = s->channels;
    h->channel = calloc(s->channels, sizeof *h->channel);
    h->wake = malloc(s->channels * sizeof *h->wake);
    if (!h->channel || !h->wake)
        return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for device memory");
    for (uint32_t i = 0; i < s->channels; i++) {
        struct dram_channel *c = &h->channel[i];
        c->spec = s;
        c->config = &h->config;
        c->done = done;
        c->user = user;
        c->in_order = in_order;
        c->path_ps = path_ps;
        dram_channel_init(c, i);
        h->wake[i] = DRAM_NEVER;
    }
    return HEDDLE_OK;
}

/* Creates either model as *ops and *self. in_order: `timing_dram`. @return the error of set_up(),
 * with *self NULL. */
static heddle_err create(const struct hbm_ops **ops, void **self, const struct hbm_config *config,
                         bool in_order, hbm_done_fn done, void *user, struct heddle_diag *diag) {
    static const struct hbm_ops banked_ops = {submit,        advance,       next,       stats,
                                              channel_stats, least_latency, free_banked};
    *self = NULL;
    struct banked *h = heddle_alloc(sizeof *h, "a memory model");
    heddle_err e = set_up(h, config, in_order, done, user, diag);
    if (e) {
        free_banked(h);
        return e;
    }
    *ops = &banked_ops;
    *self = h;
    return HEDDLE_OK;
}

/* `timing_dram`: channels serve each bank in order. */
heddle_err hbm_timing_dram_create(const struct hbm_ops **ops, void **self,
                                  const struct hbm_config *config, hbm_done_fn done, void *user,
                                  struct heddle_diag *diag) {
    return create(ops, self, config, true, done, user, diag);
}

/* `hbm`: channels reorder requests. */
heddle_err hbm_hbm_create(const struct hbm_ops **ops, void **self, const struct hbm_config *config,
                          hbm_done_fn done, void *user, struct heddle_diag *diag) {
    return create(ops, self, config, false, done, user, diag);
}
