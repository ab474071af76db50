/* link_test.c - several PTX texts joined into one module (ptx/parse/ptx_link.c): local and shared
 * names, duplicates that are allowed and refused, and the source lines of each text. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parse/ptx_link.h"
#include "run_ptx.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Each text has its own `mine` and `helper`; `twice` is weak in both. */
static const char first[] = HEAD
    ".file 1 \"first.cu\"\n"
    ".global .align 4 .u32 mine = 10;\n"
    ".visible .global .align 4 .u32 shared_word = 5;\n"
    ".extern .func (.param .b32 r) other (.param .b32 x);\n"
    ".weak .func (.param .b32 r) twice (.param .b32 x)\n"
    "{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; "
    "}\n"
    ".func (.param .b32 r) helper (.param .b32 x)\n"
    "{ .reg .b32 %r<4>; ld.param.b32 %r1, [x]; ld.global.u32 %r2, [mine];\n"
    "  add.s32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }\n"
    ".visible .entry one (.param .u64 p)\n"
    "{ .reg .b64 %rd<2>; .reg .b32 %r<5>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  .loc 1 20 0\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], 1; call (b), twice, (a);\n"
    "    ld.param.b32 %r1, [b]; }\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), helper, (a);\n"
    "    ld.param.b32 %r2, [b]; }\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], 7; call (b), other, (a);\n"
    "    ld.param.b32 %r3, [b]; }\n"
    "  st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; ret; }\n";

static const char second[] = HEAD
    ".file 1 \"second.cu\"\n.file 2 \"intrinsics.h\"\n"
    ".global .align 4 .u32 mine = 100;\n"
    ".extern .global .align 4 .u32 shared_word;\n"
    ".weak .func (.param .b32 r) twice (.param .b32 x)\n"
    "{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; shl.b32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }\n"
    ".func (.param .b32 r) helper (.param .b32 x)\n"
    "{ .reg .b32 %r<4>; ld.param.b32 %r1, [x]; ld.global.u32 %r2, [mine];\n"
    "  add.s32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }\n"
    ".visible .func (.param .b32 r) other (.param .b32 x)\n"
    "{ .reg .b32 %r<4>; ld.param.b32 %r1, [x];\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), helper, (a);\n"
    "    ld.param.b32 %r2, [b]; }\n"
    "  add.s32 %r3, %r2, 1000; st.param.b32 [r], %r3; ret; }\n"
    ".visible .entry two (.param .u64 p)\n"
    "{ .reg .b64 %rd<2>; .reg .b32 %r<3>; ld.param.u64 %rd1, [p];\n"
    "  .loc 1 33 0\n"
    "  ld.global.u32 %r1, [shared_word];\n"
    "  .loc 2 5 0, function_name $L__of, inlined_at 1 34 1\n"
    "  st.global.u32 [%rd1+8], %r1;\n"
    "  .loc 1 12 0, function_name $L__of, inlined_at 1 35 1\n"
    "  ret; }\n";

/* Joins n texts and expects the error `expected`. @return the joined text, NULL on an error; the
 * caller frees it */
static char *join(const char *const *text, unsigned n, heddle_err expected,
                  struct heddle_diag *diag) {
    struct ptx_piece piece[4];
    char *joined = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < n; i++) piece[i] = (struct ptx_piece){text[i], strlen(text[i])};
    cr_assert_eq(ptx_link(piece, n, "program", &joined, &bytes, diag), expected, "%s", diag->text);
    cr_assert_eq(joined != NULL, expected == HEDDLE_OK);
    if (joined) cr_assert_eq(strlen(joined), bytes);
    return joined;
}

/* Compiles a joined text. */
static void open_linked(struct run *r, const char *joined) {
    struct ptx_options o;
    ptx_options_default(&o);
    o.linked = true;
    run_open(r, joined, &o);
}

Test(link, names_meet_or_stay_apart) {
    const char *const texts[] = {first, second};
    struct heddle_diag diag = {0};
    char *joined = join(texts, 2, HEDDLE_OK, &diag);
    struct run r;
    open_linked(&r, joined);
    uint64_t p = (uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "one", 1, 1, &p, sizeof p, 0), HEDDLE_OK, "%s", r.diag.text);
    cr_assert_eq(run_kernel(&r, "two", 1, 1, &p, sizeof p, 0), HEDDLE_OK, "%s", r.diag.text);
    const uint32_t *out = (const uint32_t *)r.base;
    cr_expect_eq(out[0], 2 + 10);
    cr_expect_eq(out[1], 7 + 100 + 1000);
    cr_expect_eq(out[2], 5);
    run_close(&r);
    free(joined);
}

/* Returns the source file of the kernel's instruction that has this source line. */
static const char *source_of(const struct run *r, const char *kernel, uint32_t line) {
    const struct mir_function *f = run_function(r, kernel);
    for (uint32_t i = 0; i < f->num_inst; i++)
        if ((f->code[i].loc & 0xfffff) == line) return r->module->files[f->code[i].loc >> 20];
    return "no such line";
}

Test(link, source_lines_are_those_of_their_file) {
    const char *const texts[] = {first, second};
    struct heddle_diag diag = {0};
    char *joined = join(texts, 2, HEDDLE_OK, &diag);
    struct run r;
    open_linked(&r, joined);
    cr_expect_str_eq(source_of(&r, "one", 20), "first.cu");
    cr_expect_str_eq(source_of(&r, "two", 33), "second.cu");
    /* code inlined from another file has the line of the call, from the same file its own */
    cr_expect_str_eq(source_of(&r, "two", 34), "second.cu");
    cr_expect_str_eq(source_of(&r, "two", 5), "no such line");
    cr_expect_str_eq(source_of(&r, "two", 12), "second.cu");
    run_close(&r);
    free(joined);
}

/* A strong definition replaces weak ones before and after it. */
Test(link, strong_before_weak) {
    static const char weak[] = HEAD
        ".weak .global .align 4 .u32 w[2] = {1, 1};\n"
        ".visible .entry k (.param .u64 p)\n"
        "{ .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p];\n"
        "  ld.global.u32 %r1, [w+4]; st.global.u32 [%rd1], %r1; ret; }\n";
    static const char strong[] = HEAD ".visible .global .align 4 .u32 w[2] = {2, 3};\n";
    const char *const orders[2][2] = {{weak, strong}, {strong, weak}};
    for (unsigned i = 0; i < 2; i++) {
        struct heddle_diag diag = {0};
        char *joined = join(orders[i], 2, HEDDLE_OK, &diag);
        struct run r;
        open_linked(&r, joined);
        uint64_t p = (uintptr_t)r.base;
        cr_assert_eq(run_kernel(&r, "k", 1, 1, &p, sizeof p, 0), HEDDLE_OK, "%s", r.diag.text);
        cr_expect_eq(*(const uint32_t *)r.base, 3);
        run_close(&r);
        free(joined);
    }
}

Test(link, two_strong_definitions_are_an_error) {
    static const char text[] = HEAD ".visible .global .align 4 .u32 w = 2;\n";
    const char *const texts[] = {text, text};
    struct heddle_diag diag = {0};
    char *joined = join(texts, 2, HEDDLE_OK, &diag);
    struct ptx_options o;
    struct mir_module *m = NULL;
    ptx_options_default(&o);
    cr_expect_neq(ptx_compile(joined, strlen(joined), "program", &o, &m, &diag), HEDDLE_OK);
    cr_expect(strstr(diag.text, "'w' is declared twice"), "%s", diag.text);
    free(joined);
}

Test(link, a_bad_text_is_named_by_its_number) {
    const char *const texts[] = {first, HEAD ".visible .entry k ( {\n"};
    struct heddle_diag diag = {0};
    cr_expect_null(join(texts, 2, HEDDLE_ERR_PTX_SYNTAX, &diag));
    cr_expect(strstr(diag.text, "program.2:4:"), "%s", diag.text);
}

/* In one text, a function is declared as it is defined; ptxas's verdicts. */
Test(link, declarations_agree) {
    static const struct {
        const char *text, *error; /* NULL: accepted */
    } rows[] = {
        {".func f(.param .u32 a);.func f(.param .u32 b){ret;}", NULL},
        {".visible .func f(.param .u32 a);.func f(.param .u32 b){ret;}", NULL},
        {".weak .func f();.weak .func f(){ret;}", NULL},
        {".func f(.param .u32 a);.func f(.param .s32 b){ret;}", "other parameters"},
        {".func f(.param .b32 a);.func f(){ret;}", "other parameters"},
        {".func f(.param .b32 a);.func f(.reg .b32 b){ret;}", "other parameters"},
        {".func (.param .b32 r) f();.func f(){ret;}", "other parameters"},
        {".func f(.param .b8 a[16]);.func f(.param .b8 b[8]){ret;}", "other parameters"},
        {".func f(.param .align 8 .b8 a[16]);.func f(.param .b8 b[16]){ret;}", "other parameters"},
        {".entry f(.param .b32 a);.entry f(.param .u64 a){ret;}", "other parameters"},
        {".extern .func f();.visible .func f(){ret;}", "another linkage"},
        {".extern .func f();.extern .func f(){ret;}", ".extern, but has a body"},
        {".extern .entry f(){ret;}", ".extern, but has a body"},
        {".func f();.weak .func f(){ret;}", "another linkage"},
        {".func f(){ret;} .func f();", "declared behind its definition"},
    };
    struct ptx_options o;
    ptx_options_default(&o);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct heddle_diag diag = {0};
        struct mir_module *m = NULL;
        char text[400];
        snprintf(text, sizeof text, ".version 7.0\n.target sm_70\n.address_size 64\n%s",
                 rows[i].text);
        const heddle_err e = ptx_compile(text, strlen(text), "t.ptx", &o, &m, &diag);
        if (rows[i].error)
            cr_expect(e && strstr(diag.text, rows[i].error), "%s: %s", rows[i].text, diag.text);
        else
            cr_expect_eq(e, HEDDLE_OK, "%s: %s", rows[i].text, diag.text);
        mir_module_free(m);
    }
}
