/* test_cache_term.c - project/cache_term.c: traffic behind the target's L2, by a curve and by a
 * footprint, worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "project/cache_term.h"
#include "project/projection.h"
#include "worked_example.h"

#define MIB 1048576.0

static struct project_kernels list;
static struct project_kernel *k;
static struct capability source, target;
static enum cache_copies copies;
/* 1 GB read and 0.5 GB written behind 6 MiB. 16 MiB keep half of the reads, 32 nine tenths of them
 * and a fifth of the writes. */
static struct project_cache_point curve[] = {
    {6 * MIB, 800e6, 400e6}, {16 * MIB, 400e6, 400e6}, {32 * MIB, 80e6, 320e6}};

static void set_sizes(double from, double to) {
    source.property[GPU_L2_SIZE] = (struct capability_value){.value = from * MIB, .known = true};
    target.property[GPU_L2_SIZE] = (struct capability_value){.value = to * MIB, .known = true};
}
static void set_up(void) {
    k = example_kernel(&list);
    project_set(k, METRIC_DRAM_READ, 1e9);
    project_set(k, METRIC_DRAM_WRITE, 0.5e9);
    k->l2 = curve;
    k->num_l2 = 3;
}
static void tear_down(void) {
    k->l2 = NULL; /* not the list's own */
    project_kernels_clear(&list);
}
TestSuite(cache_term, .init = set_up, .fini = tear_down);

static void check(bool known, double read, double write) {
    cr_assert_eq(cache_term_apply(k, &source, &target, copies), known);
    cr_assert_float_eq(k->of[METRIC_DRAM_READ], read, 1, "%.12g", k->of[METRIC_DRAM_READ]);
    cr_assert_float_eq(k->of[METRIC_DRAM_WRITE], write, 1, "%.12g", k->of[METRIC_DRAM_WRITE]);
}

Test(cache_term, the_same_cache_changes_nothing) {
    set_sizes(6, 6);
    check(true, 1e9, 0.5e9);
}

Test(cache_term, a_capacity_of_the_curve) {
    set_sizes(6, 16);
    check(true, 0.5e9, 0.5e9);
}

/* Half way from 16 to 32: (0.5 + 0.1) / 2 of the reads, (1 + 0.8) / 2 of the writes. */
Test(cache_term, between_two_capacities) {
    set_sizes(6, 24);
    check(true, 0.3e9, 0.45e9);
}

/* Of two partitions, half of the lines that are read have a second copy. Two thirds of the traffic
 * are reads: 32 MiB hold 32 / (1 + 1/2 * 2/3) = 24 MiB of different lines. */
Test(cache_term, partitions_hold_copies) {
    set_sizes(6, 32);
    target.property[GPU_L2_PARTITIONS] = (struct capability_value){.value = 2, .known = true};
    check(true, 0.3e9, 0.45e9);
}

/* None: 24 MiB hold 24. All: 48 hold 24. */
Test(cache_term, copies_of_no_line_and_of_all) {
    target.property[GPU_L2_PARTITIONS] = (struct capability_value){.value = 2, .known = true};
    copies = COPIES_NONE;
    set_sizes(6, 24);
    check(true, 0.3e9, 0.45e9);
    project_set(k, METRIC_DRAM_READ, 1e9);
    project_set(k, METRIC_DRAM_WRITE, 0.5e9);
    copies = COPIES_ALL;
    set_sizes(6, 48);
    check(true, 0.3e9, 0.45e9);
}

Test(cache_term, beyond_the_curve_the_last_point_holds) {
    set_sizes(6, 96);
    check(true, 0.1e9, 0.4e9);
}

Test(cache_term, a_smaller_cache_is_not_known) {
    set_sizes(6, 4);
    check(false, 1e9, 0.5e9);
}

/* Sampling may count more for a larger cache by chance. */
Test(cache_term, a_larger_cache_never_adds_traffic) {
    static struct project_cache_point rising[] = {{6 * MIB, 100, 0}, {16 * MIB, 128, 0}};
    k->l2 = rising;
    k->num_l2 = 2;
    set_sizes(6, 16);
    check(true, 1e9, 0.5e9);
}

Test(cache_term, no_curve_and_no_footprint) {
    k->num_l2 = 0;
    k->known[METRIC_FOOTPRINT] = false;
    set_sizes(6, 40);
    check(false, 1e9, 0.5e9);
}

/* 20 MB fit 40 MiB: no byte moves twice. They do not fit 6. */
Test(cache_term, a_footprint_that_fits) {
    k->num_l2 = 0;
    project_set(k, METRIC_FOOTPRINT, 20e6);
    set_sizes(6, 40);
    check(true, 20e6, 20e6);
}
Test(cache_term, a_footprint_that_does_not_fit) {
    k->num_l2 = 0;
    project_set(k, METRIC_FOOTPRINT, 80e6);
    set_sizes(6, 40);
    check(false, 1e9, 0.5e9);
}
