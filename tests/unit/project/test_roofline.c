/* test_roofline.c - each equation of the published model against figures worked out by hand
 * (docs/projection.md has the same example). */
#include <criterion/criterion.h>
#include <math.h>

#include "project/roofline.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

Test(roofline, equation_1_is_the_lower_of_two_roofs) {
    NEAR(roofline_at(0.5, 800e9, 6e12), 400e9);
    NEAR(roofline_at(100, 800e9, 6e12), 6e12);
    NEAR(roofline_at(INFINITY, 800e9, 6e12), 6e12);
}

/* 10 x 3/5 + 5 x 2/5 = 8 */
Test(roofline, equation_2_averages_fused_and_separate_operations) {
    const struct roofline_mix mix = {.add = 1e9, .mul = 1e9, .fma = 3e9}, none = {0};
    NEAR(roofline_mix_performance(&mix, 10e12, 5e12), 8e12);
    NEAR(roofline_mix_performance(&none, 10e12, 5e12), 10e12);
}

Test(roofline, equation_3_counts_active_lanes) {
    NEAR(roofline_lane_ceiling(24, 8e12), 6e12);
    NEAR(roofline_lane_ceiling(32, 8e12), 8e12);
}

Test(roofline, equation_4_is_bytes_over_bandwidth) {
    NEAR(roofline_level_time(1e9, 800e9), 1.25e-3);
}

/* 2e9 bytes at 64 of 128 bytes a cycle take as long as 4e9. */
Test(roofline, equation_5_stretches_shared_memory_by_its_conflicts) {
    NEAR(roofline_shared_time(2e9, 64, 10e12), 0.4e-3);
    NEAR(roofline_shared_time(2e9, 128, 10e12), 0.2e-3);
}

/* Served: L1 2 GB in 0.2 ms, shared memory 2 GB in 0.4, L2 1 GB in 0.5, DRAM 1 GB in 1.25 ms. */
Test(roofline, equations_6_to_8_weigh_all_that_passes_a_level) {
    const struct roofline_served bytes = {.of = {2e9, 1e9, 1e9}, .shared = 2e9}, none = {0};
    const struct roofline_times times = {.of = {0.2e-3, 0.5e-3, 1.25e-3}, .shared = 0.4e-3};
    const struct roofline_times no_time = {0};
    NEAR(roofline_bandwidth_ceiling(ROOFLINE_L1, &bytes, &times), 6e9 / 2.35e-3);
    NEAR(roofline_bandwidth_ceiling(ROOFLINE_L2, &bytes, &times), 2e9 / 1.75e-3);
    NEAR(roofline_bandwidth_ceiling(ROOFLINE_DRAM, &bytes, &times), 800e9);
    cr_assert_eq(roofline_bandwidth_ceiling(ROOFLINE_L1, &none, &no_time), 0);
}

/* A third of the source's roof becomes a third of the target's. */
Test(roofline, equation_9_keeps_the_part_of_the_roof) {
    NEAR(roofline_project(2e12, 6e12, 12e12), 4e12);
}

Test(roofline, equation_10_is_operations_over_bytes) {
    NEAR(roofline_intensity(8e9, 2e9), 4);
    cr_assert(isinf(roofline_intensity(8e9, 0)));
}
