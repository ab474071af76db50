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
 * functions back while it runs. All of this happens on the thread that simulates the group. Nothing
 * is allocated here but at the group's creation. */
#include <stdlib.h>

#include "common/memory.h"
#include "timing/group_internal.h"

/* Of the warps of a slot: more packets than the core holds; more loads than its queues take. */
enum { PACKETS = 128, LOADS = 64 };
enum { PC_BITS = 20, PC = (1 << PC_BITS) - 1, NOBODY = PC };

/* What a warp slot has sent to the core: instruction, and its lines above PC_BITS, if it is a load
 * that looks lines up. Positions count on, modulo the size. */
struct group_flight {
    uint32_t packet[PACKETS], load[LOADS];
    uint8_t packet_head, packet_tail, load_head, load_tail;
};

_Static_assert(CODE_SPOT_wait_constant - CODE_SPOT_wait_stall + 2 == CORE_NUM_WAITS,
               "the table has the causes of core_regs.def, without wait_no_warp");

static void broken(struct timing_group *g, const char *what) {
    if (!g->failed)
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL, "SM group %u: the timing core %s",
                                g->index, what);
}

/* The warp of a callback, and its flight. */
static struct group_flight *flight_of(struct timing_group *g, uint32_t sm, uint32_t place,
                                      struct group_warp **gw) {
    const unsigned slots = TIMING_MAX_WARPS / g->config->sub_cores; /* of a sub-core */
    const uint32_t warp = place % slots * g->config->sub_cores + place / slots;
    if (sm >= g->config->num_sms || sm % g->config->num_groups != g->index) {
        broken(g, "tells of an SM of another group");
        return NULL;
    }
    *gw = group_warp_of(g, sm, warp);
    return &g->flights[*gw - g->warps];
}

/* The counts of an instruction of the warp's launch. */
static struct code_count *count_of(struct timing_group *g, const struct group_warp *gw,
                                   uint32_t pc) {
    const struct timing_launch *launch = gw->cta->launch;
    if (!launch->counts || pc == NOBODY) return &g->uncounted;
    return &launch->counts[(size_t)g->index * launch->exec.function->num_inst + pc];
}

void group_watch_sent(struct timing_group *g, const struct group_warp *gw,
                      const struct feed_packet *packet, uint32_t pc, unsigned lines) {
    struct group_flight *f = &g->flights[gw - g->warps];
    if (core_packet_cls(packet->w) == CORE_CLASS_HOLD) return; /* it vanishes */
    if (core_packet_mem(packet->w) != CORE_MEM_LOAD) lines = 0;
    if ((uint8_t)(f->packet_tail - f->packet_head) == PACKETS)
        broken(g, "holds more packets of a warp than it has room for");
    f->packet[f->packet_tail++ % PACKETS] = pc | lines << PC_BITS;
}

/* core_watch.visited */
static void visited(void *user, uint32_t sm, uint32_t place, bool issued, uint32_t cycles,
                    uint32_t cause) {
    struct timing_group *g = user;
    struct group_warp *gw;
    struct group_flight *f = flight_of(g, sm, place, &gw);
    if (!f) return;
    if (f->packet_head == f->packet_tail) {
        broken(g, "issues an instruction that it was not given");
        return;
    }
    const uint32_t packet = f->packet[f->packet_head % PACKETS], pc = packet & PC;
    struct code_count *c = count_of(g, gw, pc);
    if (cycles && cause && cause < CORE_NUM_WAITS) (&c->wait_stall)[cause - 1] += cycles;
    if (!issued) return;
    c->issued++;
    f->packet_head++;
    if (packet <= PC) return;
    if ((uint8_t)(f->load_tail - f->load_head) == LOADS) broken(g, "has too many loads of a warp");
    f->load[f->load_tail++ % LOADS] = packet;
}

/* core_watch.looked_up. Loads that nobody waits for, such as prefetches, may look lines up behind
 * the end of their CTA. */
static void looked_up(void *user, uint32_t sm, uint32_t place, uint32_t sectors, uint32_t hits) {
    struct timing_group *g = user;
    struct group_warp *gw;
    struct group_flight *f = flight_of(g, sm, place, &gw);
    if (!f) return;
    if (f->load_head == f->load_tail) {
        broken(g, "looks up a line of no load");
        return;
    }
    uint32_t *load = &f->load[f->load_head % LOADS];
    struct code_count *c = count_of(g, gw, *load & PC);
    c->l1_sectors += sectors;
    c->l1_hits += hits;
    *load -= 1u << PC_BITS;
    if (*load <= PC) f->load_head++;
}

void group_watch_end(struct timing_group *g, const struct group_warp *gw) {
    struct group_flight *f = &g->flights[gw - g->warps];
    for (uint8_t i = f->load_head; i != f->load_tail; i++) f->load[i % LOADS] |= NOBODY;
}

void group_watch_begin(struct timing_group *g) {
    const struct core_watch watch = {g, visited, looked_up};
    if (!g->config->watch || !core_set_watch(g->core, &watch)) return;
    g->flights = heddle_alloc_array((size_t)g->num_sms * TIMING_MAX_WARPS, sizeof *g->flights,
                                    "packets in flight");
}
