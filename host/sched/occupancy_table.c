/* occupancy_table.c - the free CTA slots, warps, registers, shared memory and barriers of each SM,
 * and the choice of the SM for the next CTA; contracts in occupancy_table.h. cta_dispatch.c owns a
 * table and calls it on the scheduler's thread; kernel.c calls the two pure functions at a launch.
 *
 * Functions that take `s` change that table alone; a place that is given back stays in a queue
 * until its cycle comes. */
#include "sched/occupancy_table.h"

#include <assert.h>
#include <stdlib.h>

#include "common/occupancy.h"

/* Free resources of one SM. */
struct room {
    uint32_t ctas, shared_bytes, barriers;
    uint32_t free_ctas; /* mask of CTA slots */
    struct warp_slots warps;
    uint32_t taken;       /* CTAs */
    uint32_t shared_size; /* of the SM, NO_SIZE: no CTA has come yet */
};
enum { NO_SIZE = UINT32_MAX };

/* A place that is free from a cycle on. */
struct given {
    uint64_t cycle;
    struct occupancy_table_place place;
    struct occupancy_table_need need;
};

/* The table: a ring of places given back, and the free resources of each SM. */
struct occupancy_table {
    uint32_t num_sms, next; /* next: SM with which the search begins */
    enum occupancy_table_placement placement;
    enum warp_placement warps;
    struct given *given; /* ring with an entry for every CTA slot, by cycle */
    uint32_t given_first, num_given;
    struct room room[];
};

static uint32_t subcores_of(const struct occupancy_table_limits *l) {
    return l->subcores ? l->subcores : 1;
}

/* The resources of an SM without CTAs. */
static struct room empty_sm(const struct occupancy_table_limits *l) {
    return (struct room){.ctas = l->ctas,
                         .shared_bytes = l->shared_bytes,
                         .barriers = l->barriers,
                         .free_ctas = l->ctas < 32 ? (UINT32_C(1) << l->ctas) - 1 : UINT32_MAX,
                         .warps = warp_slots_empty(l->warps, l->registers, subcores_of(l)),
                         .shared_size = NO_SIZE};
}

/* Allocates the table with all SMs empty. @return HEDDLE_ERR_ARGUMENT for more CTAs or warps per SM
 * than the maxima in the header, HEDDLE_ERR_NOMEM; *out is then NULL. */
heddle_err occupancy_table_create(struct occupancy_table **out, uint32_t num_sms,
                                  const struct occupancy_table_limits *limits,
                                  enum occupancy_table_placement placement) {
    *out = NULL;
    if (limits->ctas > OCCUPANCY_TABLE_MAX_CTAS || limits->warps > OCCUPANCY_TABLE_MAX_WARPS)
        return HEDDLE_ERR_ARGUMENT;
    struct occupancy_table *s = calloc(1, sizeof *s + num_sms * sizeof s->room[0]);
    if (s) s->given = malloc((size_t)num_sms * OCCUPANCY_TABLE_MAX_CTAS * sizeof *s->given);
    if (!s || !s->given) {
        occupancy_table_free(s);
        return HEDDLE_ERR_NOMEM;
    }
    s->num_sms = num_sms;
    s->placement = placement;
    s->warps = limits->placement;
    for (uint32_t i = 0; i < num_sms; i++) s->room[i] = empty_sm(limits);
    *out = s;
    return HEDDLE_OK;
}

/* Frees the table. Accepts NULL. */
void occupancy_table_free(struct occupancy_table *s) {
    if (s) free(s->given);
    free(s);
}

static uint32_t round_up(uint32_t n, uint32_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* @return registers that a warp takes, more than all if not one warp fits. Registers of a sub-core
 * that are too few for one more warp are shared out among its warps. */
static uint32_t warp_registers(const struct occupancy_table_limits *l, uint32_t regs) {
    uint32_t fit = occupancy_register_warps(l->registers, subcores_of(l), l->register_unit, regs);
    return fit ? l->registers / fit : l->registers + 1;
}

/* @return what a CTA takes, rounded up to the hardware's units: `threads` of it, `regs` per thread,
 * `shared_bytes` of it. Pure. */
struct occupancy_table_need occupancy_table_need(const struct occupancy_table_limits *l,
                                                 uint32_t threads, uint32_t regs,
                                                 uint32_t shared_bytes, uint32_t barriers) {
    uint32_t warps = (threads + 31) / 32;
    return (struct occupancy_table_need){
        .warps = warps,
        .registers = warp_registers(l, regs),
        .shared_bytes = round_up(shared_bytes + l->shared_reserved, l->shared_unit),
        .barriers = barriers,
        .shared_size = l->shared_bytes,
    };
}

/* Takes what a CTA of this shape needs, and fills in all of *place but the SM. `resized`: the first
 * CTA of the SM has changed the size of its shared memory. @return false: it does not fit; nothing
 * has changed. */
static bool take(struct room *r, const struct occupancy_table_need *n,
                 enum warp_placement placement, struct occupancy_table_place *place) {
    const uint32_t shared = r->taken ? r->shared_bytes : n->shared_size;
    if (r->taken && (n->exact ? r->shared_size != n->shared_size : r->shared_size < n->shared_size))
        return false;
    if (!r->ctas || n->shared_bytes > shared || n->barriers > r->barriers) return false;
    place->cta = (uint32_t)__builtin_ctz(r->free_ctas);
    if (!warp_slots_take(&r->warps, placement, n->warps, n->registers, &place->warps)) return false;
    place->resized = !r->taken && r->shared_size != n->shared_size;
    if (!r->taken) r->shared_bytes = r->shared_size = n->shared_size;
    r->taken++;
    r->ctas--;
    r->free_ctas &= r->free_ctas - 1;
    r->shared_bytes -= n->shared_bytes;
    r->barriers -= n->barriers;
    return true;
}

/* @return how many CTAs of this shape an empty SM holds; 0: it never fits. Pure. */
uint32_t occupancy_table_occupancy(const struct occupancy_table_limits *l,
                                   const struct occupancy_table_need *need) {
    struct room r = empty_sm(l);
    struct occupancy_table_place place;
    uint32_t n = 0;
    while (take(&r, need, l->placement, &place)) n++;
    return n;
}

/* Returns a place's resources to its SM. */
static void release(struct occupancy_table *s, const struct given *g) {
    struct room *r = &s->room[g->place.sm];
    assert(!(r->free_ctas >> g->place.cta & 1));
    r->free_ctas |= UINT32_C(1) << g->place.cta;
    warp_slots_give(&r->warps, g->place.warps.slots, g->need.registers);
    r->ctas++;
    r->taken--;
    r->shared_bytes += g->need.shared_bytes;
    r->barriers += g->need.barriers;
}

/* @return the cycle of the first place that is given back and not released yet; UINT64_MAX: there
 * is none. */
uint64_t occupancy_table_more_at(const struct occupancy_table *s) {
    return s->num_given ? s->given[s->given_first].cycle : UINT64_MAX;
}

/* Releases the places whose cycle has come, then searches the SMs for room and takes a place on the
 * first one that has it: fills in *place. `cycle` must not decrease from call to call. @return
 * false: no SM has room; *place is untouched. */
bool occupancy_table_take(struct occupancy_table *s, const struct occupancy_table_need *need,
                          struct occupancy_table_place *place, uint64_t cycle) {
    for (; occupancy_table_more_at(s) <= cycle; s->num_given--) {
        release(s, &s->given[s->given_first]);
        s->given_first = (s->given_first + 1) % (s->num_sms * OCCUPANCY_TABLE_MAX_CTAS);
    }
    for (uint32_t i = 0; i < s->num_sms; i++) {
        uint32_t sm = (s->next + i) % s->num_sms;
        struct occupancy_table_place there = {.sm = sm};
        if (!take(&s->room[sm], need, s->warps, &there)) continue;
        *place = there;
        if (s->placement == OCCUPANCY_TABLE_BREADTH_FIRST) s->next = (sm + 1) % s->num_sms;
        return true;
    }
    return false;
}

/* Queues the place of a CTA that needed *need; occupancy_table_take() releases it in `cycle`, which
 * must not decrease from call to call. */
void occupancy_table_give(struct occupancy_table *s, const struct occupancy_table_place *place,
                          const struct occupancy_table_need *need, uint64_t cycle) {
    uint32_t capacity = s->num_sms * OCCUPANCY_TABLE_MAX_CTAS;
    assert(place->sm < s->num_sms && s->num_given < capacity);
    s->given[(s->given_first + s->num_given++) % capacity] = (struct given){cycle, *place, *need};
}
