/* test_carveout.c - common/carveout.c: shared memory that launches want of an SM, against what
 * Nsight Compute reports in published profiles, and L1 beside it. */
#include <criterion/criterion.h>

#include "common/carveout.h"

enum { KIB = 1024 };

static const struct carveout_wish no_wish = {.percent = -1};

static struct config *gpu(const char *name, const char *const *sets, size_t num_sets) {
    struct config *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&c, name, GPUS, sets, num_sets, &diag), HEDDLE_OK, "%s", diag.text);
    return c;
}

/* KiB that a launch wants. */
static uint32_t wants(const struct config *c, uint32_t threads, uint32_t registers, uint32_t shared,
                      struct carveout_wish wish) {
    const struct occupancy_need need = {threads, registers, shared};
    cr_assert(occupancy_ctas(c, &need, NULL));
    return carveout_choose(c, &need, &wish).bytes / KIB;
}

Test(carveout, published_profiles) {
    static const char *const t4[] = {"sm.shared_sizes=32/64", "sm.shared=65536",
                                     "sm.unified=98304",      "sm.shared_per_cta_optin=65536",
                                     "sm.warps=32",           "sm.ctas=16"},
                             *const rtx3090[] = {"sm.shared_sizes=0/8/16/32/64/100",
                                                 "sm.shared=102400",
                                                 "sm.shared_per_cta_optin=101376",
                                                 "sm.shared_reserved=1024",
                                                 "sm.shared_unit=128",
                                                 "sm.warps=48",
                                                 "sm.ctas=16"};
    struct config *c = gpu("v100", NULL, 0);
    cr_expect_eq(wants(c, 128, 32, 0, no_wish), 0);
    config_free(c);
    c = gpu("v100", t4, 6);
    cr_expect_eq(wants(c, 256, 32, 2 * KIB, no_wish), 32); /* 4 CTAs of 2 KB */
    cr_expect_eq(wants(c, 256, 32, 32 * KIB, no_wish), 64);
    config_free(c);
    c = gpu("v100", rtx3090, 7);
    cr_expect_eq(wants(c, 256, 32, 0, no_wish), 8); /* 6 CTAs */
    config_free(c);
    c = gpu("h100-pcie", NULL, 0);
    cr_expect_eq(wants(c, 1024, 32, 12 * KIB, no_wish), 32);   /* 2 CTAs of 12.3 KB */
    cr_expect_eq(wants(c, 256, 32, 30 * KIB, no_wish), 228);   /* 8 CTAs of 30.7 KB */
    cr_expect_eq(wants(c, 1024, 64, 130 * KIB, no_wish), 132); /* 1 CTA of 133 KB, an H20 */
    config_free(c);
}

Test(carveout, occupancy_is_never_less_than_with_the_most) {
    struct config *c = gpu("a100-40", NULL, 0);
    for (uint32_t threads = 32; threads <= 1024; threads += 96)
        for (uint32_t shared = 0; shared <= c->sm_shared_per_cta_optin; shared += 1111) {
            const struct occupancy_need need = {threads, 32, shared};
            struct config with = *c;
            with.sm_shared_bytes = carveout_choose(c, &need, &no_wish).bytes;
            cr_assert_eq(occupancy_ctas(&with, &need, NULL), occupancy_ctas(c, &need, NULL),
                         "%u threads, %u bytes", threads, shared);
        }
    config_free(c);
}

Test(carveout, preferences) {
    struct config *c = gpu("v100", NULL, 0);
    const struct carveout_wish half = {.percent = 50}, all = {.percent = 100},
                               l1 = {.percent = -1, .cache = CARVEOUT_PREFER_L1},
                               shared = {.percent = -1, .cache = CARVEOUT_PREFER_SHARED},
                               equal = {.percent = -1, .cache = CARVEOUT_PREFER_EQUAL},
                               both = {.percent = 0, .cache = CARVEOUT_PREFER_SHARED};
    struct carveout_wish cooperative = l1;
    cooperative.ctas = 5;
    const struct occupancy_need need = {256, 32, 4 * KIB};
    cr_expect_eq(wants(c, 256, 32, 4 * KIB, no_wish), 32); /* 8 CTAs */
    cr_expect_eq(wants(c, 256, 32, 4 * KIB, half), 64);    /* 48 KiB is no size */
    cr_expect_eq(wants(c, 256, 32, 0, half), 64);
    cr_expect_eq(wants(c, 256, 32, 12 * KIB, half), 96); /* the driver's own choice is more */
    cr_expect_eq(wants(c, 256, 32, 0, all), 96);
    cr_expect_eq(wants(c, 256, 32, 4 * KIB, l1), 8);
    cr_expect_eq(wants(c, 256, 32, 0, l1), 0);
    cr_expect_eq(wants(c, 256, 32, 4 * KIB, cooperative), 32);
    cr_expect_eq(wants(c, 256, 32, 40 * KIB, l1), 64);
    cr_expect_eq(wants(c, 256, 32, 0, shared), 96);
    cr_expect_eq(wants(c, 256, 32, 0, equal), 64);
    cr_expect_eq(wants(c, 256, 32, 80 * KIB, equal), 96);
    cr_expect_eq(wants(c, 256, 32, 4 * KIB, both), 32); /* a percentage is all that counts */
    cr_expect(carveout_choose(c, &need, &l1).exact);
    cr_expect_not(carveout_choose(c, &need, &half).exact);
    cr_expect_not(carveout_choose(c, &need, &no_wish).exact);
    config_free(c);
}

Test(carveout, l1_has_the_rest) {
    struct config *c = gpu("v100", NULL, 0);
    cr_expect_eq(carveout_l1_lines(c, 0), 1024);
    cr_expect_eq(carveout_l1_lines(c, 8 * KIB), 960);
    cr_expect_eq(carveout_l1_lines(c, 96 * KIB), 256);
    config_free(c);
    c = gpu("a100-40", NULL, 0);
    cr_expect_eq(carveout_l1_lines(c, 100 * KIB), 736);
    cr_expect_eq(carveout_l1_lines(c, 164 * KIB), 256); /* 28 KiB, but a way in each set */
    config_free(c);
    static const char *const small[] = {"l1.ways=4"};
    c = gpu("v100", small, 1);
    cr_expect_eq(carveout_l1_lines(c, 8 * KIB), 512);
    cr_expect_eq(carveout_l1_lines(c, 96 * KIB), 256);
    config_free(c);
}

Test(carveout, without_it) {
    static const char *const max[] = {"sm.carveout=max"};
    const struct carveout_wish l1 = {.percent = -1, .cache = CARVEOUT_PREFER_L1};
    struct config *c = gpu("p100", NULL, 0);
    cr_expect_eq(wants(c, 128, 32, 0, l1), 64);
    cr_expect_eq(carveout_l1_lines(c, 64 * KIB), 0);
    config_free(c);
    c = gpu("v100", max, 1);
    cr_expect_eq(wants(c, 128, 32, 0, l1), 96);
    cr_expect_eq(carveout_l1_lines(c, 96 * KIB), 0);
    config_free(c);
}

/* sm.shared is the largest size, whatever the list says. */
Test(carveout, smaller_shared_memory) {
    static const char *const sets[] = {"sm.shared=49152", "sm.shared_per_cta_optin=49152"};
    struct config *c = gpu("v100", sets, 2);
    cr_expect_eq(wants(c, 256, 32, 12 * KIB, no_wish), 48);
    cr_expect_eq(wants(c, 256, 32, 4 * KIB, no_wish), 32);
    config_free(c);
}

Test(carveout, texts) {
    struct carveout_sizes s;
    cr_expect(carveout_read_sizes("none", &s) && s.count == 0);
    cr_expect(carveout_read_sizes("0/8/100", &s) && s.count == 3 && s.bytes[2] == 100 * KIB);
    static const char *const wrong[] = {"",
                                        "8/",
                                        "/8",
                                        "8/8",
                                        "16/8",
                                        "8,16",
                                        "-8",
                                        " 8",
                                        "2000",
                                        "8/none",
                                        "0/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_expect_not(carveout_read_sizes(wrong[i], &s), "'%s'", wrong[i]);
}
