/* test_heddle_model.c - the default model: an example worked out by hand, what each term does, and
 * what the model refuses. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "project/projection.h"
#include "worked_example.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-6 * fabs((double)(want)), "%.12g", (double)(is))

static struct project_kernels list;
static struct project_kernel *k;
static struct capability source, target;
static struct project_terms terms;
static struct projection p;
static struct heddle_diag diag;

static void property(struct capability *gpu, enum capability_property which, double value) {
    gpu->property[which] = (struct capability_value){.value = value, .known = true};
}

/* An SM that holds 64 warps; loads of device memory take `latency` cycles. */
static void add_sms(struct capability *gpu, double sms, double mhz, double latency) {
    property(gpu, GPU_SMS, sms);
    property(gpu, GPU_CLOCK, mhz);
    property(gpu, GPU_SUBCORES, 4);
    property(gpu, GPU_WARPS, 64);
    property(gpu, GPU_MOST_CTAS, 32);
    property(gpu, GPU_REGISTERS, 65536);
    property(gpu, GPU_REGISTER_UNIT, 256);
    property(gpu, GPU_WARP_UNIT, 4);
    property(gpu, GPU_SHARED_MOST, 98304);
    property(gpu, GPU_SHARED_RESERVED, 0);
    property(gpu, GPU_SHARED_UNIT, 256);
    property(gpu, GPU_DRAM_LATENCY, latency);
}

/* A kernel of device memory alone: 2.4 GB, a third of them written, in 5 ms; 1,600 CTAs, of which
 * an SM holds 8. */
static void set_up(void) {
    k = example_kernel(&list);
    for (int m = 0; m < NUM_PROJECT_METRICS; m++) project_set(k, (enum project_metric)m, 0);
    project_set(k, METRIC_TIME, 5000);
    project_set(k, METRIC_WARP_INST, 1);
    project_set(k, METRIC_THREAD_INST, 32);
    project_set(k, METRIC_DRAM_READ, 1.6e9);
    project_set(k, METRIC_DRAM_WRITE, 0.8e9);
    project_set(k, METRIC_CTAS, 1600);
    project_set(k, METRIC_CTA_THREADS, 256);
    project_set(k, METRIC_REGISTERS, 32);
    project_set(k, METRIC_MEMORY_WAIT, 1);
    example_source(&source);
    example_target(&target);
    target.max[RATE_DRAM].value = 1600e9;
    add_sms(&source, 80, 1000, 400);
    add_sms(&target, 100, 1250, 500);
    strcpy(target.name, "target");
    terms = (struct project_terms){0};
}
static void tear_down(void) {
    project_kernels_clear(&list);
}
TestSuite(heddle_model, .init = set_up, .fini = tear_down);

static void project(void) {
    cr_assert_eq(project_heddle(k, k, &source, &target, &terms, &p, &diag), HEDDLE_OK, "%s",
                 diag.text);
}

/* Source: 2.4 GB at 800 GB/s take 3 ms; the other side of the triangle with 5 is 4 ms of latency,
 * in 3 waves of 640 CTAs: 1.333e6 cycles a CTA. Target: 1.5 ms; latency 500/400 as many cycles, in
 * 2 waves of 800 CTAs at 1.25 GHz: 2.667 ms. */
Test(heddle_model, example_by_hand) {
    project();
    NEAR(p.centre_us, 1000 * sqrt(1.5 * 1.5 + 8 / 3.0 * 8 / 3.0));
    cr_assert_eq(p.source_bound, BOUND_LATENCY);
    cr_assert_eq(p.target_bound, BOUND_LATENCY);
    /* Without overlap the latency is 2 ms, 1.333 ms on the target; with all of it nearly 5,
     * 3.333. */
    NEAR(p.low_us, 1000 * (1.5 + 4 / 3.0) * 0.9);
    double perfect = pow(pow(5, 8) - pow(3, 8), 1.0 / 8) * 2 / 3;
    NEAR(p.high_us, 1000 * pow(pow(1.5, 8) + pow(perfect, 8), 1.0 / 8) * 1.1);
}

/* In 3 ms the source has no time left beside device memory's, so its latency is hidden. But 12,800
 * warps wait 1,000 times each, 400 cycles at least: 3 waves of 400,000 cycles are 1.2 ms. On the
 * target these are 500,000 cycles in 2 waves at 1.25 GHz, 0.8 ms. */
Test(heddle_model, hidden_latency) {
    project_set(k, METRIC_TIME, 3000);
    project_set(k, METRIC_MEMORY_WAITS, 12800e3);
    project();
    NEAR(p.centre_us, 3000 * sqrt(1.5 * 1.5 + 0.8 * 0.8) / sqrt(3 * 3 + 1.2 * 1.2));
    terms.off[TERM_LATENCY] = true;
    project();
    NEAR(p.centre_us, 1500);
}

/* The target dispatches 1,600 CTAs in 5,000 cycles each at 1.25 GHz: 6.4 ms, longer than 3.06 ms
 * of all else. */
Test(heddle_model, dispatch_of_ctas) {
    property(&target, GPU_LAUNCH_CTA, 5000);
    project();
    NEAR(p.centre_us, 1000 * pow(pow(6.4, 8) + pow(hypot(1.5, 8 / 3.0), 8), 1.0 / 8));
    cr_assert_eq(p.target_bound, BOUND_LAUNCH);
    terms.off[TERM_LAUNCH] = true;
    project();
    NEAR(p.centre_us, 1000 * hypot(1.5, 8 / 3.0));
}

/* All of the source's 5 ms are dispatch: what remains to be projected is device memory's 3 ms. */
Test(heddle_model, a_source_that_dispatches) {
    property(&source, GPU_LAUNCH_CTA, 4000);
    project();
    NEAR(p.centre_us, 1500);
}

/* Turns of atomics at one line, 1.25 cycles each, take 4 ms on the source at 1 GHz: with device
 * memory's 3 ms, all of its time. On the target they take 3.2 ms. */
Test(heddle_model, atomics_at_one_line) {
    project_set(k, METRIC_ATOMIC_TURNS, 4e6 / 1.25);
    project();
    NEAR(p.centre_us, 1000 * hypot(1.5, 3.2));
    cr_assert_eq(p.source_bound, BOUND_ATOMICS);
    cr_assert_eq(p.target_bound, BOUND_ATOMICS);
    terms.off[TERM_ATOMICS] = true;
    project();
    NEAR(p.centre_us, 1000 * hypot(1.5, 8 / 3.0));
}

Test(heddle_model, a_gpu_projects_to_itself) {
    cr_assert_eq(project_heddle(k, k, &source, &source, &terms, &p, &diag), HEDDLE_OK);
    NEAR(p.centre_us, 5000);
}

/* Arithmetic takes the same cycles everywhere: 1.333e6 cycles in 2 waves at 1.25 GHz are 2.133
 * ms. */
Test(heddle_model, latency_that_is_not_memory_keeps_its_cycles) {
    project_set(k, METRIC_MEMORY_WAIT, 0);
    project();
    NEAR(p.centre_us, 1000 * sqrt(1.5 * 1.5 + 32 / 15.0 * 32 / 15.0));
}

/* The time follows device memory alone: 5 ms x 1.5 / 3. */
Test(heddle_model, without_latency_the_time_follows_the_resources) {
    terms.off[TERM_LATENCY] = true;
    project();
    NEAR(p.centre_us, 2500);
}

/* 2.5 and 2 waves. */
Test(heddle_model, without_waves_ctas_divide_evenly) {
    terms.off[TERM_WAVES] = true;
    project();
    NEAR(p.centre_us, 1000 * sqrt(1.5 * 1.5 + 3.2 * 3.2));
}

/* 40 CTAs occupy 40 SMs of either GPU: more SMs do not help. */
Test(heddle_model, a_grid_that_does_not_fill_the_gpu_gains_from_the_clock_alone) {
    project_set(k, METRIC_DRAM_READ, 0);
    project_set(k, METRIC_DRAM_WRITE, 0);
    project_set(k, METRIC_FP32_FMA, 1e9);
    project_set(k, METRIC_CTAS, 40);
    source.max[RATE_FP32_FMA].value = 1e12;      /* 2 ms, or 4 on half of the SMs */
    target.max[RATE_FP32_FMA].value = 1.5625e12; /* as many lanes an SM: 3.2 ms on 40 SMs */
    project_set(k, METRIC_TIME, 4000);
    project();
    NEAR(p.centre_us, 3200);
    terms.off[TERM_WAVES] = true;
    terms.off[TERM_LATENCY] = true;
    project();
    NEAR(p.centre_us, 2560);
}

/* 1 ms of launch overhead takes as many cycles on the target; the rest is projected as work. */
Test(heddle_model, launch_overhead_is_not_work) {
    project_set(k, METRIC_TIME, 6000);
    project_set(k, METRIC_LAUNCH, 1000);
    project();
    NEAR(p.centre_us, 800 + 1000 * sqrt(1.5 * 1.5 + 8 / 3.0 * 8 / 3.0));
    property(&source, GPU_LAUNCH_GAP, 2);
    property(&target, GPU_LAUNCH_GAP, 3);
    project();
    NEAR(p.centre_us, 1500 + 1000 * sqrt(1.5 * 1.5 + 8 / 3.0 * 8 / 3.0));
}

/* A kernel without work is launch overhead alone: 1 ms, and as many cycles on the target. */
Test(heddle_model, a_kernel_without_work) {
    project_set(k, METRIC_TIME, 1000);
    project_set(k, METRIC_LAUNCH, 1000);
    project();
    NEAR(p.centre_us, 800);
    NEAR(p.low_us, 800 * 0.9);
    NEAR(p.high_us, 800 * 1.1);
    project_set(k, METRIC_LAUNCH, 1001);
    cr_assert_eq(project_heddle(k, k, &source, &target, &terms, &p, &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): its measured time is 1000 us, launch "
                                "overhead 1001 us");
}

/* Reads alone at 1,000 GB/s: the time of a byte lies between that of reads and that of triad. */
Test(heddle_model, the_share_of_writes_decides_on_the_bandwidth) {
    source.max[RATE_DRAM_READ] = (struct capability_value){.value = 1000e9, .known = true};
    target.max[RATE_DRAM_READ] = (struct capability_value){.value = 1600e9, .known = true};
    project_set(k, METRIC_DRAM_READ, 3e9);
    project_set(k, METRIC_DRAM_WRITE, 0);
    project(); /* 3 ms on the source, 1.875 ms on the target */
    NEAR(p.centre_us, 1000 * sqrt(1.875 * 1.875 + 8 / 3.0 * 8 / 3.0));
    terms.off[TERM_WRITES] = true;
    project(); /* 3.75 and 1.875 ms */
    NEAR(p.centre_us,
         1000 * sqrt(1.875 * 1.875 + (25 - 3.75 * 3.75) * 4 / 9 /* latency x 2/3, squared */));
}

/* Of 1.333e6 cycles, 333,333 replace the CTA and stay; the rest grows to 1.25e6: 2.533 ms. */
Test(heddle_model, replacing_a_cta_keeps_its_cycles) {
    property(&source, GPU_REPLACE, 1e6 / 3);
    property(&target, GPU_REPLACE, 1e5);
    project();
    NEAR(p.centre_us, 1000 * sqrt(1.5 * 1.5 + 38 / 15.0 * 38 / 15.0));
}

/* Two CTAs of 6 KiB fit the 16 KiB that the program asked for, instead of 8: 10 and 8 waves. A size
 * that does not limit the CTAs is the driver's choice and says nothing of the target. */
Test(heddle_model, the_shared_memory_that_the_program_asked_for) {
    project_set(k, METRIC_CTA_SHARED, 6144);
    project_set(k, METRIC_SHARED_CONFIG, 16384);
    project();
    NEAR(p.centre_us, 1000 * sqrt(1.5 * 1.5 + 3.2 * 3.2));
    project_set(k, METRIC_SHARED_CONFIG, 65536);
    project();
    NEAR(p.centre_us, 1000 * sqrt(1.5 * 1.5 + 8 / 3.0 * 8 / 3.0));
}

/* Source: arithmetic takes 3 ms, issue 2 ms at the same time. Target: 1 and 2 ms. */
Test(heddle_model, arithmetic_and_issue_are_one_resource) {
    project_set(k, METRIC_DRAM_READ, 0);
    project_set(k, METRIC_DRAM_WRITE, 0);
    project_set(k, METRIC_TIME, 3000);
    project_set(k, METRIC_FP32_FMA, 1.5e9);
    project_set(k, METRIC_WARP_INST, 1e8);
    project_set(k, METRIC_THREAD_INST, 3.2e9);
    source.max[RATE_FP32_FMA].value = 1e12;
    target.max[RATE_FP32_FMA].value = 3e12;
    source.max[RATE_ISSUE].value = target.max[RATE_ISSUE].value = 5e10;
    project();
    NEAR(p.centre_us, 2000);
    cr_assert_eq(p.source_bound, BOUND_COMPUTE);
    cr_assert_eq(p.target_bound, BOUND_ISSUE);
    terms.off[TERM_ISSUE] = true;
    project();
    NEAR(p.centre_us, 3000 * sqrt(5) / sqrt(13));
}

/* 10 GB at 10,000 GB/s, 8e7 accesses in 80 SMs at 1 GHz: 1 ms either way. The target moves the
 * bytes in 0.5 ms, but its 16 lanes take two cycles for an access: 1.6e8 cycles in 100 SMs at 1.25
 * GHz. */
Test(heddle_model, half_of_the_lanes_take_two_cycles_for_an_access) {
    project_set(k, METRIC_DRAM_READ, 0);
    project_set(k, METRIC_DRAM_WRITE, 0);
    project_set(k, METRIC_TIME, 1000);
    project_set(k, METRIC_L1_BYTES, 1e10);
    project_set(k, METRIC_L1_REQUESTS, 8e7);
    target.max[RATE_L1].value = 10000e9; /* measured with narrow accesses */
    target.peak[RATE_L1] = (struct capability_value){.value = 20000e9, .known = true};
    property(&target, GPU_LSU, 16);
    project();
    NEAR(p.centre_us, 1280);
    project_set(k, METRIC_L1_REQUESTS, 2e7); /* wide ones: 0.32 ms */
    project();
    NEAR(p.centre_us, 500);
    terms.off[TERM_LANES] = true;
    project();
    NEAR(p.centre_us, 1000);
}

Test(heddle_model, refuses_a_cta_that_does_not_fit) {
    property(&target, GPU_SHARED_MOST, 49152);
    project_set(k, METRIC_CTA_SHARED, 65536);
    cr_assert_eq(project_heddle(k, k, &source, &target, &terms, &p, &diag), HEDDLE_ERR_LAUNCH);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): a CTA of 256 threads with 32 registers "
                                "each and 65536 bytes of shared memory does not fit an SM of "
                                "target");
}

/* Without a count of tensor operations the kernel may have more FLOP than the profile says, where
 * its GPU has tensor cores. */
Test(heddle_model, tensor_operations_that_are_not_counted) {
    k->of[METRIC_FP32_FMA] = 1000; /* next to nothing */
    project();
    double counted = p.confidence;
    k->known[METRIC_TENSOR_FP16] = false;
    project();
    NEAR(p.confidence, counted);
    source.peak[RATE_TENSOR_FP16] = (struct capability_value){.value = 100e12, .known = true};
    project();
    NEAR(p.confidence, 0.95 * counted);
    k->of[METRIC_FP32_FMA] = 0;
    project();
    NEAR(p.confidence, 0.5 * counted);
    cr_assert_str_eq(p.why, "the profile counts no FLOP, and tensor operations not at all");
}

Test(heddle_model, names_a_metric_that_is_missing) {
    k->known[METRIC_CTAS] = false;
    cr_assert_eq(project_heddle(k, k, &source, &target, &terms, &p, &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): the profile lacks ctas (of the grid)");
}

Test(heddle_model, a_term_is_switched_off_by_name) {
    cr_assert_eq(project_terms_without(&terms, "waves,latency", &diag), HEDDLE_OK);
    cr_assert(terms.off[TERM_WAVES] && terms.off[TERM_LATENCY] && !terms.off[TERM_WRITES]);
    cr_assert_eq(project_terms_without(&terms, "waves,wave", &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert(strstr(diag.text, "--without waves,wave: 'wave' is no term, there are: waves, "));
}

/* What is not known of the kernel lowers the confidence, and `why` names it. */
static void doubts(double sure, double factor, const char *why) {
    project();
    NEAR(p.confidence, factor * sure);
    cr_assert_str_eq(p.why, why);
}
Test(heddle_model, confidence_knows_what_is_not_known) {
    terms.off[TERM_LATENCY] = true; /* a narrow interval */
    for (int g = 0; g < 2; g++) {
        property(g ? &target : &source, GPU_L1_LATENCY, 30);
        property(g ? &target : &source, GPU_L2_LATENCY, 200);
    }
    project();
    double sure = p.confidence;
    cr_assert_str_eq(p.why, "");

    /* 96 KiB of L1 and shared memory on the source, 128 on the target, and no curve. */
    property(&source, GPU_UNIFIED, 98304);
    property(&target, GPU_UNIFIED, 131072);
    doubts(sure, 1, "");
    project_set(k, METRIC_L1_BYTES, 2e9);
    project_set(k, METRIC_L2_BYTES, 1e9);
    project();
    double with_l1 = p.confidence / 0.95;
    cr_assert_str_eq(p.why, "what the target's L1 keeps of the traffic is not known");
    property(&target, GPU_UNIFIED, 98304);
    doubts(with_l1, 1, "");
    property(&target, GPU_UNIFIED, 131072);
    terms.off[TERM_CACHE] = true;
    doubts(with_l1, 1, "");
    terms.off[TERM_CACHE] = false;
    project_set(k, METRIC_L2_BYTES, 0);
    project_set(k, METRIC_L1_BYTES, 0);

    k->known[METRIC_FOOTPRINT] = false;
    property(&target, GPU_L2_SIZE, 4e6);
    doubts(sure, 0.9, "what the target's L2 keeps of the traffic is not known");
    property(&source, GPU_L2_SIZE, 4e6);
    doubts(sure, 1, "");

    project_set(k, METRIC_SHARED_WAIT, 0.1);
    doubts(sure, 0.95, "the latency of shared memory of one of the GPUs is not known");
    property(&source, GPU_SHARED_LATENCY, 20);
    property(&target, GPU_SHARED_LATENCY, 30);
    doubts(sure, 1, "");

    /* Of 5 ms, 250 us may be launch overhead, which is 5 %. */
    k->known[METRIC_LAUNCH] = false;
    doubts(sure, 1, "");
    property(&source, GPU_LAUNCH_GAP, 250);
    doubts(sure, 0.95, "the profile does not tell launch overhead from work");
    property(&source, GPU_LAUNCH_GAP, 4000);
    doubts(sure, 0.5, "the profile does not tell launch overhead from work");
    terms.off[TERM_LAUNCH] = true;
    doubts(sure, 1, "");
}
