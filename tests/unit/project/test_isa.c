/* test_isa.c - a kernel as the target's instruction set has it: the table, an example worked out by
 * hand, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "project/isa.h"
#include "worked_example.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

static struct project_kernels list;
static struct project_kernel *k, out;
static struct heddle_diag diag;

static void set_up(void) {
    k = example_kernel(&list);
}
static void tear_down(void) {
    project_kernels_clear(&list);
}
TestSuite(isa, .init = set_up, .fini = tear_down);

static heddle_err convert(const struct isa_execution *x, size_t count, unsigned target) {
    return isa_on_target(&out, k, x, count, 75, target, &diag);
}

/* isa_find() searches by halves, so the rows must be in order; and SLOW never stands alone. */
Test(isa, rows_are_in_order_and_complete) {
    cr_assert_gt(isa_expansions_count, 1000);
    for (size_t i = 0; i < isa_expansions_count; i++) {
        const struct isa_expansion *r = &isa_expansions[i];
        cr_assert_eq(isa_find(r->form, r->capability, r->way), r, "%s", r->form);
        cr_assert_not_null(isa_find(r->form, r->capability, SASS_FAST), "%s", r->form);
    }
    cr_assert(isa_is_special("div.rn.f32"));
    cr_assert_not(isa_is_special("add.rn.f32"));
}

/* Rows that can be read off ptxas's code for one division: the reciprocal's approximation, five
 * multiply-adds, and FCHK, two of BSSY and BSYNC, the branch around the call, and on 7.5 a BMOV. */
Test(isa, a_division_is_five_multiply_adds) {
    const struct sass_counts *turing = &isa_find("div.rn.f32", 75, SASS_FAST)->counts;
    const struct sass_counts *hopper = &isa_find("div.rn.f32", 90, SASS_FAST)->counts;
    cr_assert_eq(turing->of[SASS_FP32_FMA], 5);
    cr_assert_eq(turing->of[SASS_MUFU], 1);
    cr_assert_eq(turing->of[SASS_OTHER], 5);
    cr_assert_eq(hopper->of[SASS_FP32_FMA], 5);
    cr_assert_eq(hopper->of[SASS_OTHER], 4);
}

/* PTX forms keep their floating-point operations on every GPU, but for packed halves, which are
 * multiply-adds on some. docs/projection-instruction-sets.md says so. */
Test(isa, only_packed_halves_change_their_operations) {
    for (size_t i = 1; i < isa_expansions_count; i++) {
        const struct isa_expansion *r = &isa_expansions[i];
        const struct isa_expansion *first = isa_find(r->form, 75, r->way);
        bool function = !strchr(r->form, '.') || strstr(r->form, ".fast");
        if (!first || function || strstr(r->form, "16x2")) continue;
        cr_assert_arr_eq(r->counts.of, first->counts.of, SASS_MUFU * sizeof *r->counts.of,
                         "%s on %u", r->form, r->capability);
    }
}

/* The example of docs/projection-instruction-sets.md, from 7.5 to 9.0, 24 lanes active:
 *   div.rn.f32     480e6 lanes, 48e6 of them slow: 11 -> 10 instructions fast, 108 -> 105 slow.
 *                  Lanes: -432e6 - 3 * 48e6 = -576e6. Warps: -18e6 - 3 * 2e6 = -24e6
 *   div.u32        240e6 lanes in 20e6 warps: two more count as integers, as many in all
 *   mul.rn.f16x2   240e6 lanes: a multiply-add in place of a multiplication, of two halves each */
Test(isa, example_by_hand) {
    const struct isa_execution x[] = {
        {.form = "div.rn.f32", .threads = 480e6, .slow = 48e6},
        {.form = "div.u32", .threads = 240e6, .warps = 20e6},
        {.form = "mul.rn.f16x2", .threads = 240e6},
    };
    project_set(k, METRIC_FP16_MUL, 500e6);
    project_set(k, METRIC_INTEGER, 4e9);
    cr_assert_eq(convert(x, 3, 90), HEDDLE_OK, "%s", diag.text);
    NEAR(out.of[METRIC_THREAD_INST], 23.424e9);
    NEAR(out.of[METRIC_WARP_INST], 976e6);
    NEAR(out.of[METRIC_INTEGER], 4.48e9);
    NEAR(out.of[METRIC_FP16_MUL], 20e6);
    NEAR(out.of[METRIC_FP16_FMA], 480e6);
    NEAR(out.of[METRIC_FP32_FMA], 3e9);
    NEAR(out.of[METRIC_DRAM_READ], 0.6e9);
    cr_assert_eq(out.name, k->name);
}

/* Warps that are given are used; else they follow from the kernel's mean lanes. */
Test(isa, warps_are_those_of_the_list) {
    const struct isa_execution x[] = {{.form = "div.rn.f32", .threads = 320e6, .warps = 10e6}};
    cr_assert_eq(convert(x, 1, 90), HEDDLE_OK);
    NEAR(out.of[METRIC_WARP_INST], 990e6);
}

Test(isa, nothing_changes_on_the_same_instruction_set) {
    const struct isa_execution x[] = {{.form = "div.rn.f64", .threads = 1e9, .slow = 1e8}};
    cr_assert_eq(convert(x, 1, 75), HEDDLE_OK);
    cr_assert_arr_eq(out.of, k->of, sizeof out.of);
}

Test(isa, unknown_metrics_stay_unknown) {
    const struct isa_execution x[] = {{.form = "div.u32", .threads = 1e9}};
    k->known[METRIC_INTEGER] = false;
    k->of[METRIC_INTEGER] = 0;
    cr_assert_eq(convert(x, 1, 90), HEDDLE_OK);
    cr_assert_not(out.known[METRIC_INTEGER]);
    cr_assert_eq(out.of[METRIC_INTEGER], 0);
}

/* Volta has Turing's rows; a GPU older than the assembler has none. */
Test(isa, rows_of_a_gpu) {
    struct capability gpu = {.name = "v100"};
    gpu.property[GPU_MAJOR].value = 7;
    unsigned capability = 0;
    cr_assert_eq(isa_of(&capability, &gpu, &diag), HEDDLE_OK);
    cr_assert_eq(capability, 75);
    gpu.property[GPU_MAJOR].value = 10;
    cr_assert_eq(isa_of(&capability, &gpu, &diag), HEDDLE_OK);
    cr_assert_eq(capability, 100);
    strcpy(gpu.name, "p100");
    gpu.property[GPU_MAJOR].value = 6;
    cr_assert_eq(isa_of(&capability, &gpu, &diag), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text,
                     "p100: tables/sass_expansions.def has no instructions of compute capability "
                     "6.0; add it to tools/expansions and make the table again");
}

Test(isa, names_a_form_that_is_missing) {
    const struct isa_execution x[] = {{.form = "fma.rn.bf16", .threads = 1}};
    cr_assert_eq(convert(x, 1, 80), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): fma.rn.bf16: "
                                "tables/sass_expansions.def does not have it for compute "
                                "capability 7.5");
}

Test(isa, refuses_more_slow_lanes_than_lanes) {
    const struct isa_execution x[] = {{.form = "div.rn.f32", .threads = 1, .slow = 2}};
    cr_assert_eq(convert(x, 1, 80), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "kernel example (launch 0): div.rn.f32: 1 lanes, 2 of them slow, "
                                "in 0 warps");
    const struct isa_execution nan[] = {{.form = "div.rn.f32", .threads = NAN}};
    cr_assert_eq(convert(nan, 1, 80), HEDDLE_ERR_ARGUMENT);
}

/* The kernel has no multiplication of half precision, the list a million of them. */
Test(isa, refuses_the_list_of_another_kernel) {
    const struct isa_execution x[] = {{.form = "mul.rn.f16x2", .threads = 1e6}};
    cr_assert_eq(convert(x, 1, 80), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text,
                     "kernel example (launch 0): its special operations take 2e+06 from fp16_mul, "
                     "of which the profile has 0: the list is not this kernel's");
}
