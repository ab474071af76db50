/* group.c - an SM group as a component of the fabric: messages in, windows, events out. See
 * group.h; group_configure.c tells the core its parameters, group_feed.c feeds the warps,
 * group_l1.c sizes and empties L1 and has L1 caches of other sizes, group_remote.c the operations
 * that take effect in another group.
 *
 * Threads: the fabric calls receive() and advance() on a worker thread during a window; each
 * function below that is not in group.h runs inside one of them. The driving thread calls next()
 * and the functions of group.h between windows.
 *
 * Clocks: `cycle`, `at` and `live` are target cycles of the core clock, 64 bits. core_cycle() turns
 * them into cycles of the core, 32 bits, for commands; event_cycle() turns the core's back.
 * clock_ps() gives the picoseconds of a message's arrival. Messages from the core side to the
 * scheduler and memory arrive half a look-ahead after the core's time.
 *
 * Messages in become commands in the core's batch (core_command()), which the next run delivers.
 * With core_cards.overlap, a window starts its run, and then looks at what the run before has done:
 * a card simulates while the host works. Links are half as long then (gpu_build.c), so that what a
 * window learns of the one before still comes in time.
 *
 * Errors go to g->failed and g->diag and end advance(); a failed group ignores messages. SMs are
 * named by their number on the GPU; warps[] and ctas[] have the group's own numbers. */
#include "timing/group.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "core_words.h"
#include "timing/clock.h"
#include "timing/core_command.h"
#include "timing/group_internal.h"
#include "timing/message.h"

/* Cycles after which an idle core is run, with two runs under way: what it keeps of a time may have
 * few bits, and must not be compared with times far ahead. */
enum { LONG_WHILE = 2048 };

/* Number within the group of an SM of the GPU. */
static uint32_t local_sm(const struct timing_group *g, uint32_t sm) {
    return sm / g->config->num_groups;
}

/* Driving thread. Allocates the group's tables, opens its core number first_core + index,
 * and puts its parameters into the batch. Borrows *config and `memory`, copies *wiring. @return
 * HEDDLE_ERR_NOMEM or an error of core_create() or of a parameter (CONFIG); *out is then NULL, and
 * diag has the text. */
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
    g->next_cycle = g->expected = CORE_NEVER;
    g->delay = config->delay_seed ? config->delay_seed * 2654435761u + index + 1 : 0;
    g->num_sms = (config->num_sms + config->num_groups - 1 - index) / config->num_groups;
    g->warps = calloc((size_t)g->num_sms * TIMING_MAX_WARPS, sizeof *g->warps);
    g->ctas = calloc((size_t)g->num_sms * TIMING_MAX_CTAS, sizeof *g->ctas);
    g->sms = calloc(g->num_sms, sizeof *g->sms);
    g->listed = malloc((size_t)g->num_sms * TIMING_MAX_WARPS * sizeof *g->listed);
    g->delayed = malloc((size_t)g->num_sms * TIMING_MAX_WARPS * sizeof *g->delayed);
    heddle_err e = HEDDLE_OK;
    if (!g->warps || !g->ctas || !g->sms || !g->listed || !g->delayed)
        e = heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for an SM group");
    g->l1 = l1_curve_create(g->num_sms);
    if (!e) e = group_feed_create(g, diag);
    if (!e && ((e = exec_pool_create(&g->pool)) ||
               (e = remote_ops_create(&g->remote_ops, config->num_sms))))
        heddle_fail(diag, e, "out of memory for an SM group");
    if (!e) {
        const struct core_cards *cards = &config->cards;
        const uint32_t number = config->first_core + index;
        struct core_options options = {.library = cards->library,
                                       .image = cards->image,
                                       .sub_cores = config->sub_cores,
                                       .device = core_device(cards, number),
                                       .rings = cards->rings,
                                       .run_timeout_ms = cards->run_timeout_ms,
                                       .round_trip = cards->round_trip,
                                       .policy = cards->policy};
        e = core_create(&g->core, &options, diag);
    }
    if (!e) e = group_configure(g, diag);
    if (e) {
        timing_group_free(g);
        return e;
    }
    *out = g;
    return HEDDLE_OK;
}

/* Driving thread. Releases resident CTAs, closes the core, and frees the tables. Accepts NULL and a
 * group that was partly made. */
void timing_group_free(struct timing_group *g) {
    if (!g) return;
    for (uint32_t i = 0; g->ctas && i < g->num_sms * TIMING_MAX_CTAS; i++) {
        exec_cta_release(g->pool, g->ctas[i].cta);
        free(g->ctas[i].blocks.run);
    }
    core_free(g->core);
    exec_pool_free(g->pool);
    group_feed_free(g);
    remote_ops_free(g->remote_ops);
    l1_curve_free(g->l1);
    command_log_free(&g->waits_log);
    free(g->warps);
    free(g->ctas);
    free(g->sms);
    free(g->listed);
    free(g->delayed);
    free(g->tally);
    free(g);
}

/* ---------------------------------------------------------------------------- messages in */

/* A target cycle in the core's own 32-bit count. */
static uint32_t core_cycle(const struct timing_group *g, uint64_t cycle) {
    return (uint32_t)(cycle - g->cycle_base);
}

/* Notes that the core has something to do at this target cycle, so that next() does not skip it. */
static void expect(struct timing_group *g, uint64_t cycle) {
    if (cycle < g->next_cycle) g->next_cycle = cycle;
    if (cycle < g->expected) g->expected = cycle;
}

/* Gives warp i of a new CTA its warp slot on the SM, commands the core to make it live at target
 * cycle `live`, and lists it for the next feed. `slot`: the CTA slot. */
static void launch_warp(struct timing_group *g, struct group_cta *cta, uint32_t slot, uint32_t sm,
                        unsigned i, uint64_t live) {
    const struct timing_launch *launch = cta->launch;
    uint32_t w = cta->warp[i];
    struct group_warp *gw = group_warp_of(g, sm, w);
    gw->exec = exec_cta_warp(cta->cta, i);
    exec_warp_set_slot(gw->exec, w);
    gw->cta = cta;
    gw->consumed = gw->sent; /* the slot's previous warp has ended */
    gw->held = gw->fenced = false;
    gw->code_line = UINT32_MAX;
    gw->at = cta->begin;
    gw->since = gw->loads = gw->hold = 0;
    group_note_begin(g, gw, live);
    gw->state = EXEC_RAN;
    gw->space.memory_base = g->memory->base;
    memcpy(gw->space.repeat, g->config->repeat, sizeof gw->space.repeat);
    const uint32_t lines = (launch->local_bytes + 3) / 4, place = sm * TIMING_MAX_WARPS + w;
    gw->space.local_line = g->config->local_line + place * lines;
    if ((uint64_t)(place + 1) * lines > g->config->local_end - g->config->local_line)
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_CONFIG,
                                "%u bytes of local memory a thread: the timing core has no line "
                                "numbers left for that, beside device, host and managed memory",
                                launch->local_bytes);
    core_make_launch(core_command(g->core, 1),
                     &(struct core_cmd_launch){.sm = sm,
                                               .warp = w,
                                               .slot = slot,
                                               .warps = cta->num_warps,
                                               .at = core_cycle(g, live),
                                               .constants = launch->constants & 0xffff});
    group_list(g, gw);
}

/* Message CTA_LAUNCH: makes the CTA resident in its slot, in the executor and with a Launch command
 * for each warp in the core. */
static void launch_cta(struct timing_group *g, const struct message_cta_launch *m) {
    const struct timing_launch *launch = timing_launch_of(g->wiring.launches, m->launch);
    const uint32_t sm = m->place / TIMING_MAX_CTAS, slot = m->place % TIMING_MAX_CTAS;
    struct group_cta *cta = &g->ctas[local_sm(g, sm) * TIMING_MAX_CTAS + slot];
    heddle_err e = cta->cta ? HEDDLE_ERR_INTERNAL
                            : exec_cta_create(&cta->cta, g->pool, &launch->exec, m->cta, sm);
    if (e) {
        g->failed = heddle_fail(&g->diag, e, "a CTA could not be made: %s", heddle_err_text(e));
        return;
    }
    cta->launch = launch;
    cta->launch_number = m->launch;
    cta->fed = (struct exec_fed_counts){0};
    group_note_places(g, cta);
    group_l1_launch(g, cta, sm, m->live);
    cta->last = m->cta >= launch->last_ctas;
    cta->left = 0;
    cta->warps = m->warps;
    cta->num_warps = (uint8_t)exec_cta_warps(cta->cta);
    warp_slots_list((struct warp_slots_of_cta){m->warps, m->order}, g->config->sub_cores,
                    cta->num_warps, cta->warp);
    for (unsigned i = 0; i < cta->num_warps; i++) launch_warp(g, cta, slot, sm, i, m->live);
    g->num_resident++;
    expect(g, m->live);
}

/* ------------------------------------------------------------------------------ events out */

/* The target cycle of an event, moved up to not_before. */
static uint64_t event_cycle(const struct timing_group *g, const uint64_t *ev) {
    uint64_t at = g->cycle_base + core_event_at(ev);
    return at > g->not_before ? at : g->not_before;
}

/* Event Perform: an operation takes effect, of a warp of this group, or of another group's warp or
 * another customer at a slice here. Performs its lanes on memory at once, because memory must see
 * the operations on a sector in the order of its slice's events. A warp here is completed and may
 * be listed; another component gets VALUES and PERFORMED one window later. */
static void perform(struct timing_group *g, const uint64_t *ev) {
    struct core_ev_perform p = core_read_perform(ev);
    uint8_t slot = (uint8_t)p.slot;
    uint32_t lanes = UINT32_MAX;
    uint64_t at = event_cycle(g, ev), clock = at;
    group_pins_event(&g->pins, p.pin, at);
    const uint32_t home = group_remote_owner(g, p.sm);
    if (home != group_id_of(g)) {
        if (g->failed) return;
        group_remote_perform(g, &p, home, clock_ps(at + g->config->window, g->config->khz));
        return;
    }
    struct group_warp *gw = group_warp_of(g, p.sm, p.warp);
    if (group_leaves(gw, slot, at)) return;
    if (p.sectors) {
        lanes = group_lanes(g, gw->exec, slot, p.line, p.sectors);
        group_note_access(g, gw, slot, lanes, at);
    }
    if (gw->slot_sreg[slot] == MIR_SR_GLOBALTIMER) clock = clock_ps(at, g->config->khz) / 1000;
    exec_perform(gw->exec, slot, lanes, clock);
    group_complete(g, gw, slot, lanes);
}

/* Event CtaDone: frees the CTA and its warp slots, adds its counts to the launch's tally, and sends
 * CTA_DONE to the scheduler. A fault may show only now. */
static void cta_done(struct timing_group *g, const uint64_t *ev) {
    struct core_ev_cta_done d = core_read_cta_done(ev);
    uint64_t at = event_cycle(g, ev);
    struct group_cta *cta = &g->ctas[local_sm(g, d.sm) * TIMING_MAX_CTAS + d.slot];
    const struct exec_fault *fault = exec_cta_end(cta->cta);
    if (fault) group_fault(g, cta, fault);
    struct exec_counts counts;
    exec_cta_counts(cta->cta, &counts);
    counts.fed = cta->fed;
    exec_counts_add(&group_tally_of(g, cta->launch_number)->counts, &counts);
    group_l1_end(g, cta, d.sm, at);
    group_end_warps(g, cta, d.sm);
    exec_cta_release(g->pool, cta->cta);
    cta->cta = NULL;
    g->num_resident--;
    /* The core reports the end when the warp no longer counts as live (docs/timing-model.md, 8). */
    uint64_t heard = at + TIMING_REPORTED_AFTER + g->config->lookahead / 2;
    group_managed_end(g, cta, clock_ps(heard, g->config->khz));
    message_send_cta_done(
        g->wiring.fabric, group_id_of(g), g->wiring.scheduler_id, clock_ps(heard, g->config->khz),
        &(struct message_cta_done){.launch = cta->launch_number,
                                   .place = d.sm * TIMING_MAX_CTAS + d.slot,
                                   .warps = cta->warps,
                                   .ended = at,
                                   .left = cta->left && cta->left < at ? cta->left : at,
                                   .warp_inst = counts.warp_inst});
}

/* Event Want: notes how many packets and coalesced requests of the warp slot the core has consumed,
 * and lists the warp. */
static void take_credit(struct timing_group *g, const uint64_t *ev) {
    struct core_ev_credit c = core_read_credit(ev);
    struct group_warp *gw = group_warp_of(g, c.sm, c.warp);
    gw->consumed = (uint16_t)c.packets;
    gw->requests_consumed = (uint16_t)c.lines;
    if (gw->exec || gw->backlog.request_head < gw->backlog.request_count) group_list(g, gw);
}

/* When a memory request of this event arrives at device memory, ps. */
static uint64_t at_memory(const struct timing_group *g, const uint64_t *ev) {
    return clock_ps(event_cycle(g, ev) + g->config->lookahead / 2, g->config->khz);
}

/* Event DramRead: sends DRAM_READ to device memory. */
static void read_memory(struct timing_group *g, const uint64_t *ev) {
    struct core_ev_dram_read r = core_read_dram_read(ev);
    g->memory_reads++;
    message_send_dram_read(
        g->wiring.fabric, group_id_of(g), g->wiring.memory_id, at_memory(g, ev),
        &(struct message_dram_read){
            .line = r.line, .slice = r.slice, .sectors = (uint8_t)r.sectors, .id = (uint16_t)r.id});
}

/* Event DramWrite: sends DRAM_WRITE to device memory. */
static void write_memory(struct timing_group *g, const uint64_t *ev) {
    struct core_ev_dram_write w = core_read_dram_write(ev);
    message_send_dram_write(g->wiring.fabric, group_id_of(g), g->wiring.memory_id, at_memory(g, ev),
                            &(struct message_dram_write){.line = w.line,
                                                         .slice = w.slice,
                                                         .sectors = (uint8_t)w.sectors,
                                                         .answered = (uint8_t)w.answered});
}

/* Acts on one event (two words) of the core, as the function of its kind says. An unknown kind is
 * HEDDLE_ERR_PROTOCOL in g->failed. */
static void handle_event(struct timing_group *g, const uint64_t *ev) {
    uint64_t at = event_cycle(g, ev);
    switch (core_event_kind(ev)) {
    case CORE_EV_NONE: break;
    case CORE_EV_WANT: take_credit(g, ev); break;
    case CORE_EV_PERFORM: perform(g, ev); break;
    case CORE_EV_CTA_DONE: cta_done(g, ev); break;
    case CORE_EV_DRAM_READ: read_memory(g, ev); break;
    case CORE_EV_DRAM_WRITE: write_memory(g, ev); break;
    case CORE_EV_PIN: group_pins_event(&g->pins, core_read_pin(ev).pin, at); break;
    case CORE_EV_REQUEST:
    case CORE_EV_REPLY: group_remote_pass(g, ev, at); break;
    default:
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_PROTOCOL, "event kind %u from the timing core",
                                core_event_kind(ev));
    }
}

/* Begins a run of the core up to target cycle `end`, with the batch. */
static void start_run(struct timing_group *g, uint64_t end) {
    g->until = end;
    g->core_until = core_cycle(g, end);
    heddle_err e = core_start(g->core, g->core_until);
    if (e) g->failed = heddle_fail(&g->diag, e, "%s", core_error(g->core));
    g->expected = CORE_NEVER;
}

/* Waits for the oldest run, acts on its events, and sets next_cycle and core_reached from its
 * report. @return whether there were events. */
static bool end_run(struct timing_group *g) {
    struct core_status status;
    size_t count;
    heddle_err e = core_finish(g->core, &status);
    if (e) {
        g->failed = heddle_fail(&g->diag, e, "%s", core_error(g->core));
        return false;
    }
    const uint64_t *ev = core_events(g->core, &count);
    for (size_t i = 0; i < count && !g->failed; i++) handle_event(g, ev + 2 * i);
    g->next_cycle = status.next == CORE_NEVER ? CORE_NEVER : g->cycle_base + (uint32_t)status.next;
    if (g->expected < g->next_cycle) g->next_cycle = g->expected;
    g->core_reached = (uint32_t)status.reached;
    return count != 0;
}

/* Whether the core has nothing to do, and it is known. */
static bool is_at_rest(const struct timing_group *g) {
    return !g->num_resident && g->next_cycle == CORE_NEVER && !core_under_way(g->core);
}

/* Whether all before a core's cycle is simulated, and its events are known: not if it is parked. */
static bool has_reached(const struct timing_group *g, uint32_t cycle) {
    return (int32_t)(g->core_reached - cycle) >= 0;
}

/* Counts rounds of a parked core that bring neither packets nor events; five of them end the
 * simulation. @return HEDDLE_ERR_DEADLOCK, without setting g->failed, with text in diag. */
static heddle_err check_progress(struct timing_group *g, bool progress, unsigned *fruitless,
                                 struct heddle_diag *diag) {
    *fruitless = progress || g->num_listed || core_under_way(g->core) ? 0 : *fruitless + 1;
    return *fruitless > 4 ? group_stuck(g, g->until, diag) : HEDDLE_OK;
}

/* Feeds and runs the core until everything before `need` is simulated and its events are known,
 * with runs that end at target cycle `end`; `need` is a cycle of the core's own clock. One of these
 * runs may be under way afterwards, if `overlap`. Warps are then fed in the next window, behind its
 * messages: their commands come first, and packets while the core runs. @return g->failed, or
 * DEADLOCK. */
static heddle_err simulate(struct timing_group *g, uint32_t need, uint64_t end, bool overlap,
                           struct heddle_diag *diag) {
    unsigned fruitless = 0;
    while (!g->failed) {
        const unsigned under_way = core_under_way(g->core);
        const bool begun = under_way && g->until == end; /* the run of this window */
        const bool known = has_reached(g, need) && under_way == begun;
        if (known && (begun || !overlap)) break;
        const bool fed = group_feed(g);
        const bool more = g->next_cycle < end || core_has_commands(g->core) ||
                          end - g->until > LONG_WHILE;
        if (g->failed) break;
        if (known) {
            if (more && !has_reached(g, core_cycle(g, end))) start_run(g, end);
            break;
        }
        /* As far as is known, the run under way may be the last: then no other is begun yet. */
        const bool ahead = overlap && more && !begun && under_way < CORE_FLIGHTS;
        if (!under_way || ahead) start_run(g, end);
        const bool told = !g->failed && end_run(g);
        if (g->failed) break;
        heddle_err e = check_progress(g, fed || told, &fruitless, diag);
        if (e) return e;
    }
    if (g->failed && diag) *diag = g->diag;
    return g->failed;
}

/* ------------------------------------------------------------------------------ component */

/* Waits until no run is under way, and all that the core was to simulate is simulated. */
static void settle(struct timing_group *g) {
    heddle_err e = simulate(g, g->core_until, g->until, false, &g->diag);
    while (!g->failed && !e && core_under_way(g->core)) end_run(g);
    if (e && !g->failed) g->failed = e;
}

/* Runs the core, which is settled, with the commands of a flush or fill. Dirty lines that leave L2
 * on the way are written back at target cycle `cycle`, whatever the core's own clock says. */
static void run_at(struct timing_group *g, uint64_t cycle) {
    g->not_before = cycle;
    start_run(g, g->until);
    if (!g->failed) end_run(g);
    g->not_before = 0;
}

/* Ends all pins in target cycle `cycle`. The core is settled; customers of L2 may be at work. */
static void unpin(struct timing_group *g, uint64_t cycle) {
    if (g->failed || (g->failed = simulate(g, core_cycle(g, cycle), cycle, false, &g->diag)))
        return;
    core_make_plain(core_command(g->core, 1), CORE_CMD_UNPIN_L2);
    group_pins_drop(&g->pins, cycle);
    expect(g, cycle);
}

/* Message FLUSH: empties L1 and L2 as it says, and sets the core's cycle 0 to a new target cycle.
 * Emptying L2 runs the core (run_at()); L1 of an SM is emptied before its next CTA.
 * No CTA is resident. */
static void flush(struct timing_group *g, const struct message_flush *m, uint64_t cycle) {
    settle(g);
    if (m->unpin) unpin(g, cycle);
    if (m->l2 && g->num_foreign && !g->failed)
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_CONFIG,
                                "L2 is to be emptied (l2.kernel_flush) while customers that are no "
                                "SMs wait for %u accesses",
                                g->num_foreign);
    if (g->failed) return;
    if (m->l1) group_l1_flush(g);
    if (m->l2) {
        core_make_plain(core_command(g->core, 1), CORE_CMD_FLUSH_L2);
        run_at(g, cycle);
        group_pins_drop(&g->pins, cycle);
    }
    g->until += m->cycle_base - g->cycle_base; /* the core's own clock goes on */
    g->cycle_base = m->cycle_base;
}

/* Message FILL: a copy has written device memory, and its lines become valid in L2 at once. */
static void fill(struct timing_group *g, const struct message_fill *m, uint64_t cycle) {
    settle(g);
    if (g->failed) return;
    core_make_fill_l2(core_command(g->core, 1),
                      &(struct core_cmd_fill_l2){.line = m->first, .lines = m->count});
    run_at(g, cycle);
}

/* Messages DRAM_DATA and DRAM_WRITTEN: memory's answer reaches the slice at target cycle
 * `cycle`. */
static void answer_slice(struct timing_group *g, struct core_cmd_dram_reply reply, uint64_t cycle) {
    reply.at = core_cycle(g, cycle);
    core_make_dram_reply(core_command(g->core, 1), &reply);
    expect(g, cycle);
}

/* Callback of the fabric: takes a message. Acts on the group at once, and on the core through
 * commands of the batch, except that FLUSH of L2 and FILL run the core. */
static void receive(void *self, const struct fabric_message *in) {
    struct timing_group *g = self;
    uint64_t cycle = clock_cycle_from(in->at, g->config->khz);
    if (g->failed) return; /* the first diagnosis stays: later ones are its consequences */
    switch (in->kind) {
    case MESSAGE_CTA_LAUNCH: {
        struct message_cta_launch m = message_read_cta_launch(in);
        launch_cta(g, &m);
        break;
    }
    case MESSAGE_L1_SIZE: group_l1_resize(g, in); break;
    case MESSAGE_DRAM_DATA: {
        struct message_dram_data m = message_read_dram_data(in);
        g->memory_reads--;
        answer_slice(g, (struct core_cmd_dram_reply){.slice = m.slice, .id = m.id}, cycle);
        break;
    }
    case MESSAGE_DRAM_WRITTEN: {
        struct message_dram_written m = message_read_dram_written(in);
        answer_slice(g, (struct core_cmd_dram_reply){.slice = m.slice, .id = 1, .written = 1},
                     cycle);
        break;
    }
    case MESSAGE_REMOTE: {
        struct message_remote m = message_read_remote(in);
        group_remote_take(g, &m);
        expect(g, cycle);
        break;
    }
    case MESSAGE_VALUES: {
        struct message_values m = message_read_values(in);
        group_remote_values(g, &m);
        break;
    }
    case MESSAGE_PERFORMED: {
        struct message_performed m = message_read_performed(in);
        struct group_warp *gw = group_warp_of(g, m.sm, m.warp);
        group_remote_performed(g, &m);
        group_note_access(g, gw, m.slot, m.lanes, cycle - g->config->window);
        group_complete(g, gw, m.slot, m.lanes);
        break;
    }
    case MESSAGE_FLUSH: {
        struct message_flush m = message_read_flush(in);
        flush(g, &m, cycle);
        break;
    }
    case MESSAGE_FILL: {
        struct message_fill m = message_read_fill(in);
        fill(g, &m, cycle);
        break;
    }
    default:
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL, "SM group: message kind %u",
                                in->kind);
    }
}

/* Callback of the fabric: simulates everything before `until` (ps); with core_cards.overlap, this
 * is only begun, and all that was begun in the window before is completed. A core with nothing to
 * do keeps its time, since FLUSH may set its clock back before the next kernel. @return g->failed,
 * or HEDDLE_ERR_DEADLOCK, with its text in diag. */
static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct timing_group *g = self;
    const bool overlap = g->config->cards.overlap;
    const uint64_t end = clock_cycle_from(until, g->config->khz);
    const uint64_t known = overlap ? g->until : end; /* what is known after this window */
    if (!g->failed && is_at_rest(g)) {
        group_l1_advance(g, end);
        return HEDDLE_OK;
    }
    if (!g->failed && end - g->cycle_base > GROUP_MAX_CYCLES)
        g->failed = heddle_fail(
            &g->diag, HEDDLE_ERR_BACKEND,
            "kernels have run for 2^31 core cycles without a rest of more than a "
            "million (a GPU with customers of L2 other than SMs never rests): the timing core's "
            "clock of 32 bits cannot count further");
    heddle_err e = simulate(g, core_cycle(g, known), end, overlap, diag);
    if (!e) group_l1_advance(g, known);
    if (known > g->config->window) group_waits_advance(g, known - g->config->window);
    return e;
}

/* Callback of the fabric, between windows: when the group has something to do, ps. */
static uint64_t next(void *self) {
    struct timing_group *g = self;
    if (!g->failed && (core_under_way(g->core) || !has_reached(g, g->core_until)))
        return clock_ps(g->until, g->config->khz);
    return g->next_cycle == CORE_NEVER ? FABRIC_NEVER : clock_ps(g->next_cycle, g->config->khz);
}

const struct fabric_ops timing_group_ops = {receive, advance, next};

/* Driving thread, between windows. Reads every counter of the core over XRT; one that cannot be
 * read is 0. @return the core's error, which also becomes the group's. */
heddle_err timing_group_counters(struct timing_group *g, struct timing_counters *out) {
    for (unsigned i = 0; i < CORE_NUM_COUNTERS; i++)
        out->of[i] = core_counter(g->core, (enum core_counter)i);
    out->waits = core_waits(g->core);
    out->pins = group_pins_get(&g->pins, g->until);
    heddle_err e = core_failed(g->core);
    if (e && !g->failed) g->failed = heddle_fail(&g->diag, e, "%s", core_error(g->core));
    return e;
}

/* Driving thread, between windows. */
void timing_group_set_customer(struct timing_group *g, uint32_t index, uint32_t component) {
    g->wiring.customer_id[index] = component;
}

/* Driving thread, between windows, when the launch has ended. Moves its tally, if any, to *sum. */
void timing_group_take_counts(struct timing_group *g, uint64_t launch, struct exec_counts *sum) {
    for (uint32_t i = 0; i < g->num_tallies; i++) {
        if (g->tally[i].launch != launch) continue;
        exec_counts_add(sum, &g->tally[i].counts);
        g->tally[i] = g->tally[--g->num_tallies];
        return;
    }
}

/* Driving thread, between windows. */
bool timing_group_faulted(struct timing_group *g) {
    const bool faulted = g->faulted;
    g->faulted = false;
    return faulted;
}

/* Driving thread, between windows. */
const struct exec_fault *timing_group_fault(const struct timing_group *g, uint64_t launch) {
    for (uint32_t i = 0; i < g->num_tallies; i++)
        if (g->tally[i].launch == launch && g->tally[i].fault.err) return &g->tally[i].fault;
    return NULL;
}

/* Driving thread, between windows. @return the error that ended the group's simulation, with its
 * text in diag (may be NULL), or HEDDLE_OK. */
heddle_err timing_group_failed(const struct timing_group *g, struct heddle_diag *diag) {
    if (g->failed && diag) *diag = g->diag;
    return g->failed;
}
