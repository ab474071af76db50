// test_fatbin.c - heddle-cc's fat binary (cc_fatbin.c) has NVIDIA's layout in every field that a
// reader uses.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cc_fatbin.h"

static const char ptx[] = "//\n// comment\n//\n\n.version 6.4\n.target sm_70\n.address_size 64\n";

static unsigned long long number(const unsigned char *at, int bytes) {
    unsigned long long value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

Test(fatbin, container_header) {
    size_t bytes;
    unsigned char *fatbin = cc_fatbin_make(ptx, 0x11, &bytes);
    cr_assert_not_null(fatbin);
    cr_expect_eq(number(fatbin, 4), 0xBA55ED50u);
    cr_expect_eq(number(fatbin + 4, 2), 1, "version");
    cr_expect_eq(number(fatbin + 6, 2), 16, "header size");
    cr_expect_eq(number(fatbin + 8, 8), bytes - 16, "payload size");
    free(fatbin);
}

Test(fatbin, entry_header) {
    size_t bytes;
    unsigned char *fatbin = cc_fatbin_make(ptx, 0x13, &bytes);
    cr_assert_not_null(fatbin);
    const unsigned char *entry = fatbin + 16;
    cr_expect_eq(number(entry + 0, 2), 1, "kind is PTX");
    cr_expect_eq(number(entry + 2, 2), 0x0101, "version");
    cr_expect_eq(number(entry + 4, 4), 80, "header size");
    cr_expect_eq(number(entry + 8, 8), bytes - 16 - 80, "payload size");
    cr_expect_eq(number(entry + 16, 4), 0, "not compressed");
    cr_expect_eq(number(entry + 20, 4), 64, "offset of the options");
    cr_expect_eq(number(entry + 24, 2), 4, "PTX minor version");
    cr_expect_eq(number(entry + 26, 2), 6, "PTX major version");
    cr_expect_eq(number(entry + 28, 4), 70, "SM");
    cr_expect_eq(number(entry + 32, 8), 0, "no name");
    cr_expect_eq(number(entry + 40, 8), 0x13, "flags");
    cr_expect_eq(number(entry + 56, 8), 0, "size before compression");
    cr_expect_eq(number(entry + 64, 4), 72, "text of the options");
    cr_expect_eq(number(entry + 68, 4), 0, "no options");
    free(fatbin);
}

// Text lengths around a multiple of 8: the text ends with a NUL, and the payload is padded.
Test(fatbin, payload_is_padded_and_terminated) {
    for (size_t extra = 0; extra < 9; extra++) {
        char text[128];
        strcpy(text, ptx);
        memset(text + strlen(ptx), '/', extra);
        text[strlen(ptx) + extra] = 0;
        size_t bytes, length = strlen(text);
        unsigned char *fatbin = cc_fatbin_make(text, 0, &bytes);
        cr_assert_not_null(fatbin);
        cr_expect_eq(bytes % 8, 0);
        cr_expect_eq(bytes, 96 + (length / 8 + 1) * 8);
        cr_expect_eq(memcmp(fatbin + 96, text, length + 1), 0);
        for (size_t i = 96 + length; i < bytes; i++) cr_expect_eq(fatbin[i], 0);
        free(fatbin);
    }
}

Test(fatbin, version_of_two_digits) {
    size_t bytes;
    unsigned char *fatbin = cc_fatbin_make(".version 10.12\n.target sm_120\n", 0, &bytes);
    cr_assert_not_null(fatbin);
    cr_expect_eq(number(fatbin + 16 + 24, 2), 12);
    cr_expect_eq(number(fatbin + 16 + 26, 2), 10);
    cr_expect_eq(number(fatbin + 16 + 28, 4), 120);
    free(fatbin);
}

Test(fatbin, refuses_text_without_head) {
    size_t bytes;
    cr_expect_null(cc_fatbin_make("", 0, &bytes));
    cr_expect_null(cc_fatbin_make(".version 6.4\n", 0, &bytes));
    cr_expect_null(cc_fatbin_make(".target sm_70\n", 0, &bytes));
    cr_expect_null(cc_fatbin_make(".version six\n.target sm_70\n", 0, &bytes));
}
