/* test_l1_term.c - project/l1_term.c: traffic between L1 and L2 with the target's L1, worked out by
 * hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "project/demand.h"
#include "project/l1_term.h"
#include "worked_example.h"

static struct project_kernels list;
static struct project_kernel *k;
static struct capability source, target;

static void set_up(void) {
    k = example_kernel(&list);
    project_set(k, METRIC_DRAM_READ, 1e9);
    project_set(k, METRIC_DRAM_WRITE, 0.5e9);
}
static void tear_down(void) {
    k->l1 = NULL; /* not the list's own */
    project_kernels_clear(&list);
}
TestSuite(l1_term, .init = set_up, .fini = tear_down);

static void check(double read, double write) {
    l1_term_apply(k, &source, &target);
    cr_assert_float_eq(k->of[METRIC_DRAM_READ], read, 1, "%.12g", k->of[METRIC_DRAM_READ]);
    cr_assert_float_eq(k->of[METRIC_DRAM_WRITE], write, 1, "%.12g", k->of[METRIC_DRAM_WRITE]);
}

/* 2 GB between L1 and L2, counted with 128 KiB of L1. 64 KiB pass half as much again, 192 KiB half,
 * 256 KiB a quarter. CTAs of 8 warps with 32 registers: 8 fit an SM. */
#define KIB 1024.0
static struct project_cache_point l1_curve[] = {
    {64 * KIB, 3e9, 0}, {128 * KIB, 2e9, 0}, {192 * KIB, 1e9, 0}, {256 * KIB, 0.5e9, 0}};

static void set_sm(struct capability *gpu, double unified, double shared) {
    const struct {
        enum capability_property p;
        double value;
    } of[] = {
        {GPU_UNIFIED, unified * KIB},
        {GPU_SHARED_MOST, shared * KIB},
        {GPU_WARPS, 64},
        {GPU_MOST_CTAS, 32},
        {GPU_SUBCORES, 4},
        {GPU_REGISTERS, 65536},
        {GPU_REGISTER_UNIT, 256},
        {GPU_WARP_UNIT, 4},
        {GPU_SHARED_UNIT, 256},
    };
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        gpu->property[of[i].p] = (struct capability_value){.value = of[i].value, .known = true};
}
static void set_l1(double cta_shared) {
    set_sm(&source, 128, 96);
    project_set(k, METRIC_CTA_THREADS, 256);
    project_set(k, METRIC_REGISTERS, 32);
    project_set(k, METRIC_CTA_SHARED, cta_shared);
    k->l1 = l1_curve;
    k->num_l1 = 4;
    k->own_l1 = 128 * KIB;
}
static void check_l2(double bytes) {
    cr_assert_float_eq(k->of[METRIC_L2_BYTES], bytes, 1, "%.12g", k->of[METRIC_L2_BYTES]);
}

Test(l1_term, a_larger_l1) {
    set_l1(0);
    set_sm(&target, 192, 164);
    check(0.6666666667e9, 0.3333333333e9); /* no more than passes L1: 1 GB */
    check_l2(1e9);
}

Test(l1_term, a_smaller_l1) {
    set_l1(0);
    set_sm(&target, 96, 64);
    check(1e9, 0.5e9);
    check_l2(2.5e9);
}

Test(l1_term, beyond_the_curve_of_l1_its_ends_hold) {
    set_l1(0);
    set_sm(&target, 512, 228);
    l1_term_apply(k, &source, &target);
    check_l2(0.5e9);
    k->of[METRIC_L2_BYTES] = 2e9;
    set_sm(&target, 16, 16);
    l1_term_apply(k, &source, &target);
    check_l2(3e9);
}

/* 8 CTAs of 7 KiB need 56 KiB of shared memory: 64 are configured, which leave 192 of 256. */
Test(l1_term, shared_memory_takes_its_part) {
    set_l1(7 * KIB);
    set_sm(&target, 256, 228);
    l1_term_apply(k, &source, &target);
    check_l2(1e9);
}

/* 8 CTAs of 12 KiB need 96 KiB, the most of the source, and 100 on the target, which leave 156. */
Test(l1_term, the_next_step_of_shared_memory) {
    set_l1(12 * KIB);
    cr_assert_eq(demand_l1_data(k, &source, &source), 32 * KIB);
    set_sm(&target, 256, 228);
    cr_assert_eq(demand_l1_data(k, &target, &source), 156 * KIB);
}

/* What the driver reserves counts for each CTA, and a GPU may have some shared memory anyway. */
Test(l1_term, reserved_and_least_shared_memory) {
    set_l1(0);
    set_sm(&target, 192, 164);
    target.property[GPU_SHARED_RESERVED].value = 1 * KIB;
    cr_assert_eq(demand_l1_data(k, &target, &source), 184 * KIB);
    set_sm(&target, 96, 64);
    target.property[GPU_SHARED_LEAST] = (struct capability_value){.value = 32 * KIB, .known = true};
    target.property[GPU_SHARED_RESERVED].value = 0;
    cr_assert_eq(demand_l1_data(k, &target, &source), 64 * KIB);
}

Test(l1_term, as_much_l1_changes_nothing) {
    set_l1(7 * KIB);
    set_sm(&target, 128, 96);
    check(1e9, 0.5e9);
    check_l2(2e9);
}

/* Nothing changes, and that is known only between L1 of one size, without bytes, or where the
 * source's larger L1 kept nothing either. */
Test(l1_term, no_curve_of_l1) {
    set_l1(0);
    k->num_l1 = 0;
    set_sm(&target, 256, 228);
    check(1e9, 0.5e9);
    check_l2(2e9);
    cr_assert_not(l1_term_apply(k, &source, &target), "larger");
    set_sm(&target, 96, 64);
    cr_assert_not(l1_term_apply(k, &source, &target), "smaller, and the source's keeps 2 of 4 GB");
    project_set(k, METRIC_L1_BYTES, 2e9);
    cr_assert(l1_term_apply(k, &source, &target), "smaller, and the source's keeps nothing");
    set_sm(&target, 256, 228);
    cr_assert_not(l1_term_apply(k, &source, &target), "a larger one may keep something");
    set_sm(&target, 128, 96);
    cr_assert(l1_term_apply(k, &source, &target), "equal");
    set_sm(&target, 256, 228);
    project_set(k, METRIC_L2_BYTES, 0);
    cr_assert(l1_term_apply(k, &source, &target), "no bytes");
}

Test(l1_term, a_curve_knows) {
    set_l1(0);
    set_sm(&target, 192, 164);
    cr_assert(l1_term_apply(k, &source, &target));
    set_sm(&target, 96, 64);
    cr_assert(l1_term_apply(k, &source, &target));
}

/* The emulated L1 of 128 KiB passes twice what the run's did, which it does with 192: it stands for
 * one of 192. The target's, half as large again, is like one of 288 (or 256). */
Test(l1_term, the_emulated_l1_passes_more) {
    set_l1(0);
    k->of[METRIC_L2_BYTES] = 1e9;
    set_sm(&target, 192, 164);
    l1_term_apply(k, &source, &target);
    check_l2(0.5e9);
}

/* It passes less: it stands for one of 96 KiB, and the target's of 256 for one of 192. */
Test(l1_term, the_emulated_l1_passes_less) {
    set_l1(0);
    k->of[METRIC_L2_BYTES] = 2.5e9;
    set_sm(&target, 256, 228);
    l1_term_apply(k, &source, &target);
    check_l2(1e9);
}

/* No capacity of the curve passes as much, or as little: the end of the curve is taken. */
Test(l1_term, no_emulated_l1_passes_the_same) {
    set_l1(0);
    k->of[METRIC_L2_BYTES] = 4.5e9;
    set_sm(&target, 256, 228); /* like 128: 2 / 3 of what 64 pass */
    l1_term_apply(k, &source, &target);
    check_l2(3e9);
    k->of[METRIC_L2_BYTES] = 0.2e9;
    set_sm(&target, 64, 64); /* like 128: 4 times what 256 pass */
    l1_term_apply(k, &source, &target);
    check_l2(0.8e9);
}

/* A difference within 10 % is sampling. */
Test(l1_term, the_emulated_l1_passes_about_the_same) {
    set_l1(0);
    k->of[METRIC_L2_BYTES] = 2.1e9;
    set_sm(&target, 192, 164);
    l1_term_apply(k, &source, &target);
    check_l2(1.05e9);
}

/* On the source, memory transfers two bytes for each of L2's, and it does so on the target. */
Test(l1_term, memory_that_transfers_more_than_is_asked) {
    set_l1(0);
    project_set(k, METRIC_DRAM_READ, 3e9);
    project_set(k, METRIC_DRAM_WRITE, 1e9);
    set_sm(&target, 192, 164);
    check(1.5e9, 0.5e9);
    check_l2(1e9);
}
