/* group_watch.c - what the core does in time with each instruction of an SM group's warps: the
 * counts from `issued` on of tables/code_counts.def.
 *
 * The core tells of each issue with the warp alone (timing/core_watch.h). A warp's packets issue in
 * the order in which they were delivered, so a ring for each warp slot says which instruction the
 * next one belongs to. The memory stage serves the loads of a warp in the order of their issue;
 * a second ring says whose line is looked up next. The sums of a launch are its CPI stack, without
 * the cycles in which there was no warp, and its share of L1's counters.
 *
 * group_feed.c calls group_watch_sent() for each packet that it delivers; the core calls the other
 * functions back while it runs. All of this happens on the thread that simulates the group, for
 * each issue: nothing is allocated, and little memory is touched. */
#include <stdlib.h>

#include "common/memory.h"
#include "timing/group_internal.h"

enum { LOADS = 32 }; /* of a warp that have issued, with lines left; the core's queues take fewer */
enum { PC_BITS = 20, PC = (1 << PC_BITS) - 1, NOBODY = PC };
enum { PLACE_BITS = 6 }; /* TIMING_MAX_WARPS */

_Static_assert(CODE_SPOT_wait_constant - CODE_SPOT_wait_stall + 2 == CORE_NUM_WAITS,
               "the table has the causes of core_regs.def, without wait_no_warp");

static void broken(struct timing_group *g, const char *what) {
    if (!g->failed)
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL, "SM group %u: the timing core %s",
                                g->index, what);
}

/* The number of a warp slot's flight. */
static uint32_t flight_of(const struct timing_group *g, const struct group_warp *gw) {
    const uint32_t slot = (uint32_t)(gw - g->warps), warp = slot % TIMING_MAX_WARPS;
    const unsigned bits = (unsigned)__builtin_ctz(g->config->sub_cores);
    const uint32_t place = (warp & (g->config->sub_cores - 1)) << (PLACE_BITS - bits) |
                           warp >> bits;
    return slot - warp + place;
}

/* The same for a callback. UINT32_MAX: not of this group. */
static uint32_t flight_at(struct timing_group *g, uint32_t sm, uint32_t place) {
    const uint32_t groups = g->config->num_groups;
    if (groups > 1) {
        if (sm % groups != g->index) sm = UINT32_MAX;
        sm /= groups;
    }
    if (sm < g->num_sms) return sm << PLACE_BITS | place;
    broken(g, "tells of an SM of another group");
    return UINT32_MAX;
}

void group_watch_sent(struct timing_group *g, const struct group_warp *gw,
                      const struct feed_packet *packet, uint32_t pc, unsigned lines) {
    const struct group_watch *w = &g->watch;
    const uint32_t n = flight_of(g, gw);
    struct group_flight *f = &w->flight[n];
    if (core_packet_cls(packet->w) == CORE_CLASS_HOLD) return; /* it vanishes */
    if (core_packet_mem(packet->w) != CORE_MEM_LOAD) lines = 0;
    if ((uint8_t)(f->packet_tail - f->packet_head) == w->size)
        broken(g, "holds more packets of a warp than it has room for");
    w->packets[n * w->size + f->packet_tail++ % w->size] = pc | lines << PC_BITS;
}

/* core_watch.visited */
static void visited(void *user, uint32_t sm, uint32_t place, bool issued, uint32_t cycles,
                    uint32_t cause) {
    struct timing_group *g = user;
    const struct group_watch *w = &g->watch;
    const uint32_t n = flight_at(g, sm, place);
    if (n == UINT32_MAX) return;
    struct group_flight *f = &w->flight[n];
    if (f->packet_head == f->packet_tail) {
        broken(g, "issues an instruction that it was not given");
        return;
    }
    const uint32_t packet = w->packets[n * w->size + f->packet_head % w->size];
    struct code_count *c = f->counts ? &f->counts[packet & PC] : &g->uncounted;
    if (cycles && cause && cause < CORE_NUM_WAITS) {
        (&c->wait_stall)[cause - 1] += cycles;
        f->cause = (uint8_t)cause;
        f->waited = cycles < UINT16_MAX ? (uint16_t)cycles : UINT16_MAX;
    }
    if (!issued) return;
    c->issued++;
    f->packet_head++;
    if (packet <= PC) return;
    if ((uint8_t)(f->load_tail - f->load_head) == LOADS) broken(g, "has too many loads of a warp");
    w->loads[n * LOADS + f->load_tail++ % LOADS] = packet;
}

/* core_watch.looked_up. Loads that nobody waits for, such as prefetches, may look lines up behind
 * the end of their CTA. */
static void looked_up(void *user, uint32_t sm, uint32_t place, uint32_t sectors, uint32_t hits) {
    struct timing_group *g = user;
    const uint32_t n = flight_at(g, sm, place);
    if (n == UINT32_MAX) return;
    struct group_flight *f = &g->watch.flight[n];
    if (f->load_head == f->load_tail) {
        broken(g, "looks up a line of no load");
        return;
    }
    uint32_t *load = &g->watch.loads[n * LOADS + f->load_head % LOADS];
    const uint32_t pc = *load & PC;
    struct code_count *c = f->counts && pc != NOBODY ? &f->counts[pc] : &g->uncounted;
    c->l1_sectors += sectors;
    c->l1_hits += hits;
    *load -= 1u << PC_BITS;
    if (*load <= PC) f->load_head++;
}

void group_watch_launch(struct timing_group *g, const struct group_warp *gw) {
    const struct timing_launch *launch = gw->cta->launch;
    struct code_count *counts = launch->counts;
    if (counts) counts += (size_t)g->index * launch->exec.function->num_inst;
    struct group_flight *f = &g->watch.flight[flight_of(g, gw)];
    f->counts = counts;
    f->cause = 0;
}

struct group_watched group_watch_look(const struct timing_group *g, const struct group_warp *gw) {
    struct group_watched out = {.pc = UINT32_MAX};
    if (!g->watch.flight) return out;
    const uint32_t n = flight_of(g, gw);
    const struct group_flight *f = &g->watch.flight[n];
    out.packets = (uint8_t)(f->packet_tail - f->packet_head);
    if (out.packets)
        out.pc = g->watch.packets[n * g->watch.size + f->packet_head % g->watch.size] & PC;
    out.loads = (uint8_t)(f->load_tail - f->load_head);
    out.cause = f->cause;
    out.waited = f->waited;
    return out;
}

void group_watch_end(struct timing_group *g, const struct group_warp *gw) {
    const uint32_t n = flight_of(g, gw);
    struct group_flight *f = &g->watch.flight[n];
    for (uint8_t i = f->load_head; i != f->load_tail; i++)
        g->watch.loads[n * LOADS + i % LOADS] |= NOBODY;
    f->counts = NULL;
}

void group_watch_begin(struct timing_group *g) {
    static const char WHAT[] = "packets in flight";
    const struct core_watch watch = {g, visited, looked_up};
    const size_t warps = (size_t)g->num_sms * TIMING_MAX_WARPS;
    if (!g->config->watch || !core_set_watch(g->core, &watch)) return;
    g->watch.size = 4; /* besides those in the buffer the core has one at hand */
    while (g->watch.size < g->config->run_ahead + g->config->hold_place + 2) g->watch.size *= 2;
    g->watch.flight = heddle_alloc_array(warps, sizeof *g->watch.flight, WHAT);
    g->watch.loads = heddle_alloc_array(warps * LOADS, sizeof *g->watch.loads, WHAT);
    g->watch.packets = heddle_alloc_array(warps * g->watch.size, sizeof *g->watch.packets, WHAT);
}

void group_watch_free(struct timing_group *g) {
    free(g->watch.flight);
    free(g->watch.packets);
    free(g->watch.loads);
}
