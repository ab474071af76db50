/* test_hbm_simple.c - the memory model `simple` (models/hbm/hbm_simple.c): the latency of one
 * request and the bandwidth of many. Expected times were computed by hand. */
#include <criterion/criterion.h>

#include "models/hbm/hbm.h"

static uint64_t last_done, num_done;
static void done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    (void)user;
    (void)r;
    last_done = done_ps;
    num_done++;
}

/* A configuration of one channel, on which a sector takes a nanosecond. */
#define ONE_CHANNEL \
    .num_channels = 1, .num_slices = 1, .latency_ps = 100000, .channel_bytes_per_s = 32000000000

static void *create(const struct hbm_config *config, const struct hbm_ops **ops) {
    void *hbm;
    cr_assert_eq(hbm_create("simple", ops, &hbm, config, done, NULL, NULL), HEDDLE_OK);
    return hbm;
}

Test(hbm_simple, latency_then_bandwidth) {
    struct hbm_config config = {.num_channels = 4,
                                .num_slices = 8,
                                .latency_ps = 100000,
                                .channel_bytes_per_s = 32000000000};
    const struct hbm_ops *ops;
    void *hbm = create(&config, &ops);
    struct hbm_request r = {.at_ps = 5000, .slice = 3, .sectors = 1};
    ops->submit(hbm, &r);
    cr_assert_eq(last_done, 105000);
    /* 1,000 lines at once on one channel: 128,000 bytes at 32 GB/s are 4 us. */
    r.at_ps = 1000000;
    r.sectors = 0xf;
    for (unsigned i = 0; i < 1000; i++) ops->submit(hbm, &r);
    cr_assert_eq(last_done, 1000000 + 4000000 - 1000 + 100000);
    /* Another channel is free; a write takes the bus but answers nothing. */
    r.slice = 0;
    r.write = true;
    ops->submit(hbm, &r);
    cr_assert_eq(num_done, 1001);
    r.write = false;
    r.sectors = 1;
    ops->submit(hbm, &r);
    cr_assert_eq(last_done, 1000000 + 4000 + 100000);
    struct hbm_stats stats;
    ops->stats(hbm, &stats);
    cr_assert_eq(stats.reads, 1002);
    cr_assert_eq(stats.writes, 1);
    cr_assert_eq(stats.read_bytes, 1000 * 128 + 64);
    cr_assert_eq(stats.write_bytes, 128);
    ops->free(hbm);
}

/* Of ten sectors written after six were read, six cost half a sector more; the next read pairs. */
Test(hbm_simple, the_bus_turns_around) {
    struct hbm_config config = {ONE_CHANNEL, .channel_write_bytes_per_s = 16000000000,
                                .turnaround = 0.5};
    const struct hbm_ops *ops;
    void *hbm = create(&config, &ops);
    struct hbm_request r = {.sectors = 1};
    for (unsigned i = 0; i < 6; i++) ops->submit(hbm, &r);
    cr_assert_eq(last_done, 105000);
    r.write = true;
    for (unsigned i = 0; i < 10; i++) ops->submit(hbm, &r);
    r.write = false;
    ops->submit(hbm, &r);
    cr_assert_eq(last_done, 100000 + 6000 + 10 * 2000 + 6 * 1000 + 1000);
    ops->free(hbm);
}

/* Writes delay no read until eight sectors of them wait; a read that comes then waits behind all of
 * them. The ninth write's data is taken when those have been written. */
static uint64_t last_taken;
static void taken(void *user, const struct hbm_request *r, uint64_t at_ps) {
    (void)user;
    (void)r;
    last_taken = at_ps;
}

Test(hbm_simple, writes_go_together) {
    struct hbm_config config = {ONE_CHANNEL, .drain_sectors = 8, .written = taken};
    const struct hbm_ops *ops;
    void *hbm = create(&config, &ops);
    struct hbm_request read = {.sectors = 1}, write = {.sectors = 1, .write = true};
    for (unsigned i = 0; i < 7; i++) ops->submit(hbm, &write);
    ops->submit(hbm, &read);
    cr_expect_eq(last_done, 100000);
    cr_expect_eq(last_taken, 0);
    ops->submit(hbm, &write);
    ops->submit(hbm, &read);
    cr_expect_eq(last_done, 100000 + 1000 + 8 * 1000);
    ops->submit(hbm, &write);
    cr_expect_eq(last_taken, 10 * 1000);
    ops->free(hbm);
}

/* A channel that pauses a quarter of the time has the same bandwidth as one without pauses: in 400
 * ns, the first 100 of which are a pause, it moves 400 sectors of a nanosecond each. */
Test(hbm_simple, a_channel_pauses) {
    struct hbm_config config = {.num_channels = 16,
                                .num_slices = 16,
                                .latency_ps = 100000,
                                .channel_bytes_per_s = 32000000000,
                                .pause_ps = 100000,
                                .pause_interval_ps = 400000};
    const struct hbm_ops *ops;
    void *hbm = create(&config, &ops);
    struct hbm_request r = {.sectors = 1};
    ops->submit(hbm, &r);
    cr_expect_eq(last_done, 100000 + 100000, "%llu", (unsigned long long)last_done);
    for (unsigned i = 1; i < 400; i++) ops->submit(hbm, &r);
    cr_expect_eq(last_done, 100000 + 400000 - 750, "%llu", (unsigned long long)last_done);
    ops->submit(hbm, &r);
    cr_expect_eq(last_done, 100000 + 500000, "%llu", (unsigned long long)last_done);
    /* The same over four intervals. */
    for (unsigned i = 401; i < 1600; i++) ops->submit(hbm, &r);
    cr_expect_eq(last_done, 100000 + 1600000 - 750, "%llu", (unsigned long long)last_done);
    /* Eight channels pause together, the other eight at another time. */
    r.slice = 7;
    ops->submit(hbm, &r);
    cr_expect_eq(last_done, 100000 + 100000, "%llu", (unsigned long long)last_done);
    r.slice = 8;
    ops->submit(hbm, &r);
    cr_expect_eq(last_done, 100000, "%llu", (unsigned long long)last_done);
    ops->free(hbm);
}

/* 900 sectors that go together take 675 ns of the bus and three pauses. */
Test(hbm_simple, writes_over_pauses) {
    struct hbm_config config = {ONE_CHANNEL, .drain_sectors = 900, .pause_ps = 100000,
                                .pause_interval_ps = 400000};
    const struct hbm_ops *ops;
    void *hbm = create(&config, &ops);
    struct hbm_request read = {.sectors = 1}, write = {.sectors = 1, .write = true};
    for (unsigned i = 0; i < 900; i++) ops->submit(hbm, &write);
    ops->submit(hbm, &read);
    cr_expect_eq(last_done, 100000 + 975000, "%llu", (unsigned long long)last_done);
    ops->free(hbm);
}

/* Two slices and six channels: the lines of a slice use its three channels in turn. */
Test(hbm_simple, channels_of_one_slice) {
    struct hbm_config config = {.num_channels = 6,
                                .num_slices = 2,
                                .latency_ps = 100000,
                                .channel_bytes_per_s = 32000000000};
    const struct hbm_ops *ops;
    void *hbm = create(&config, &ops);
    for (uint32_t line = 0; line < 60; line++) {
        struct hbm_request r = {.line = line, .slice = line % 2, .sectors = 1};
        ops->submit(hbm, &r);
    }
    for (uint32_t channel = 0; channel < 6; channel++) {
        struct hbm_stats stats;
        ops->channel_stats(hbm, channel, &stats);
        cr_expect_eq(stats.reads, 10, "channel %u: %u", channel, (unsigned)stats.reads);
    }
    ops->free(hbm);
}
