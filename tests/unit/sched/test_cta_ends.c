/* test_cta_ends.c - host/sched/cta_ends.c: in which order CTAs are retired, and which of them wait
 * for managed memory. */
#include <criterion/criterion.h>

#include "sched/cta_ends.h"

#define BASE UINT64_C(0x7e9000000000)
enum { OWN = MANAGED_DEVICE };

static void tell(void *user, uint64_t at_ps, uint32_t first, uint64_t mask, bool here) {
    (void)user, (void)at_ps, (void)first, (void)mask, (void)here;
}

/* A service of 128 blocks, of which the first one is on the GPU. */
static struct fault_service *service(struct managed_blocks **blocks, struct packet_link *link) {
    const struct fault_config config = {
        .batch_faults = 8, .fill_bytes_per_s = 1000000000, .place = OWN};
    *link = (struct packet_link){.config = {.bytes_per_s = 1000000000, .payload = 256}};
    *blocks = managed_blocks_create(BASE, 128 * MANAGED_BLOCK, BASE);
    managed_blocks_allocate(*blocks, BASE, 128 * MANAGED_BLOCK, NULL);
    (*blocks)->block[0].place = OWN;
    return fault_service_create(&config, *blocks, link, link, tell, NULL);
}

static void access_block(struct cta_ends *e, uint32_t block) {
    struct fabric_message m = {.kind = MESSAGE_ACCESSED};
    m.word[0] = block / MANAGED_RUN * MANAGED_RUN;
    m.word[1] = UINT64_C(1) << block % MANAGED_RUN;
    cta_ends_receive(e, NULL, &m);
}

/* Of equal times the kernel that was launched first is first, whoever reported first. */
Test(cta_ends, they_come_in_order) {
    struct cta_ends e = {0};
    struct kernel first = {.number = 3}, second = {.number = 5};
    struct cta_end d;
    cta_ends_add(&e, &(struct cta_end){.cycle_heard = 10, .kernel = &second});
    cta_ends_add(&e, &(struct cta_end){.cycle_heard = 10, .kernel = &first});
    cta_ends_add(&e, &(struct cta_end){.cycle_heard = 11, .kernel = &first});
    const struct kernel *order[] = {&first, &second, &first};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(cta_ends_next(&e)->kernel, order[i]);
        cr_assert(cta_ends_take(&e, NULL, 0, &d));
        cr_assert_eq(d.kernel, order[i]);
    }
    cr_assert_null(cta_ends_next(&e));
    cta_ends_finish(&e);
    cta_ends_clear(&e);
}

/* Ends are taken one behind another, so that CTAs of one kernel have an order, too: the same for
 * any number of SM groups, which report in theirs. */
Test(cta_ends, of_equal_times_by_place) {
    static const struct occupancy_table_place told[] = {
        {.sm = 2, .cta = 1}, {.sm = 0, .cta = 3}, {.sm = 2, .cta = 0}, {.sm = 1, .cta = 5}};
    static const unsigned order[] = {1, 3, 2, 0};
    struct cta_ends e = {0};
    struct kernel k = {.number = 1};
    struct cta_end d;
    for (unsigned i = 0; i < 4; i++)
        cta_ends_add(&e, &(struct cta_end){.cycle_heard = 10, .kernel = &k, .place = told[i]});
    for (unsigned i = 0; i < 4; i++) {
        cr_assert(cta_ends_take(&e, NULL, 0, &d));
        cr_expect_eq(d.place.sm, told[order[i]].sm);
        cr_expect_eq(d.place.cta, told[order[i]].cta);
    }
    cta_ends_finish(&e);
    cta_ends_clear(&e);
}

/* A CTA waits for what is not on the GPU, and only for its own blocks; those that wait no longer
 * come in the order of their ends. */
Test(cta_ends, they_wait_for_their_blocks) {
    struct managed_blocks *blocks;
    struct packet_link link;
    struct fault_service *s = service(&blocks, &link);
    struct cta_ends e = {0};
    struct kernel k = {.number = 1};
    struct cta_end d;
    const uint32_t wanted[] = {0, 70, 90, 70};
    for (unsigned i = 0; i < 4; i++) {
        access_block(&e, 0);
        access_block(&e, wanted[i]);
        cta_ends_add(&e, &(struct cta_end){.cycle_heard = 10 + i, .warp_inst = i, .kernel = &k});
    }
    cr_assert(cta_ends_take(&e, s, 10, &d));
    for (unsigned i = 1; i < 4; i++) cr_assert_not(cta_ends_take(&e, s, 10 + i, &d));
    cta_ends_finish(&e);
    cr_assert_not(cta_ends_wake(&e, s, 20, &d));
    blocks->block[70].place = OWN;
    cr_assert(cta_ends_wake(&e, s, 30, &d));
    cr_assert_eq(d.warp_inst, 1);
    cr_assert(cta_ends_wake(&e, s, 30, &d));
    cr_assert_eq(d.warp_inst, 3);
    cr_assert_not(cta_ends_wake(&e, s, 30, &d));
    blocks->block[90].place = OWN;
    cr_assert(cta_ends_wake(&e, s, 40, &d));
    cr_assert_eq(d.warp_inst, 2);
    cr_assert_not(cta_ends_wake(&e, s, 40, &d));
    cta_ends_clear(&e);
    fault_service_free(s);
    managed_blocks_free(blocks);
}
