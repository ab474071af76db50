// test_fatbin_reader.c - the simulator (cuda/base/fatbin.c) reads the fat binaries that heddle-cc
// writes.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cc_fatbin.h"
#include "cuda/base/fatbin.h"

Test(fatbin_reader, gets_the_ptx_back) {
    static const char ptx[] = ".version 6.4\n.target sm_70\n.address_size 64\n// odd length\n";
    size_t bytes;
    unsigned char *image = cc_fatbin_make(ptx, CC_FATBIN_FLAG_64BIT, &bytes);
    cr_assert_not_null(image);
    struct fatbin_ptx out;
    struct heddle_diag diag;
    cr_assert_eq(fatbin_ptx(image, bytes, 70, &out, &diag), HEDDLE_OK);
    cr_expect_str_eq(out.text, ptx);
    cr_expect_eq(out.bytes, strlen(ptx));
    cr_expect_eq(out.target, 70u);
    cr_expect_eq(out.entries, 1u);
    free(out.text);
    free(image);
}
