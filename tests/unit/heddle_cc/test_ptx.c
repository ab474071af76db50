// test_ptx.c - heddle-cc (cc_ptx.c) finds, by name, functions that the PTX declares but does not
// define.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "cc_ptx.h"

static void expect_undefined(const char *ptx, const char *name) {
    char *found = cc_ptx_find_undefined(ptx);
    if (name) {
        cr_assert_not_null(found, "nothing found in: %s", ptx);
        cr_expect_str_eq(found, name);
    } else {
        cr_expect_null(found, "found %s in: %s", found, ptx);
    }
    free(found);
}

Test(ptx, nothing_declared) {
    expect_undefined("", NULL);
    expect_undefined(".visible .func (.param .b32 r) f(.param .b32 a)\n{ ret; }\n", NULL);
}

Test(ptx, with_result) {
    expect_undefined(".extern .func  (.param .b32 func_retval0) foo\n(\n\t.param .b32 p\n)\n;\n",
                     "foo");
}

Test(ptx, without_result) {
    expect_undefined(".extern .func bar(.param .b64 p);\n", "bar");
    expect_undefined(".extern .func baz;\n", "baz");
}

Test(ptx, what_the_gpu_provides_is_passed_over) {
    expect_undefined(".extern .func (.param .b32 r) vprintf\n(\n);\n", NULL);
    expect_undefined(".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func "
                     "free(.param .b64 p);\n",
                     NULL);
    expect_undefined(".extern .func (.param .b32 r) vprintf\n();\n.extern .func mine();\n", "mine");
}

Test(ptx, a_longer_name_is_another_function) {
    expect_undefined(".extern .func malloc2(.param .b64 n);\n", "malloc2");
    expect_undefined(".extern .func mall(.param .b64 n);\n", "mall");
}
