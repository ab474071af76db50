/* fake_core.c - a timing core of a few rules, in place of timing/core.c: for tests of the host side
 * that need no RTL (and for the thread sanitizer).
 *
 * Every live warp issues one packet per cycle; a dependency barrier is held for LATENCY cycles, an
 * operation takes effect after half of that; CTA barriers and Hold work as in
 * docs/timing-model.md. No pipes, no caches: each line of a load is read from memory when its
 * number is a multiple of eight. A warp without a packet parks, so time stands still. */
#include <stdlib.h>
#include <string.h>

#include "core_words.h"
#include "timing/core.h"

enum { WARPS = 64, MAX_SM = 144, FIFO = 256, LATENCY = 100, RING = 1 << 16 };

struct warp {
    bool live, at_barrier, wanted;
    uint8_t cta, bar_id;
    uint16_t taken, lines_taken;
    uint64_t ready, until[7]; /* dependency barriers: held until */
    uint16_t waiting;         /* memory replies that hold barrier 0..5, counted together */
    uint64_t packet[FIFO][2], line[FIFO];
    uint32_t head, tail, line_head, line_tail;
};

struct core {
    struct warp *warp; /* [MAX_SM][WARPS] */
    uint32_t param[CORE_NUM_PARAMS];
    uint64_t (*commands)[8];
    uint32_t num_commands;
    uint64_t *events;
    size_t num_events;
    uint64_t now, issued, hash;
};

heddle_err core_create(struct core **out, const struct core_options *options,
                       struct heddle_diag *diag) {
    (void)options;
    (void)diag;
    struct core *c = calloc(1, sizeof *c);
    c->warp = calloc(MAX_SM * WARPS, sizeof *c->warp);
    c->commands = malloc(RING * sizeof *c->commands);
    c->events = malloc(RING * 16);
    *out = c;
    return HEDDLE_OK;
}

void core_free(struct core *c) {
    if (!c) return;
    free(c->warp);
    free(c->commands);
    free(c->events);
    free(c);
}

heddle_err core_set_param(struct core *c, uint32_t number, uint32_t value) {
    c->param[number] = value;
    return HEDDLE_OK;
}

heddle_err core_set_class(struct core *c, uint32_t id, uint32_t pipe, uint32_t interval,
                          uint32_t latency, uint32_t flags) {
    (void)c, (void)id, (void)pipe, (void)interval, (void)latency, (void)flags;
    return HEDDLE_OK;
}

uint64_t *core_command(struct core *c, uint32_t beats) {
    uint64_t *at = c->commands[c->num_commands];
    c->num_commands += beats;
    if (c->num_commands > RING) abort();
    return at;
}

static uint64_t *event(struct core *c, enum core_ev kind, uint64_t at, uint32_t sm, uint32_t warp) {
    uint64_t *ev = c->events + 2 * c->num_events++;
    if (c->num_events > RING) abort();
    ev[0] = ev[1] = 0;
    core_event_set_kind(ev, kind);
    core_event_set_at(ev, at);
    core_event_set_sm(ev, sm);
    core_event_set_warp(ev, warp);
    return ev;
}

static struct warp *find(struct core *c, const uint64_t *beat) {
    return &c->warp[core_command_sm(beat) * WARPS + core_command_warp(beat)];
}

static void take_packets(struct core *c, const uint64_t *beat) {
    struct warp *w = find(c, beat);
    for (unsigned i = 0; i < core_command_words(beat); i++) {
        const uint64_t *word = beat + 2 + 2 * i;
        unsigned type = core_command_types(beat) >> 2 * i & 3;
        if (type == 0) memcpy(w->packet[w->tail++ % FIFO], word, 16);
        else
            for (unsigned k = 0; k < type; k++) w->line[w->line_tail++ % FIFO] = word[k];
    }
    if (w->tail - w->head > c->param[CORE_PARAM_BUFFER_PACKETS]) abort();
    if (w->line_tail - w->line_head > 64) abort();
    w->wanted = false;
}

static void take_commands(struct core *c) {
    for (uint32_t i = 0; i < c->num_commands; i++) {
        const uint64_t *beat = c->commands[i];
        switch (core_command_kind(beat)) {
        case CORE_CMD_PACKETS: take_packets(c, beat); break;
        case CORE_CMD_LAUNCH: {
            struct warp *w = find(c, beat);
            memset(w, 0, sizeof *w);
            w->live = true;
            w->cta = (uint8_t)core_command_cta(beat);
            w->ready = core_command_at(beat);
            break;
        }
        case CORE_CMD_DRAM_REPLY: {
            uint32_t id = core_command_id(beat);
            struct warp *w = &c->warp[id];
            if (!w->waiting--) abort();
            if (w->ready < core_command_at(beat)) w->ready = core_command_at(beat);
            break;
        }
        default: break;
        }
    }
    c->num_commands = 0;
}

static bool warp_waits(const struct warp *w, const uint64_t *packet, uint64_t t) {
    if (w->waiting && core_packet_wait_mask(packet)) return true;
    for (unsigned b = 0; b < 7; b++)
        if (core_packet_wait_mask(packet) >> b & 1 && w->until[b] > t) return true;
    return false;
}

/* Opens the barrier when enough warps of the CTA are at it. */
static void try_barrier(struct core *c, uint32_t sm, unsigned cta, unsigned id, unsigned want,
                        uint64_t t) {
    unsigned here = 0, live = 0;
    struct warp *first = &c->warp[sm * WARPS];
    for (unsigned i = 0; i < WARPS; i++)
        if (first[i].live && first[i].cta == cta) {
            live++;
            here += first[i].at_barrier && first[i].bar_id == id;
        }
    if (!here || here < (want ? want : live)) return;
    for (unsigned i = 0; i < WARPS; i++)
        if (first[i].live && first[i].cta == cta && first[i].at_barrier && first[i].bar_id == id) {
            first[i].at_barrier = false;
            first[i].ready = t + 20;
        }
}

static void memory(struct core *c, uint32_t sm, uint32_t warp, struct warp *w,
                   const uint64_t *packet, uint64_t t) {
    unsigned kind = core_packet_mem(packet), bar = core_packet_wr_bar(packet);
    if (kind == CORE_MEM_STORE || kind == CORE_MEM_RED) bar = 6;
    if (bar < 7 && w->until[bar] < t + LATENCY) w->until[bar] = t + LATENCY;
    for (unsigned i = 0; i < core_packet_lines(packet); i++) {
        uint64_t line = w->line[w->line_head++ % FIFO];
        w->lines_taken++;
        if (core_packet_perform(packet)) {
            uint64_t *ev = event(c, CORE_EV_PERFORM, t + LATENCY / 2, sm, warp);
            core_event_set_slot(ev, core_packet_slot(packet));
            core_event_set_sectors(ev, core_line_sectors(&line));
            core_event_set_addr(ev, core_line_addr(&line));
        } else if (kind == CORE_MEM_LOAD && core_line_addr(&line) % 8 == 0) {
            uint64_t *ev = event(c, CORE_EV_DRAM_READ, t, sm % c->param[CORE_PARAM_NUM_SLICES], 0);
            core_event_set_id(ev, sm * WARPS + warp);
            core_event_set_sectors(ev, core_line_sectors(&line));
            core_event_set_addr(ev, core_line_addr(&line));
            w->waiting++;
        }
    }
    if (core_packet_perform(packet) && !core_packet_lines(packet)) {
        uint64_t *ev = event(c, CORE_EV_PERFORM, t, sm, warp);
        core_event_set_slot(ev, core_packet_slot(packet));
    }
    if (kind == CORE_MEM_BARRIER) {
        w->bar_id = (uint8_t)core_packet_bar_id(packet);
        w->at_barrier = !core_packet_bar_arrive(packet);
        try_barrier(c, sm, w->cta, w->bar_id, core_packet_bar_warps(packet), t);
    }
}

/* @return false when the warp starves at t. */
static bool step_warp(struct core *c, uint32_t sm, uint32_t warp, uint64_t t) {
    struct warp *w = &c->warp[sm * WARPS + warp];
    if (!w->live || w->at_barrier || w->ready > t) return true;
    while (w->head != w->tail && core_packet_cls(w->packet[w->head % FIFO]) == CORE_CLASS_HOLD &&
           w->head + 1 != w->tail) {
        w->head++;
        w->taken++;
    }
    if (w->head == w->tail) return false;
    const uint64_t *packet = w->packet[w->head % FIFO];
    if (warp_waits(w, packet, t)) return true;
    if (core_packet_cls(packet) == CORE_CLASS_HOLD) return false;
    w->head++;
    w->taken++;
    c->issued++;
    c->hash += (t * 64 + warp) * (sm + 1) * UINT64_C(0x9e3779b97f4a7c15);
    w->ready = t + 1;
    unsigned bar = core_packet_wr_bar(packet);
    if (bar < 7 && w->until[bar] < t + 20) w->until[bar] = t + 20;
    memory(c, sm, warp, w, packet, t);
    if (core_packet_last(packet)) {
        bool more = false;
        w->live = false;
        for (unsigned i = 0; i < WARPS; i++)
            more |= c->warp[sm * WARPS + i].live && c->warp[sm * WARPS + i].cta == w->cta;
        if (!more) core_event_set_id(event(c, CORE_EV_CTA_DONE, t, sm, warp), w->cta);
        for (unsigned id = 0; more && id < 16; id++) try_barrier(c, sm, w->cta, id, 0, t);
    } else if (!w->wanted && w->tail - w->head <= c->param[CORE_PARAM_BUFFER_PACKETS] / 2) {
        uint64_t *ev = event(c, CORE_EV_WANT, t, sm, warp);
        core_event_set_id(ev, w->taken);
        core_event_set_addr(ev, w->lines_taken);
        w->wanted = true;
    }
    return true;
}

heddle_err core_run(struct core *c, uint32_t until, struct core_status *status) {
    c->num_events = 0;
    take_commands(c);
    *status = (struct core_status){.next = CORE_NEVER};
    while (c->now < until) {
        for (uint32_t i = 0; i < MAX_SM * WARPS; i++) {
            if (!c->warp[i].live) continue;
            if (!step_warp(c, i / WARPS, i % WARPS, c->now)) {
                status->parked = true;
                goto out;
            }
        }
        c->now++;
    }
out:
    status->reached = (uint32_t)c->now;
    for (uint32_t i = 0; i < MAX_SM * WARPS; i++)
        if (c->warp[i].live && !c->warp[i].at_barrier && !c->warp[i].waiting) status->next = c->now;
    return HEDDLE_OK;
}

const uint64_t *core_events(const struct core *c, size_t *count) {
    *count = c->num_events;
    return c->events;
}

uint64_t core_counter(const struct core *c, enum core_counter counter) {
    return counter == CORE_COUNTER_ISSUED       ? c->issued
           : counter == CORE_COUNTER_ISSUE_HASH ? c->hash
                                                : 0;
}

const char *core_error(const struct core *c) {
    (void)c;
    return "";
}
