/* test_hbm_simple.c - latency of one request, bandwidth of many. */
#include <criterion/criterion.h>

#include "models/hbm/hbm.h"

static uint64_t last_done, num_done;
static void done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    (void)user;
    (void)r;
    last_done = done_ps;
    num_done++;
}

Test(hbm_simple, latency_then_bandwidth) {
    struct hbm_config config = {.num_channels = 4,
                                .num_slices = 8,
                                .latency_ps = 100000,
                                .channel_bytes_per_s = 32000000000};
    const struct hbm_ops *ops;
    void *hbm;
    cr_assert_eq(hbm_create("simple", &ops, &hbm, &config, done, NULL, NULL), HEDDLE_OK);
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
    struct hbm_config config = {.num_channels = 1,
                                .num_slices = 1,
                                .latency_ps = 100000,
                                .channel_bytes_per_s = 32000000000,
                                .channel_write_bytes_per_s = 16000000000,
                                .turnaround = 0.5};
    const struct hbm_ops *ops;
    void *hbm;
    cr_assert_eq(hbm_create("simple", &ops, &hbm, &config, done, NULL, NULL), HEDDLE_OK);
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

/* Two slices and six channels: the lines of a slice take its three in turn. */
Test(hbm_simple, channels_of_one_slice) {
    struct hbm_config config = {.num_channels = 6,
                                .num_slices = 2,
                                .latency_ps = 100000,
                                .channel_bytes_per_s = 32000000000};
    const struct hbm_ops *ops;
    void *hbm;
    cr_assert_eq(hbm_create("simple", &ops, &hbm, &config, done, NULL, NULL), HEDDLE_OK);
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
