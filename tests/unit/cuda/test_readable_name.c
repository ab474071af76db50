/* test_readable_name.c - cuda/base/readable_name.c: kernel names as the report prints them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "cuda/base/readable_name.h"

static void expect(const char *mangled, const char *want) {
    char *got = readable_name(mangled);
    cr_expect_str_eq(got, want);
    free(got);
}

Test(readable_name, forms) {
    expect("_Z10vector_addPKfS0_Pfi", "vector_add");
    expect("_ZN5space4pack6kernelEPi", "space::pack::kernel");
    expect("plain_c_name", "plain_c_name");
    expect("_Z", "_Z");
    expect("_Z99short", "_Z99short");
    expect("_Z6kernelIfEvT_", "kernel");
    expect("", "");
}
