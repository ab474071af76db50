/* test_capability_clock.c - project/capability_clock.c: a GPU at another clock, what power leaves,
 * and the source at the clock of a profile. Worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "project/capability_clock.h"
#include "project/demand.h"
#include "worked_results.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

static void property(struct capability *gpu, enum capability_property which, double value) {
    gpu->property[which] = (struct capability_value){.value = value, .known = true};
}
static void rate(struct capability_value *v, double value) {
    *v = (struct capability_value){.value = value, .known = true};
}

/* From 1,500 to 1,000 MHz: two thirds of arithmetic, L1, L2; all of device memory. Of 600 cycles of
 * latency, 300 are L2's; the other 300 take 200 ns, now 200 cycles. */
Test(capability_clock, rates_and_latencies) {
    struct capability gpu = {0};
    property(&gpu, GPU_CLOCK, 1500);
    property(&gpu, GPU_CLOCK_POWER, 1400);
    property(&gpu, GPU_L1_LATENCY, 30);
    property(&gpu, GPU_L2_LATENCY, 300);
    property(&gpu, GPU_DRAM_LATENCY, 600);
    property(&gpu, GPU_LAUNCH_GAP, 2);
    rate(&gpu.peak[RATE_FP32_FMA], 15e12);
    rate(&gpu.max[RATE_FP32_FMA], 12e12);
    rate(&gpu.max[RATE_ISSUE], 300e9);
    rate(&gpu.max[RATE_L2], 3000e9);
    rate(&gpu.peak[RATE_DRAM], 900e9);
    rate(&gpu.max[RATE_DRAM], 800e9);
    rate(&gpu.max[RATE_DRAM_READ], 850e9);
    rate(&gpu.max[RATE_DRAM_WRITE], 810e9);
    capability_set_clock(&gpu, 1000);
    NEAR(gpu.peak[RATE_FP32_FMA].value, 10e12);
    NEAR(gpu.max[RATE_FP32_FMA].value, 8e12);
    NEAR(gpu.max[RATE_ISSUE].value, 200e9);
    NEAR(gpu.max[RATE_L2].value, 2000e9);
    NEAR(gpu.peak[RATE_DRAM].value, 900e9);
    NEAR(gpu.max[RATE_DRAM].value, 800e9);
    NEAR(gpu.max[RATE_DRAM_READ].value, 850e9);
    NEAR(gpu.max[RATE_DRAM_WRITE].value, 810e9);
    NEAR(gpu.property[GPU_L1_LATENCY].value, 30);
    NEAR(gpu.property[GPU_L2_LATENCY].value, 300);
    NEAR(gpu.property[GPU_DRAM_LATENCY].value, 500);
    NEAR(gpu.property[GPU_LAUNCH_GAP].value, 2);
    NEAR(gpu.property[GPU_CLOCK].value, 1000);
    cr_assert_not(gpu.property[GPU_CLOCK_POWER].known);
    cr_assert_not(gpu.max[RATE_L1].known);
}

/* Without L2's latency, all of device memory's is time. */
Test(capability_clock, latency_of_memory_alone) {
    struct capability gpu = {0};
    property(&gpu, GPU_CLOCK, 1500);
    property(&gpu, GPU_DRAM_LATENCY, 600);
    capability_set_clock(&gpu, 750);
    NEAR(gpu.property[GPU_DRAM_LATENCY].value, 300);
}

/* The board holds 1,200 of 1,600 MHz under arithmetic: three quarters of a peak, unless the source
 * GPU's max over peak leaves less. A measured max is as it is, and so is what is not arithmetic. */
Test(capability_clock, what_power_leaves_of_a_peak) {
    struct capability gpu = {0}, source = {0};
    enum capability_origin origin;
    property(&gpu, GPU_CLOCK, 1600);
    property(&gpu, GPU_CLOCK_POWER, 1200);
    rate(&gpu.peak[RATE_FP32_FMA], 16e12);
    rate(&gpu.peak[RATE_ISSUE], 200e9);
    NEAR(capability_rate(&gpu, &source, RATE_FP32_FMA, &origin), 12e12);
    NEAR(capability_rate(&gpu, &source, RATE_ISSUE, &origin), 200e9);
    rate(&source.peak[RATE_FP32_FMA], 10e12);
    rate(&source.max[RATE_FP32_FMA], 9e12);
    NEAR(capability_rate(&gpu, &source, RATE_FP32_FMA, &origin), 12e12);
    rate(&source.max[RATE_FP32_FMA], 6e12);
    NEAR(capability_rate(&gpu, &source, RATE_FP32_FMA, &origin), 9.6e12);
    rate(&gpu.max[RATE_FP32_FMA], 15e12);
    NEAR(capability_rate(&gpu, &source, RATE_FP32_FMA, &origin), 15e12);
}

Test(capability_clock, a_kernel_says_its_clock) {
    struct capability gpu = {0}, room;
    struct project_kernel k = {0};
    property(&gpu, GPU_CLOCK, 1530);
    cr_assert_eq(capability_at_clock(&room, &gpu, &k), &gpu, "not known");
    project_set(&k, METRIC_CLOCK, 1530.3);
    cr_assert_eq(capability_at_clock(&room, &gpu, &k), &gpu, "the same");
    project_set(&k, METRIC_CLOCK, 1100.4);
    cr_assert_eq(capability_at_clock(&room, &gpu, &k), &room);
    NEAR(room.property[GPU_CLOCK].value, 1100);
    NEAR(gpu.property[GPU_CLOCK].value, 1530);
}

/* The example of docs/projection.md at half of the source's clock, by the published model. */
Test(capability_clock, the_source_of_a_projection) {
    struct worked_results w;
    worked_begin(&w);
    struct project_kernel *k = worked_add(&w, "example", 0, 4000);
    property(&w.source, GPU_CLOCK, 1000);
    worked_project(&w, 1);
    double low = w.results.at[0].low_us, performance = w.results.at[0].source.performance;
    double dram = w.results.at[0].source.bandwidth[ROOFLINE_DRAM];
    project_results_clear(&w.results);
    project_set(k, METRIC_CLOCK, 500);
    worked_project(&w, 1);
    NEAR(w.results.at[0].source.performance, performance / 2);
    NEAR(w.results.at[0].source.bandwidth[ROOFLINE_DRAM], dram);
    NEAR(low, 1600);
    /* Source: compute 3; L1 0.4, L2 1, DRAM 1.25, shared 0.8 ms. Bandwidth ceilings: L2
     * 2 GB / 2.25 ms = 889 GB/s, L1 6 GB / 3.45 ms = 1,739 GB/s. Roofs: L1 2.319, L2 and DRAM 3
     * TFLOP/s. Times: 8e9 / (2 / 2.319 x 8e12) = 1.159 ms, 8e9 / (2 / 3 x 11.43e12) = 1.05, and
     * 8e9 / (2 / 3 x 12e12) = 1. */
    NEAR(w.results.at[0].low_us, 1000);
    NEAR(w.results.at[0].high_us, 1e3 * 8 / (2 / (8 / 3.45) * 8));
    struct capability room;
    NEAR(project_source(&room, &w.results, 0)->max[RATE_L2].value, 1000e9);
    worked_end(&w);
}
