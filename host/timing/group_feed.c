/* group_feed.c - keeps the packet buffers of an SM group's warps filled.
 *
 * advance() of group.c calls group_feed() before every run of the core, on the thread that
 * simulates the group; nearly everything below runs inside that call. group.c also calls
 * group_list() and group_complete() as messages and events arrive. A warp is listed when its CTA
 * begins, when the core has consumed packets, when an operation that it waited for has been
 * performed, or when a CTA barrier opens. Listed warps run as far as run-ahead allows, in the order
 * in which they were listed, which follows from the core's events alone.
 *
 * The path of a packet: exec_warp_run() executes instructions (and performs ordinary loads and
 * stores on the program's memory) and leaves records in g->trace; run_warp() turns them into
 * packets and coalesced requests of the warp's backlog; deliver() copies from the backlog into
 * Packets commands of the core's batch, as many as the core's buffers have room for.
 *
 * Errors go to g->failed and g->diag. Functions that take a backlog `b` append to it or take from
 * it; those that return bool false had no memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "core_words.h"
#include "mir/mir_slow.h"
#include "timing/clock.h"
#include "timing/core_command.h"
#include "timing/group_internal.h"

enum { EXTRA = 34 }; /* room beyond the budget for records into which generic accesses split */

/* Driving thread, from timing_group_create(), which has made g->warps: allocates the trace and all
 * backlogs, and copies the latencies. @return HEDDLE_ERR_NOMEM, with text in diag;
 * group_feed_free() frees what was made. */
heddle_err group_feed_create(struct timing_group *g, struct heddle_diag *diag) {
    uint32_t turn = g->config->run_ahead + EXTRA;
    for (unsigned i = 0; i < MIR_CLASS_COUNT; i++)
        g->latency[i] = (uint16_t)g->config->cls[i].latency;
    g->trace.capacity = turn < 64 ? 64 : turn;
    g->trace.record = malloc(g->trace.capacity * sizeof *g->trace.record);
    g->trace.access = malloc(g->trace.capacity * EXEC_RECORD_TEXELS * sizeof *g->trace.access);
    bool ok = g->trace.record && g->trace.access;
    for (uint32_t i = 0; ok && i < g->num_sms * TIMING_MAX_WARPS; i++) {
        struct group_backlog *b = &g->warps[i].backlog;
        b->capacity = turn;
        b->packet = malloc(turn * sizeof *b->packet);
        b->num_requests = malloc(turn);
        b->pc = malloc(turn * sizeof *b->pc);
        b->request_capacity = FEED_USUAL_REQUESTS;
        b->request = malloc(b->request_capacity * sizeof *b->request);
        ok = b->packet && b->num_requests && b->pc && b->request;
    }
    return ok ? HEDDLE_OK : heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for packet buffers");
}

/* Frees the trace and the backlogs, all or a part; g->warps stays. */
void group_feed_free(struct timing_group *g) {
    for (uint32_t i = 0; g->warps && i < g->num_sms * TIMING_MAX_WARPS; i++) {
        free(g->warps[i].backlog.packet);
        free(g->warps[i].backlog.num_requests);
        free(g->warps[i].backlog.pc);
        free(g->warps[i].backlog.request);
    }
    free(g->trace.record);
    free(g->trace.access);
    group_watch_free(g);
}

/* Counts what the warps have executed, and frees their slots. */
void group_end_warps(struct timing_group *g, const struct group_cta *cta, uint32_t sm) {
    for (unsigned i = 0; i < cta->num_warps; i++) {
        struct group_warp *gw = group_warp_of(g, sm, cta->warp[i]);
        struct exec_warp_view ended;
        exec_warp_look_at(gw->exec, &ended);
        g->sms[sm / g->config->num_groups].warp_inst += ended.executed;
        gw->exec = NULL;
        if (g->watch.flight) group_watch_end(g, gw);
    }
}

/* Appends the warp to the ring g->listed unless it is there. */
void group_list(struct timing_group *g, struct group_warp *gw) {
    if (gw->listed) return;
    gw->listed = true;
    uint32_t capacity = g->num_sms * TIMING_MAX_WARPS;
    g->listed[(g->list_head + g->num_listed++) % capacity] = gw;
}

/* Lists every warp of the CTA that waited at a barrier which has opened. */
static void list_ready(struct timing_group *g, struct group_cta *cta) {
    uint32_t sm = (uint32_t)((cta - g->ctas) / TIMING_MAX_CTAS);
    for (uint32_t ready = exec_cta_ready(cta->cta); ready; ready &= ready - 1) {
        unsigned i = (unsigned)__builtin_ctz(ready);
        struct group_warp *gw = &g->warps[sm * TIMING_MAX_WARPS + cta->warp[i]];
        if (gw->state == EXEC_WAIT_BARRIER) group_list(g, gw);
    }
}

/* Tells the executor that `lanes` of the warp's operation `slot` have been performed; lists the
 * warp if that ended its wait. */
void group_complete(struct timing_group *g, struct group_warp *gw, uint8_t slot, uint32_t lanes) {
    if (exec_complete(gw->exec, slot, lanes) &&
        (gw->state == EXEC_WAIT_INFLIGHT || gw->state == EXEC_WAIT_DRAIN) &&
        exec_warp_ready(gw->exec))
        group_list(g, gw);
}

/* A number for the warp slot, the same with any number of groups. */
static uint32_t number_of(const struct timing_group *g, const struct group_warp *gw) {
    const uint32_t place = (uint32_t)(gw - g->warps);
    const uint32_t sm = place / TIMING_MAX_WARPS * g->config->num_groups + g->index;
    return sm * TIMING_MAX_WARPS + place % TIMING_MAX_WARPS;
}

void group_note_access(struct timing_group *g, struct group_warp *gw, uint8_t slot, uint32_t lanes,
                       uint64_t at) {
    if (!gw->cta->is_pe || !lanes) return;
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    command_log_add(
        &g->waits_log,
        &(struct command_access){.at = at,
                                 .address = exec_inflight_operand(gw->exec, slot, first).address,
                                 .warp = number_of(g, gw),
                                 .mem = exec_inflight_operation(gw->exec, slot).mem,
                                 .lanes = (uint8_t)__builtin_popcount(lanes)});
}

void group_note_begin(struct timing_group *g, struct group_warp *gw, uint64_t at) {
    if (g->watch.flight) group_watch_launch(g, gw);
    if (gw->cta->is_pe)
        command_log_add(
            &g->waits_log,
            &(struct command_access){.at = at, .warp = number_of(g, gw), .mem = COMMAND_BEGIN});
}

void group_note_places(struct timing_group *g, struct group_cta *cta) {
    const struct command_places places = command_places_of(&cta->launch->exec);
    cta->is_pe = places.queues != 0;
    if (cta->is_pe) g->places = places;
}

static struct command_stage *stage_of(void *self, uint32_t warp) {
    struct timing_group *g = self;
    return &group_warp_of(g, warp / TIMING_MAX_WARPS, warp % TIMING_MAX_WARPS)->command;
}

void group_waits_advance(struct timing_group *g, uint64_t before) {
    command_waits_take(&g->waits, &g->places, &g->waits_log, before, stage_of, g);
}

/* Makes room in the backlog for this many more packets and coalesced requests. @return false: no
 * memory; the backlog is as before. */
static bool reserve(struct group_backlog *b, uint32_t packets, uint32_t lines) {
    if (b->count + packets > b->capacity) {
        uint32_t capacity = 2 * (b->count + packets);
        struct feed_packet *packet = realloc(b->packet, capacity * sizeof *packet);
        if (packet) b->packet = packet;
        uint8_t *num_requests = realloc(b->num_requests, capacity);
        if (num_requests) b->num_requests = num_requests;
        uint32_t *pc = realloc(b->pc, capacity * sizeof *pc);
        if (pc) b->pc = pc;
        if (!packet || !num_requests || !pc) return false;
        b->capacity = capacity;
    }
    if (b->request_count + lines > b->request_capacity) {
        uint32_t capacity = 2 * (b->request_count + lines);
        uint64_t *request = realloc(b->request, capacity * sizeof *request);
        if (!request) return false;
        b->request = request;
        b->request_capacity = capacity;
    }
    return true;
}

/* Adds a packet whose `lines` coalesced requests already lie behind the backlog's last one. The
 * packet is repeated, at most FEED_PACKET_REQUESTS requests each time, until all are covered; the
 * room is reserved. */
static void add_packet(struct group_backlog *b, const struct feed_packet *packet, unsigned lines) {
    bool again = false;
    do {
        unsigned n = lines < FEED_PACKET_REQUESTS ? lines : FEED_PACKET_REQUESTS;
        b->packet[b->count] = *packet;
        if (again) feed_part(&b->packet[b->count], b->request + b->request_count, n);
        again = true;
        b->num_requests[b->count++] = (uint8_t)n;
        b->request_count += n;
        lines -= n;
    } while (lines);
}

/* @return the addresses of a record, or NULL: it has none. Barriers, sleeps and slow paths keep
 * other data in the member `access`. */
static const struct exec_access *access_of(const struct mir_function *function,
                                           const struct exec_trace *t,
                                           const struct exec_record *r) {
    unsigned op = function->code[r->pc].op;
    if (op == MIR_BAR || op == MIR_NANOSLEEP || r->flags & (EXEC_REC_ARRIVE | EXEC_REC_SLOW) ||
        r->access == EXEC_NO_ACCESS)
        return NULL;
    return &t->access[r->access];
}

/* Core cycles that a NANOSLEEP sleeps. PTX allows a sleep of t any length up to 2 t and a
 * millisecond; here it takes t, rounded up to cycles. */
static uint32_t sleep_cycles(const struct timing_group *g, const struct exec_record *r) {
    enum { MOST_NS = 1000000 };
    uint32_t ns = r->mask ? r->nanoseconds : 0;
    return (uint32_t)clock_cycle_from((ns < MOST_NS ? ns : MOST_NS) * UINT64_C(1000),
                                      g->config->khz);
}

/* Makes the backlog's last packet sleep for `cycles`, and repeats it for the rest of a sleep longer
 * than FEED_MOST_SLEEP. @return false: no memory. */
static bool add_sleep(struct group_backlog *b, uint32_t cycles) {
    if (!reserve(b, cycles / FEED_MOST_SLEEP, 0)) return false;
    for (;;) {
        struct feed_packet *packet = &b->packet[b->count - 1];
        uint32_t now = cycles < FEED_MOST_SLEEP ? cycles : FEED_MOST_SLEEP;
        feed_sleep_set(packet, now);
        cycles -= now;
        if (!cycles) return true;
        packet[1] = packet[0];
        core_packet_set_fetch(packet[1].w, 0);
        b->num_requests[b->count++] = 0;
    }
}

/* Adds the packets of a slow path of division or square root; *first is the operation's own. Sets
 * gw->code_line. @return false: no memory. */
static bool add_slow(struct timing_group *g, struct group_warp *gw, const struct feed_packet *first,
                     const struct exec_record *r) {
    struct feed_packet packet[MIR_SLOW_MOST];
    packet[0] = *first;
    unsigned n = feed_slow_make(packet, gw->cta->launch->exec.function, r, g->latency);
    if (!reserve(&gw->backlog, n, 0)) return false;
    for (unsigned i = 0; i < n; i++) add_packet(&gw->backlog, &packet[i], 0);
    gw->code_line = core_packet_pc(packet[n - 1].w) / MIR_CODE_LINE;
    return true;
}

struct group_tally *group_tally_of(struct timing_group *g, uint64_t launch) {
    for (uint32_t i = 0; i < g->num_tallies; i++)
        if (g->tally[i].launch == launch) return &g->tally[i];
    g->tally = heddle_grow(g->tally, &g->cap_tallies, g->num_tallies + 1, sizeof *g->tally,
                           "counts of launches");
    g->tally[g->num_tallies] = (struct group_tally){.launch = launch};
    return &g->tally[g->num_tallies++];
}

/* Keeps the fault for the driving thread. */
void group_fault(struct timing_group *g, const struct group_cta *cta,
                 const struct exec_fault *fault) {
    struct group_tally *tally = group_tally_of(g, cta->launch_number);
    if (tally->fault.err) return; /* a consequence, mostly */
    tally->fault = *fault;
    g->faulted = true;
}

/* Sets where the warp waits for its plain stores. A fence and the acknowledgements of stores before
 * it take their time side by side: so the packet behind the fence waits for those, unless a Hold
 * before the fence does (which must change no cycle). */
static void wait_for_stores(struct group_warp *gw, struct feed_packet *packet) {
    unsigned wait = core_packet_wait_mask(packet->w), cls = core_packet_cls(packet->w);
    const bool fence = cls == MIR_CLASS_FENCE || cls == MIR_CLASS_FENCE_SYS;
    const uint8_t hold = gw->hold;
    gw->hold = 0;
    if (!gw->fenced && !fence) return;
    if (gw->fenced) wait |= EXEC_WAIT_POSTED;
    gw->fenced = fence && wait & EXEC_WAIT_POSTED && !(hold & EXEC_WAIT_POSTED);
    if (gw->fenced) wait &= ~(unsigned)EXEC_WAIT_POSTED;
    core_packet_set_wait_mask(packet->w, wait);
}

/* The warp's last packet of a CTA that none is expected to follow waits for its stores. Adds a
 * packet before it that issues when it could but for them: its Perform tells when that is. The room
 * is reserved. A warp with reductions waits for them anyway. */
static void leave(struct group_warp *gw, struct feed_packet *last) {
    struct feed_packet packet = *last;
    if (core_packet_wait_mask(last->w) & EXEC_WAIT_POSTED) {
        gw->cta->left = GROUP_LEFT_LATE;
        return;
    }
    core_packet_set_last(packet.w, 0);
    core_packet_set_perform(packet.w, 1);
    core_packet_set_slot(packet.w, GROUP_LEAVES);
    add_packet(&gw->backlog, &packet, 0);
    core_packet_set_start(last->w, 0);
    core_packet_set_fetch(last->w, 0);
    core_packet_set_wait_mask(last->w, core_packet_wait_mask(last->w) | EXEC_WAIT_POSTED);
}

bool group_leaves(struct group_warp *gw, uint8_t slot, uint64_t at) {
    if (slot != GROUP_LEAVES) return false;
    if (at > gw->cta->left) gw->cta->left = at;
    return true;
}

/* The packets of the backlog from *marked on are of this instruction. */
static void mark(struct group_backlog *b, uint32_t *marked, uint32_t pc) {
    while (*marked < b->count) b->pc[(*marked)++] = pc;
}

/* Runs the warp for at most `budget` instructions and turns its records into packets of its
 * backlog. The backlog holds no packets before, but may hold coalesced requests. Behind the last
 * packet comes a Hold when the warp waits for an operation in flight. Lists warps whose barrier
 * opened. A warp with a fault exits when it runs again. */
static void run_warp(struct timing_group *g, struct group_warp *gw, uint32_t budget) {
    struct group_backlog *b = &gw->backlog;
    struct exec_trace *t = &g->trace;
    const struct timing_launch *launch = gw->cta->launch;
    const struct mir_function *function = launch->exec.function;
    t->num_records = t->num_accesses = 0;
    gw->state = exec_warp_run(gw->exec, budget, t);
    b->head = b->count = 0;
    b->request_count -= b->request_head;
    memmove(b->request, b->request + b->request_head, b->request_count * sizeof *b->request);
    b->request_head = 0;
    b->request_sent = b->request_count;
    bool launched = function->num_inst + function->slow_inst <= g->config->code_launched;
    uint32_t marked = 0;
    bool opened = gw->state == EXEC_EXITED; /* barriers now wait for one warp less */
    for (uint32_t i = 0; i < t->num_records; i++) {
        const struct exec_record *r = &t->record[i];
        if (i) mark(b, &marked, r[-1].pc);
        struct feed_packet packet, constants[MIR_WARP_SIZE];
        bool indexed = function->code[r->pc].op == MIR_LDC;
        unsigned most = feed_most_requests(r);
        if (!reserve(b, indexed ? MIR_WARP_SIZE : most / FEED_PACKET_REQUESTS + 2, most)) {
            g->failed = heddle_fail(&g->diag, HEDDLE_ERR_NOMEM, "out of memory for packets");
            return;
        }
        unsigned n = feed_packet_make(&packet, b->request + b->request_count, launch->feed,
                                      function, r, access_of(function, t, r), &gw->space);
        if (launch->code) /* mod 2^20 */
            core_packet_set_pc(packet.w, core_packet_pc(packet.w) + launch->code);
        group_l1_note(g, gw, &packet, b->request + b->request_count, n);
        group_managed_note(g, gw, b->request + b->request_count, n);
        uint32_t code_line = core_packet_pc(packet.w) / MIR_CODE_LINE;
        core_packet_set_start(packet.w, gw->code_line == UINT32_MAX);
        core_packet_set_fetch(packet.w, code_line != gw->code_line);
        core_packet_set_launched(packet.w, launched);
        wait_for_stores(gw, &packet);
        gw->code_line = code_line;
        group_count(g, gw, r, &packet, b->request + b->request_count, n, access_of(function, t, r));
        if (r->flags & EXEC_REC_ARRIVE)
            core_packet_set_passes(packet.w, g->config->barrier_interval);
        if (r->inflight != EXEC_NO_INFLIGHT) gw->slot_sreg[r->inflight] = function->code[r->pc].sub;
        if (indexed) {
            constants[0] = packet;
            unsigned lines = feed_constants_make(constants, function, r, access_of(function, t, r),
                                                 g->config->replay);
            for (unsigned k = 0; k < lines; k++) add_packet(b, &constants[k], 0);
            continue;
        }
        if (r->flags & EXEC_REC_SLOW) {
            if (add_slow(g, gw, &packet, r)) continue;
            g->failed = heddle_fail(&g->diag, HEDDLE_ERR_NOMEM, "out of memory for packets");
            return;
        }
        if (gw->cta->last && r->flags & EXEC_REC_END) leave(gw, &packet);
        add_packet(b, &packet, n);
        if (function->code[r->pc].op == MIR_NANOSLEEP && !add_sleep(b, sleep_cycles(g, r))) {
            g->failed = heddle_fail(&g->diag, HEDDLE_ERR_NOMEM, "out of memory for packets");
            return;
        }
        if (r->texels && feed_filter_make(&packet, &packet, function, r, g->config->texture_lanes))
            add_packet(b, &packet, 0);
        opened |= (r->flags & EXEC_REC_ARRIVE) != 0; /* this may be the last warp to arrive */
    }
    if (t->num_records) mark(b, &marked, t->record[t->num_records - 1].pc);
    group_count_pipes(g, gw);
    if (opened) list_ready(g, gw->cta);
    switch (gw->state) {
    case EXEC_WAIT_INFLIGHT:
    case EXEC_WAIT_DRAIN:
        if (!reserve(b, 1, 0)) {
            g->failed = heddle_fail(&g->diag, HEDDLE_ERR_NOMEM, "out of memory for packets");
            return;
        }
        gw->hold = (uint8_t)exec_warp_wait(gw->exec);
        feed_hold_make(&b->packet[b->count], gw->hold);
        b->num_requests[b->count++] = 0;
        break;
    case EXEC_FAULT: /* it leaves, as the core must not wait for it */
        group_fault(g, gw->cta, exec_cta_fault(gw->cta->cta));
        exec_warp_forgive(gw->exec);
        gw->state = EXEC_RAN;
        group_list(g, gw);
        break;
    default: break;
    }
}

/* A Packets command that is being filled: packets and coalesced requests of one warp. */
struct beat {
    uint64_t *w;           /* in the core's batch; NULL: none begun */
    unsigned words, types; /* payload words used (1..3); two bits for each: its content */
};

/* @return the next payload word (two 64-bit halves) for this warp, already counted in the command
 * of *b. Begins a new command in the core's batch when the beat is full. `type`: 0 a packet, 1 one
 * coalesced request, 2 two. */
static uint64_t *beat_word(struct timing_group *g, struct beat *b, uint32_t sm, uint32_t warp,
                           unsigned type) {
    if (!b->w || b->words == 3) {
        b->w = core_command(g->core, 1);
        core_make_packets(b->w, &(struct core_cmd_packets){.sm = sm, .warp = warp});
        b->words = b->types = 0;
    }
    uint64_t *word = b->w + CORE_BEAT_PAYLOAD + 2 * b->words;
    b->types |= type << 2 * b->words++;
    core_command_set_words(b->w, b->words);
    core_command_set_types(b->w, b->types);
    return word;
}

/* How many packets the core's buffer of this warp has room for. The core gives credit for a Hold
 * only with the packet after it, for which there is a place more. */
static uint32_t room_for_packets(const struct timing_group *g, const struct group_warp *gw) {
    uint32_t taken = (uint16_t)(gw->sent - gw->consumed);
    if (taken < g->config->run_ahead) return g->config->run_ahead - taken;
    return gw->held && taken == g->config->run_ahead ? g->config->hold_place : 0;
}

/* Moves packets and coalesced requests from the warp's backlog into commands of the core's batch,
 * as many as fit into the core's buffers. @return true if it moved any. */
static bool deliver(struct timing_group *g, struct group_warp *gw) {
    struct group_backlog *b = &gw->backlog;
    uint32_t index = (uint32_t)(gw - g->warps), warp = index % TIMING_MAX_WARPS;
    uint32_t sm = index / TIMING_MAX_WARPS * g->config->num_groups + g->index;
    uint32_t room = room_for_packets(g, gw);
    uint32_t request_room = GROUP_REQUEST_FIFO -
                            (uint16_t)(gw->requests_sent - gw->requests_consumed);
    struct beat beat = {0};
    bool any = false;
    for (;;) {
        /* Coalesced requests go before their packet if there is room for them. A packet never
         * waits for that room: the memory stage waits for coalesced requests, but a sub-core that
         * waits for a packet stops the stage as well, and then it would never free any room. */
        uint32_t limit = b->request_sent + (b->head < b->count ? b->num_requests[b->head] : 0);
        while (b->request_head < limit && request_room) {
            unsigned n = limit - b->request_head > 1 && request_room > 1 ? 2 : 1;
            memcpy(beat_word(g, &beat, sm, warp, n), &b->request[b->request_head],
                   n * sizeof *b->request);
            b->request_head += n;
            request_room -= n;
            gw->requests_sent = (uint16_t)(gw->requests_sent + n);
            any = true;
        }
        if (b->head == b->count || !room) break;
        b->request_sent += b->num_requests[b->head];
        const struct feed_packet *packet = &b->packet[b->head];
        if (g->watch.flight)
            group_watch_sent(g, gw, packet, b->pc[b->head], b->num_requests[b->head]);
        b->head++;
        memcpy(beat_word(g, &beat, sm, warp, 0), packet->w, 16);
        gw->held = core_packet_cls(packet->w) == CORE_CLASS_HOLD;
        room--;
        gw->sent++;
        any = true;
    }
    return any;
}

/* Delivers, runs and delivers again until the warp waits, ends or has no room for packets.
 * @return true if anything was delivered. */
static bool feed_warp(struct timing_group *g, struct group_warp *gw) {
    struct group_backlog *b = &gw->backlog;
    bool any = false;
    for (;;) {
        if (b->head < b->count || b->request_head < b->request_count) {
            any |= deliver(g, gw);
            if (b->head < b->count) return any;
        }
        if (gw->state == EXEC_EXITED) return any;
        if (gw->state != EXEC_RAN && !exec_warp_ready(gw->exec)) return any;
        /* One place is kept for a Hold while more than one is free. The core reports only once per
         * delivery that half of the buffer is free, so the last known place must be used. */
        uint32_t room = room_for_packets(g, gw);
        if (!room) return any;
        run_warp(g, gw, room > 1 ? room - 1 : 1);
        if (g->failed) return any;
        if (!b->count) return any;
    }
}

/* Decides at random, one time in four, to postpone a warp: the test that host delays change no
 * cycle. Always false without timing_config.delay_seed. */
static bool late(struct timing_group *g) {
    if (!g->delay) return false;
    g->delay = g->delay * 1664525u + 1013904223u;
    return g->delay >> 30 == 0;
}

/* Works off the ring g->listed: runs and delivers each warp, in order, until the ring is empty or
 * the group fails. Warps that the test of host delays postpones are listed again. @return true if
 * any packet or coalesced request was delivered. */
bool group_feed(struct timing_group *g) {
    bool any = false;
    uint32_t capacity = g->num_sms * TIMING_MAX_WARPS, num_delayed = 0;
    /* The list may grow during the loop, by warps whose barrier opens. */
    while (g->num_listed && !g->failed) {
        struct group_warp *gw = g->listed[g->list_head];
        g->list_head = (g->list_head + 1) % capacity;
        g->num_listed--;
        if (late(g)) {
            g->delayed[num_delayed++] = gw;
            continue;
        }
        gw->listed = false;
        /* A warp that has ended may still have coalesced requests of a prefetch in its backlog. */
        any |= gw->exec ? feed_warp(g, gw) : deliver(g, gw);
    }
    for (uint32_t i = 0; i < num_delayed; i++) {
        g->delayed[i]->listed = false;
        group_list(g, g->delayed[i]);
    }
    return any;
}

/* Driving thread between windows, or group_stuck(): writes for up to eight resident warps what each
 * waits for, a line each that begins with a newline, and how many more there are, as far as `size`
 * bytes allow. @return characters written. */
size_t timing_group_story(const struct timing_group *g, char *out, size_t size) {
    char line[512];
    size_t used = 0;
    unsigned shown = 0, more = 0;
    enum { LAST = 40 }; /* room for the line that counts the rest */
    if (size) out[0] = 0;
    for (uint32_t i = 0; i < g->num_sms * TIMING_MAX_WARPS; i++) {
        const struct group_warp *gw = &g->warps[i];
        if (!gw->exec || gw->state == EXEC_EXITED) continue;
        exec_warp_describe(line, sizeof line, gw->exec);
        if (shown == 8 || used + strlen(line) + 2 * LAST > size) {
            more++;
            continue;
        }
        used += (size_t)snprintf(out + used, size - used, "\n  SM %u, %s",
                                 i / TIMING_MAX_WARPS * g->config->num_groups + g->index, line);
        shown++;
    }
    if (more && used + LAST <= size)
        used += (size_t)snprintf(out + used, size - used, "\n  and %u more warps", more);
    return used;
}

void timing_group_standing(const struct timing_group *g, uint64_t launch, struct exec_standing *s) {
    for (uint32_t i = 0; i < g->num_sms * TIMING_MAX_CTAS; i++) {
        const struct group_cta *cta = &g->ctas[i];
        if (!cta->cta || cta->launch_number != launch) continue;
        for (unsigned k = 0; k < cta->num_warps; k++)
            exec_standing_add(s, exec_cta_warp(cta->cta, k));
    }
}

void timing_group_add_resident(const struct timing_group *g, uint64_t launch,
                               struct exec_counts *sum) {
    for (uint32_t i = 0; i < g->num_sms * TIMING_MAX_CTAS; i++) {
        struct exec_counts counts;
        const struct group_cta *cta = &g->ctas[i];
        if (!cta->cta || cta->launch_number != launch) continue;
        exec_cta_counts(cta->cta, &counts);
        counts.fed = cta->fed;
        exec_counts_add(sum, &counts);
    }
}

void timing_group_look(struct timing_group *g, struct exec_look *look) {
    for (uint32_t i = 0; i < g->num_sms * TIMING_MAX_CTAS; i++)
        if (g->ctas[i].cta) exec_look_add(look, g->ctas[i].cta);
}

/* From advance(): fills diag with the story of the group's warps at target cycle `cycle`. @return
 * HEDDLE_ERR_DEADLOCK; g->failed stays. */
heddle_err group_stuck(struct timing_group *g, uint64_t cycle, struct heddle_diag *diag) {
    char text[700];
    timing_group_story(g, text, sizeof text);
    return heddle_fail(diag, HEDDLE_ERR_DEADLOCK,
                       "no warp of SM group %u can make progress at cycle %llu:%s", g->index,
                       (unsigned long long)cycle, text);
}

/* Driving thread, between windows. */
void timing_group_atomics(const struct timing_group *g, struct atomic_lines *sum) {
    atomic_lines_add(sum, &g->atomics);
}

/* Driving thread, between windows. */
void timing_group_waits(struct timing_group *g, struct command_waits *sum) {
    group_waits_advance(g, UINT64_MAX);
    command_waits_add(sum, &g->waits);
}
