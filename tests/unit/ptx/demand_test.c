/* demand_test.c - kernels that are compiled when they are used. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "run_ptx.h"

/* `second` fails in the middle of scopes that hide the module's names. */
static const char text[] =
    ".version 7.7\n.target sm_70\n.address_size 64\n"
    ".global .u32 word = 7;\n"
    ".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<9>;\n"
    "  ld.param.b32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n"
    ".entry first(.param .u64 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "  ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [word]; st.global.u32 [%rd1], %r1; ret; }\n"
    ".entry second(.param .u64 a) { .reg .b64 %rd<9>;\n"
    "  ld.param.u64 %rd1, [a];\n"
    "  { .local .b32 word; .reg .f32 %r<9>; .reg .b32 twice;\n"
    "    st.local.b32 [word], 1; ld.local.b32 twice, [word];\n"
    "    tcgen05.wait::ld.sync.aligned; }\n"
    "  ret; }\n"
    ".entry third(.param .u64 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "  ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [word];\n"
    "  { .param .b32 in; .param .b32 out; st.param.b32 [in], %r1;\n"
    "    call (out), twice, (in); ld.param.b32 %r2, [out]; }\n"
    "  st.global.u32 [%rd1], %r2; ret; }\n";

/* Opens the module. The text is gone afterwards. */
static struct mir_module *open_module(const char *hint, bool on_demand, struct heddle_diag *diag) {
    struct ptx_options o;
    struct mir_module *m = NULL;
    char *copy = strdup(text);
    ptx_options_default(&o);
    o.on_demand = on_demand;
    o.hint = hint;
    heddle_err e = ptx_compile(copy, strlen(copy), "demand", &o, &m, diag);
    memset(copy, 'x', strlen(copy));
    free(copy);
    cr_assert_eq(!e, m != NULL);
    return m;
}

Test(ptx_demand, in_the_order_of_use) {
    struct heddle_diag diag = {0};
    struct mir_module *m = open_module("\n    a hint", true, &diag);
    cr_assert(m, "%s", diag.text);
    cr_assert_eq(m->num_functions, 3);
    cr_expect_eq(m->num_symbols, 1);
    for (uint32_t i = 0; i < 3; i++) cr_expect_null(m->functions[i].code);
    cr_expect_str_eq(m->functions[1].name, "second");

    cr_assert_eq(mir_module_compile(m, 2, &diag), HEDDLE_OK, "%s", diag.text);
    const struct mir_inst *code = m->functions[2].code;
    const uint32_t bytes = MIR_INST_BYTES * m->functions[2].num_inst;
    char *before = strdup(run_listing(&m->functions[2]));
    cr_expect_eq(m->functions[2].file_base, 0);
    cr_expect_eq(m->functions[2].param_bytes, 8);
    cr_assert_eq(mir_module_compile(m, 2, &diag), HEDDLE_OK);
    cr_expect_eq(m->functions[2].code, code, "once");

    for (unsigned time = 0; time < 2; time++) {
        diag.text[0] = '\0';
        cr_expect_eq(mir_module_compile(m, 1, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
        cr_expect_null(m->functions[1].code);
        cr_expect(strstr(diag.text, "demand:13") && strstr(diag.text, "tcgen05"), "%s", diag.text);
        cr_expect(strstr(diag.text, "\n    a hint"), "%s", diag.text);
    }

    cr_assert_eq(mir_module_compile(m, 0, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(m->functions[0].file_base, (bytes + 127) & ~127u, "behind the one before");
    cr_expect_str_eq(run_listing(&m->functions[2]), before);
    free(before);
    mir_module_free(m);
}

/* The failure leaves the names of the module as they were. */
Test(ptx_demand, after_a_failure) {
    struct heddle_diag diag = {0};
    struct mir_module *m = open_module(NULL, true, &diag), *alone = open_module(NULL, true, &diag);
    cr_expect_eq(mir_module_compile(m, 1, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
    for (uint32_t i = 0; i < 3; i += 2) {
        cr_assert_eq(mir_module_compile(m, i, &diag), HEDDLE_OK, "%s", diag.text);
        cr_assert_eq(mir_module_compile(alone, i, &diag), HEDDLE_OK, "%s", diag.text);
        char *want = strdup(run_listing(&alone->functions[i]));
        cr_expect_str_eq(run_listing(&m->functions[i]), want);
        free(want);
    }
    mir_module_free(m);
    mir_module_free(alone);
}

static unsigned asked, patience;
static bool impatient(void *user) {
    cr_expect_eq(user, &patience);
    return ++asked > patience;
}

/* Wherever a compilation is given up, it can be done again. */
Test(ptx_demand, given_up) {
    struct heddle_diag diag = {0};
    struct mir_module *alone = open_module(NULL, true, &diag);
    cr_assert_eq(mir_module_compile(alone, 2, &diag), HEDDLE_OK);
    char *want = strdup(run_listing(&alone->functions[2]));
    bool done = false;
    for (patience = 0; !done; patience++) {
        struct mir_module *m = open_module(NULL, true, &diag);
        m->give_up = impatient;
        m->give_up_user = &patience;
        asked = 0;
        heddle_err e = mir_module_compile(m, 2, &diag);
        done = asked <= patience;
        cr_expect_eq(e, done ? HEDDLE_OK : HEDDLE_ERR_STOPPED);
        cr_expect_eq(m->functions[2].code != NULL, done);
        m->give_up = NULL;
        cr_expect_eq(mir_module_compile(m, 2, &diag), HEDDLE_OK);
        cr_expect_str_eq(run_listing(&m->functions[2]), want);
        mir_module_free(m);
    }
    cr_expect_gt(patience, 5);
    free(want);
    mir_module_free(alone);
}

Test(ptx_demand, all_at_once) {
    struct heddle_diag diag = {0};
    cr_expect_null(open_module(NULL, false, &diag));
    cr_expect(strstr(diag.text, "tcgen05"), "%s", diag.text);
}
