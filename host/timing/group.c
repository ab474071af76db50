/* group.c - the life of an SM group: messages in, windows, events out. See group.h; the feeding of
 * warps is in group_feed.c. */
#include "timing/group.h"

#include <stdlib.h>
#include <string.h>

#include "core_words.h"
#include "timing/clock.h"
#include "timing/group_internal.h"
#include "timing/message.h"

static uint32_t local_sm(const struct timing_group *g, uint32_t sm) {
    return sm / g->config->num_groups;
}

static struct group_warp *warp_of(struct timing_group *g, uint32_t sm, uint32_t warp) {
    return &g->warps[local_sm(g, sm) * TIMING_MAX_WARPS + warp];
}

static struct timing_group *home_of(struct timing_group *g, uint32_t sm) {
    return g->wiring.group[sm % g->config->num_groups];
}

static heddle_err configure_core(struct timing_group *g, struct heddle_diag *diag) {
    const struct timing_config *c = g->config;
    heddle_err e = HEDDLE_OK;
    for (uint32_t i = 0; i < c->num_params && !e; i++)
        e = core_set_param(g->core, c->param[i].number, c->param[i].value);
    if (!e) e = core_set_param(g->core, CORE_PARAM_INSTANCE, g->index);
    for (uint32_t i = 0; i < MIR_CLASS_COUNT && !e; i++)
        e = core_set_class(g->core, i, c->cls[i].pipe, c->cls[i].interval, c->cls[i].latency,
                           c->cls[i].flags);
    if (e) heddle_fail(diag, e, "the timing core took no parameters: %s", heddle_err_text(e));
    return e;
}

heddle_err timing_group_create(struct timing_group **out, const struct timing_config *config,
                               const struct timing_wiring *wiring, uint32_t index,
                               struct exec_memory *memory, struct heddle_diag *diag) {
    struct timing_group *g = calloc(1, sizeof *g);
    *out = NULL;
    if (!g) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for an SM group");
    g->config = config;
    g->wiring = *wiring;
    g->index = index;
    g->memory = memory;
    g->next_cycle = CORE_NEVER;
    g->delay = config->delay_seed ? config->delay_seed * 2654435761u + index + 1 : 0;
    g->num_sms = (config->num_sms + config->num_groups - 1 - index) / config->num_groups;
    g->warps = calloc((size_t)g->num_sms * TIMING_MAX_WARPS, sizeof *g->warps);
    g->ctas = calloc((size_t)g->num_sms * TIMING_MAX_CTAS, sizeof *g->ctas);
    g->listed = malloc((size_t)g->num_sms * TIMING_MAX_WARPS * sizeof *g->listed);
    g->delayed = malloc((size_t)g->num_sms * TIMING_MAX_WARPS * sizeof *g->delayed);
    heddle_err e = HEDDLE_OK;
    if (!g->warps || !g->ctas || !g->listed || !g->delayed)
        e = heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for an SM group");
    if (!e) e = group_feed_create(g, diag);
    if (!e) e = exec_pool_create(&g->pool);
    if (!e) {
        struct core_options options = {.library = config->library,
                                       .xclbin = config->xclbin,
                                       .sub_cores = config->sub_cores,
                                       .device = config->first_card + index};
        e = core_create(&g->core, &options, diag);
    }
    if (!e) e = configure_core(g, diag);
    if (e) {
        timing_group_free(g);
        return e;
    }
    *out = g;
    return HEDDLE_OK;
}

void timing_group_free(struct timing_group *g) {
    if (!g) return;
    for (uint32_t i = 0; g->ctas && i < g->num_sms * TIMING_MAX_CTAS; i++)
        if (g->ctas[i].cta) exec_cta_release(g->pool, g->ctas[i].cta);
    core_free(g->core);
    exec_pool_free(g->pool);
    group_feed_free(g);
    free(g->warps);
    free(g->ctas);
    free(g->listed);
    free(g->delayed);
    free(g);
}

/* ---------------------------------------------------------------------------- messages in */

static uint32_t core_cycle(const struct timing_group *g, uint64_t cycle) {
    return (uint32_t)(cycle - g->cycle_base);
}

static void expect(struct timing_group *g, uint64_t cycle) {
    if (cycle < g->next_cycle) g->next_cycle = cycle;
}

static void launch_warp(struct timing_group *g, struct group_cta *cta, uint32_t slot, uint32_t sm,
                        unsigned i, uint64_t live) {
    const struct timing_launch *launch = cta->launch;
    uint32_t w = cta->warp[i];
    struct group_warp *gw = warp_of(g, sm, w);
    gw->exec = exec_cta_warp(cta->cta, i);
    gw->cta = cta;
    gw->consumed = gw->sent; /* the warp that had the number before has ended */
    gw->held = false;
    gw->code_line = UINT32_MAX;
    gw->state = EXEC_RAN;
    gw->space.memory_base = g->memory->base;
    gw->space.local_line = GROUP_LOCAL_LINES +
                           (sm * TIMING_MAX_WARPS + w) * ((launch->local_bytes + 3) / 4);
    uint64_t *beat = core_command(g->core, 1);
    memset(beat, 0, 64);
    core_command_set_kind(beat, CORE_CMD_LAUNCH);
    core_command_set_sm(beat, sm);
    core_command_set_warp(beat, w);
    core_command_set_cta(beat, slot);
    core_command_set_warps(beat, cta->num_warps);
    core_command_set_at(beat, core_cycle(g, live));
    core_command_set_id(beat, launch->constants & 0xffff);
    group_list(g, gw);
}

static void launch_cta(struct timing_group *g, const struct fabric_message *m) {
    struct timing_launch *launch = (struct timing_launch *)(uintptr_t)m->word[0];
    uint32_t sm = (uint32_t)m->word[2], slot = (uint32_t)m->word[4];
    struct group_cta *cta = &g->ctas[local_sm(g, sm) * TIMING_MAX_CTAS + slot];
    heddle_err e = cta->cta ? HEDDLE_ERR_INTERNAL
                            : exec_cta_create(&cta->cta, g->pool, &launch->exec, m->word[1], sm);
    if (e) {
        g->failed = heddle_fail(&g->diag, e, "a CTA could not be made: %s", heddle_err_text(e));
        return;
    }
    cta->launch = launch;
    cta->last = m->word[1] >= launch->last_ctas;
    cta->warps = m->word[5];
    cta->num_warps = (uint8_t)exec_cta_warps(cta->cta);
    uint64_t left = cta->warps;
    for (unsigned i = 0; i < cta->num_warps; i++, left &= left - 1)
        cta->warp[i] = (uint8_t)__builtin_ctzll(left);
    for (unsigned i = 0; i < cta->num_warps; i++) launch_warp(g, cta, slot, sm, i, m->word[3]);
    g->num_resident++;
    expect(g, m->word[3]);
}

static void simple_command(struct timing_group *g, enum core_cmd kind, uint32_t at,
                           uint32_t value) {
    uint64_t *beat = core_command(g->core, 1);
    memset(beat, 0, 64);
    core_command_set_kind(beat, kind);
    core_command_set_at(beat, at);
    core_command_set_value(beat, value);
}

/* ------------------------------------------------------------------------------ events out */

struct core_progress { /* of one run */
    bool told, done;   /* there were events; everything before the end is simulated */
};

static void send(struct timing_group *g, uint32_t to, enum timing_message kind, uint64_t cycle,
                 uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) {
    struct fabric_message m = {.at = clock_ps(cycle, g->config->khz),
                               .from = g->wiring.group_id[g->index],
                               .to = to,
                               .kind = kind,
                               .word = {a, b, c, d, e}};
    fabric_send(g->wiring.fabric, &m);
}

static uint64_t event_cycle(const struct timing_group *g, const uint64_t *ev) {
    uint64_t at = g->cycle_base + core_event_at(ev);
    return at > g->not_before ? at : g->not_before;
}

static void perform(struct timing_group *g, const uint64_t *ev) {
    uint32_t sm = core_event_sm(ev), warp = core_event_warp(ev);
    uint8_t slot = (uint8_t)core_event_slot(ev);
    struct timing_group *home = home_of(g, sm);
    struct group_warp *gw = warp_of(home, sm, warp);
    uint32_t sectors = core_event_sectors(ev), lanes = sectors ? 0 : UINT32_MAX;
    uint64_t at = event_cycle(g, ev), line = core_event_addr(ev);
    for (unsigned s = 0; s < 4; s++)
        if (sectors >> s & 1)
            lanes |= exec_inflight_lanes(gw->exec, slot, g->memory->base + line * 128 + s * 32);
    uint64_t clock = at;
    if (gw->slot_sreg[slot] == MIR_SR_GLOBALTIMER) clock = clock_ps(at, g->config->khz) / 1000;
    exec_perform(gw->exec, slot, lanes, clock);
    if (home == g)
        group_complete(g, gw, slot, lanes);
    else
        send(g, g->wiring.group_id[home->index], TIMING_PERFORMED, at + g->config->window,
             sm << 6 | warp, slot, lanes, 0, 0);
}

/* A request or reply whose slice or SM lives in another instance: goes there as it is. A request
 * must be there one network latency after `at`, a reply at `at`; a window is shorter than both. */
static void pass_on(struct timing_group *g, const uint64_t *ev, uint64_t at, uint32_t to) {
    send(g, g->wiring.group_id[to % g->config->num_groups], TIMING_CORE, at, ev[0], ev[1], 0, 0, 0);
}

static void cta_done(struct timing_group *g, const uint64_t *ev) {
    uint32_t sm = core_event_sm(ev), local = local_sm(g, sm);
    uint64_t at = event_cycle(g, ev);
    struct group_cta *cta = &g->ctas[local * TIMING_MAX_CTAS + core_event_id(ev)];
    struct timing_launch *launch = cta->launch;
    struct exec_counts counts;
    exec_cta_counts(cta->cta, &counts);
    exec_counts_add(&launch->counts[g->index], &counts);
    for (unsigned i = 0; i < cta->num_warps; i++) warp_of(g, sm, cta->warp[i])->exec = NULL;
    exec_cta_release(g->pool, cta->cta);
    cta->cta = NULL;
    g->num_resident--;
    /* The core knows of the end when the warp no longer counts as live (docs/timing-model.md, 8).
     */
    send(g, g->wiring.scheduler_id, TIMING_CTA_DONE,
         at + TIMING_REPORTED_AFTER + g->config->lookahead / 2, (uint64_t)(uintptr_t)launch, sm, at,
         core_event_id(ev), cta->warps);
}

static void handle_event(struct timing_group *g, const uint64_t *ev) {
    uint64_t at = event_cycle(g, ev);
    switch (core_event_kind(ev)) {
    case CORE_EV_NONE: break;
    case CORE_EV_WANT: {
        struct group_warp *gw = warp_of(g, core_event_sm(ev), core_event_warp(ev));
        gw->consumed = (uint16_t)core_event_id(ev);
        gw->lines_consumed = (uint16_t)core_event_addr(ev);
        if (gw->exec || gw->backlog.line_head < gw->backlog.line_count) group_list(g, gw);
        break;
    }
    case CORE_EV_PERFORM: perform(g, ev); break;
    case CORE_EV_CTA_DONE: cta_done(g, ev); break;
    case CORE_EV_DRAM_READ:
        send(g, g->wiring.memory_id, TIMING_DRAM_READ, at + g->config->lookahead / 2,
             core_event_addr(ev), core_event_sm(ev), core_event_sectors(ev), core_event_id(ev), 0);
        break;
    case CORE_EV_DRAM_WRITE:
        send(g, g->wiring.memory_id, TIMING_DRAM_WRITE, at + g->config->lookahead / 2,
             core_event_addr(ev), core_event_sm(ev), core_event_sectors(ev), core_event_id(ev), 0);
        break;
    case CORE_EV_REQUEST: pass_on(g, ev, at + g->config->window, core_remote_slice(ev)); break;
    case CORE_EV_REPLY: pass_on(g, ev, at, core_remote_sm(ev)); break;
    default:
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_PROTOCOL, "event kind %u from the timing core",
                                core_event_kind(ev));
    }
}

/* One run of the core up to core_until, and what it tells. `out` may be NULL. */
static void run_core(struct timing_group *g, struct core_progress *out) {
    struct core_status status;
    size_t count;
    heddle_err e = core_run(g->core, g->core_until, &status);
    if (e) {
        g->failed = heddle_fail(&g->diag, e, "%s", core_error(g->core));
        return;
    }
    const uint64_t *ev = core_events(g->core, &count);
    for (size_t i = 0; i < count && !g->failed; i++) handle_event(g, ev + 2 * i);
    g->next_cycle = status.next == CORE_NEVER ? CORE_NEVER : g->cycle_base + (uint32_t)status.next;
    if (!out) return;
    out->told = count != 0;
    out->done = !status.parked && status.reached >= g->core_until;
}

/* ------------------------------------------------------------------------------ component */

/* What leaves L2 is written back now, whatever the core's own clock says. */
static void flush_l2(struct timing_group *g, uint64_t cycle) {
    simple_command(g, CORE_CMD_FLUSH_L2, 0, 0);
    g->not_before = cycle;
    run_core(g, NULL);
    g->not_before = 0;
}

/* A copy has written device memory: L2 gets its lines at once, and what has to leave for them is
 * written back now. */
static void fill(struct timing_group *g, const struct fabric_message *m, uint64_t cycle) {
    simple_command(g, CORE_CMD_FILL_L2, (uint32_t)m->word[0], (uint32_t)m->word[1]);
    g->not_before = cycle;
    run_core(g, NULL);
    g->not_before = 0;
}

static void receive(void *self, const struct fabric_message *m) {
    struct timing_group *g = self;
    uint64_t cycle = clock_cycle_from(m->at, g->config->khz);
    switch (m->kind) {
    case TIMING_CTA_LAUNCH: launch_cta(g, m); break;
    case TIMING_DRAM_REPLY: {
        uint64_t *beat = core_command(g->core, 1);
        memset(beat, 0, 64);
        core_command_set_kind(beat, CORE_CMD_DRAM_REPLY);
        core_command_set_sm(beat, m->word[1]);
        core_command_set_id(beat, m->word[0]);
        core_command_set_value(beat, m->word[2]);
        core_command_set_at(beat, core_cycle(g, cycle));
        expect(g, cycle);
        break;
    }
    case TIMING_CORE: {
        uint64_t *beat = core_command(g->core, 1);
        memset(beat, 0, 64);
        core_command_set_kind(beat, CORE_CMD_REMOTE);
        core_command_set_words(beat, 1);
        memcpy(beat + 2, m->word, 16);
        expect(g, cycle);
        break;
    }
    case TIMING_PERFORMED: {
        struct group_warp *gw = warp_of(g, (uint32_t)m->word[0] >> 6, m->word[0] & 63);
        group_complete(g, gw, (uint8_t)m->word[1], (uint32_t)m->word[2]);
        break;
    }
    case TIMING_FLUSH:
        if (m->word[0] & 1) simple_command(g, CORE_CMD_FLUSH_L1, 0, 0);
        if (m->word[0] & 2) flush_l2(g, cycle);
        g->cycle_base = m->word[1];
        break;
    case TIMING_FILL: fill(g, m, cycle); break;
    default:
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL, "SM group: message kind %u",
                                m->kind);
    }
}

/* Runs the core until it has simulated everything before `until`, feeding it as often as it parks.
 * A core with nothing to do is left at the time at which it was: the next kernel may find that its
 * clock has been set back (TIMING_FLUSH). */
static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct timing_group *g = self;
    uint64_t end = clock_cycle_from(until, g->config->khz);
    unsigned fruitless = 0;
    bool quiet = !g->num_resident && g->next_cycle == CORE_NEVER;
    if (!quiet) g->core_until = core_cycle(g, end);
    if (!quiet && !g->failed && end - g->cycle_base > GROUP_MAX_CYCLES)
        g->failed = heddle_fail(
            &g->diag, HEDDLE_ERR_BACKEND,
            "kernels have run for 2^31 core cycles without a rest of more than a "
            "million: the timing core's clock of 32 bits cannot count further");
    while (!g->failed) {
        struct core_progress p = {0};
        bool fed = group_feed(g);
        if (!g->failed) run_core(g, &p);
        if (g->failed) break;
        if (p.done) return HEDDLE_OK;
        fruitless = fed || p.told || g->num_listed ? 0 : fruitless + 1;
        if (fruitless > 4) return group_stuck(g, end, diag);
    }
    if (diag) *diag = g->diag;
    return g->failed;
}

static uint64_t next(void *self) {
    struct timing_group *g = self;
    return g->next_cycle == CORE_NEVER ? FABRIC_NEVER : clock_ps(g->next_cycle, g->config->khz);
}

const struct fabric_ops timing_group_ops = {receive, advance, next};

heddle_err timing_group_counters(struct timing_group *g, struct timing_counters *out) {
    *out = (struct timing_counters){
        .issued = core_counter(g->core, CORE_COUNTER_ISSUED),
        .issue_hash = core_counter(g->core, CORE_COUNTER_ISSUE_HASH),
        .l1_accesses = core_counter(g->core, CORE_COUNTER_L1_ACCESSES),
        .l1_hits = core_counter(g->core, CORE_COUNTER_L1_HITS),
        .l2_accesses = core_counter(g->core, CORE_COUNTER_L2_ACCESSES),
        .l2_hits = core_counter(g->core, CORE_COUNTER_L2_HITS),
        .dram_reads = core_counter(g->core, CORE_COUNTER_DRAM_READS),
        .dram_writes = core_counter(g->core, CORE_COUNTER_DRAM_WRITES),
        .slice_hash = core_counter(g->core, CORE_COUNTER_SLICE_HASH),
        .host_clocks = core_counter(g->core, CORE_COUNTER_CLOCKS),
    };
    for (unsigned i = 0; i < CORE_NUM_WAITS; i++)
        out->wait[i] = core_counter(g->core, (enum core_counter)(CORE_COUNTER_WAIT_NO_WARP + i));
    heddle_err e = core_failed(g->core);
    if (e && !g->failed) g->failed = heddle_fail(&g->diag, e, "%s", core_error(g->core));
    return e;
}

heddle_err timing_group_failed(const struct timing_group *g, struct heddle_diag *diag) {
    if (g->failed && diag) *diag = g->diag;
    return g->failed;
}
