/* test_fault_service.c - host/sched/fault_service.c: batches and their times, where blocks are,
 * what the host and copies change. The link moves a byte in a nanosecond, so a block in 65.536
 * us. */
#include <criterion/criterion.h>

#include "sched/fault_service.h"

#define US UINT64_C(1000000)
#define BASE UINT64_C(0x7e9000000000)
enum { LATENCY = 10, BATCH = 20, BLOCK = 3, OWN = MANAGED_DEVICE, BYTES = MANAGED_BLOCK };
#define MOVE_PS (BYTES * UINT64_C(1000))

static struct packet_link link_of(void) {
    return (struct packet_link){.config = {.bytes_per_s = 1000000000, .payload = 256}};
}

/* A service with its table, and what it has told last. */
struct fixture {
    struct managed_blocks *blocks;
    struct packet_link link, peer;
    struct fault_service *s;
    uint64_t at_ps, mask;
    uint32_t first, told;
    bool here;
};

static void tell(void *user, uint64_t at_ps, uint32_t first, uint64_t mask, bool here) {
    struct fixture *f = user;
    f->at_ps = at_ps;
    f->first = first;
    f->mask = mask;
    f->here = here;
    f->told++;
}

/* 256 blocks, of which the host has those up to `host`. */
static void set_up(struct fixture *f, uint32_t host, unsigned threshold) {
    const struct fault_config config = {.latency_ps = LATENCY * US,
                                        .batch_ps = BATCH * US,
                                        .block_ps = BLOCK * US,
                                        .batch_faults = 4,
                                        .prefetch_threshold = threshold,
                                        .link_latency_ps = 1000,
                                        .peer_latency_ps = 2000,
                                        .fill_bytes_per_s = UINT64_C(65536000000000),
                                        .place = OWN};
    *f = (struct fixture){.link = link_of(), .peer = link_of()};
    f->blocks = managed_blocks_create(BASE, 256 * BYTES, BASE);
    managed_blocks_allocate(f->blocks, BASE, 256 * BYTES, NULL);
    if (host) managed_blocks_fill(f->blocks, BASE, host * BYTES);
    f->s = fault_service_create(&config, f->blocks, &f->link, &f->peer, tell, f);
}

static void tear_down(struct fixture *f) {
    fault_service_free(f->s);
    managed_blocks_free(f->blocks);
}

/* Whether all blocks of a mask are on the GPU. */
static bool all_here(const struct fixture *f, uint32_t first, uint64_t mask) {
    for (; mask; mask &= mask - 1)
        if (f->blocks->block[first + (uint32_t)__builtin_ctzll(mask)].place != OWN) return false;
    return true;
}

/* Takes all steps. @return the time of the last. */
static uint64_t run(struct fixture *f) {
    uint64_t at_ps = 0;
    for (; fault_service_next(f->s) != UINT64_MAX; fault_service_step(f->s))
        at_ps = fault_service_next(f->s);
    return at_ps;
}

Test(fault_service, a_fault_waits_for_the_driver_and_the_link) {
    struct fixture f;
    set_up(&f, 256, 0);
    cr_assert_eq(fault_service_next(f.s), UINT64_MAX);
    fault_service_report(f.s, 70, 5 * US);
    cr_assert_not(all_here(&f, 64, 1 << 6));
    const uint64_t end = (5 + LATENCY + BATCH + BLOCK) * US + MOVE_PS + 1000;
    cr_assert_eq(run(&f), end);
    cr_assert(all_here(&f, 64, 1 << 6));
    cr_assert(f.here && f.told == 1 && f.at_ps == end && f.first == 64 && f.mask == 1 << 6);
    const struct fault_counts *c = fault_service_counts(f.s);
    cr_assert(c->faults == 1 && c->batches == 1 && c->in_bytes == BYTES && !c->zero_bytes);
    cr_assert_eq(c->open_ps, end - 5 * US);
    tear_down(&f);
}

Test(fault_service, untouched_blocks_are_filled) {
    struct fixture f;
    set_up(&f, 0, 0);
    fault_service_report(f.s, 0, 0);
    cr_assert_eq(run(&f), (LATENCY + BATCH + BLOCK) * US + 1000); /* a block in 1 ns */
    const struct fault_counts *c = fault_service_counts(f.s);
    cr_assert(!c->in_bytes && c->zero_bytes == BYTES);
    tear_down(&f);
}

/* Blocks go over the link one after another, while the driver prepares the next; repeated faults of
 * a block count once. */
Test(fault_service, a_batch_shares_its_time) {
    struct fixture f;
    set_up(&f, 256, 0);
    for (unsigned i = 0; i < 3; i++) fault_service_report(f.s, 100 - 40 * i, i);
    fault_service_report(f.s, 60, 7);
    cr_assert_eq(run(&f), (LATENCY + BATCH + BLOCK) * US + 3 * MOVE_PS + 1000);
    const struct fault_counts *c = fault_service_counts(f.s);
    cr_assert(c->faults == 3 && c->batches == 1 && c->in_bytes == 3 * BYTES);
    tear_down(&f);
}

/* The fifth fault, and one that comes while a batch is under way, are served at once afterwards. */
Test(fault_service, the_next_batch_follows_without_latency) {
    struct fixture f;
    set_up(&f, 256, 0);
    for (unsigned i = 0; i < 5; i++) fault_service_report(f.s, i, 0);
    fault_service_report(f.s, 9, 50 * US);
    const uint64_t batch = (BATCH + BLOCK) * US + 1000;
    cr_assert_eq(run(&f), LATENCY * US + batch + 4 * MOVE_PS + batch + 2 * MOVE_PS);
    const struct fault_counts *c = fault_service_counts(f.s);
    cr_assert(c->faults == 6 && c->batches == 2);
    cr_assert_eq(c->open_ps, LATENCY * US + batch + 4 * MOVE_PS + batch + 2 * MOVE_PS);
    tear_down(&f);
}

/* Between two times without faults nothing is open. */
Test(fault_service, open_time_has_pauses) {
    struct fixture f;
    set_up(&f, 256, 0);
    const uint64_t one = (LATENCY + BATCH + BLOCK) * US + MOVE_PS + 1000;
    fault_service_report(f.s, 1, 0);
    run(&f);
    fault_service_report(f.s, 2, 900 * US);
    cr_assert_eq(run(&f), 900 * US + one);
    cr_assert_eq(fault_service_counts(f.s)->open_ps, 2 * one);
    tear_down(&f);
}

/* Reports that were received ahead of their time change no earlier batch. */
Test(fault_service, later_messages_wait_for_their_time) {
    struct fixture f;
    set_up(&f, 256, 0);
    fault_service_report(f.s, 1, 0);
    fault_service_report(f.s, 2, 11 * US); /* the batch begins at 10 */
    run(&f);
    cr_assert_eq(fault_service_counts(f.s)->batches, 2);
    tear_down(&f);
}

/* What the driver prefetches faults no more: it was waiting, and is dropped. */
Test(fault_service, prefetched_blocks_do_not_fault) {
    struct fixture f;
    set_up(&f, 256, 51);
    for (unsigned i = 0; i < 3; i++) fault_service_report(f.s, i, 0);
    fault_service_report(f.s, 3, 12 * US);
    run(&f);
    const struct fault_counts *c = fault_service_counts(f.s);
    cr_assert(c->faults == 3 && c->batches == 1 && c->in_bytes == 4 * BYTES);
    cr_assert(all_here(&f, 0, 0xf));
    cr_assert_not(all_here(&f, 0, 0x10));
    tear_down(&f);
}

/* Neither is what is not allocated prefetched, nor waited for. */
Test(fault_service, freed_blocks_are_left_out) {
    struct fixture f;
    set_up(&f, 256, 51);
    managed_blocks_release(f.blocks, BASE + 3 * BYTES, BYTES);
    for (unsigned i = 0; i < 3; i++) fault_service_report(f.s, i, 0);
    run(&f);
    cr_assert_eq(fault_service_counts(f.s)->in_bytes, 3 * BYTES);
    cr_assert(fault_service_need(f.s, 0, 0xf, 900 * US));
    tear_down(&f);
}

/* Of two programs each has a tree of its own. */
Test(fault_service, other_programs_are_left_alone) {
    struct fixture f;
    static const char other;
    set_up(&f, 256, 51);
    managed_blocks_release(f.blocks, BASE + 3 * BYTES, BYTES);
    managed_blocks_allocate(f.blocks, BASE + 3 * BYTES, BYTES, &other);
    for (unsigned i = 0; i < 3; i++) fault_service_report(f.s, i, 0);
    run(&f);
    cr_assert_eq(fault_service_counts(f.s)->in_bytes, 3 * BYTES);
    cr_assert_not(all_here(&f, 0, 0x8));
    fault_service_report(f.s, 3, 900 * US);
    fault_service_report(f.s, 4, 900 * US);
    run(&f);
    cr_assert(all_here(&f, 0, 0x1f));
    cr_assert_eq(fault_service_counts(f.s)->zero_bytes, BYTES);
    tear_down(&f);
}

/* The host takes blocks back at its time, and the next access faults again. */
Test(fault_service, the_host_takes_blocks_back) {
    struct fixture f;
    set_up(&f, 256, 0);
    fault_service_report(f.s, 0, 0);
    run(&f);
    fault_service_touch(f.s, 0, 0x3, 1, 900 * US);
    cr_assert_eq(fault_service_next(f.s), 900 * US);
    run(&f);
    cr_assert(!f.here && f.mask == 1 && f.at_ps == 900 * US && f.told == 2);
    cr_assert_eq(fault_service_counts(f.s)->out_bytes, BYTES);
    cr_assert_not(fault_service_need(f.s, 0, 1, 901 * US));
    run(&f);
    cr_assert_eq(fault_service_counts(f.s)->faults, 2);
    tear_down(&f);
}

/* Memory that was allocated again since it was touched is untouched. */
Test(fault_service, touches_of_freed_memory_do_not_count) {
    struct fixture f;
    set_up(&f, 0, 0);
    managed_blocks_release(f.blocks, BASE, BYTES);
    managed_blocks_allocate(f.blocks, BASE, BYTES, NULL);
    fault_service_touch(f.s, 0, 0x3, 1, 5);
    run(&f);
    cr_assert_eq(f.blocks->block[0].place, MANAGED_NOWHERE);
    cr_assert_eq(f.blocks->block[1].place, MANAGED_HOST);
    tear_down(&f);
}

/* A fault that is on its way when its block has come is none. */
Test(fault_service, a_late_report_is_answered_at_once) {
    struct fixture f;
    set_up(&f, 256, 0);
    fault_service_report(f.s, 0, 0);
    run(&f);
    fault_service_report(f.s, 0, 900 * US);
    cr_assert_eq(run(&f), 900 * US);
    cr_assert(f.here && f.told == 2 && f.at_ps == 900 * US);
    cr_assert_eq(fault_service_counts(f.s)->faults, 1);
    tear_down(&f);
}

/* A prefetch moves what is elsewhere, and what nobody has touched needs no transfer. */
Test(fault_service, prefetches_move_the_rest) {
    struct fixture f;
    set_up(&f, 8, 0);
    fault_service_report(f.s, 0, 0);
    run(&f);
    cr_assert_eq(fault_service_moves(f.s, BASE, 16 * BYTES, OWN), 7 * BYTES);
    fault_service_moved(f.s, BASE, 16 * BYTES, OWN, 900 * US);
    cr_assert(fault_service_need(f.s, 0, 0xffff, 900 * US));
    cr_assert_eq(fault_service_moves(f.s, BASE, 16 * BYTES, OWN), 0);
    cr_assert_eq(fault_service_moves(f.s, BASE, 16 * BYTES, MANAGED_HOST), 16 * BYTES);
    fault_service_moved(f.s, BASE, BYTES, MANAGED_HOST, 901 * US);
    cr_assert(!f.here && f.mask == 1);
    cr_assert_not(all_here(&f, 0, 1));
    tear_down(&f);
}

/* Another GPU takes a block over the link between them; the first one hears of it when its next
 * kernel begins. */
Test(fault_service, gpus_take_blocks_from_each_other) {
    struct fixture f, g;
    set_up(&f, 256, 0);
    set_up(&g, 0, 0);
    const struct fault_config other = {
        .batch_faults = 1, .peer_latency_ps = 2000, .place = OWN + 1};
    fault_service_free(g.s);
    g.s = fault_service_create(&other, f.blocks, &g.link, &g.peer, tell, &g);
    fault_service_report(f.s, 0, 0);
    run(&f);
    fault_service_begin(f.s, 899 * US);
    cr_assert_eq(f.told, 1);
    fault_service_report(g.s, 0, 900 * US);
    cr_assert_eq(run(&g), 900 * US + MOVE_PS + 2000);
    cr_assert_eq(g.link.way[LINK_BACK].free_ps, 0);
    fault_service_begin(f.s, 990 * US);
    cr_assert(!f.here && f.told == 2 && f.at_ps == 990 * US);
    cr_assert_not(all_here(&f, 0, 1));
    tear_down(&f);
    tear_down(&g);
}

/* Beside a copy, blocks get half of the link. */
Test(fault_service, blocks_and_copies_take_turns) {
    struct fixture f;
    set_up(&f, 256, 0);
    packet_link_copy(&f.link, LINK_BACK, 0, 1 << 20);
    fault_service_report(f.s, 0, 0);
    cr_assert_eq(run(&f), (LATENCY + BATCH + BLOCK) * US + 2 * MOVE_PS + 1000);
    tear_down(&f);
}
