/* test_diagnosis.c - report/diagnosis.h: each rule of tables/diagnosis.def holds for a record made
 * for it and not for a healthy one, and names its instruction; the heaviest causes are told. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "common/occupancy.h"
#include "report/diagnosis.h"

enum { WARPS = 1000, CYCLES = 10000, SMS = 80, SUBS = 4 };

/* A part of the CPI stack. */
#define WAIT(name) wait[CORE_COUNTER_WAIT_##name - CORE_COUNTER_WAIT_NO_WARP]

/* A kernel that issues in most cycles and waits for nothing much, on a V100. */
static struct gpu_kernel_record healthy(void) {
    struct gpu_kernel_record k = {.name = "kernel",
                                  .grid = {640, 1, 1},
                                  .block = {256, 1, 1},
                                  .resident_ctas = 8,
                                  .occupancy_limit = OCCUPANCY_WARPS,
                                  .cycles = CYCLES + 1000,
                                  .launch_cycles = 1000,
                                  .counted_cycles = CYCLES,
                                  .warp_inst = 1000000,
                                  .thread_inst = {[MIR_KIND_FP32_ADD] = 32000000},
                                  .sm_cycles = CYCLES * SMS,
                                  .warp_cycles = (uint64_t)CYCLES * SMS * 60,
                                  .sub_core_cycles = CYCLES * SMS * SUBS};
    k.issued = k.sub_core_cycles * 7 / 10;
    k.WAIT(STALL) = k.sub_core_cycles * 3 / 10;
    k.access_requests[EXEC_ACCESS_GLOBAL_LOAD] = WARPS;
    k.access_sectors[EXEC_ACCESS_GLOBAL_LOAD] = 4 * WARPS;
    for (unsigned s = 0; s < CODE_SPOTS; s++) k.spot[s] = CODE_NOWHERE;
    return k;
}

/* Moves part/10 of the cycles from issuing and stalls to a cause. */
static void waits(struct gpu_kernel_record *k, unsigned counter, unsigned part) {
    const uint64_t cycles = k->sub_core_cycles * part / 10;
    memset(k->wait, 0, sizeof k->wait);
    k->wait[counter - CORE_COUNTER_WAIT_NO_WARP] = cycles;
    k->issued = k->sub_core_cycles - cycles;
}

static void uncoalesced(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_LG_THROTTLE, 4);
    k->access_sectors[EXEC_ACCESS_GLOBAL_LOAD] = 32 * WARPS;
    k->access_excess[EXEC_ACCESS_GLOBAL_LOAD] = 28 * WARPS;
}
static void bank_conflicts(struct gpu_kernel_record *k) {
    k->shared_passes = CYCLES * SMS / 2;
    k->conflict_passes = CYCLES * SMS / 3;
}
static void low_occupancy(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_STALL, 6);
    k->resident_ctas = 1;
    k->occupancy_limit = OCCUPANCY_SHARED;
    k->warp_cycles = CYCLES * SMS * 8;
}
static void dram_bound(struct gpu_kernel_record *k) {
    k->dram_read_bytes = 600 * CYCLES; /* of some 650 a cycle */
}
static void latency_bound(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_MEMORY, 8);
}
static void divergence(struct gpu_kernel_record *k) {
    k->thread_inst[MIR_KIND_FP32_ADD] /= 2;
    k->branches = 1000;
    k->divergent_branches = 500;
}
static void atomics(struct gpu_kernel_record *k) {
    k->atomic_turns = CYCLES;
}
static void instruction_cache(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_FETCH, 3);
}
static void constant_cache(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_CONSTANT, 3);
}
static void barrier(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_BARRIER, 4);
}
static void spills(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_LG_THROTTLE, 3);
    k->spill_requests = k->warp_inst / 5;
}
static void partial_warps(struct gpu_kernel_record *k) {
    k->block[0] = 16;
    k->resident_ctas = 32;
    k->thread_inst[MIR_KIND_FP32_ADD] /= 2;
}
static void drain(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_DRAIN, 4);
}
static void small_grid(struct gpu_kernel_record *k) {
    waits(k, CORE_COUNTER_WAIT_NO_WARP, 6);
}
static void launch(struct gpu_kernel_record *k) {
    k->launch_cycles = CYCLES;
    k->cycles = 2 * CYCLES;
}
static void pipe_bound(struct gpu_kernel_record *k) {
    k->pipe_cycles[MIR_PIPE_FP32] = k->sub_core_cycles * 8 / 10;
}

static const struct {
    const char *rule;
    void (*make)(struct gpu_kernel_record *k);
} cases[] = {
    {"UNCOALESCED", uncoalesced},
    {"BANK_CONFLICTS", bank_conflicts},
    {"LOW_OCCUPANCY", low_occupancy},
    {"DRAM_BOUND", dram_bound},
    {"LATENCY_BOUND", latency_bound},
    {"DIVERGENCE", divergence},
    {"ATOMICS", atomics},
    {"INSTRUCTION_CACHE", instruction_cache},
    {"CONSTANT_CACHE", constant_cache},
    {"BARRIER", barrier},
    {"SPILLS", spills},
    {"PARTIAL_WARPS", partial_warps},
    {"DRAIN", drain},
    {"SMALL_GRID", small_grid},
    {"LAUNCH", launch},
    {"PIPE_BOUND", pipe_bound},
};
enum { CASES = sizeof cases / sizeof *cases };

static struct report report_on(struct config **c) {
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(c, "v100", GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    return (struct report){.timing = "rtl", .config = *c};
}

Test(diagnosis, every_rule) {
    static const char *const rules[] = {
#define RULE(id, condition, weight, place, text, evidence, ...) #id,
#include "tables/diagnosis.def"
    };
    struct config *c;
    const struct report r = report_on(&c);
    cr_assert_eq(sizeof rules / sizeof *rules, CASES, "a rule has no case");
    for (unsigned i = 0; i < CASES; i++) {
        struct gpu_kernel_record k = healthy();
        struct diagnosis d[DIAGNOSES];
        cr_expect_str_eq(cases[i].rule, rules[i]);
        cr_expect_eq(diagnosis_find(&r, &k, d), 0, "a healthy kernel");
        cases[i].make(&k);
        cr_assert_eq(diagnosis_find(&r, &k, d), 1, "%s: %u rules, %s", rules[i],
                     diagnosis_find(&r, &k, d), d[0].rule);
        cr_expect_str_eq(d[0].rule, rules[i]);
        cr_expect_gt(d[0].weight, 0);
        cr_expect_null(d[0].place, "instructions were not counted");
        cr_expect_null(strstr(d[0].evidence, "nan"), "%s", d[0].evidence);
        k.sub_core_cycles = 0;
        cr_expect_eq(diagnosis_find(&r, &k, d), 0, "it was not timed");
    }
    config_free(c);
}

Test(diagnosis, heaviest_first) {
    struct config *c;
    const struct report r = report_on(&c);
    struct gpu_kernel_record k = healthy();
    struct diagnosis d[DIAGNOSES];
    bank_conflicts(&k);
    atomics(&k);
    dram_bound(&k);
    cr_assert_eq(diagnosis_find(&r, &k, d), DIAGNOSES);
    cr_expect_str_eq(d[0].rule, "ATOMICS");
    cr_expect_str_eq(d[1].rule, "DRAM_BOUND");
    cr_expect_gt(d[0].weight, d[1].weight);
    config_free(c);
}

Test(diagnosis, json) {
    struct config *c;
    const struct report r = report_on(&c);
    struct gpu_kernel_record k = healthy();
    struct code_place places[] = {{.file = NULL, .ptx_line = 3},
                                  {.file = "x/a.cu", .line = 7, .ptx_line = 5}};
    const struct code_profile code = {.num_inst = 2, .place = places};
    k.code = &code;
    k.spot[CODE_SPOT_conflict_passes] = 1;
    bank_conflicts(&k);
    json_t *list = diagnosis_array(&r, &k), *o = json_array_get(list, 0);
    cr_assert_eq(json_array_size(list), 1);
    cr_expect_str_eq(json_string_value(json_object_get(o, "rule")), "bank_conflicts");
    cr_expect_str_eq(json_string_value(json_object_get(o, "file")), "x/a.cu");
    cr_expect_eq(json_integer_value(json_object_get(o, "line")), 7);
    cr_expect_eq(json_integer_value(json_object_get(o, "ptx_line")), 5);
    cr_expect_str_eq(json_string_value(json_object_get(o, "evidence")),
                     "266666 of 400000 cycles of shared memory are conflicts, 33 % of the time of "
                     "the SMs");
    json_decref(list);
    k = healthy();
    k.code = &code; /* the kernel's first instruction is without a line: the next one's */
    barrier(&k);
    list = diagnosis_array(&r, &k);
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(list, 0), "line")), 7);
    json_decref(list);
    places[1].file = NULL;
    list = diagnosis_array(&r, &k);
    o = json_array_get(list, 0);
    cr_expect(json_is_null(json_object_get(o, "file")));
    cr_expect(json_is_null(json_object_get(o, "line")));
    cr_expect_eq(json_integer_value(json_object_get(o, "ptx_line")), 3);
    json_decref(list);
    config_free(c);
}
