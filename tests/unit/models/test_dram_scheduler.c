/* test_dram_scheduler.c - the order in which the scheduler of `hbm` serves requests, and the order
 * of `simple_dram` and `timing_dram` for the same requests. One pseudo-channel of HBM2 at 1 GHz,
 * mapping `row`: line l lies in row l / 128 of bank l / 8 modulo 16. No refresh. Expected times
 * were computed by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "common/config.h"
#include "models/hbm/hbm.h"

enum { ROW = 128 /* lines to the next row of a bank */, ANSWERS = 4096 };
static struct dram_spec spec;
static const struct hbm_ops *ops;
static void *hbm;
static uint64_t answer_ns[ANSWERS]; /* by request->user: time of the data, reads and writes */
static unsigned num_answers;

static void done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    (void)user;
    answer_ns[r->user] = done_ps / 1000;
    num_answers++;
}

/* Creates the model under test in the file's variables, with one more setting (`extra`, may be
 * NULL). */
static void create(const char *model, const char *extra) {
    struct config *c;
    struct heddle_diag diag = {0};
    const char *sets[] = {"dram.preset=hbm2",    "dram.channels=1",
                          "hbm.channels=1",      "hbm.pseudo_channels=1",
                          "dram.mapping=row",    "dram.refresh=none",
                          "dram.write_queue=32", "dram.write_high=16",
                          "dram.write_low=8",    extra};
    cr_assert_eq(config_load(&c, "v100", GPUS, sets, extra ? 10 : 9, &diag), HEDDLE_OK, "%s",
                 diag.text);
    cr_assert_eq(dram_spec_create(&spec, c, &diag), HEDDLE_OK, "%s", diag.text);
    config_free(c);
    struct hbm_config config = {
        .num_channels = 1, .latency_ps = 30000, .spec = &spec, .written = done};
    num_answers = 0;
    cr_assert_eq(hbm_create(model, &ops, &hbm, &config, done, NULL, &diag), HEDDLE_OK, "%s",
                 diag.text);
}

static void give(uint64_t at_ns, uint64_t line, bool write, uint64_t user) {
    ops->submit(
        hbm, &(struct hbm_request){
                 .at_ps = at_ns * 1000, .line = line, .sectors = 1, .write = write, .user = user});
}

static struct hbm_stats finish(void) {
    struct hbm_stats stats;
    ops->advance(hbm, 1000000000000u);
    ops->stats(hbm, &stats);
    ops->free(hbm);
    return stats;
}

/* tRCD 14, tCL 14, tRP 14, a burst 2; ACT's second clock is its time. */
Test(dram_scheduler, hit_closed_conflict) {
    static const char *const models[] = {"timing_dram", "hbm"};
    for (unsigned m = 0; m < 2; m++) {
        create(models[m], NULL);
        give(0, 0, false, 0);
        give(100, 1, false, 1);
        give(200, ROW, false, 2);
        give(600, ROW, false, 3); /* after row_idle, 200 ns */
        struct hbm_stats s = finish();
        cr_expect_eq(answer_ns[0], 0 + 1 + 14 + 14 + 2);
        cr_expect_eq(answer_ns[1], 100 + 14 + 2);
        cr_expect_eq(answer_ns[2], 200 + 14 + 14 + 14 + 2);
        cr_expect_eq(answer_ns[3], 600 + 1 + 14 + 14 + 2);
        cr_expect(s.row_hits == 1 && s.row_misses == 2 && s.row_conflicts == 1);
    }
    create("simple_dram", NULL);
    give(0, 0, false, 0);
    give(100, 1, false, 1);
    give(200, ROW, false, 2);
    give(200, 2 * ROW, false, 3); /* waits for the bank, which is free when its burst is issued */
    give(200, 16, false, 4);      /* another bank, closed; the bus is free only behind those */
    give(1000, 16, true, 5);      /* tCWL 5 */
    struct hbm_stats s = finish();
    cr_expect_eq(answer_ns[0], 30);
    cr_expect_eq(answer_ns[1], 116);
    cr_expect_eq(answer_ns[2], 244);
    cr_expect_eq(answer_ns[3], 230 + 28 + 14 + 2);
    cr_expect_eq(answer_ns[4], answer_ns[3] + 2);
    cr_expect_eq(answer_ns[5], 1007);
    cr_expect(s.row_hits == 2 && s.row_misses == 2 && s.row_conflicts == 2);
}

/* Row hits go before an older conflict of their bank, but not forever. */
Test(dram_scheduler, age_cap) {
    static const char *const caps[] = {"dram.age_cap=1000000", "dram.age_cap=300"};
    uint64_t victim[2];
    for (unsigned k = 0; k < 2; k++) {
        create("hbm", caps[k]);
        give(0, 0, false, 0);
        for (unsigned i = 1; i < 1000; i++) {
            give(20 + 4 * i, i % 8, false, i);
            if (i == 10) give(60, ROW, false, 2000);
        }
        finish();
        cr_expect_eq(num_answers, 1001);
        victim[k] = answer_ns[2000];
    }
    cr_expect_gt(victim[0], 4000); /* after the last hit */
    cr_expect_geq(victim[1], 60 + 300 + 44);
    cr_expect_lt(victim[1], 60 + 300 + 60);
}

/* timing_dram serves the conflict in order. */
Test(dram_scheduler, in_order) {
    create("timing_dram", NULL);
    give(0, 0, false, 0);
    give(1, ROW, false, 1);
    give(2, 1, false, 2);
    give(3, 8, false, 3); /* another bank need not wait */
    finish();
    cr_expect_eq(answer_ns[0], 31);
    cr_expect_eq(answer_ns[1], 1 + 34 + 14 + 14 + 14 + 2); /* ACT at 1, tRAS, tRP, tRCD, tCL */
    cr_expect_eq(answer_ns[2], answer_ns[1] - 16 - 14 + 48 + 14 + 16); /* tRC after that ACT */
    cr_expect_lt(answer_ns[3], 40);
    create("hbm", NULL);
    give(0, 0, false, 0);
    give(1, ROW, false, 1);
    give(2, 1, false, 2);
    finish();
    cr_expect_lt(answer_ns[2], answer_ns[1]);
}

/* Writes wait while reads come, until write_high wait; then half of them are served. */
Test(dram_scheduler, write_drain) {
    create("hbm", NULL);
    unsigned user = 0;
    give(0, 0, false, user++);
    for (unsigned i = 0; i < 15; i++) give(1, 8 + i % 8, true, user++);
    for (unsigned i = 0; i < 250; i++) give(2 + 4 * i, i % 8, false, user++);
    ops->advance(hbm, 1000000);
    struct hbm_stats s;
    ops->stats(hbm, &s);
    cr_expect_eq(s.turn_arounds, 0, "15 writes wait for 1,000 ns of reads");
    give(1002, 8, true, user++); /* the sixteenth */
    for (unsigned i = 0; i < 250; i++) give(1004 + 4 * i, i % 8, false, user++);
    ops->advance(hbm, 1800000);
    ops->stats(hbm, &s);
    cr_expect_eq(s.turn_arounds, 2, "there and back");
    unsigned served = 0;
    for (unsigned i = 1; i <= 15; i++) served += answer_ns[i] > 1000 && answer_ns[i] < 1200;
    cr_expect_eq(served, 8);
    s = finish();
    cr_expect_eq(num_answers, user);
    cr_expect_eq(s.turn_arounds, 3);
}

Test(dram_scheduler, reads_of_waiting_writes) {
    create("hbm", NULL);
    for (unsigned i = 0; i < 40; i++) give(0, 8, false, i); /* keeps the writes waiting */
    give(1, 0, true, 50);
    give(2, 0, false, 51);
    struct hbm_stats s = finish();
    cr_expect_eq(answer_ns[51], 2 + 16);
    cr_expect_eq(s.forwarded, 1);
    cr_expect_gt(answer_ns[50], 18);
}

/* A refresh takes a bank without requests; an idle device continues to refresh all banks. */
Test(dram_scheduler, refresh_beside_requests) {
    create("hbm", "dram.refresh=per_bank");
    unsigned user = 0;
    for (; user < 1000; user++) give(4 * user, user % 8, false, user); /* one bank, 4 us */
    ops->advance(hbm, 4100000);
    struct hbm_stats s;
    ops->stats(hbm, &s);
    cr_expect_geq(s.refreshes, 15); /* tREFI / 16 is 243 ns */
    for (unsigned i = 10; i < user; i++) cr_assert_leq(answer_ns[i], 4 * i + 40);
    give(10000000, 0, false, 0); /* 10 ms later */
    s = finish();
    cr_expect_geq(s.refreshes, 10000000 / 243 - 1);
    cr_expect_leq(s.refreshes, 10000000 / 243 + 1);
}
