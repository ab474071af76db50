/* first_light.c - the streams of first_light.h: a generator of packets, and a host around a core
 * that feeds them, answers for memory and counts the CTAs that end. Called by `heddle card check`
 * and by tests. Everything is on the caller's thread and in one struct host. */
#include "timing/first_light.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "timing/core_command.h"

enum {
    SMS = 4,  /* the least that a core is built for */
    CTAS = 4, /* of an SM, and warps of a CTA, in a random stream */
    CTA_WARPS = 4,
    ALL_WARPS = 64,      /* of an SM */
    SPEED_WARPS = 32,    /* of an SM, one CTA, in the stream for speed */
    ROOM = 64,           /* packets, and line words, that a warp's buffers hold */
    MOST_LINES = 4,      /* of a packet */
    FOOTPRINT = 4096,    /* lines of memory that a random stream touches */
    ANSWER = 200,        /* cycles of a read of memory; more than a run, so that it is never late */
    STEP = 64,           /* cycles of a run */
    LONG_RUNS = 1 << 18, /* no stream takes so many runs */
};

/* Latency classes of the streams; rows are {pipe, interval, latency}. */
enum stream_class { FP32, INT, SFU, MEMORY, SHARED, BRANCH, NUM_STREAM_CLASSES };
static const struct {
    uint32_t pipe, interval, latency, flags;
} class_row[NUM_STREAM_CLASSES] = {
    [FP32] = {1, 2, 4, 12},  [INT] = {2, 4, 8, 12},   [SFU] = {5, 4, 16, 12},
    [MEMORY] = {9, 1, 0, 0}, [SHARED] = {9, 1, 0, 0}, [BRANCH] = {7, 2, 6, 12},
};

/* A warp: its generator, its next packet, and what its buffers hold. */
struct warp {
    uint64_t random;
    unsigned length, made; /* packets, those made; the last one ends the warp */
    bool waits;            /* `packet` and `line` have not been sent */
    uint64_t packet[2], line[MOST_LINES];
    unsigned lines;
    unsigned sent, lines_sent; /* since reset; the core counts what it has consumed */
    unsigned taken, lines_taken;
};

/* A core and the host around it. */
struct host {
    struct core *core;
    bool ffma;       /* FFMA alone, else a random mix */
    unsigned length; /* with ffma: packets of a warp */
    uint32_t sms, warps;
    struct warp *warp; /* [sms][ALL_WARPS] */
    uint32_t ctas;     /* that run */
    struct first_light *out;
};

/* The next number of a warp's generator (splitmix64), below `limit`. */
static uint32_t draw(struct warp *w, uint32_t limit) {
    uint64_t x = w->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) >> 32) % limit;
}

/* ---------------------------------------------------------------------------- packets */

/* Starts the next packet: an instruction of this class without barriers. */
static void begin_packet(struct warp *w, enum stream_class cls) {
    w->packet[0] = w->packet[1] = 0;
    w->lines = 0;
    core_packet_set_cls(w->packet, cls);
    core_packet_set_stall(w->packet, 1);
    core_packet_set_wr_bar(w->packet, 7);
    core_packet_set_rd_bar(w->packet, 7);
    core_packet_set_passes(w->packet, 1);
}

/* Makes it an access of global memory to a few lines. */
static void make_global(struct warp *w) {
    static const unsigned kinds[] = {CORE_MEM_LOAD,  CORE_MEM_LOAD,        CORE_MEM_LOAD,
                                     CORE_MEM_STORE, CORE_MEM_LOAD_STRONG, CORE_MEM_RED,
                                     CORE_MEM_ATOM};
    unsigned kind = kinds[draw(w, sizeof kinds / sizeof *kinds)];
    uint32_t line = draw(w, FOOTPRINT), step = draw(w, 3) ? 1 : 64;
    begin_packet(w, MEMORY);
    core_packet_set_mem(w->packet, kind);
    w->lines = 1 + draw(w, MOST_LINES);
    core_packet_set_lines(w->packet, w->lines);
    for (unsigned i = 0; i < w->lines; i++) {
        uint32_t sectors = 1 + draw(w, 15);
        w->line[i] = 0;
        core_line_set_addr(&w->line[i], (line + i * step) % FOOTPRINT);
        core_line_set_sectors(&w->line[i], sectors);
        core_line_set_full(&w->line[i], draw(w, 2) ? sectors : 0);
        core_line_set_turns(&w->line[i], 1 + draw(w, 32));
        core_line_set_step(&w->line[i], i % 4 == 3 || sectors % 4 == 1);
    }
    if (kind != CORE_MEM_STORE && kind != CORE_MEM_RED)
        core_packet_set_wr_bar(w->packet, draw(w, 6));
    if (draw(w, 2)) core_packet_set_rd_bar(w->packet, draw(w, 6));
}

/* Makes it an access of shared memory. */
static void make_shared(struct warp *w) {
    static const unsigned kinds[] = {CORE_MEM_SHARED_LOAD, CORE_MEM_SHARED_STORE,
                                     CORE_MEM_SHARED_ATOM};
    unsigned kind = kinds[draw(w, 3)];
    begin_packet(w, SHARED);
    core_packet_set_mem(w->packet, kind);
    core_packet_set_passes(w->packet, 1 + draw(w, 32));
    if (kind != CORE_MEM_SHARED_STORE) core_packet_set_wr_bar(w->packet, draw(w, 6));
}

/* Makes it an arithmetic instruction, whose operands meet in the register file now and then. */
static void make_arithmetic(struct warp *w) {
    static const enum stream_class classes[] = {FP32, FP32, INT, SFU};
    enum stream_class cls = classes[draw(w, 4)];
    begin_packet(w, cls);
    core_packet_set_src0(w->packet, draw(w, 4));
    core_packet_set_src1(w->packet, draw(w, 4));
    core_packet_set_src2(w->packet, draw(w, 4));
    core_packet_set_even(w->packet, draw(w, 8));
    core_packet_set_odd(w->packet, draw(w, 8));
    if (cls == SFU) core_packet_set_wr_bar(w->packet, draw(w, 6));
}

/* Makes the warp's next packet. */
static void make_packet(const struct host *h, struct warp *w) {
    bool last = ++w->made == w->length;
    if (last || h->ffma) {
        begin_packet(w, last ? BRANCH : FP32);
    } else {
        unsigned kind = draw(w, 8);
        if (kind < 2)
            make_global(w);
        else if (kind < 3)
            make_shared(w);
        else
            make_arithmetic(w);
        if (!draw(w, 4)) core_packet_set_wait_mask(w->packet, 1u << draw(w, 7));
        core_packet_set_stall(w->packet, 1 + draw(w, 4));
        core_packet_set_do_yield(w->packet, !draw(w, 6));
    }
    if (last) {
        core_packet_set_wait_mask(w->packet, 0x7f);
        core_packet_set_last(w->packet, 1);
    }
    w->waits = true;
}

/* ---------------------------------------------------------------------------- the host */

/* A beat of Packets that is being filled. */
struct beat {
    struct core *core;
    uint32_t sm, warp;
    uint64_t *words; /* NULL: none has been begun */
    unsigned used, types;
};

/* Adds a payload word to the beat, {low, high} of this type, and begins one where there is none. */
static void put(struct beat *b, uint64_t low, uint64_t high, unsigned type) {
    if (!b->words) {
        b->words = core_command(b->core, 1);
        core_make_packets(b->words, &(struct core_cmd_packets){.sm = b->sm, .warp = b->warp});
        b->used = b->types = 0;
    }
    uint64_t *word = b->words + CORE_BEAT_PAYLOAD + 2 * b->used;
    word[0] = low;
    word[1] = high;
    b->types |= type << 2 * b->used++;
    core_command_set_words(b->words, b->used);
    core_command_set_types(b->words, b->types);
    if (b->used == 3) b->words = NULL;
}

/* Sends what fits into the warp's buffers; line words precede the packet that they belong to. */
static void feed(struct host *h, uint32_t sm, uint32_t warp) {
    struct warp *w = &h->warp[sm * ALL_WARPS + warp];
    struct beat beat = {.core = h->core, .sm = sm, .warp = warp};
    while (w->made < w->length || w->waits) {
        if (!w->waits) make_packet(h, w);
        if (w->sent - w->taken >= ROOM || w->lines_sent + w->lines - w->lines_taken > ROOM) return;
        for (unsigned i = 0; i < w->lines; i++) put(&beat, w->line[i], 0, 1);
        put(&beat, w->packet[0], w->packet[1], 0);
        w->lines_sent += w->lines;
        w->sent++;
        w->waits = false;
    }
}

/* Carries out an event of the core: the warp's buffers have room; memory is read, or written with
 * an answer; a CTA has ended. */
static void handle(struct host *h, const uint64_t *event) {
    uint32_t at = core_event_at(event);
    switch (core_event_kind(event)) {
    case CORE_EV_WANT: {
        struct core_ev_credit c = core_read_credit(event);
        if (c.sm >= h->sms || c.warp >= ALL_WARPS) break; /* the hashes will tell */
        struct warp *w = &h->warp[c.sm * ALL_WARPS + c.warp];
        w->taken += (uint16_t)(c.packets - w->taken);
        w->lines_taken += (uint16_t)(c.lines - w->lines_taken);
        feed(h, c.sm, c.warp);
        break;
    }
    case CORE_EV_DRAM_READ: {
        struct core_ev_dram_read r = core_read_dram_read(event);
        core_make_dram_reply(
            core_command(h->core, 1),
            &(struct core_cmd_dram_reply){.slice = r.slice, .id = r.id, .at = at + ANSWER});
        break;
    }
    case CORE_EV_DRAM_WRITE: {
        struct core_ev_dram_write write = core_read_dram_write(event);
        if (write.answered)
            core_make_dram_reply(
                core_command(h->core, 1),
                &(struct core_cmd_dram_reply){
                    .slice = write.slice, .id = 1, .written = 1, .at = at + ANSWER});
        break;
    }
    case CORE_EV_CTA_DONE:
        if (h->ctas) h->ctas--;
        if (at > h->out->cycles) h->out->cycles = at; /* engines report in an order of their own */
        break;
    default: break;
    }
}

/* Sets the parameters, launches all warps and fills their buffers. */
static heddle_err launch(struct host *h, uint32_t seed) {
    const uint32_t cta_warps = h->ffma ? SPEED_WARPS : CTA_WARPS;
    heddle_err e = core_set_param(h->core, CORE_PARAM_NUM_SM, h->sms);
    for (uint32_t c = 0; c < NUM_STREAM_CLASSES && !e; c++)
        e = core_set_class(h->core, c, class_row[c].pipe, class_row[c].interval,
                           class_row[c].latency, class_row[c].flags);
    if (e) return e;
    for (uint32_t sm = 0; sm < h->sms; sm++)
        for (uint32_t i = 0; i < h->warps; i++) {
            struct warp *w = &h->warp[sm * ALL_WARPS + i];
            w->random = (uint64_t)seed << 32 | sm << 8 | i;
            w->length = h->ffma ? h->length : 20 + draw(w, 60);
            core_make_launch(core_command(h->core, 1),
                             &(struct core_cmd_launch){.sm = sm,
                                                       .warp = i,
                                                       .slot = i / cta_warps,
                                                       .warps = cta_warps,
                                                       .at = 10 + i / cta_warps});
        }
    for (uint32_t sm = 0; sm < h->sms; sm++)
        for (uint32_t i = 0; i < h->warps; i++) feed(h, sm, i);
    h->ctas = h->sms * h->warps / cta_warps;
    return HEDDLE_OK;
}

/* Runs the core until all CTAs have ended, and reads its counters. @return HEDDLE_ERR_PROTOCOL,
 * with text in diag, after LONG_RUNS; or the core's error, whose text the core has. */
static heddle_err run(struct host *h, struct heddle_diag *diag) {
    uint32_t until = STEP;
    for (uint32_t runs = 0; h->ctas; runs++) {
        struct core_status status;
        size_t count;
        heddle_err e = core_run(h->core, until, &status);
        if (e) return e;
        const uint64_t *event = core_events(h->core, &count);
        for (size_t i = 0; i < count; i++) handle(h, event + 2 * i);
        if (!status.parked) until += STEP;
        if (runs == LONG_RUNS)
            return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                               "after %u runs, up to cycle %u, %u CTAs have not ended", runs, until,
                               h->ctas);
    }
    h->out->issued = core_counter(h->core, CORE_COUNTER_ISSUED);
    h->out->issue_hash = core_counter(h->core, CORE_COUNTER_ISSUE_HASH);
    h->out->slice_hash = core_counter(h->core, CORE_COUNTER_SLICE_HASH);
    h->out->clocks = core_counter(h->core, CORE_COUNTER_CLOCKS);
    return core_failed(h->core);
}

/* Opens the core, runs the host's stream and closes the core. *seconds: wall time of the run. */
static heddle_err run_stream(struct host *h, const struct core_options *options, uint32_t seed,
                             double *seconds, struct heddle_diag *diag) {
    heddle_err e = core_create(&h->core, options, diag);
    if (e) return e;
    if (h->ffma) h->sms = core_info(h->core)->max_sms;
    h->warp = heddle_alloc_array((size_t)h->sms * ALL_WARPS, sizeof *h->warp, "warps of a stream");
    *h->out = (struct first_light){0};
    diag->text[0] = 0;
    e = launch(h, seed);
    double begin = wall_seconds();
    if (!e) e = run(h, diag);
    *seconds = wall_seconds() - begin;
    if (e && !diag->text[0]) heddle_fail(diag, e, "%s", core_error(h->core));
    core_free(h->core);
    free(h->warp);
    return e;
}

heddle_err first_light_stream(const struct core_options *options, uint32_t seed,
                              struct first_light *out, struct heddle_diag *diag) {
    double seconds;
    struct host h = {.sms = SMS, .warps = CTAS * CTA_WARPS, .out = out};
    return run_stream(&h, options, seed, &seconds, diag);
}

heddle_err first_light_speed(const struct core_options *options, unsigned length,
                             struct first_light *out, double *seconds, struct heddle_diag *diag) {
    struct host h = {.ffma = true, .length = length, .warps = SPEED_WARPS, .out = out};
    return run_stream(&h, options, 0, seconds, diag);
}
