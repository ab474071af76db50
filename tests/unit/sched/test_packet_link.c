/* test_packet_link.c - host/sched/packet_link.c: when packets leave, and how they share a direction
 * with a copy. */
#include <criterion/criterion.h>

#include "sched/packet_link.h"

/* A byte per nanosecond. */
static const struct packet_link_config config = {
    .bytes_per_s = 1000000000, .payload = 128, .request_header = 24, .answer_header = 20};

Test(packet_link, packets_leave_one_after_another) {
    struct packet_link l = {.config = config};
    cr_assert_eq(packet_link_send(&l, LINK_AWAY, 1000, 24), 25000);
    cr_assert_eq(packet_link_send(&l, LINK_AWAY, 2000, 100), 125000);
    cr_assert_eq(packet_link_send(&l, LINK_BACK, 2000, 1), 3000); /* the other direction */
    cr_assert_eq(packet_link_send(&l, LINK_AWAY, 200000, 1), 201000);
}

Test(packet_link, a_copy_alone_has_all_of_it) {
    struct packet_link l = {.config = config};
    packet_link_copy(&l, LINK_BACK, 500, 4096);
    cr_assert_eq(l.way[LINK_BACK].copy_ps, 500 + 4096000);
    packet_link_copy_end(&l, LINK_BACK);
    cr_assert_eq(l.way[LINK_BACK].copy_ps, 0);
}

/* A packet waits for one of the copy, which lasts as much longer as the packet takes. */
Test(packet_link, packets_and_a_copy_take_turns) {
    struct packet_link l = {.config = config};
    packet_link_copy(&l, LINK_AWAY, 0, 4096);
    cr_assert_eq(packet_link_send(&l, LINK_AWAY, 10000, 52), 10000 + 128000 + 52000);
    cr_assert_eq(l.way[LINK_AWAY].copy_ps, 4096000 + 52000);
    /* both want all of it: of 128 + 128 bytes each has half */
    uint64_t left = 0;
    for (unsigned i = 0; i < 15; i++) left = packet_link_send(&l, LINK_AWAY, 10000, 128);
    cr_assert_eq(left, 190000 + 15 * 256000);
    cr_assert_eq(l.way[LINK_AWAY].copy_ps, 4148000 + 15 * 128000);
}

/* The last packet of the copy may be short; behind it packets do not wait. */
Test(packet_link, behind_a_copy_all_is_as_before) {
    struct packet_link l = {.config = config};
    packet_link_copy(&l, LINK_AWAY, 0, 4096);
    cr_assert_eq(packet_link_send(&l, LINK_AWAY, 4090000, 10), 4096000 + 10000);
    cr_assert_eq(l.way[LINK_AWAY].copy_ps, 4106000);
    cr_assert_eq(packet_link_send(&l, LINK_AWAY, 4106000, 10), 4116000);
}

Test(packet_link, packets_that_wait_go_before_a_copy) {
    struct packet_link l = {.config = config};
    for (unsigned i = 0; i < 10; i++) packet_link_send(&l, LINK_AWAY, 0, 100);
    packet_link_copy(&l, LINK_AWAY, 5000, 4096);
    cr_assert_eq(l.way[LINK_AWAY].copy_ps, 1000000 + 4096000);
}
