/* test_copy_engine.c - host/sched/copy_engine.c: the duration of copies, and which of them wait for
 * each other. */
#include <criterion/criterion.h>

#include "sched/copy_engine.h"

/* One byte per nanosecond over the link, ten within the device. */
static const struct copy_config config = {
    .link_latency_ps = 500, .link_page = 64, .dram_bytes_per_s = UINT64_C(10000000000)};
static struct packet_link link = {.config = {.bytes_per_s = 1000000000, .payload = 64}};

static struct op copy(gpu_copy_kind kind, uint64_t bytes, uint64_t ready) {
    static gpu_ticket ticket;
    return (struct op){.ticket = ++ticket,
                       .kind = OP_COPY,
                       .ready_ps = ready,
                       .copy = {.kind = kind, .bytes = bytes}};
}

static struct copy_engines engines(void) {
    return (struct copy_engines){.config = config, .link = &link};
}

/* Engines that two copies have been given to, in this order. */
static struct copy_engines engines_with(struct op *first, struct op *second) {
    struct copy_engines e = engines();
    copy_engines_start(&e, first);
    copy_engines_start(&e, second);
    return e;
}

/* The copy that ends first, and when; it ends. */
static uint64_t end_next(struct copy_engines *e, const struct op *expected) {
    struct op *op = copy_engines_next(e);
    cr_assert_eq(op, expected);
    copy_engines_end(e, op);
    return op->end_ps;
}

Test(copy_engine, host_copies_take_the_link_in_whole_pages) {
    struct copy_engines e = engines();
    struct op there = copy(GPU_COPY_HOST_TO_DEVICE, 65, 1000);
    copy_engines_start(&e, &there);
    cr_assert(end_next(&e, &there) == 1000 + 500 + 128000 && there.start_ps == 1000);
    struct op back = copy(GPU_COPY_DEVICE_TO_HOST, 0, 7);
    copy_engines_start(&e, &back);
    cr_assert(end_next(&e, &back) == 507 && back.start_ps == 7);
    cr_assert_null(copy_engines_next(&e));
}

Test(copy_engine, device_copies_read_and_write) {
    struct op first = copy(GPU_COPY_DEVICE_TO_DEVICE, 1000, 0), fill = copy(GPU_MEMSET, 1000, 0);
    struct copy_engines e = engines_with(&first, &fill); /* the same engine */
    cr_assert_eq(end_next(&e, &first), 200000);
    cr_assert(end_next(&e, &fill) == 300000 && fill.start_ps == 200000);
}

Test(copy_engine, a_direction_serves_copies_in_order) {
    struct op first = copy(GPU_COPY_HOST_TO_DEVICE, 64, 0);
    struct op second = copy(GPU_COPY_HOST_TO_DEVICE, 64, 10);
    struct op other = copy(GPU_COPY_DEVICE_TO_HOST, 64, 10), none = copy(GPU_WRITE, 8, 10);
    struct copy_engines e = engines_with(&first, &second);
    copy_engines_start(&e, &other);
    copy_engines_start(&e, &none);
    cr_assert(end_next(&e, &none) == 10 && none.start_ps == 10);
    cr_assert_eq(end_next(&e, &first), 64500);
    cr_assert(end_next(&e, &other) == 64510 && other.start_ps == 10);
    cr_assert(end_next(&e, &second) == 129000 && second.start_ps == 64500);
}

/* Of copies that end at once, that of the lowest ticket is first. */
Test(copy_engine, equal_ends_go_by_ticket) {
    struct op there = copy(GPU_COPY_HOST_TO_DEVICE, 64, 0);
    struct op back = copy(GPU_COPY_DEVICE_TO_HOST, 64, 0);
    struct copy_engines e = engines_with(&back, &there);
    cr_assert_eq(end_next(&e, &there), 64500);
    cr_assert_eq(end_next(&e, &back), 64500);
}

/* A kernel's packet that comes meanwhile makes the copy longer, and those behind it later. */
Test(copy_engine, accesses_of_kernels_delay_a_copy) {
    struct op first = copy(GPU_COPY_HOST_TO_DEVICE, 640, 0);
    struct op second = copy(GPU_COPY_HOST_TO_DEVICE, 64, 0);
    struct copy_engines e = engines_with(&first, &second);
    cr_assert_eq(copy_engines_next(&e)->end_ps, 640500);
    packet_link_send(&link, LINK_BACK, 1000, 100);
    packet_link_send(&link, LINK_AWAY, 1000, 1000); /* the other direction */
    cr_assert_eq(end_next(&e, &first), 740500);
    cr_assert(end_next(&e, &second) == 740500 + 64500 && second.start_ps == 740500);
}

static void count(void *user) {
    ++*(unsigned *)user;
}

Test(copy_engine, the_end_moves_the_bytes) {
    struct copy_engines e = engines();
    unsigned calls = 0;
    struct op op = copy(GPU_COPY_HOST_TO_DEVICE, 65, 0);
    op.copy.perform = count;
    op.copy.user = &calls;
    copy_engines_start(&e, &op);
    cr_assert(calls == 0 && e.to_device == 0);
    end_next(&e, &op);
    cr_assert(calls == 1 && e.to_device == 65 && e.to_host == 0);
}
