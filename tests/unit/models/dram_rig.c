/* dram_rig.c - see dram_rig.h. Streams come from a random generator with a fixed seed in the rig,
 * so that runs repeat. */
#include "dram_rig.h"

#include <string.h>

static uint64_t next_random(uint64_t *state) { /* xorshift64* */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

static void note(struct dram_rig *rig, const struct hbm_request *r, uint64_t done_ps) {
    if (done_ps > rig->last_done_ps) rig->last_done_ps = done_ps;
    uint64_t x = done_ps ^ r->user * 0x9e3779b97f4a7c15u;
    rig->hash += (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

static void done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    struct dram_rig *rig = user;
    rig->reads_done++;
    rig->total_latency_ps += done_ps - r->at_ps;
    note(rig, r, done_ps);
}

static void written(void *user, const struct hbm_request *r, uint64_t done_ps) {
    struct dram_rig *rig = user;
    rig->writes_done++;
    note(rig, r, done_ps);
}

heddle_err dram_rig_create(struct dram_rig *rig, const char *gpus, const char *model,
                           const char *const *sets, size_t num_sets, bool watched,
                           struct heddle_diag *diag) {
    struct config *c;
    memset(rig, 0, sizeof *rig);
    rig->random = 88172645463325252u;
    rig->outstanding = 1024;
    heddle_err e = config_load(&c, "v100", gpus, sets, num_sets, diag);
    if (e) return e;
    e = dram_spec_create(&rig->spec, c, diag);
    config_free(c);
    if (!e && watched) e = dram_check_create(&rig->watch.check, &rig->spec);
    if (e) return e;
    struct hbm_config config = {.num_channels = rig->spec.channels,
                                .latency_ps = 155000,
                                .channel_bytes_per_s = 25000000000u,
                                .spec = &rig->spec,
                                .command = watched ? dram_watch_command : NULL,
                                .command_user = &rig->watch,
                                .written = written};
    e = hbm_create(model, &rig->ops, &rig->hbm, &config, done, rig, diag);
    if (e) dram_rig_free(rig);
    return e;
}

void dram_rig_free(struct dram_rig *rig) {
    if (rig->hbm) rig->ops->free(rig->hbm);
    dram_check_free(rig->watch.check);
    rig->hbm = NULL;
    rig->watch.check = NULL;
}

/* Makes the next request of the stream, at the rig's present time. */
static void make_request(struct dram_rig *rig, enum dram_stream stream, struct hbm_request *r) {
    uint64_t x = next_random(&rig->random);
    r->user = rig->submitted;
    r->at_ps = rig->now_ps;
    switch (stream) {
    case STREAM_RANDOM: /* one sector anywhere, reads */
        r->line = x >> 20 & 0xffffff;
        r->sectors = (uint8_t)(1u << (x & 3));
        r->write = false;
        break;
    case STREAM_LINEAR: /* two arrays read, one written */
        r->line = rig->submitted / 3 + (rig->submitted % 3 << 20);
        r->sectors = 0xf;
        r->write = rig->submitted % 3 == 2;
        break;
    case STREAM_MIXED: /* half near, half far, a third writes */
        r->line = x & 1 ? x >> 20 & 0xffffff : (rig->submitted + (x >> 8 & 0x3f)) & 0xffffff;
        r->sectors = (uint8_t)((x >> 50 & 0xf) | 1u << (x >> 54 & 3));
        r->write = (x >> 33) % 3 == 0;
        break;
    case STREAM_READS:
        r->line = rig->submitted & 0xffffff;
        r->sectors = 0xf;
        r->write = false;
        break;
    default: /* STREAM_BURSTS: a few rows of a few banks, with pauses of up to 60 us */
        r->line = (x >> 20 & 0x1f) << 12 | (x >> 40 & 7);
        r->sectors = 3;
        r->write = (x >> 33 & 1) != 0;
        if (x % 257 == 0) r->at_ps = rig->now_ps += x >> 8 & 0x3ffffff;
        break;
    }
}

void dram_rig_submit(struct dram_rig *rig, enum dram_stream stream, uint64_t requests) {
    for (uint64_t i = 0; i < requests; i++) {
        struct hbm_request r;
        make_request(rig, stream, &r);
        rig->submitted++;
        rig->ops->submit(rig->hbm, &r);
    }
}

/* Advances the model to time `to`, in steps of advance_ps (0: at once). */
static void advance(struct dram_rig *rig, uint64_t to, uint64_t advance_ps) {
    while (advance_ps && rig->now_ps + advance_ps < to) {
        rig->now_ps += advance_ps;
        rig->ops->advance(rig->hbm, rig->now_ps);
    }
    rig->ops->advance(rig->hbm, to);
    rig->now_ps = to;
}

void dram_rig_run(struct dram_rig *rig, enum dram_stream stream, uint64_t requests,
                  uint64_t advance_ps) {
    for (uint64_t i = 0; i < requests; i++) {
        while (rig->submitted - rig->reads_done - rig->writes_done >= rig->outstanding)
            advance(rig, rig->ops->next(rig->hbm) + 1, advance_ps);
        dram_rig_submit(rig, stream, 1);
    }
    for (uint64_t at; (at = rig->ops->next(rig->hbm)) != UINT64_MAX;)
        advance(rig, at + 1, advance_ps);
}
