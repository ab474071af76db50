/* group_l1.c - gives L1 its size and empties it; feeds the emulation of L1 caches of other sizes
 * (timing/l1_curve.h) with the requests of a group's warps. All runs on the thread that simulates
 * the group, but for timing_group_l1().
 *
 * The executor runs each warp ahead by as much as the core has room, which depends on the host: a
 * group of other SMs delivers at other moments. So a request's place among those of other warps
 * cannot be the moment of its execution. Requests get times instead that follow from the program
 * and from times of the simulated GPU alone. A warp begins in the cycle of its launch. Each
 * instruction that waits for a dependency barrier comes a constant number of cycles after the last
 * one, the pace of the CTA, and all others at once: a scheduler runs a warp on until it waits. The
 * pace is the mean of the CTA before it in the same slot, or DEFAULT_PACE where there was none
 * since L1 was emptied.
 *
 * How good that is: CTAs of an SM that start together proceed in step, from wait to wait. Later
 * ones overlap as on the simulated GPU if they are as fast as those before them. Where warps wait
 * for different times, the simulated GPU lets them run further apart than they do here.
 *
 * A request waits until every warp of the SM is past it, and simulated time as well, since a CTA
 * may begin at any time. Where warps of an SM wait very different numbers of times, many requests
 * wait: memory grows by 16 bytes for every 32nd of them. */
#include "core_words.h"
#include "timing/group_internal.h"

enum {
    TICKS = 16, /* of a cycle */
    DEFAULT_PACE = 100 * TICKS,
    MOST_WAITING = 256,      /* requests of an SM before its warps are looked at */
    MOST_REQUESTS = 1 << 14, /* of a warp at one time */
};

/* The part of a request's key above the numbers of its warp and of itself. Times are ticks since
 * the cycle that is the core's 0. */
static uint64_t key_of(uint64_t at) {
    return at * TIMING_MAX_WARPS * MOST_REQUESTS;
}

/* The SM with this number on the GPU. */
static struct group_sm *sm_of(struct timing_group *g, uint32_t sm) {
    return &g->sms[sm / g->config->num_groups];
}

/* group.c calls it for message L1_SIZE. */
void group_l1_resize(struct timing_group *g, const struct fabric_message *in) {
    const struct message_l1_size m = message_read_l1_size(in);
    *sm_of(g, m.sm) = (struct group_sm){.l1_lines = m.lines, .l1_stale = true};
}

/* Gives L1 its size and empties it if that is due. The SM has no CTA then, so none of its loads is
 * in flight. */
static void refresh(struct timing_group *g, uint32_t sm) {
    struct group_sm *s = sm_of(g, sm);
    if (!s->l1_stale) return;
    core_make_flush_l1(core_command(g->core, 1),
                       &(struct core_cmd_flush_l1){.sm = sm, .lines = s->l1_lines});
    s->l1_stale = false;
}

/* group.c calls it when a CTA begins on an SM, at target cycle `live`: refreshes L1, sets the CTA's
 * begin, and its pace if its slot has none. */
void group_l1_launch(struct timing_group *g, struct group_cta *cta, uint32_t sm, uint64_t live) {
    refresh(g, sm);
    cta->begin = (live - g->cycle_base) * TICKS;
    if (!cta->pace) cta->pace = DEFAULT_PACE;
}

/* group.c calls it when a CTA has ended, at target cycle `ended`, while its warps are still in
 * place: sets the pace (ticks from a wait to the next) of the next CTA in its slot. A CTA without
 * waits leaves it. */
void group_l1_end(struct timing_group *g, struct group_cta *cta, uint32_t sm, uint64_t ended) {
    uint64_t most = 0;
    for (unsigned i = 0; i < cta->num_warps; i++) {
        uint64_t took = group_warp_of(g, sm, cta->warp[i])->at - cta->begin;
        if (took > most) most = took;
    }
    uint64_t waits = most / cta->pace, ticks = (ended - g->cycle_base) * TICKS - cta->begin;
    if (waits) cta->pace = ticks > waits ? ticks / waits : 1;
}

/* Adds a request of a warp for sectors of a followed line (`line`: a line word of the core; `mem`:
 * CORE_MEM_*) to the emulation. Counts it in gw->since; a warp with too many at one time moves on
 * by a tick. */
void group_l1_request(struct timing_group *g, struct group_warp *gw, unsigned mem, uint64_t line) {
    uint32_t index = (uint32_t)(gw - g->warps), warp = index % TIMING_MAX_WARPS;
    if (gw->since == MOST_REQUESTS) {
        gw->at++;
        gw->since = 0;
    }
    l1_curve_request(
        g->l1, index / TIMING_MAX_WARPS,
        &(struct l1_request){.key = key_of(gw->at) | warp * MOST_REQUESTS | gw->since++,
                             .line = core_line_addr(&line),
                             .sectors = (uint8_t)core_line_sectors(&line),
                             .access = mem == CORE_MEM_LOAD    ? L1_LOAD
                                       : mem == CORE_MEM_STORE ? L1_STORE
                                                               : L1_BYPASS});
}

/* The time, in ticks, before which no request of the SM can come any more: that of its warp that is
 * furthest behind, or `cycle` if all are later, since later CTAs begin at `cycle` or later. */
static uint64_t earliest(const struct timing_group *g, uint32_t sm, uint64_t cycle) {
    const struct group_warp *warps = &g->warps[sm * TIMING_MAX_WARPS];
    uint64_t at = (cycle - g->cycle_base) * TICKS;
    for (unsigned i = 0; i < TIMING_MAX_WARPS; i++)
        if (warps[i].exec && warps[i].state != EXEC_EXITED && warps[i].at < at) at = warps[i].at;
    return at;
}

/* group.c calls it at the end of a run of the core. Performs the requests that no later one can
 * precede, of SMs where more than MOST_WAITING wait. `cycle`: all before it is simulated. */
void group_l1_advance(struct timing_group *g, uint64_t cycle) {
    for (uint32_t sm = 0; sm < g->num_sms; sm++)
        if (l1_curve_waiting(g->l1, sm) > MOST_WAITING)
            l1_curve_advance(g->l1, sm, key_of(earliest(g, sm, cycle)));
}

/* Performs all waiting requests, empties the emulated caches, and forgets the pace of all slots. No
 * CTA is resident; L1 of an SM is emptied before its next one. */
void group_l1_flush(struct timing_group *g) {
    for (uint32_t i = 0; i < g->num_sms; i++) g->sms[i].l1_stale = true;
    l1_curve_flush(g->l1);
    for (uint32_t i = 0; i < g->num_sms * TIMING_MAX_CTAS; i++) g->ctas[i].pace = 0;
}

/* Adds to *sum the bytes between L1 and L2 since creation. gpu_records.c calls it between windows,
 * on the thread that drives the fabric, so it does not race with the group. `idle`: no kernel runs;
 * waiting requests are performed first. */
void timing_group_l1(struct timing_group *g, bool idle, struct l1_curve_counts *sum) {
    if (idle) l1_curve_finish(g->l1);
    l1_curve_add(g->l1, sum);
}
