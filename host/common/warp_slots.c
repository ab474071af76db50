/* warp_slots.c - the choice of a sub-core and a slot for each warp of a CTA; contracts in
 * warp_slots.h. */
#include "common/warp_slots.h"

#include <assert.h>
#include <string.h>

enum { NONE = WARP_SLOTS_MOST_SUBCORES, ORDER_BITS = 2 };

const char *const warp_placement_names[] = {"lowest", "turn", "least", "rotate", NULL};

enum warp_placement warp_placement_of(const char *name) {
    unsigned i = 0;
    while (warp_placement_names[i] && strcmp(warp_placement_names[i], name)) i++;
    assert(warp_placement_names[i]);
    return (enum warp_placement)i;
}

/* The slots of a sub-core, a mask. */
static uint64_t slots_of(unsigned subcore, unsigned subcores) {
    static const uint64_t every[] = {
        [1] = UINT64_MAX, [2] = UINT64_C(0x5555555555555555), [4] = UINT64_C(0x1111111111111111)};
    return every[subcores] << subcore;
}

struct warp_slots warp_slots_empty(uint32_t slots, uint32_t registers, uint32_t subcores) {
    struct warp_slots s = {.free = slots < WARP_SLOTS_MOST ? (UINT64_C(1) << slots) - 1
                                                           : UINT64_MAX,
                           .subcores = (uint8_t)subcores};
    assert(subcores == 1 || subcores == 2 || subcores == WARP_SLOTS_MOST_SUBCORES);
    for (unsigned c = 0; c < subcores; c++) s.registers[c] = registers / subcores;
    return s;
}

/* @return the sub-core of the next warp, NONE: no sub-core has room. */
static unsigned choose(const struct warp_slots *s, enum warp_placement placement,
                       uint32_t registers) {
    const bool in_turn = placement == WARP_PLACEMENT_TURN || placement == WARP_PLACEMENT_ROTATE;
    const unsigned first = in_turn ? s->next : 0;
    unsigned best = NONE;
    uint64_t lowest = 0; /* its lowest free slot */
    for (unsigned i = 0; i < s->subcores; i++) {
        const unsigned c = (first + i) % s->subcores;
        const uint64_t slots = s->free & slots_of(c, s->subcores), slot = slots & -slots;
        bool better = best == NONE;
        if (!slots || s->registers[c] < registers) continue;
        if (placement == WARP_PLACEMENT_LOWEST) better = better || slot < lowest;
        if (placement == WARP_PLACEMENT_LEAST || placement == WARP_PLACEMENT_ROTATE)
            better = better || s->warps[c] < s->warps[best];
        if (!better) continue;
        best = c;
        lowest = slot;
    }
    return best;
}

bool warp_slots_take(struct warp_slots *s, enum warp_placement placement, uint32_t warps,
                     uint32_t registers, struct warp_slots_of_cta *out) {
    struct warp_slots after = *s;
    struct warp_slots_of_cta taken = {0};
    for (uint32_t i = 0; i < warps; i++) {
        const unsigned c = choose(&after, placement, registers);
        if (c == NONE) return false;
        const uint64_t slots = after.free & slots_of(c, after.subcores);
        taken.slots |= slots & -slots;
        taken.order |= (uint64_t)c << ORDER_BITS * i;
        after.free &= ~(slots & -slots);
        after.registers[c] -= registers;
        after.warps[c]++;
        after.next = (uint8_t)((c + 1) % after.subcores);
    }
    if (placement == WARP_PLACEMENT_ROTATE && warps % after.subcores == 0)
        after.next = (uint8_t)((after.next + 1) % after.subcores);
    *s = after;
    *out = taken;
    return true;
}

void warp_slots_give(struct warp_slots *s, uint64_t slots, uint32_t registers) {
    assert(!(s->free & slots));
    uint32_t left = 0;
    for (unsigned c = 0; c < s->subcores; c++) {
        const unsigned n = (unsigned)__builtin_popcountll(slots & slots_of(c, s->subcores));
        s->registers[c] += n * registers;
        s->warps[c] -= n;
        left += s->warps[c];
    }
    s->free |= slots;
    if (!left) s->next = 0;
}

void warp_slots_list(struct warp_slots_of_cta of, unsigned subcores, unsigned warps,
                     uint8_t *slot) {
    for (unsigned i = 0; i < warps; i++) {
        const unsigned c = of.order >> ORDER_BITS * i & (WARP_SLOTS_MOST_SUBCORES - 1);
        const uint64_t slots = of.slots & slots_of(c, subcores), lowest = slots & -slots;
        assert(slots);
        slot[i] = (uint8_t)__builtin_ctzll(slots);
        of.slots &= ~lowest;
    }
}
