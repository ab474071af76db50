/* test_project_isa.c - special operations on their way through a projection: the counts of a run,
 * the kernel as each target executes it, and what is said where they are not known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project/isa.h"
#include "project/project_output.h"
#include "worked_results.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

static struct worked_results w;
static struct project_kernel *k;

static void property(struct capability *gpu, enum capability_property which, double value) {
    gpu->property[which] = (struct capability_value){.value = value, .known = true};
}
static void set_capability(struct capability *gpu, int capability) {
    property(gpu, GPU_MAJOR, capability / 10);
    property(gpu, GPU_MINOR, capability % 10);
}

/* Gives the kernel a list of one form. */
static void add_special(const char *form, double threads, double slow, double warps) {
    k->special = calloc(1, sizeof *k->special);
    k->special[0] = (struct isa_execution){form, threads, slow, warps};
    k->num_special = 1;
    k->special_known = true;
}

/* The kernel of the example, 10^9 warp and 24 * 10^9 thread instructions, ran on a V100. The
 * targets are of compute capability 9.0 and 7.5. */
static void set_up(void) {
    worked_begin(&w);
    k = worked_add(&w, "example", 0, 4000);
    set_capability(&w.source, 70);
    set_capability(&w.target, 90);
    set_capability(&w.other, 75);
}
static void tear_down(void) {
    worked_end(&w);
}
TestSuite(project_isa, .init = set_up, .fini = tear_down);

static void project(enum project_model model, const struct project_terms *terms) {
    project_results_clear(&w.results);
    project_all(&w.results, model, terms, &w.kernels, &w.source, w.targets, 2);
}

/* The divisions of docs/projection-instruction-sets.md: 480e6 lanes in 20e6 warps, a tenth of them
 * slow. 9.0 has one instruction less than 7.5, on the slow way three: 432e6 + 3 * 48e6 lanes,
 * 18e6 + 3 * 2e6 warps. */
Test(project_isa, each_target_has_its_own_counts) {
    add_special("div.rn.f32", 480e6, 48e6, 20e6);
    worked_project(&w, 2);
    cr_assert_eq(w.results.num_refused, 0, "%s", w.results.refused[0].text);
    NEAR(w.results.at[0].warp_inst, 976e6);
    NEAR(w.results.at[0].thread_inst, 23.424e9);
    NEAR(w.results.at[1].warp_inst, 1e9);
    NEAR(w.results.at[1].thread_inst, 24e9);
    char *json = NULL;
    size_t size;
    FILE *f = open_memstream(&json, &size);
    cr_assert(project_write_json(&w.results, f));
    fclose(f);
    cr_assert(strstr(json, "\"warp_instructions\": 976000000.0"), "%s", json);
    cr_assert(strstr(json, "\"thread_instructions\": 23424000000.0"), "%s", json);
    free(json);
}

/* A term switches it off. */
Test(project_isa, without_the_term_all_execute_the_same) {
    const struct project_terms terms = {.off[TERM_ISA] = true};
    add_special("div.rn.f32", 480e6, 48e6, 20e6);
    project(MODEL_PAPER, &terms);
    NEAR(w.results.at[0].warp_inst, 1e9);
    NEAR(w.results.at[0].thread_inst, 24e9);
}

/* SMs that the default model asks for. */
static void add_sms(struct capability *gpu) {
    property(gpu, GPU_SMS, 80);
    property(gpu, GPU_CLOCK, 1000);
    property(gpu, GPU_SUBCORES, 4);
    property(gpu, GPU_WARPS, 64);
    property(gpu, GPU_MOST_CTAS, 32);
    property(gpu, GPU_REGISTERS, 65536);
    property(gpu, GPU_REGISTER_UNIT, 256);
    property(gpu, GPU_WARP_UNIT, 4);
    property(gpu, GPU_SHARED_MOST, 98304);
    property(gpu, GPU_SHARED_RESERVED, 0);
    property(gpu, GPU_SHARED_UNIT, 256);
    property(gpu, GPU_DRAM_LATENCY, 400);
    gpu->max[RATE_SPECIAL].value = 1e15; /* never the limit */
    gpu->max[RATE_SPECIAL].known = true;
}
/* The kernel does nothing but issue instructions: 10^9 of warps at 10e12 / 64 a second take 6.4 ms,
 * and half of that on the targets, which differ in nothing but their capability. */
static void issue_alone(void) {
    static const enum project_metric none[] = {
        METRIC_FP32_FMA, METRIC_FP32_ADD,     METRIC_FP32_MUL,
        METRIC_L1_BYTES, METRIC_SHARED_BYTES, METRIC_SHARED_PASSES,
        METRIC_L2_BYTES, METRIC_DRAM_READ,    METRIC_DRAM_WRITE};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) project_set(k, none[i], 0);
    project_set(k, METRIC_TIME, 6400);
    project_set(k, METRIC_CTAS, 6400);
    project_set(k, METRIC_CTA_THREADS, 256);
    project_set(k, METRIC_REGISTERS, 32);
    add_sms(&w.source);
    add_sms(&w.target);
    add_sms(&w.other);
}

Test(project_isa, fewer_instructions_take_less_time) {
    const struct project_terms terms = {.off[TERM_LATENCY] = true};
    issue_alone();
    add_special("div.rn.f32", 480e6, 48e6, 20e6);
    project(MODEL_HEDDLE, &terms);
    cr_assert_eq(w.results.num_refused, 0, "%s", w.results.refused[0].text);
    NEAR(w.results.at[1].centre_us, 3200);
    NEAR(w.results.at[0].centre_us, 0.976 * 3200);
}

/* A profiler does not count special operations. That matters if the kernel may have some and the
 * GPUs differ. */
Test(project_isa, confidence_knows_what_was_not_counted) {
    const struct project_terms terms = {.off[TERM_LATENCY] = true};
    issue_alone();
    project_set(k, METRIC_SPECIAL, 0);
    project(MODEL_HEDDLE, &terms);
    double sure = w.results.at[0].confidence;
    k->known[METRIC_SPECIAL] = false;
    project(MODEL_HEDDLE, &terms);
    NEAR(w.results.at[0].confidence, 0.95 * sure);
    project_set(k, METRIC_SPECIAL, 480e6);
    project(MODEL_HEDDLE, &terms);
    NEAR(w.results.at[0].confidence, 0.95 * sure);
    NEAR(w.results.at[1].confidence, sure); /* 7.5 is as 7.0 */
    k->special_known = true;
    project(MODEL_HEDDLE, &terms);
    NEAR(w.results.at[0].confidence, sure);
}

Test(project_isa, refuses_a_gpu_that_the_table_lacks) {
    set_capability(&w.target, 60);
    worked_project(&w, 2);
    cr_assert_eq(w.results.num_refused, 0, "without special operations it does not matter");
    project_results_clear(&w.results);
    add_special("div.rn.f32", 480e6, 48e6, 20e6);
    worked_project(&w, 2);
    cr_assert_eq(w.results.num_refused, 1);
    cr_assert_str_eq(w.results.refused[0].text,
                     "target: tables/sass_expansions.def has no instructions of compute capability "
                     "6.0; add it to tools/expansions and make the table again");
}

Test(project_isa, refuses_counts_of_another_kernel) {
    add_special("div.rn.f32", 480e6, 481e6, 20e6);
    worked_project(&w, 2);
    cr_assert_eq(w.results.num_refused, 1);
    cr_assert_str_eq(w.results.refused[0].text, "kernel example (launch 0): div.rn.f32: 4.8e+08 "
                                                "lanes, 4.81e+08 of them slow, in 2e+07 warps");
}
