/* test_dram.c - the memory models that simulate commands (timing_dram, hbm). No rule of the checker
 * is broken, for every device, mapping, refresh and stream; every request is answered exactly once;
 * the answers do not depend on how often advance() is called. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "dram_rig.h"

static const char *const presets[] = {"hbm2", "hbm2e", "hbm3", "hbm3e"};
static const char *const mappings[] = {"row", "bankgroup", "bank", "xor", "ipoly", "mop"};
static const char *const refreshes[] = {"per_bank", "all_bank", "none"};
#define COUNT(x) (sizeof(x) / sizeof *(x))

struct setting {
    const char *model, *preset, *mapping, *refresh;
};

/* Creates a rig with the setting's model, device, mapping and refresh, on 16 channels. */
static void create(struct dram_rig *rig, const struct setting *s, bool watched) {
    char preset[64], mapping[64], refresh[64];
    struct heddle_diag diag = {0};
    const char *sets[] = {
        preset, mapping, refresh, "dram.channels=16", "dram.read_queue=24", "dram.age_cap=500"};
    snprintf(preset, sizeof preset, "dram.preset=%s", s->preset);
    snprintf(mapping, sizeof mapping, "dram.mapping=%s", s->mapping);
    snprintf(refresh, sizeof refresh, "dram.refresh=%s", s->refresh);
    cr_assert_eq(dram_rig_create(rig, GPUS, s->model, sets, COUNT(sets), watched, &diag), HEDDLE_OK,
                 "%s", diag.text);
}

/* Expects that no rule was broken and that every request was answered. */
static void expect_clean(struct dram_rig *rig, const struct setting *s, const char *what) {
    char rules[400] = "";
    for (unsigned i = 0; i < DRAM_NUM_RULES; i++)
        if (rig->watch.broken[i])
            snprintf(rules + strlen(rules), sizeof rules - strlen(rules), " [%s: %llu]",
                     dram_rule_text(i), (unsigned long long)rig->watch.broken[i]);
    cr_expect_eq(rig->watch.violations, 0, "%s %s %s %s, %s: %llu violations:%s; first at %llu, %s",
                 s->model, s->preset, s->mapping, s->refresh, what,
                 (unsigned long long)rig->watch.violations, rules,
                 (unsigned long long)rig->watch.first.at, dram_command_name(rig->watch.first.kind));
    if (!strstr(s->model, "simple")) cr_expect_gt(rig->watch.commands, rig->submitted / 4);
    cr_expect_eq(rig->reads_done + rig->writes_done, rig->submitted);
}

/* Runs all streams on the model, for every device, mapping and refresh. */
static void run_all(const char *model) {
    for (unsigned p = 0; p < COUNT(presets); p++)
        for (unsigned m = 0; m < COUNT(mappings); m++)
            for (unsigned r = 0; r < COUNT(refreshes); r++) {
                struct setting s = {model, presets[p], mappings[m], refreshes[r]};
                struct dram_rig rig;
                create(&rig, &s, true);
                for (int stream = 0; stream < NUM_STREAMS; stream++)
                    dram_rig_run(&rig, (enum dram_stream)stream, 4000, 0);
                expect_clean(&rig, &s, "at the end");
                cr_expect_eq(dram_check_end(rig.watch.check, rig.watch.last_at) &
                                 ~(1ull << DRAM_RULE_OWED),
                             0);
                dram_rig_free(&rig);
            }
}

Test(dram, timing_dram_keeps_every_rule, .timeout = 250) {
    run_all("timing_dram");
}

Test(dram, hbm_keeps_every_rule, .timeout = 250) {
    run_all("hbm");
}

/* Refreshes are not postponed forever while every bank has requests. */
Test(dram, refresh_rate_under_load) {
    for (unsigned r = 0; r < 2; r++) {
        struct setting s = {"hbm", "hbm2", "xor", refreshes[r]};
        struct dram_rig rig;
        struct hbm_stats stats;
        create(&rig, &s, true);
        dram_rig_run(&rig, STREAM_RANDOM, 300000, 0);
        expect_clean(&rig, &s, "random reads");
        cr_expect_eq(dram_check_end(rig.watch.check, rig.watch.last_at), 0);
        rig.ops->stats(rig.hbm, &stats);
        uint64_t every = r ? rig.spec.refi : rig.spec.refi_pb;
        uint64_t due = rig.watch.last_at / every * rig.spec.channels * rig.spec.pcs * rig.spec.sids;
        uint64_t parts = (uint64_t)rig.spec.channels * rig.spec.pcs * rig.spec.sids;
        cr_expect_geq(stats.refreshes + 9 * parts, due);
        cr_expect_leq(stats.refreshes, due + 2 * parts);
        cr_expect_gt(stats.refreshes, 0);
        dram_rig_free(&rig);
    }
}

/* The answers are the same however often advance() is called, and with or without the checker.
 * (Without it, an idle device skips refreshes.) */
Test(dram, answers_depend_on_requests_alone) {
    static const char *const models[] = {"simple", "simple_dram", "timing_dram", "hbm"};
    for (unsigned m = 0; m < COUNT(models); m++) {
        struct setting s = {models[m], "hbm3", "ipoly", "per_bank"};
        uint64_t hash[3], refreshes_done[3];
        for (unsigned way = 0; way < 3; way++) {
            struct dram_rig rig;
            struct hbm_stats stats;
            create(&rig, &s, way == 2);
            rig.outstanding = UINT64_MAX;
            /* pauses, so that each request is done before the next */
            for (int i = 0; i < 20000; i++) {
                dram_rig_run(&rig, i % 50 ? STREAM_MIXED : STREAM_BURSTS, 1, way == 1 ? 7000 : 0);
                rig.now_ps = (uint64_t)i * 3000 + (uint64_t)(i / 500) * 90000000;
            }
            hash[way] = rig.hash;
            rig.ops->stats(rig.hbm, &stats);
            refreshes_done[way] = stats.refreshes;
            cr_expect_eq(stats.reads + stats.writes, 20000);
            if (way == 2) expect_clean(&rig, &s, "pauses");
            dram_rig_free(&rig);
        }
        cr_expect_eq(hash[0], hash[1], "%s", models[m]);
        cr_expect_eq(hash[0], hash[2], "%s: watched", models[m]);
        cr_expect_eq(refreshes_done[0], refreshes_done[2], "%s: refreshes", models[m]);
    }
}
