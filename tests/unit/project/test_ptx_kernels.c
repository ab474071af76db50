/* test_ptx_kernels.c - project/ptx_kernels.c: the kernels of a profile found in PTX, what
 * follows for their instructions on a target, and what is noted. Worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project/isa_compile.h"
#include "project/ptx_kernels.h"
#include "worked_results.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))
#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define NO_PTXAS "/does/not/exist"
#define BY_TABLE "special operations are converted by tables/sass_expansions.def"

/* A division, nothing special, a loop of integer divisions, a call, and one template twice. */
static const char module[] = HEAD ".func callee() { ret; }\n"
                                  ".visible .entry _Z6dividePf(.param .u64 p)\n{\n"
                                  ".reg .f32 a, b; .reg .u64 q;\n"
                                  "ld.param.u64 q, [p];\n"
                                  "ld.global.f32 a, [q];\nld.global.f32 b, [q+4];\n"
                                  "div.rn.f32 a, a, b;\nst.global.f32 [q], a;\nret;\n}\n"
                                  ".visible .entry _Z4copyPf() { ret; }\n"
                                  ".visible .entry loop()\n{\n.reg .b32 r, s; .reg .pred p;\n"
                                  "L:\nrem.s32 r, r, s;\nsetp.lt.u32 p, r, s;\n@p bra L;\nret;\n}\n"
                                  ".visible .entry calls()\n{\ncall callee;\nret;\n}\n"
                                  ".visible .entry _Z3sumIfEvPT_() { ret; }\n"
                                  ".visible .entry _Z3sumIdEvPT_() { ret; }\n";

static struct worked_results w;
static struct ptx_kernels *ptx;
static struct heddle_diag diag;
static char notes[4096];

static void property(struct capability *gpu, enum capability_property which, double value) {
    gpu->property[which] = (struct capability_value){.value = value, .known = true};
}
static void set_capability(struct capability *gpu, int capability) {
    property(gpu, GPU_MAJOR, capability / 10);
    property(gpu, GPU_MINOR, capability % 10);
}
static void take_note(void *user, const char *text) {
    cr_assert_eq(user, notes);
    strcat(notes, text);
    strcat(notes, "\n");
}

/* From a V100 to compute capability 9.0 and to a Turing GPU. */
static void set_up(void) {
    worked_begin(&w);
    set_capability(&w.source, 70);
    set_capability(&w.target, 90);
    set_capability(&w.other, 75);
    ptx = ptx_kernels_make();
    *notes = '\0';
    cr_assert_eq(ptx_kernels_add(ptx, "m.ptx", module, strlen(module), &diag), HEDDLE_OK, "%s",
                 diag.text);
}
static void tear_down(void) {
    worked_end(&w);
    ptx_kernels_free(ptx);
}
TestSuite(ptx_kernels, .init = set_up, .fini = tear_down);

/* A launch of 10,000 CTAs of 100 threads, 10^6 in all, with 20 x 10^6 instructions in 10^6 warp
 * instructions of 20 lanes, and 10 x 10^6 FLOP: those of a division each. */
static struct project_kernel *launch(const char *name) {
    struct project_kernel *k = worked_add(&w, name, w.kernels.count, 1000);
    for (int m = METRIC_FP16_ADD; m <= METRIC_FP64_FMA; m++)
        project_set(k, (enum project_metric)m, 0);
    project_set(k, METRIC_CTAS, 10000);
    project_set(k, METRIC_CTA_THREADS, 100);
    project_set(k, METRIC_THREAD_INST, 20e6);
    project_set(k, METRIC_WARP_INST, 1e6);
    project_set(k, METRIC_FP32_FMA, 5e6);
    k->known[METRIC_SPECIAL] = false;
    return k;
}
static heddle_err attach(const char *ptxas) {
    const struct ptx_request request = {&w.source, w.targets, 2, ptxas, take_note, notes};
    return ptx_kernels_attach(ptx, &w.kernels, &request, &diag);
}

/* 10^6 divisions in 50,000 warps. 9.0 has one instruction less in each. */
Test(ptx_kernels, a_division_by_the_table) {
    launch("divide(float *)");
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_OK, "%s", diag.text);
    cr_assert_str_eq(notes, "cannot run ptxas: Failed to execute child process "
                            "\u201c" NO_PTXAS "\u201d (No such file or directory); it is part of "
                            "NVIDIA's CUDA toolkit: put it on PATH; " BY_TABLE "\n");
    const struct project_kernel *k = &w.kernels.at[0];
    cr_assert(k->special_known);
    cr_assert_null(k->special_doubt);
    cr_assert_null(k->program);
    cr_assert_eq(k->num_special, 1);
    cr_assert_str_eq(k->special[0].form, "div.rn.f32");
    NEAR(k->special[0].threads, 1e6);
    worked_project(&w, 2);
    cr_assert_eq(w.results.num_refused, 0, "%s", w.results.refused[0].text);
    NEAR(w.results.at[0].thread_inst, 19e6);
    NEAR(w.results.at[0].warp_inst, 950000);
    NEAR(w.results.at[1].thread_inst, 20e6);
}

#ifdef HEDDLE_PTXAS
/* With the assembler, the whole block counts; a Turing GPU has the source's code. */
Test(ptx_kernels, a_division_by_its_own_code) {
    launch("_Z6dividePf");
    cr_assert_eq(attach(HEDDLE_PTXAS), HEDDLE_OK, "%s", diag.text);
    cr_assert_str_eq(notes, "");
    const struct project_kernel *k = &w.kernels.at[0];
    cr_assert_not_null(k->program);
    cr_assert(isa_program_has(k->program, 75));
    cr_assert(isa_program_has(k->program, 90));
    cr_assert_not(isa_program_has(k->program, 80));
    worked_project(&w, 2);
    cr_assert_eq(w.results.num_refused, 0, "%s", w.results.refused[0].text);
    double more = (w.results.at[0].thread_inst - 20e6) / 1e6;
    cr_assert_float_eq(more, round(more), 1e-6, "%g instructions a division", more);
    NEAR(w.results.at[0].warp_inst, 1e6 + more * 50000);
    NEAR(w.results.at[1].thread_inst, 20e6);
}

/* PTX for 9.0 cannot be assembled for the source: the table serves. */
Test(ptx_kernels, notes_what_ptxas_refuses) {
    char newer[sizeof module];
    memcpy(newer, module, sizeof module);
    memcpy(strstr(newer, "sm_75"), "sm_90", 5);
    ptx_kernels_free(ptx);
    ptx = ptx_kernels_make();
    cr_assert_eq(ptx_kernels_add(ptx, "m.ptx", newer, strlen(newer), &diag), HEDDLE_OK);
    launch("divide");
    launch("divide");
    cr_assert_eq(attach(HEDDLE_PTXAS), HEDDLE_OK, "%s", diag.text);
    const char begin[] = "m.ptx: ptxas -arch=sm_75 refuses it:\nptxas fatal ";
    cr_assert_eq(strncmp(notes, begin, sizeof begin - 1), 0, "%s", notes);
    cr_assert(strstr(notes, "; " BY_TABLE "\n"), "%s", notes);
    cr_assert_null(strstr(strstr(notes, BY_TABLE) + 1, BY_TABLE), "once: %s", notes);
    worked_project(&w, 1);
    NEAR(w.results.at[0].thread_inst, 19e6);
}
#endif

/* No special operation: nothing to convert, and that is known. */
Test(ptx_kernels, a_kernel_without_special_operations) {
    launch("copy(float *)");
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_OK, "%s", diag.text);
    cr_assert_str_eq(notes, "");
    cr_assert(w.kernels.at[0].special_known);
    cr_assert_null(w.kernels.at[0].special_doubt);
    cr_assert_eq(w.kernels.at[0].num_special, 0);
}

/* Executions of the loop leave no trace. All blocks alike, 100 x 10^6 instructions are 4 x 10^6
 * rounds of 25. */
Test(ptx_kernels, executions_that_are_not_known_are_in_doubt) {
    project_set(launch("loop"), METRIC_FP32_FMA, 0);
    project_set(&w.kernels.at[0], METRIC_THREAD_INST, 100e6);
    project_set(&w.kernels.at[0], METRIC_WARP_INST, 5e6);
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_OK, "%s", diag.text);
    const struct project_kernel *k = &w.kernels.at[0];
    cr_assert(k->special_known);
    cr_assert_str_eq(k->special_doubt,
                     "the profile's counters leave open how often special operations ran");
    NEAR(k->special[0].threads, 4e6);
}

Test(ptx_kernels, counters_that_do_not_fit) {
    project_set(launch("divide"), METRIC_FP32_FMA, 8e6);
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_OK, "%s", diag.text);
    cr_assert_str_eq(w.kernels.at[0].special_doubt,
                     "the profile's counters do not fit the kernel's PTX");
}

/* The others are converted. */
Test(ptx_kernels, notes_kernels_that_it_does_not_find) {
    launch("copy");
    launch("kopy");
    launch("kopy");
    launch("calls");
    launch("sum");
    launch("void sum<double>(double *)");
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_OK, "%s", diag.text);
    cr_assert_str_eq(
        notes,
        "kernel kopy is not in the PTX: its special operations are not known\n"
        "m.ptx:27: kernel calls calls function callee: its special operations are not known\n"
        "kernel sum may be any of 2 kernels of the PTX, such as _Z3sumIfEvPT_ and _Z3sumIdEvPT_: "
        "its special operations are not known (give names with template arguments and parameters: "
        "ncu --print-kernel-base mangled)\n");
    static const bool known[] = {true, false, false, false, false, true};
    for (size_t i = 0; i < w.kernels.count; i++)
        cr_assert_eq(w.kernels.at[i].special_known, known[i], "%zu", i);
}

Test(ptx_kernels, a_profile_of_another_program) {
    launch("kopy");
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "--ptx: no kernel of the profile is in the PTX, or can be used");
}

Test(ptx_kernels, a_gpu_that_the_table_lacks) {
    launch("copy");
    set_capability(&w.target, 60);
    cr_assert_eq(attach(NO_PTXAS), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text,
                     "target: tables/sass_expansions.def has no instructions of compute capability "
                     "6.0; add it to tools/expansions and make the table again");
}

Test(ptx_kernels, malformed_ptx) {
    const char text[] = HEAD ".visible .entry k( { ret; }\n";
    cr_assert_eq(ptx_kernels_add(ptx, "bad.ptx", text, strlen(text), &diag), HEDDLE_ERR_PTX_SYNTAX);
    cr_assert_eq(strncmp(diag.text, "bad.ptx:4:20: error: ", 21), 0, "%s", diag.text);
}
