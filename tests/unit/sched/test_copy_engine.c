/* test_copy_engine.c - host/sched/copy_engine.c: the duration of copies, and which of them wait for
 * each other. */
#include <criterion/criterion.h>

#include "sched/copy_engine.h"
#include "timing/group.h"

#define GIB (UINT64_C(1) << 30)
#define BASE (UINT64_C(1) << 20)
#define MEMORY (3 * GIB) /* the second GiB is a peer's */
static const uint64_t outside[GROUP_OUTSIDE_WORDS] = {2};
/* One byte per nanosecond over the link, ten within the device. */
static const struct copy_config config = {.link_latency_ps = 500,
                                          .peer_latency_ps = 300,
                                          .link_page = 64,
                                          .dram_bytes_per_s = UINT64_C(10000000000),
                                          .memory_base = BASE,
                                          .memory_bytes = MEMORY};
static struct packet_link link = {.config = {.bytes_per_s = 1000000000, .payload = 64}};
static struct packet_link peer_link = {.config = {.bytes_per_s = 2000000000, .payload = 64}};

static struct op copy(gpu_copy_kind kind, uint64_t bytes, uint64_t ready) {
    static gpu_ticket ticket;
    return (struct op){.ticket = ++ticket,
                       .kind = OP_COPY,
                       .ready_ps = ready,
                       .copy = {.kind = kind, .bytes = bytes}};
}

/* What device memory has been told of. */
static struct {
    uint64_t at_ps;
    struct message_dram_copy copy;
} told[4];
static unsigned num_told;
static void note(void *user, uint64_t at_ps, const struct message_dram_copy *m) {
    (void)user;
    told[num_told].at_ps = at_ps;
    told[num_told++].copy = *m;
}

static struct copy_engines engines(void) {
    return (struct copy_engines){
        .config = config, .link = &link, .peer = &peer_link, .outside = outside, .traffic = note};
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

static void expect_told(unsigned i, uint64_t at_ps, const struct message_dram_copy *m) {
    const struct message_dram_copy *is = &told[i].copy;
    cr_expect_eq(told[i].at_ps, at_ps);
    cr_expect(is->stream == m->stream && is->write == m->write && is->line == m->line &&
                  is->lines == m->lines && is->delay == m->delay && is->step == m->step,
              "stream %u, write %u, line %u, %u lines, delay %llu, step %llu", is->stream,
              is->write, is->line, is->lines, (unsigned long long)is->delay,
              (unsigned long long)is->step);
}

Test(copy_engine, device_memory_hears_of_copies) {
    struct op there = copy(GPU_COPY_HOST_TO_DEVICE, 1280, 1000);
    struct op back = copy(GPU_COPY_DEVICE_TO_HOST, 128, 1000);
    struct op within = copy(GPU_COPY_DEVICE_TO_DEVICE, 256, 2000);
    struct op fill = copy(GPU_MEMSET, 1, 2000);
    there.copy.device_address = BASE + 64; /* touches 11 lines */
    back.copy.device_address = BASE + 256;
    within.copy.device_address = BASE + 512;
    within.copy.source_address = BASE + 1024;
    fill.copy.device_address = BASE + MEMORY - 1;
    struct copy_engines e = engines_with(&there, &back);
    copy_engines_start(&e, &within);
    copy_engines_start(&e, &fill);
    cr_assert_eq(num_told, 4); /* the fill has not begun */
    expect_told(
        0, 1000,
        &(struct message_dram_copy){
            .stream = COPY_TO_DEVICE, .write = 1, .lines = 11, .delay = 500, .step = 1280000 / 11});
    expect_told(
        1, 1000,
        &(struct message_dram_copy){.stream = COPY_TO_HOST, .line = 2, .lines = 1, .step = 128000});
    expect_told(2, 2000,
                &(struct message_dram_copy){
                    .stream = COPY_WITHIN_TO, .write = 1, .line = 4, .lines = 1, .step = 51200});
    expect_told(3, 2000,
                &(struct message_dram_copy){
                    .stream = COPY_WITHIN_FROM, .line = 8, .lines = 1, .step = 51200});
    num_told = 0;
    end_next(&e, &within);
    cr_assert_eq(num_told, 1);
    expect_told(0, within.end_ps,
                &(struct message_dram_copy){.stream = COPY_WITHIN_TO,
                                            .write = 1,
                                            .line = MEMORY / 128 - 1,
                                            .lines = 1,
                                            .step = 100});
}

/* Memory that is not the device's. */
Test(copy_engine, device_memory_does_not_hear_of_others) {
    struct op before = copy(GPU_COPY_HOST_TO_DEVICE, 128, 0), behind = before, across = before;
    before.copy.device_address = BASE - 128;
    behind.copy.device_address = BASE + MEMORY;
    across.copy.device_address = BASE + MEMORY - 64;
    struct op *const all[] = {&before, &behind, &across};
    for (unsigned i = 0; i < 3; i++) {
        struct copy_engines e = engines();
        copy_engines_start(&e, all[i]);
        cr_expect_eq(num_told, 0, "%u", i);
    }
}

/* A copy of 1,280 bytes between this device and a peer. */
static struct op between(bool comes) {
    struct op op = copy(GPU_COPY_DEVICE_TO_DEVICE, 1280, 1000);
    op.copy.device_address = BASE + (comes ? 0 : GIB);
    op.copy.source_address = BASE + (comes ? GIB : 0);
    return op;
}

Test(copy_engine, peers_have_a_link) {
    struct op comes = between(true), goes = between(false);
    struct op there = copy(GPU_COPY_HOST_TO_DEVICE, 1280, 1000);
    struct copy_engines e = engines_with(&comes, &goes);
    copy_engines_start(&e, &there);
    cr_assert_eq(end_next(&e, &comes), 1000 + 640000 + 300);
    cr_assert_eq(end_next(&e, &goes), 1000 + 640000 + 300);
    cr_assert_eq(end_next(&e, &there), 1000 + 1280000 + 500);
    cr_expect_eq(e.to_device, 1280);
    expect_told(
        0, 1000,
        &(struct message_dram_copy){
            .stream = COPY_FROM_PEER, .write = 1, .lines = 10, .delay = 300, .step = 64000});
    expect_told(1, 1000,
                &(struct message_dram_copy){.stream = COPY_TO_PEER, .lines = 10, .step = 64000});
}

/* Without it they are reached by way of the host, in turn with its copies. */
Test(copy_engine, peers_without_a_link) {
    struct op comes = between(true), there = copy(GPU_COPY_HOST_TO_DEVICE, 1280, 1000);
    struct copy_engines e = engines();
    e.peer = &link;
    copy_engines_start(&e, &comes);
    copy_engines_start(&e, &there);
    cr_assert_eq(end_next(&e, &comes), 1000 + 1280000 + 300);
    cr_assert(there.start_ps == 1000 + 1280000 + 300);
}
