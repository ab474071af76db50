/* test_warp_slots.c - host/common/warp_slots.c: which sub-core each warp of a CTA gets. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/warp_slots.h"

enum { SLOTS = 64, REGISTERS = 65536, EACH = 1024 };

/* Takes slots for a CTA; they must be in these sub-cores, as digits, warp 0 first. @return them. */
static struct warp_slots_of_cta take(struct warp_slots *s, enum warp_placement p,
                                     const char *subcores) {
    struct warp_slots_of_cta taken;
    const uint32_t warps = (uint32_t)strlen(subcores);
    uint64_t seen = 0;
    uint8_t slot[32];
    cr_assert(warp_slots_take(s, p, warps, EACH, &taken));
    warp_slots_list(taken, s->subcores, warps, slot);
    for (unsigned i = 0; i < warps; i++) {
        cr_expect_eq(slot[i] % s->subcores, (unsigned)(subcores[i] - '0'), "warp %u in %s", i,
                     subcores);
        seen |= UINT64_C(1) << slot[i];
    }
    cr_expect_eq(seen, taken.slots);
    return taken;
}

/* The first four CTAs of n warps on an SM, for each placement. */
Test(warp_slots, the_first_ctas) {
    static const struct {
        enum warp_placement placement;
        const char *cta[4];
    } all[] = {
        {WARP_PLACEMENT_LOWEST, {"0", "1", "2", "3"}},
        {WARP_PLACEMENT_TURN, {"0", "1", "2", "3"}},
        {WARP_PLACEMENT_LEAST, {"0", "1", "2", "3"}},
        {WARP_PLACEMENT_ROTATE, {"0", "1", "2", "3"}},
        {WARP_PLACEMENT_LOWEST, {"01", "23", "01", "23"}},
        {WARP_PLACEMENT_TURN, {"01", "23", "01", "23"}},
        {WARP_PLACEMENT_LEAST, {"01", "23", "01", "23"}},
        {WARP_PLACEMENT_ROTATE, {"01", "23", "01", "23"}},
        {WARP_PLACEMENT_LOWEST, {"012", "301", "230", "123"}},
        {WARP_PLACEMENT_TURN, {"012", "301", "230", "123"}},
        {WARP_PLACEMENT_LEAST, {"012", "301", "230", "123"}},
        {WARP_PLACEMENT_ROTATE, {"012", "301", "230", "123"}},
        {WARP_PLACEMENT_LOWEST, {"0123", "0123", "0123", "0123"}},
        {WARP_PLACEMENT_TURN, {"0123", "0123", "0123", "0123"}},
        {WARP_PLACEMENT_LEAST, {"0123", "0123", "0123", "0123"}},
        {WARP_PLACEMENT_ROTATE, {"0123", "1230", "2301", "3012"}},
        {WARP_PLACEMENT_ROTATE, {"01230123", "12301230", "23012301", "30123012"}},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        struct warp_slots s = warp_slots_empty(SLOTS, REGISTERS, 4);
        for (uint32_t cta = 0; cta < 4; cta++) take(&s, all[i].placement, all[i].cta[cta]);
    }
}

Test(warp_slots, a_cta_that_replaces_another) {
    struct warp_slots s = warp_slots_empty(SLOTS, REGISTERS, 4);
    struct warp_slots_of_cta of[2];
    of[0] = take(&s, WARP_PLACEMENT_LEAST, "01");
    of[1] = take(&s, WARP_PLACEMENT_LEAST, "23");
    take(&s, WARP_PLACEMENT_LEAST, "0");
    warp_slots_give(&s, of[1].slots, EACH);
    take(&s, WARP_PLACEMENT_LEAST, "231");
    warp_slots_give(&s, of[0].slots, EACH);
    take(&s, WARP_PLACEMENT_ROTATE, "2301");
    take(&s, WARP_PLACEMENT_ROTATE, "3012");

    s = warp_slots_empty(SLOTS, REGISTERS, 4);
    of[0] = take(&s, WARP_PLACEMENT_TURN, "012");
    take(&s, WARP_PLACEMENT_TURN, "3");
    warp_slots_give(&s, of[0].slots, EACH);
    take(&s, WARP_PLACEMENT_TURN, "01230");
    take(&s, WARP_PLACEMENT_TURN, "12");
    take(&s, WARP_PLACEMENT_LOWEST, "012");
}

/* A CTA that is alone on its SM begins at sub-core 0, whatever was there before. */
Test(warp_slots, an_empty_sm_begins_anew) {
    struct warp_slots s = warp_slots_empty(SLOTS, REGISTERS, 4);
    for (enum warp_placement p = WARP_PLACEMENT_LOWEST; p <= WARP_PLACEMENT_ROTATE; p++) {
        const struct warp_slots_of_cta first = take(&s, p, "01230123");
        const struct warp_slots_of_cta second = take(&s, p, p == WARP_PLACEMENT_ROTATE ? "1" : "0");
        warp_slots_give(&s, first.slots, EACH);
        warp_slots_give(&s, second.slots, EACH);
    }
}

/* Registers and slots are those of a sub-core: a warp goes elsewhere when its own has too few. */
Test(warp_slots, each_subcore_has_its_share) {
    struct warp_slots s = warp_slots_empty(8, 8 * EACH, 2);
    struct warp_slots_of_cta out;
    take(&s, WARP_PLACEMENT_LOWEST, "0101");
    take(&s, WARP_PLACEMENT_ROTATE, "010");
    const struct warp_slots before = s;
    cr_assert_not(warp_slots_take(&s, WARP_PLACEMENT_ROTATE, 2, EACH, &out));
    cr_assert_eq(memcmp(&before, &s, sizeof s), 0);
    take(&s, WARP_PLACEMENT_TURN, "1");

    s = warp_slots_empty(SLOTS, 4 * 3 * EACH, 4); /* three warps fit a register file */
    take(&s, WARP_PLACEMENT_LOWEST, "012301230123");
    cr_assert_not(warp_slots_take(&s, WARP_PLACEMENT_LOWEST, 1, 1, &out));
}

Test(warp_slots, names) {
    for (unsigned i = 0; warp_placement_names[i]; i++)
        cr_assert_eq(warp_placement_of(warp_placement_names[i]), (enum warp_placement)i);
}
