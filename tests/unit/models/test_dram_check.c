/* test_dram_check.c - the checker (models/hbm/dram_check.c): for every rule, it reports a stream
 * that breaks the rule by one clock, and not the same stream one clock later. It also reports a
 * legal stream in which one command has been moved or removed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "dram_rig.h"

static struct dram_spec spec;
static struct dram_check *check;
enum { T = 20000 }; /* long after the set-up, before the first refresh is due */

/* Sets `spec` to the preset's device with 16 channels and two stack IDs. */
static void set_up(const char *preset, const char *refresh) {
    struct config *c;
    struct heddle_diag diag = {0};
    char a[64], b[64];
    const char *sets[] = {a, b, "dram.channels=16", "hbm.stack_ids=2"};
    snprintf(a, sizeof a, "dram.preset=%s", preset);
    snprintf(b, sizeof b, "dram.refresh=%s", refresh);
    cr_assert_eq(config_load(&c, "v100", GPUS, sets, 4, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(dram_spec_create(&spec, c, &diag), HEDDLE_OK, "%s", diag.text);
    config_free(c);
}

static uint64_t give(enum dram_command_kind kind, uint32_t bank, uint64_t at) {
    struct dram_command k = {.at = at, .bank = bank, .row = 5, .column = 1, .kind = kind};
    return dram_check_command(check, &k);
}

static void begin(void) {
    dram_check_free(check);
    cr_assert_eq(dram_check_create(&check, &spec), HEDDLE_OK);
}

static bool needs_open(enum dram_command_kind kind) {
    return kind == DRAM_RD || kind == DRAM_WR || kind == DRAM_PRE;
}

/* Returns the mask of rules that command `next` breaks when it comes `clocks` after `previous`. The
 * state that both need is set up long before. */
static uint64_t pair(enum dram_command_kind previous, uint32_t a, enum dram_command_kind next,
                     uint32_t b, uint32_t clocks) {
    begin();
    if (needs_open(previous)) give(DRAM_ACT, a, 1000);
    if (a != b && needs_open(next)) give(DRAM_ACT, b, 2000);
    give(previous, a, T);
    return give(next, b, T + clocks);
}

/* For each scope of a rule: a second bank that shares this scope with bank 0, and no narrower
 * one. */
#define OF_BANK 0
#define OF_GROUP 1
#define OF_SID (spec.banks)
#define OF_OTHER_SID (spec.groups * spec.banks)
#define OF_PC OF_OTHER_SID

/* Checks every rule of dram_rules.def between two commands. @return the number of rules checked */
static unsigned check_pairs(void) {
    unsigned tested = 0;
    const struct dram_spec *s = &spec;
#define STATE(id, text)
#define RULE(id, scope, previous, next, clocks, text)                                  \
    if (clocks) {                                                                      \
        uint64_t bit = 1ull << DRAM_RULE_##id;                                         \
        cr_expect(pair(DRAM_##previous, 0, DRAM_##next, OF_##scope, clocks - 1) & bit, \
                  #id ": one clock too early is not caught");                          \
        cr_expect(!(pair(DRAM_##previous, 0, DRAM_##next, OF_##scope, clocks) & bit),  \
                  #id ": the right time is refused");                                  \
        tested++;                                                                      \
    }
#include "models/hbm/dram_rules.def"
    return tested;
}

Test(dram_check, every_spacing_of_every_preset) {
    static const char *const presets[] = {"hbm2", "hbm2e", "hbm3", "hbm3e"};
    for (unsigned i = 0; i < 4; i++) {
        set_up(presets[i], "all_bank");
        cr_expect_eq(check_pairs(), DRAM_RULE_RRD_PB + 1);
    }
    dram_check_free(check);
}

static uint64_t bit(enum dram_rule rule) {
    return 1ull << rule;
}

Test(dram_check, states_and_buses) {
    set_up("hbm3", "none");
    begin(); /* five ACTs: the fifth within tFAW of the first */
    for (uint32_t i = 0; i < 4; i++) cr_expect_eq(give(DRAM_ACT, 4 * i, T + i * spec.rrds), 0);
    cr_expect_eq(give(DRAM_ACT, 1, T + spec.faw - 1), bit(DRAM_RULE_FAW));
    begin();
    for (uint32_t i = 0; i < 4; i++) give(DRAM_ACT, 4 * i, T + i * spec.rrds);
    cr_expect_eq(give(DRAM_ACT, 1, T + spec.faw), 0);

    /* ACT takes two clocks: another row command in the first of them, on both pseudo-channels */
    begin();
    struct dram_command other = {.at = T, .pc = 1, .kind = DRAM_ACT};
    give(DRAM_ACT, 0, T - 1);
    cr_expect_eq(dram_check_command(check, &other), bit(DRAM_RULE_ROW_BUS));
    other.at = T + 2;
    other.bank = 4;
    cr_expect_eq(dram_check_command(check, &other) & bit(DRAM_RULE_ROW_BUS), 0);

    begin(); /* pseudo-channels share the column bus but not the data bus */
    give(DRAM_ACT, 0, 1000);
    other = (struct dram_command){.at = 2000, .pc = 1, .row = 5, .kind = DRAM_ACT};
    dram_check_command(check, &other);
    other = (struct dram_command){.at = T, .pc = 1, .row = 5, .kind = DRAM_RD};
    cr_expect_eq(give(DRAM_RD, 0, T), 0);
    cr_expect_eq(dram_check_command(check, &other), bit(DRAM_RULE_COLUMN_BUS));
    cr_expect(give(DRAM_RD, 0, T + 1) & bit(DRAM_RULE_DATA_BUS));
    cr_expect(give(DRAM_RD, 0, T - 1) & bit(DRAM_RULE_ORDER));

    begin(); /* commands that the state of a bank forbids */
    cr_expect_eq(give(DRAM_RD, 0, T), bit(DRAM_RULE_CLOSED));
    cr_expect_eq(give(DRAM_PRE, 0, T + 500), bit(DRAM_RULE_CLOSED));
    cr_expect_eq(give(DRAM_ACT, 0, T + 1000), 0);
    cr_expect_eq(give(DRAM_ACT, 0, T + 2000), bit(DRAM_RULE_OPEN));
    cr_expect_eq(give(DRAM_REFPB, 0, T + 3000), bit(DRAM_RULE_OPEN));
    cr_expect_eq(give(DRAM_REFAB, 0, T + 4000), bit(DRAM_RULE_OPEN));
    struct dram_command wrong = {.at = T + 9000, .row = 6, .kind = DRAM_WR};
    cr_expect_eq(dram_check_command(check, &wrong), bit(DRAM_RULE_WRONG_ROW));
    wrong = (struct dram_command){.at = T, .channel = 16, .kind = DRAM_PRE};
    cr_expect_eq(dram_check_command(check, &wrong), bit(DRAM_RULE_RANGE));
    wrong = (struct dram_command){.at = T, .row = spec.rows, .kind = DRAM_ACT};
    cr_expect_eq(dram_check_command(check, &wrong), bit(DRAM_RULE_RANGE));
    dram_check_free(check);
}

Test(dram_check, refresh_rounds_and_deadlines) {
    set_up("hbm2", "per_bank");
    uint32_t banks = spec.groups * spec.banks;
    begin();
    for (uint32_t b = 0; b < banks; b++)
        cr_expect_eq(give(DRAM_REFPB, b, 1000 + b * spec.refi_pb), 0);
    cr_expect_eq(give(DRAM_REFPB, 3, 1000 + banks * spec.refi_pb), 0);
    cr_expect_eq(give(DRAM_REFPB, 3, 1000 + (banks + 1) * spec.refi_pb), bit(DRAM_RULE_TWICE));
    cr_expect_eq(give(DRAM_REFPB, 4, 1000 + 4 * spec.refi_pb + 9 * spec.refi + 1),
                 bit(DRAM_RULE_LATE_PB));
    cr_expect_eq(dram_check_end(check, 1000 + 9 * spec.refi), bit(DRAM_RULE_OWED));
    begin();
    cr_expect_eq(dram_check_end(check, 10 * spec.refi_pb), 0);
    cr_expect_eq(dram_check_end(check, 11 * spec.refi_pb), bit(DRAM_RULE_OWED));
    begin();
    cr_expect_eq(give(DRAM_REFAB, 0, 9 * spec.refi), 0);
    cr_expect_eq(give(DRAM_REFAB, 0, 18 * spec.refi + 1), bit(DRAM_RULE_LATE_AB));
    dram_check_free(check);
}

/* ---- a legal stream, damaged */

struct recording {
    struct dram_command *command;
    size_t count, size;
};

static void record(void *user, const struct dram_command *k) {
    struct recording *r = user;
    if (r->count < r->size) r->command[r->count++] = *k;
}

static void ignore(void *user, const struct hbm_request *r, uint64_t done_ps) {
    (void)user;
    (void)r;
    (void)done_ps;
}

static int by_time(const void *a, const void *b) {
    const struct dram_command *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Returns whether command i is an ACT or PRE that a later command to its bank depends on. */
static bool matters(const struct recording *r, size_t i) {
    const struct dram_command *k = &r->command[i];
    if (k->kind != DRAM_ACT && k->kind != DRAM_PRE) return false;
    for (size_t j = i + 1; j < r->count; j++)
        if (r->command[j].channel == k->channel && r->command[j].pc == k->pc &&
            r->command[j].bank == k->bank)
            return true;
    return false;
}

/* In turn, every seventh command of busy channels is left out or comes 64 clocks early. The checker
 * must report each missing ACT or PRE and each early command. (A missing burst breaks no rule.) */
Test(dram_check, damaged_streams_are_caught, .timeout = 120) {
    struct dram_rig rig;
    struct heddle_diag diag = {0};
    const char *sets[] = {"dram.preset=hbm2", "dram.channels=8"};
    cr_assert_eq(dram_rig_create(&rig, GPUS, "hbm", sets, 2, true, &diag), HEDDLE_OK);
    spec = rig.spec;
    dram_rig_free(&rig);
    struct recording r = {.size = 4000};
    r.command = malloc(r.size * sizeof *r.command);
    struct hbm_config config = {
        .latency_ps = 155000, .spec = &spec, .command = record, .command_user = &r};
    const struct hbm_ops *ops;
    void *hbm;
    cr_assert_eq(hbm_create("hbm", &ops, &hbm, &config, ignore, NULL, &diag), HEDDLE_OK);
    for (uint64_t i = 0; i < 4000; i++) {
        /* the two pseudo-channels of one channel */
        uint64_t line = i * 0x9e3779b97f4a7c15u >> 40 << 4;
        ops->submit(hbm, &(struct hbm_request){.line = line, .sectors = 1, .write = i % 5 == 0});
    }
    ops->advance(hbm, UINT64_MAX >> 24);
    ops->free(hbm);
    qsort(r.command, r.count, sizeof *r.command, by_time);
    unsigned caught = 0, tried = 0;
    for (size_t i = 100; i < r.count; i += 7) {
        uint64_t broken = 0;
        if (!matters(&r, i)) continue;
        begin();
        for (size_t k = 0; k < r.count && !broken; k++)
            if (k != i) broken |= dram_check_command(check, &r.command[k]);
        tried++;
        caught += broken != 0;
    }
    cr_expect_gt(tried, 200);
    cr_expect_eq(caught, tried, "an ACT or PRE is missing: %u of %u noticed", caught, tried);
    caught = tried = 0;
    for (size_t i = 100; i < r.count; i += 7) {
        struct dram_command early = r.command[i];
        uint64_t broken = 0;
        early.at -= early.at > 64 ? 64 : early.at;
        begin();
        for (size_t k = 0; k < r.count; k++)
            broken |= dram_check_command(check, k == i ? &early : &r.command[k]);
        tried++;
        caught += broken != 0;
    }
    cr_expect_eq(caught, tried, "a command is early by 64 clocks: %u of %u noticed", caught, tried);
    dram_check_free(check);
    free(r.command);
}
