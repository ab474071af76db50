/* memory_port.c - see memory_port.h */
#include "sched/memory_port.h"

#include <stdlib.h>

#include "timing/clock.h"
#include "timing/message.h"

struct memory_port {
    struct timing_wiring wiring;
    uint64_t khz, half_lookahead;
    const struct hbm_ops *ops;
    void *hbm;
};

static void done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    struct memory_port *p = user;
    uint64_t cycle = clock_cycle_from(done_ps, p->khz) + p->half_lookahead;
    struct fabric_message m = {.at = clock_ps(cycle, p->khz), .from = p->wiring.memory_id,
                               .to = p->wiring.group_id[r->slice % p->wiring.num_groups],
                               .kind = TIMING_DRAM_REPLY, .word = {r->user, r->slice}};
    fabric_send(p->wiring.fabric, &m);
}

heddle_err memory_port_create(struct memory_port **out, const struct hbm_config *config,
                              uint64_t khz, uint64_t half_lookahead,
                              const struct timing_wiring *wiring, struct heddle_diag *diag) {
    struct memory_port *p = calloc(1, sizeof *p);
    struct hbm_config c = *config;
    uint64_t way = clock_ps(2 * half_lookahead, khz);
    *out = NULL;
    if (!p) return HEDDLE_ERR_NOMEM;
    if (c.latency_ps <= way) {
        free(p);
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "dram.latency is %llu ps, but core.look_ahead alone is %llu ps: lower "
                           "core.look_ahead", (unsigned long long)c.latency_ps,
                           (unsigned long long)way);
    }
    c.latency_ps -= way;
    p->wiring = *wiring;
    p->khz = khz;
    p->half_lookahead = half_lookahead;
    heddle_err e = hbm_simple_create(&p->ops, &p->hbm, &c, done, p);
    if (e) {
        free(p);
        return e;
    }
    *out = p;
    return HEDDLE_OK;
}

void memory_port_free(struct memory_port *p) {
    if (!p) return;
    p->ops->free(p->hbm);
    free(p);
}

void memory_port_stats(const struct memory_port *p, struct hbm_stats *out) {
    p->ops->stats(p->hbm, out);
}

static void receive(void *self, const struct fabric_message *m) {
    struct memory_port *p = self;
    struct hbm_request r = {.at_ps = m->at, .line = m->word[0], .slice = (uint32_t)m->word[1],
                            .sectors = (uint8_t)m->word[2], .write = m->kind == TIMING_DRAM_WRITE,
                            .user = m->word[3]};
    p->ops->submit(p->hbm, &r);
}

static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct memory_port *p = self;
    (void)diag;
    p->ops->advance(p->hbm, until);
    return HEDDLE_OK;
}

static uint64_t next(void *self) {
    struct memory_port *p = self;
    return p->ops->next(p->hbm);
}

const struct fabric_ops memory_port_ops = {receive, advance, next};
