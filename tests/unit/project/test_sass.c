/* test_sass.c - ways through machine code, on small flow graphs drawn by hand, and cubins that are
 * none. What ptxas makes of real operations: the test project.expansions. */
#include <criterion/criterion.h>
#include <string.h>

#include "project/sass.h"

static struct heddle_diag diag;
static struct sass_counts counts;

enum { GUARD = 1 };
#define PLAIN(kind) \
    { 0, SASS_##kind, SASS_NEXT, 0, 0 }
#define GUARDED(kind) \
    { 0, SASS_##kind, SASS_NEXT, GUARD, 0 }
#define JUMP(flow, guard, target) \
    { 0, SASS_OTHER, SASS_##flow, guard, target }
#define END(flow) \
    { 0, SASS_OTHER, SASS_##flow, 0, 0 }

#define COUNT(way, ...)                                                                          \
    do {                                                                                         \
        struct sass_instruction at[] = {__VA_ARGS__};                                            \
        struct sass_code code = {at, sizeof at / sizeof *at};                                    \
        cr_assert_eq(sass_count(&code, SASS_##way, &counts, &diag), HEDDLE_OK, "%s", diag.text); \
    } while (0)
#define IS(kind, want) \
    cr_assert_eq(counts.of[SASS_##kind], want, "%s: %d", #kind, counts.of[SASS_##kind])

/* A division: the branch jumps over the call of its slow path. */
#define DIVISION                                                                       \
    PLAIN(MUFU), PLAIN(FP32_FMA), JUMP(BRANCH, GUARD, 4), JUMP(CALL, 0, 5), END(EXIT), \
        PLAIN(FP32_MUL), PLAIN(FP32_MUL), END(RETURN)

Test(sass, the_fast_way_avoids_calls) {
    COUNT(FAST, DIVISION);
    IS(MUFU, 1);
    IS(FP32_FMA, 1);
    IS(FP32_MUL, 0);
    IS(OTHER, 2);
}
Test(sass, the_slow_way_runs_the_subroutine) {
    COUNT(SLOW, DIVISION);
    IS(FP32_MUL, 2);
    IS(OTHER, 4);
}

/* Also where the way with the call is the shorter one: 3 instructions here, 7 without it. */
Test(sass, calls_weigh_more_than_instructions) {
    COUNT(FAST, JUMP(BRANCH, GUARD, 3), JUMP(CALL, 0, 9), END(EXIT), PLAIN(INTEGER), PLAIN(INTEGER),
          PLAIN(INTEGER), PLAIN(INTEGER), PLAIN(INTEGER), END(EXIT), END(RETURN));
    IS(INTEGER, 5);
}
/* A function that every lane calls. */
Test(sass, a_call_that_cannot_be_avoided_counts) {
    COUNT(FAST, JUMP(CALL, 0, 2), END(EXIT), PLAIN(FP64_FMA), END(RETURN));
    IS(FP64_FMA, 1);
    IS(OTHER, 3);
}

Test(sass, guarded_instructions_issue_but_do_nothing_on_the_fast_way) {
    COUNT(FAST, GUARDED(FP32_MUL), PLAIN(MUFU), GUARDED(FP32_MUL), END(EXIT));
    IS(FP32_MUL, 0);
    IS(OTHER, 3);
    COUNT(SLOW, GUARDED(FP32_MUL), PLAIN(MUFU), GUARDED(FP32_MUL), END(EXIT));
    IS(FP32_MUL, 2);
    IS(OTHER, 1);
}

/* Both ways go through a loop once: its branch back is not taken. */
Test(sass, loops_run_once) {
    COUNT(FAST, PLAIN(INTEGER), PLAIN(FP64_MUL), JUMP(BRANCH, GUARD, 0), END(EXIT));
    IS(FP64_MUL, 1);
    COUNT(SLOW, PLAIN(INTEGER), PLAIN(FP64_MUL), JUMP(BRANCH, GUARD, 0), END(EXIT));
    IS(FP64_MUL, 1);
    IS(OTHER, 2);
}

Test(sass, padding_does_not_count) {
    COUNT(FAST, {0, SASS_NOTHING, SASS_NEXT, 0, 0}, PLAIN(INTEGER), END(EXIT));
    IS(INTEGER, 1);
    IS(OTHER, 1);
}

Test(sass, an_operation_without_a_row_is_an_error_where_it_runs) {
    struct sass_instruction at[] = {
        JUMP(BRANCH, GUARD, 2), {0x123, SASS_UNLISTED, SASS_NEXT, 0, 0}, END(EXIT)};
    struct sass_code code = {at, 3};
    cr_assert_eq(sass_count(&code, SASS_FAST, &counts, &diag), HEDDLE_OK);
    cr_assert_eq(sass_count(&code, SASS_SLOW, &counts, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
    cr_assert_str_eq(diag.text, "machine instruction 123 at 10 is not in tables/sass_opcodes.def");
}

Test(sass, code_without_an_end_is_an_error) {
    struct sass_instruction at[] = {PLAIN(INTEGER), JUMP(BRANCH, 0, 0)};
    struct sass_code code = {at, 2};
    cr_assert_eq(sass_count(&code, SASS_FAST, &counts, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
    cr_assert_str_eq(diag.text, "no way through the kernel ends");
    cr_assert_eq(sass_count(&code, SASS_SLOW, &counts, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
}

Test(sass, a_file_that_is_no_cubin_is_an_error) {
    struct sass_code code;
    const uint8_t text[] = "no cubin";
    cr_assert_eq(sass_read(&code, text, sizeof text, "k", &diag), HEDDLE_ERR_IO);
    cr_assert_str_eq(diag.text, "kernel k: its cubin is damaged");
}
