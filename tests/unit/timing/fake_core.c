/* fake_core.c - a simple timing core in C that replaces timing/core.c, for tests of the host that
 * need no RTL (and for ThreadSanitizer). It aborts (MUST) when the host breaks the core's protocol.
 *
 * Every live warp issues one packet per cycle; a dependency barrier is held for LATENCY cycles; an
 * operation takes effect after half of that, in the instance that owns the slice of its line; CTA
 * barriers and Hold work as in docs/timing-model.md. No pipes, no caches: each line of a load whose
 * number is a multiple of eight is read from memory, and of what a copy fills in, every fourth line
 * has to be written back. A warp without a packet, or whose packet lacks coalesced requests, parks,
 * so that time stands still. The core tells its watch that each packet with a wait mask has waited
 * for FAKE_WAIT cycles for memory, and that a load finds one sector of each line. Functions with
 * names of timing/core.h implement that header. Cores share only last_param. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_words.h"
#include "rig.h"
#include "timing/core.h"

enum {
    WARPS = 64,
    MAX_SM = 144,
    FIFO = 256,
    LATENCY = 100,
    LINES = 64,
    RING = 1 << 16,
    MAX_EFFECTS = 1 << 14
};
#define NEVER UINT64_MAX
#define MUST(condition)                                                                           \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "fake_core.c:%d: the host broke a rule: %s\n", __LINE__, #condition); \
            abort();                                                                              \
        }                                                                                         \
    } while (0)

struct warp {
    bool live, at_barrier, wanted;
    uint8_t cta, bar_id, bar_warps;
    uint16_t taken, lines_taken, lines_told;
    uint64_t ready, until[7]; /* dependency barriers: held until */
    uint16_t waiting;         /* outstanding memory replies; all barriers are held meanwhile */
    uint64_t packet[FIFO][2], line[FIFO];
    uint32_t head, tail, line_head, line_tail;
};

struct effect { /* an operation on one line, or without a line, that has not taken effect yet */
    uint64_t at, line;
    uint32_t sm;
    uint8_t warp, slot, sectors;
};

struct core {
    struct warp *warp; /* [MAX_SM][WARPS] */
    uint32_t *live;    /* indices of live warps, in order */
    uint32_t num_live;
    uint32_t param[CORE_NUM_PARAMS];
    uint64_t (*commands)[8];
    uint32_t num_commands;
    /* The runs that were started and not finished: each is carried out when it starts. */
    struct flight {
        uint64_t *events;
        size_t num_events;
        struct core_status status;
    } flight[CORE_FLIGHTS];
    uint32_t started, finished;
    struct effect *effects; /* by time, SM, warp; in order of issue */
    uint32_t num_effects;
    struct core_watch watch;
    uint64_t now, issued, hash, served, reads, writes, runs;
};

heddle_err core_create(struct core **out, const struct core_options *options,
                       struct heddle_diag *diag) {
    (void)options;
    (void)diag;
    struct core *c = calloc(1, sizeof *c);
    c->warp = calloc(MAX_SM * WARPS, sizeof *c->warp);
    c->live = calloc(MAX_SM * WARPS, sizeof *c->live);
    c->commands = malloc(RING * sizeof *c->commands);
    for (int i = 0; i < CORE_FLIGHTS; i++) c->flight[i].events = malloc(RING * 16);
    c->effects = malloc(MAX_EFFECTS * sizeof *c->effects);
    *out = c;
    return HEDDLE_OK;
}

void core_free(struct core *c) {
    if (!c) return;
    free(c->warp);
    free(c->live);
    free(c->commands);
    for (int i = 0; i < CORE_FLIGHTS; i++) free(c->flight[i].events);
    free(c->effects);
    free(c);
}

const struct core_info *core_info(const struct core *c) {
    static const struct core_info info = {.max_sms = MAX_SM, .max_slices = 96, .max_packets = 64};
    (void)c;
    return &info;
}

bool core_set_watch(struct core *c, const struct core_watch *watch) {
    c->watch = *watch;
    return true;
}

static uint32_t last_param[CORE_NUM_PARAMS]; /* of all cores; written only while a GPU is created */

heddle_err core_set_param(struct core *c, uint32_t number, uint32_t value) {
    c->param[number] = last_param[number] = value;
    return HEDDLE_OK;
}

uint32_t fake_core_param(uint32_t number) {
    return last_param[number];
}

heddle_err core_set_class(struct core *c, uint32_t id, uint32_t pipe, uint32_t interval,
                          uint32_t latency, uint32_t flags) {
    (void)c, (void)id, (void)pipe, (void)interval, (void)latency, (void)flags;
    return HEDDLE_OK;
}

uint64_t *core_command(struct core *c, uint32_t beats) {
    uint64_t *at = c->commands[c->num_commands];
    c->num_commands += beats;
    MUST(c->num_commands <= RING);
    return at;
}

/* Appends an event. @return its words, for further fields */
static uint64_t *event(struct core *c, enum core_ev kind, uint64_t at, uint32_t sm, uint32_t warp) {
    struct flight *f = &c->flight[c->started % CORE_FLIGHTS];
    uint64_t *ev = f->events + 2 * f->num_events++;
    MUST(f->num_events <= RING);
    ev[0] = ev[1] = 0;
    core_event_set_kind(ev, kind);
    core_event_set_at(ev, at);
    core_event_set_sm(ev, sm);
    core_event_set_warp(ev, warp);
    return ev;
}

/* -------------------------------------------------------------------------------- effects */

static bool effect_before(const struct effect *a, const struct effect *b) {
    if (a->at != b->at) return a->at < b->at;
    return a->sm != b->sm ? a->sm < b->sm : a->warp < b->warp;
}

static void add_effect(struct core *c, struct effect e) {
    MUST(c->num_effects < MAX_EFFECTS);
    uint32_t i = c->num_effects++;
    for (; i && effect_before(&e, &c->effects[i - 1]); i--) c->effects[i] = c->effects[i - 1];
    c->effects[i] = e;
}

/* Performs the operations that take effect now, and reports events for them. */
static void take_effect(struct core *c) {
    uint32_t n = 0;
    for (; n < c->num_effects && c->effects[n].at <= c->now; n++) {
        const struct effect *e = &c->effects[n];
        MUST(e->at == c->now);
        uint64_t *ev = event(c, CORE_EV_PERFORM, e->at, e->sm, e->warp);
        core_event_set_slot(ev, e->slot);
        core_event_set_sectors(ev, e->sectors);
        core_event_set_addr(ev, e->line);
        c->served++;
    }
    c->num_effects -= n;
    memmove(c->effects, c->effects + n, c->num_effects * sizeof *c->effects);
}

/* -------------------------------------------------------------------------------- commands */

/* Command Packets: appends packets and coalesced requests to the warp's queues; aborts when the
 * host has sent more than there is room for. */
static void take_packets(struct core *c, const uint64_t *beat) {
    struct warp *w = &c->warp[core_command_sm(beat) * WARPS + core_command_warp(beat)];
    MUST(w->live);
    for (unsigned i = 0; i < core_command_words(beat); i++) {
        const uint64_t *word = beat + 2 + 2 * i;
        unsigned type = core_command_types(beat) >> 2 * i & 3;
        if (type == 0)
            memcpy(w->packet[w->tail++ % FIFO], word, 16);
        else
            for (unsigned k = 0; k < type; k++) w->line[w->line_tail++ % FIFO] = word[k];
    }
    uint32_t sent = w->tail - w->head; /* a Hold before the last packet takes no slot */
    bool held = sent > 1 && core_packet_cls(w->packet[(w->tail - 2) % FIFO]) == CORE_CLASS_HOLD;
    MUST(sent <= c->param[CORE_PARAM_BUFFER_PACKETS] + (held && sent < FIFO));
    MUST(w->line_tail - w->line_head <= LINES);
    w->wanted = false;
}

/* Command Launch: makes the warp live, from its time on. */
static void launch_warp(struct core *c, const uint64_t *beat) {
    uint32_t index = core_command_sm(beat) * WARPS + core_command_warp(beat), i = c->num_live++;
    struct warp *w = &c->warp[index];
    MUST(!w->live && core_command_at(beat) >= c->now);
    MUST(core_command_sm(beat) < c->param[CORE_PARAM_NUM_SM]);
    *w = (struct warp){.live = true,
                       .cta = (uint8_t)core_command_cta(beat),
                       .taken = w->taken,
                       .lines_taken = w->lines_taken,
                       .lines_told = w->lines_told,
                       .ready = core_command_at(beat)};
    for (; i && c->live[i - 1] > index; i--) c->live[i] = c->live[i - 1];
    c->live[i] = index;
}

/* Carries out all commands since the last run. */
static void take_commands(struct core *c) {
    for (uint32_t i = 0; i < c->num_commands; i++) {
        const uint64_t *beat = c->commands[i];
        switch (core_command_kind(beat)) {
        case CORE_CMD_PACKETS: take_packets(c, beat); break;
        case CORE_CMD_LAUNCH: launch_warp(c, beat); break;
        case CORE_CMD_DRAM_REPLY: {
            struct warp *w = &c->warp[core_command_id(beat)];
            MUST(w->live && w->waiting && core_command_at(beat) >= c->now);
            w->waiting--;
            if (w->ready < core_command_at(beat)) w->ready = core_command_at(beat);
            break;
        }
        case CORE_CMD_REMOTE: {
            const uint64_t *r = beat + 2;
            MUST(core_command_words(beat) == 1 && core_remote_kind(r) == CORE_EV_REQUEST);
            MUST(core_remote_at(r) + LATENCY / 2 >= c->now);
            add_effect(c, (struct effect){.at = core_remote_at(r) + LATENCY / 2,
                                          .line = core_remote_addr(r),
                                          .sm = core_remote_sm(r),
                                          .warp = (uint8_t)core_remote_warp(r),
                                          .slot = (uint8_t)core_remote_slot(r),
                                          .sectors = (uint8_t)core_remote_sectors(r)});
            break;
        }
        case CORE_CMD_FLUSH_L1:
            for (uint32_t i = 0; i < c->num_live; i++)
                MUST(!c->warp[c->live[i]].live || c->live[i] / WARPS != core_command_sm(beat));
            break;
        case CORE_CMD_FILL_L2: {
            uint32_t slices = c->param[CORE_PARAM_NUM_SLICES];
            uint32_t first = core_command_at(beat), lines = core_command_value(beat);
            for (uint32_t line = first; line < first + lines; line++) {
                uint32_t slice = line % slices;
                if (line % 4 ||
                    slice % c->param[CORE_PARAM_INSTANCES] != c->param[CORE_PARAM_INSTANCE])
                    continue;
                uint64_t *ev = event(c, CORE_EV_DRAM_WRITE, c->now, slice, 0);
                core_event_set_sectors(ev, 15);
                core_event_set_addr(ev, line);
                c->writes += 4;
            }
            break;
        }
        default: break;
        }
    }
    c->num_commands = 0;
}

/* ----------------------------------------------------------------------------------- warps */

/* Returns the earliest time at which the warp may issue or starve; NEVER: it waits for other
 * warps. */
static uint64_t warp_time(const struct warp *w) {
    if (w->at_barrier) return NEVER;
    uint64_t t = w->ready;
    if (w->head == w->tail) return t;
    const uint64_t *packet = w->packet[w->head % FIFO];
    if (w->waiting && core_packet_wait_mask(packet)) return NEVER;
    for (unsigned b = 0; b < 7; b++)
        if (core_packet_wait_mask(packet) >> b & 1 && w->until[b] > t) t = w->until[b];
    return t;
}

/* Completes the barrier when enough warps of the CTA have arrived. */
static void try_barrier(struct core *c, uint32_t sm, unsigned cta, unsigned id, uint64_t t) {
    unsigned here = 0, live = 0, want = 0;
    struct warp *first = &c->warp[sm * WARPS];
    for (unsigned i = 0; i < WARPS; i++)
        if (first[i].live && first[i].cta == cta) {
            live++;
            if (!first[i].at_barrier || first[i].bar_id != id) continue;
            here++;
            want = first[i].bar_warps;
        }
    if (!here || here < (want ? want : live)) return;
    for (unsigned i = 0; i < WARPS; i++)
        if (first[i].live && first[i].cta == cta && first[i].at_barrier && first[i].bar_id == id) {
            first[i].at_barrier = false;
            first[i].ready = t + 20;
        }
}

/* Queues the effect of an operation with `perform` on one line, or sends the request to the
 * instance that owns its slice. */
static void operate(struct core *c, uint32_t sm, uint32_t warp, const uint64_t *packet,
                    const uint64_t *line, uint64_t t) {
    uint32_t slice = core_line_addr(line) % c->param[CORE_PARAM_NUM_SLICES];
    if (slice % c->param[CORE_PARAM_INSTANCES] == c->param[CORE_PARAM_INSTANCE]) {
        add_effect(c, (struct effect){.at = t + LATENCY / 2,
                                      .line = core_line_addr(line),
                                      .sm = sm,
                                      .warp = (uint8_t)warp,
                                      .slot = (uint8_t)core_packet_slot(packet),
                                      .sectors = (uint8_t)core_line_sectors(line)});
        return;
    }
    uint64_t *ev = event(c, CORE_EV_REQUEST, t, sm, warp);
    core_remote_set_slot(ev, core_packet_slot(packet));
    core_remote_set_sectors(ev, core_line_sectors(line));
    core_remote_set_slice(ev, slice);
    core_remote_set_perform(ev, 1);
    core_remote_set_addr(ev, core_line_addr(line));
}

/* Executes a memory instruction: takes its coalesced requests, reads memory for some, and performs
 * strong operations. */
static void memory(struct core *c, uint32_t sm, uint32_t warp, struct warp *w,
                   const uint64_t *packet, uint64_t t) {
    unsigned kind = core_packet_mem(packet), bar = core_packet_wr_bar(packet);
    if (kind == CORE_MEM_STORE || kind == CORE_MEM_RED) bar = 6;
    if (bar < 7 && w->until[bar] < t + LATENCY) w->until[bar] = t + LATENCY;
    for (unsigned i = 0; i < core_packet_lines(packet); i++) {
        MUST(w->line_head != w->line_tail);
        uint64_t line = w->line[w->line_head++ % FIFO];
        w->lines_taken++;
        if (core_packet_perform(packet)) {
            operate(c, sm, warp, packet, &line, t);
        } else if (kind == CORE_MEM_LOAD && core_line_addr(&line) % 8 == 0) {
            uint64_t *ev = event(c, CORE_EV_DRAM_READ, t, sm % c->param[CORE_PARAM_NUM_SLICES], 0);
            core_event_set_id(ev, sm * WARPS + warp);
            core_event_set_sectors(ev, core_line_sectors(&line));
            core_event_set_addr(ev, core_line_addr(&line));
            w->waiting++;
            c->reads += (unsigned)__builtin_popcount(core_line_sectors(&line));
        }
    }
    if (core_packet_perform(packet) && !core_packet_lines(packet)) {
        uint64_t *ev = event(c, CORE_EV_PERFORM, t, sm, warp);
        core_event_set_slot(ev, core_packet_slot(packet));
    }
    if (kind == CORE_MEM_BARRIER) {
        w->bar_id = (uint8_t)core_packet_bar_id(packet);
        w->at_barrier = !core_packet_bar_arrive(packet);
        w->bar_warps = (uint8_t)core_packet_bar_warps(packet);
        try_barrier(c, sm, w->cta, w->bar_id, t);
    }
}

/* Ends the warp. Reports the CTA's end if it was the last; otherwise other warps' barriers may
 * complete. */
static void end_warp(struct core *c, uint32_t sm, uint32_t warp, struct warp *w, uint64_t t) {
    bool more = false;
    w->live = false;
    for (unsigned i = 0; i < WARPS; i++)
        more |= c->warp[sm * WARPS + i].live && c->warp[sm * WARPS + i].cta == w->cta;
    if (!more) core_event_set_id(event(c, CORE_EV_CTA_DONE, t, sm, warp), w->cta);
    for (unsigned id = 0; more && id < 16; id++) try_barrier(c, sm, w->cta, id, t);
}

/* Tells the watch of a packet that issues. */
static void tell(struct core *c, uint32_t sm, uint32_t warp, struct warp *w,
                 const uint64_t *packet) {
    const uint32_t place = warp % 4 * (WARPS / 4) + warp / 4; /* four sub-cores */
    const bool waits = core_packet_wait_mask(packet) != 0;
    if (!c->watch.visited) return;
    c->watch.visited(c->watch.user, sm, place, true, waits ? FAKE_WAIT : 0,
                     CORE_COUNTER_WAIT_MEMORY - CORE_COUNTER_WAIT_NO_WARP);
    for (unsigned i = 0; core_packet_mem(packet) == CORE_MEM_LOAD && i < core_packet_lines(packet);
         i++) {
        const uint64_t line = w->line[(w->line_head + i) % FIFO];
        c->watch.looked_up(c->watch.user, sm, place,
                           (unsigned)__builtin_popcount(core_line_sectors(&line)), 1);
    }
}

/* Issues the warp's next packet at time t. @return false when the warp starves */
static bool step_warp(struct core *c, uint32_t sm, uint32_t warp, uint64_t t) {
    struct warp *w = &c->warp[sm * WARPS + warp];
    while (w->head != w->tail && core_packet_cls(w->packet[w->head % FIFO]) == CORE_CLASS_HOLD &&
           w->head + 1 != w->tail) {
        w->head++;
        w->taken++;
    }
    if (warp_time(w) > t) return true;
    if (w->head == w->tail) return false;
    const uint64_t *packet = w->packet[w->head % FIFO];
    if (core_packet_cls(packet) == CORE_CLASS_HOLD) return false;
    if (w->line_tail - w->line_head < core_packet_lines(packet)) return false;
    w->head++;
    w->taken++;
    c->issued++;
    c->hash += (t * 64 + warp) * (sm + 1) * UINT64_C(0x9e3779b97f4a7c15);
    w->ready = t + 1;
    unsigned bar = core_packet_wr_bar(packet);
    if (bar < 7 && w->until[bar] < t + 20) w->until[bar] = t + 20;
    tell(c, sm, warp, w, packet);
    memory(c, sm, warp, w, packet, t);
    if (core_packet_last(packet)) {
        end_warp(c, sm, warp, w, t);
    } else if ((!w->wanted && w->tail - w->head <= c->param[CORE_PARAM_BUFFER_PACKETS] / 2) ||
               (uint16_t)(w->lines_taken - w->lines_told) >= LINES / 2) {
        /* Event Want: once per delivery, and when half of the coalesced requests have been used
         * since. */
        uint64_t *ev = event(c, CORE_EV_WANT, t, sm, warp);
        core_event_set_id(ev, w->taken);
        core_event_set_addr(ev, w->lines_taken);
        w->wanted = true;
        w->lines_told = w->lines_taken;
    }
    return true;
}

/* Returns the next time at which something can happen, NEVER: nothing. */
static uint64_t next_time(const struct core *c) {
    uint64_t t = c->num_effects ? c->effects[0].at : NEVER;
    for (uint32_t i = 0; i < c->num_live; i++) {
        uint64_t w = warp_time(&c->warp[c->live[i]]);
        if (w < t) t = w;
    }
    return t > c->now || t == NEVER ? t : c->now;
}

static void forget_dead(struct core *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->num_live; i++)
        if (c->warp[c->live[i]].live) c->live[n++] = c->live[i];
    c->num_live = n;
}

heddle_err core_start(struct core *c, uint32_t until) {
    MUST(c->started < c->finished + CORE_FLIGHTS);
    struct flight *f = &c->flight[++c->started % CORE_FLIGHTS];
    struct core_status *status = &f->status;
    f->num_events = 0;
    c->runs++;
    take_commands(c);
    *status = (struct core_status){.stop = CORE_STOP_REACHED};
    for (;;) {
        uint64_t t = next_time(c);
        if (t >= until) {
            if (c->now < until) c->now = until;
            status->next = t == NEVER ? CORE_NEVER : t;
            break;
        }
        c->now = t;
        take_effect(c);
        bool starved = false;
        for (uint32_t i = 0; i < c->num_live && !starved; i++)
            starved = c->warp[c->live[i]].live &&
                      !step_warp(c, c->live[i] / WARPS, c->live[i] % WARPS, c->now);
        forget_dead(c);
        if (starved) {
            status->stop = CORE_STOP_PARKED;
            status->parked = true;
            status->next = c->now;
            break;
        }
    }
    status->reached = (uint32_t)c->now;
    return HEDDLE_OK;
}

heddle_err core_finish(struct core *c, struct core_status *status) {
    MUST(c->finished < c->started);
    *status = c->flight[++c->finished % CORE_FLIGHTS].status;
    return HEDDLE_OK;
}

bool core_has_commands(const struct core *c) {
    return c->num_commands != 0;
}

unsigned core_under_way(const struct core *c) {
    return c->started - c->finished;
}

uint64_t core_waits(const struct core *c) {
    (void)c;
    return 0;
}

const uint64_t *core_events(const struct core *c, size_t *count) {
    *count = c->flight[c->finished % CORE_FLIGHTS].num_events;
    return c->flight[c->finished % CORE_FLIGHTS].events;
}

uint64_t core_counter(struct core *c, enum core_counter counter) {
    switch (counter) {
    case CORE_COUNTER_CLOCKS: return c->runs;
    case CORE_COUNTER_ISSUED: return c->issued;
    case CORE_COUNTER_ISSUE_HASH: return c->hash;
    case CORE_COUNTER_L2_ACCESSES: return c->served;
    case CORE_COUNTER_DRAM_READS: return c->reads;
    case CORE_COUNTER_DRAM_WRITES: return c->writes;
    default: return 0;
    }
}

heddle_err core_failed(const struct core *c) {
    (void)c;
    return HEDDLE_OK;
}

const char *core_error(const struct core *c) {
    (void)c;
    return "";
}
