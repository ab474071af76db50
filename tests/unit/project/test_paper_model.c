/* test_paper_model.c - the published model as a whole: the example worked out by hand, kernels at
 * its edges, and what it refuses. */
#include <criterion/criterion.h>
#include <math.h>

#include "project/projection.h"
#include "worked_example.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

static struct project_kernels list;
static struct project_kernel *k;
static struct capability source, target;
static struct projection p;
static struct heddle_diag diag;

static void set_up(void) {
    k = example_kernel(&list);
    example_source(&source);
    example_target(&target);
}
static void tear_down(void) {
    project_kernels_clear(&list);
}
TestSuite(paper_model, .init = set_up, .fini = tear_down);

static void project(void) {
    cr_assert_eq(project_paper(k, k, &source, &target, NULL, &p, &diag), HEDDLE_OK, "%s",
                 diag.text);
}

/* Source: 8e9 FLOP in 4 ms are 2 TFLOP/s under roofs of 3.404, 4.571 and 6 TFLOP/s. Target: roofs
 * of 8, 11.43 and 12 TFLOP/s, so 4.7, 5 and 4 TFLOP/s: 1.702, 1.6 and 2 ms. */
Test(paper_model, example_by_hand) {
    project();
    cr_assert_eq(p.operations, OPERATIONS_FLOP);
    NEAR(p.achieved, 2e12);
    NEAR(p.source.performance, 6e12);
    NEAR(p.source.intensity[ROOFLINE_L1], 8.0 / 6);
    NEAR(p.source.intensity[ROOFLINE_L2], 4);
    NEAR(p.source.intensity[ROOFLINE_DRAM], 8);
    NEAR(p.source.roof[ROOFLINE_L1], 8.0 / 6 * (6e9 / 2.35e-3));
    NEAR(p.source.roof[ROOFLINE_L2], 4 * (2e9 / 1.75e-3));
    NEAR(p.source.roof[ROOFLINE_DRAM], 6e12);
    cr_assert_eq(p.source_bound, BOUND_L1);
    NEAR(p.target.roof[ROOFLINE_L1], 8e12);
    NEAR(p.target.roof[ROOFLINE_L2], 4 * (2e9 / 0.7e-3));
    NEAR(p.target.roof[ROOFLINE_DRAM], 12e12);
    NEAR(p.low_us, 1600);
    NEAR(p.high_us, 2000);
    NEAR(p.centre_us, 1800);
}

Test(paper_model, a_gpu_projects_to_itself) {
    cr_assert_eq(project_paper(k, k, &source, &source, NULL, &p, &diag), HEDDLE_OK);
    NEAR(p.low_us, 4000);
    NEAR(p.high_us, 4000);
}

/* Without FLOP the roofline counts instructions of threads. 10e12 / 64 warp instructions/s of 24
 * lanes are 3.75e12. */
Test(paper_model, a_kernel_of_integers_has_an_instruction_roofline) {
    k->of[METRIC_FP32_ADD] = k->of[METRIC_FP32_MUL] = k->of[METRIC_FP32_FMA] = 0;
    project();
    cr_assert_eq(p.operations, OPERATIONS_INSTRUCTIONS);
    NEAR(p.source.performance, 3.75e12);
    NEAR(p.source.intensity[ROOFLINE_DRAM], 24);
}

/* A kernel that only writes has the bandwidth of writes, 1.1 times that of triad here. */
Test(paper_model, a_kernel_that_only_writes_has_their_bandwidth) {
    k->of[METRIC_DRAM_READ] = 0.01e9;
    k->of[METRIC_DRAM_WRITE] = 0.99e9;
    project();
    NEAR(p.source.bandwidth[ROOFLINE_DRAM], 880e9);
}

/* Everything from shared memory: no byte passes L2 or DRAM, whose roofs are the compute ceiling. */
Test(paper_model, a_level_that_no_byte_passes_does_not_bound) {
    k->of[METRIC_L1_BYTES] = k->of[METRIC_L2_BYTES] = 0;
    k->of[METRIC_DRAM_READ] = k->of[METRIC_DRAM_WRITE] = 0;
    project();
    NEAR(p.source.roof[ROOFLINE_L2], 6e12);
    NEAR(p.source.roof[ROOFLINE_DRAM], 6e12);
    cr_assert_eq(p.source_bound, BOUND_COMPUTE); /* 8e9 / 0.4 ms is above it */
    k->of[METRIC_SHARED_PASSES] *= 10;
    project();
    cr_assert_eq(p.source_bound, BOUND_SHARED);
}

/* Bytes that are no whole numbers, as behind an emulated cache: no rounding of their sums counts as
 * bytes that pass DRAM. */
Test(paper_model, no_fraction_of_a_byte_passes_a_level_without_bytes) {
    for (int i = 3; i < 40; i++) {
        k->of[METRIC_L1_BYTES] = 4e9 / i;
        k->of[METRIC_L2_BYTES] = 3e9 / (i + 1);
        k->of[METRIC_SHARED_BYTES] = 2e9 / (i + 2);
        k->of[METRIC_DRAM_READ] = k->of[METRIC_DRAM_WRITE] = 0;
        project();
        cr_assert(isinf(p.target.intensity[ROOFLINE_DRAM]), "%d", i);
        NEAR(p.target.roof[ROOFLINE_DRAM], 12e12);
    }
}

/* No cache keeps a byte: 2 GB pass every level, 4 FLOP/byte at 800 GB/s. The three roofs are one,
 * and device memory is what bounds the kernel. */
Test(paper_model, a_stream_is_bound_by_device_memory) {
    k->of[METRIC_SHARED_BYTES] = k->of[METRIC_SHARED_PASSES] = 0;
    k->of[METRIC_L1_BYTES] = k->of[METRIC_L2_BYTES] = 2e9;
    k->of[METRIC_DRAM_READ] = 1.5e9;
    k->of[METRIC_DRAM_WRITE] = 0.5e9;
    project();
    for (int i = 0; i < ROOFLINE_LEVELS; i++) NEAR(p.source.roof[i], 3.2e12);
    cr_assert_eq(p.source_bound, BOUND_DRAM);
    cr_assert_eq(p.target_bound, BOUND_DRAM);
    NEAR(p.centre_us, 1600);
}

/* 2 GB of L2 take 1 ms on the source, and hits in L1 add to that: 0.9 % more is the same roof,
 * 1.1 % more is not. */
Test(paper_model, roofs_within_a_hundredth_are_one) {
    k->of[METRIC_SHARED_BYTES] = k->of[METRIC_SHARED_PASSES] = 0;
    k->of[METRIC_DRAM_READ] = k->of[METRIC_DRAM_WRITE] = 0;
    source.max[RATE_FP32_FMA].value = 20e12;
    k->of[METRIC_L1_BYTES] = 2e9 + 90e6;
    project();
    cr_assert_lt(p.source.roof[ROOFLINE_L1], p.source.roof[ROOFLINE_L2]);
    cr_assert_eq(p.source_bound, BOUND_L2);
    k->of[METRIC_L1_BYTES] = 2e9 + 110e6;
    project();
    cr_assert_eq(p.source_bound, BOUND_L1);
}

/* Where only the target's peak is known, it reaches as much of it as the source of its own. */
Test(paper_model, the_max_of_a_peak_follows_the_source) {
    target.max[RATE_DRAM].known = false;
    target.peak[RATE_DRAM] = (struct capability_value){.value = 2500e9, .known = true};
    source.peak[RATE_DRAM] = (struct capability_value){.value = 1000e9, .known = true};
    project();
    NEAR(p.target.bandwidth[ROOFLINE_DRAM], 2000e9);
}

/* Without a count of tensor operations the kernel may have more FLOP than the profile says, where
 * its GPU has tensor cores. */
Test(paper_model, tensor_operations_that_are_not_counted) {
    project();
    double counted = p.confidence;
    k->known[METRIC_TENSOR_FP16] = false;
    project();
    NEAR(p.confidence, counted);
    cr_assert_str_eq(p.why, "");
    source.peak[RATE_TENSOR_FP16] = (struct capability_value){.value = 100e12, .known = true};
    project();
    NEAR(p.confidence, 0.95 * counted);
    cr_assert_str_eq(p.why, "the profile does not count tensor operations");
    k->of[METRIC_FP32_ADD] = k->of[METRIC_FP32_MUL] = k->of[METRIC_FP32_FMA] = 0;
    k->known[METRIC_TENSOR_FP16] = true;
    project();
    counted = p.confidence;
    k->known[METRIC_TENSOR_FP16] = false;
    project();
    NEAR(p.confidence, 0.5 * counted);
    cr_assert_str_eq(p.why, "the profile counts no FLOP, and tensor operations not at all");
}

Test(paper_model, names_a_metric_that_is_missing) {
    k->known[METRIC_L2_BYTES] = false;
    cr_assert_eq(project_paper(k, k, &source, &target, NULL, &p, &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): the profile lacks l2_bytes (between L1 "
                                "and L2, both ways)");
}

Test(paper_model, refuses_a_kernel_without_time) {
    k->of[METRIC_TIME] = 0;
    cr_assert_eq(project_paper(k, k, &source, &target, NULL, &p, &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): its measured time is 0 us, launch "
                                "overhead 0 us");
}

/* Half precision on a GPU of which no half-precision rate is known. */
Test(paper_model, names_a_rate_that_is_missing) {
    project_set(k, METRIC_FP16_FMA, 1e9);
    cr_assert_eq(project_paper(k, k, &source, &target, NULL, &p, &diag), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): no fp16.fma_peak or fp16.fma_max of "
                                "the GPU is known");
}
