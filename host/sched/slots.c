/* slots.c - see slots.h */
#include "sched/slots.h"

#include <assert.h>
#include <stdlib.h>

struct room {
    uint32_t ctas, warps, registers, shared_bytes, barriers;
};

struct slots {
    uint32_t num_sms, next;
    struct room room[];
};

heddle_err slots_create(struct slots **out, uint32_t num_sms, const struct slots_limits *limits) {
    struct slots *s = calloc(1, sizeof *s + num_sms * sizeof s->room[0]);
    *out = s;
    if (!s) return HEDDLE_ERR_NOMEM;
    s->num_sms = num_sms;
    for (uint32_t i = 0; i < num_sms; i++)
        s->room[i] = (struct room){limits->ctas, limits->warps, limits->registers,
                                   limits->shared_bytes, limits->barriers};
    return HEDDLE_OK;
}

void slots_free(struct slots *s) { free(s); }

static uint32_t round_up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

struct slots_need slots_need(const struct slots_limits *l, uint32_t threads, uint32_t regs,
                             uint32_t shared_bytes, uint32_t barriers) {
    uint32_t warps = (threads + 31) / 32;
    return (struct slots_need){
        .warps = warps,
        .registers = warps * round_up((regs ? regs : 1) * 32, l->register_unit),
        .shared_bytes = round_up(shared_bytes, l->shared_unit),
        .barriers = barriers,
    };
}

static bool fits(const struct room *r, const struct slots_need *n) {
    return r->ctas && n->warps <= r->warps && n->registers <= r->registers &&
           n->shared_bytes <= r->shared_bytes && n->barriers <= r->barriers;
}

static void take(struct room *r, const struct slots_need *n) {
    r->ctas--;
    r->warps -= n->warps;
    r->registers -= n->registers;
    r->shared_bytes -= n->shared_bytes;
    r->barriers -= n->barriers;
}

uint32_t slots_occupancy(const struct slots_limits *l, const struct slots_need *need) {
    struct room r = {l->ctas, l->warps, l->registers, l->shared_bytes, l->barriers};
    uint32_t n = 0;
    for (; fits(&r, need); n++) take(&r, need);
    return n;
}

int slots_take(struct slots *s, const struct slots_need *need) {
    for (uint32_t i = 0; i < s->num_sms; i++) {
        uint32_t sm = (s->next + i) % s->num_sms;
        if (!fits(&s->room[sm], need)) continue;
        take(&s->room[sm], need);
        s->next = (sm + 1) % s->num_sms;
        return (int)sm;
    }
    return -1;
}

void slots_give(struct slots *s, uint32_t sm, const struct slots_need *need) {
    assert(sm < s->num_sms);
    struct room *r = &s->room[sm];
    r->ctas++;
    r->warps += need->warps;
    r->registers += need->registers;
    r->shared_bytes += need->shared_bytes;
    r->barriers += need->barriers;
}
