/* test_isa_compile.c - a kernel's special functions in the code that ptxas makes for two compute
 * capabilities. Built only where ptxas is installed. Figures hold for any version of ptxas, but for
 * those of the one that made tables/sass_expansions.def. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "project/isa_compile.h"
#include "project/ptx_assemble.h"
#include "project/sass_lines.h"
#include "worked_example.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

/* Lines 18 and 21 divide in a loop; line 8 is a comment, line 10 empty, and line 17 names a source
 * file, none of which may shift the numbers. */
static const char module[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".file 1 \"k.cu\"\n"
    ".visible .entry other() { ret; }\n"
    ".visible .entry k(.param .u64 p)\n{\n"
    " // of the loop\n"
    " .reg .u64 q; .reg .u32 t; .reg .b32 v; .reg .f32 a, b, d; .reg .pred z;\n"
    "\n"
    " ld.param.u64 q, [p];\n"
    " cvta.to.global.u64 q, q;\n"
    " mov.u32 t, %tid.x; mad.wide.u32 q, t, 64, q;\n"
    "L:\n"
    " ld.volatile.global.f32 a, [q];\n"
    " ld.volatile.global.f32 b, [q+16];\n"
    " .loc 1 5 0\n"
    " div.rn.f32 d, a, b;\n"
    " st.volatile.global.f32 [q+48], d;\n"
    " ld.volatile.global.u32 v, [q+32];\n"
    " div.u32 v, v, t;\n"
    " mul.rn.f16x2 v, v, v;\n"
    " st.volatile.global.u32 [q+56], v;\n"
    " add.u32 t, t, 1;\n"
    " setp.lt.u32 z, t, 1000;\n"
    " @z bra L;\n"
    " ret;\n}\n";
enum { DIVISION = 18, INTEGER_DIVISION = 21 };

static struct isa_ptx ptx = {HEDDLE_PTXAS, "k.ptx", module, "k"};
static struct project_kernels list;
static struct project_kernel *k, out;
static struct heddle_diag diag;

static void set_up(void) {
    k = example_kernel(&list);
}
static void tear_down(void) {
    project_kernels_clear(&list);
}
TestSuite(isa_compile, .init = set_up, .fini = tear_down);

/* The first special function is the division's, whatever the GPU; that of its slow path, behind the
 * kernel, is of another line. */
static void lines_of(unsigned capability) {
    uint8_t *cubin;
    size_t size;
    struct sass_code code;
    cr_assert_eq(
        ptx_assemble(&cubin, &size, HEDDLE_PTXAS, "k.ptx", module, capability, true, &diag),
        HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(sass_read(&code, cubin, size, "k", &diag), HEDDLE_OK, "%s", diag.text);
    uint32_t *lines = calloc(code.count, sizeof *lines);
    cr_assert_eq(sass_lines(lines, &code, cubin, size, "k", &diag), HEDDLE_OK, "%s", diag.text);
    uint32_t i = 0;
    while (i < code.count && code.at[i].kind != SASS_MUFU) i++;
    cr_assert_lt(i, code.count);
    cr_assert_eq(lines[i], DIVISION, "line %u on %u", lines[i], capability);
    free(lines);
    sass_free(&code);
    free(cubin);
}
Test(isa_compile, instructions_have_the_line_of_their_ptx) {
    lines_of(75);
    lines_of(80);
    lines_of(90);
}

static heddle_err compile(const struct isa_line *lines, size_t count, unsigned target) {
    return isa_compile(&out, k, &ptx, lines, count, 75, target, &diag);
}

Test(isa_compile, nothing_changes_on_the_same_instruction_set) {
    const struct isa_line lines[] = {{DIVISION, 480e6, 0}};
    cr_assert_eq(compile(lines, 1, 75), HEDDLE_OK, "%s", diag.text);
    cr_assert_arr_eq(out.of, k->of, sizeof out.of);
}

/* From 7.5 to 8.0 the block behind the integer division multiplies packed halves by a multiply-add:
 * two operations in each of 480e6 lanes. The division has five multiply-adds on both. */
Test(isa_compile, blocks_that_hold_special_functions) {
    const struct isa_line lines[] = {{DIVISION, 480e6, 0}, {INTEGER_DIVISION, 480e6, 0}};
    project_set(k, METRIC_FP16_MUL, 1e9);
    cr_assert_eq(compile(lines, 2, 80), HEDDLE_OK, "%s", diag.text);
    NEAR(out.of[METRIC_FP32_FMA], k->of[METRIC_FP32_FMA]);
    double more = (out.of[METRIC_THREAD_INST] - k->of[METRIC_THREAD_INST]) / 480e6;
    cr_assert_float_eq(more, round(more), 1e-6);
    NEAR(out.of[METRIC_WARP_INST], 1e9 + more * 20e6);
    char *version;
    cr_assert_eq(ptx_assemble_version(&version, HEDDLE_PTXAS, &diag), HEDDLE_OK);
    if (!strcmp(version, isa_expansions_ptxas)) {
        NEAR(out.of[METRIC_FP16_MUL], 40e6);
        NEAR(out.of[METRIC_FP16_FMA], 960e6);
    }
    free(version);
}

Test(isa_compile, lines_that_never_ran_change_nothing) {
    const struct isa_line lines[] = {{DIVISION + 1, 480e6, 0}};
    cr_assert_eq(compile(lines, 1, 90), HEDDLE_OK, "%s", diag.text);
    cr_assert_arr_eq(out.of, k->of, sizeof out.of);
}

Test(isa_compile, refuses_codes_whose_special_functions_differ) {
    struct isa_ptx wrong = ptx;
    wrong.ptxas = OTHER_CODE;
    setenv("REAL_PTXAS", HEDDLE_PTXAS, 1);
    cr_assert_eq(isa_compile(&out, k, &wrong, NULL, 0, 75, 80, &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "k.ptx: kernel k: ptxas makes other blocks with special functions "
                                "for compute capability 8.0 than for 7.5");
}

Test(isa_compile, names_a_kernel_that_is_missing) {
    struct isa_ptx wrong = ptx;
    wrong.kernel = "f";
    cr_assert_eq(isa_compile(&out, k, &wrong, NULL, 0, 75, 80, &diag), HEDDLE_ERR_IO);
    cr_assert_str_eq(diag.text, "the cubin has no code of kernel f");
}

Test(isa_compile, says_why_ptxas_refuses) {
    struct isa_ptx wrong = ptx;
    wrong.text = ".version 7.8\n.target sm_90\n.address_size 64\n";
    cr_assert_eq(isa_compile(&out, k, &wrong, NULL, 0, 75, 80, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
    const char begin[] = "k.ptx: ptxas -arch=sm_75 refuses it:\nptxas fatal ";
    cr_assert_eq(strncmp(diag.text, begin, sizeof begin - 1), 0, "%s", diag.text);
}

Test(isa_compile, needs_a_line_table) {
    uint8_t *cubin;
    size_t size;
    struct sass_code code;
    uint32_t lines[64];
    const char empty[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                         ".visible .entry k() { ret; }\n";
    cr_assert_eq(ptx_assemble(&cubin, &size, HEDDLE_PTXAS, "k.ptx", empty, 75, false, &diag),
                 HEDDLE_OK);
    cr_assert_eq(sass_read(&code, cubin, size, "k", &diag), HEDDLE_OK);
    cr_assert_leq(code.count, 64);
    cr_assert_eq(sass_lines(lines, &code, cubin, size, "k", &diag), HEDDLE_ERR_IO);
    cr_assert_str_eq(diag.text, "kernel k: its cubin has no line table: run ptxas with -lineinfo");
    sass_free(&code);
    free(cubin);
}
