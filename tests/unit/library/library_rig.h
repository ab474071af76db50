/* library_rig.h - what the tests of the library share: a functional GPU, code, and a check of
 * errors. */
#ifndef TEST_UNIT_LIBRARY_RIG_H
#define TEST_UNIT_LIBRARY_RIG_H

#include <criterion/criterion.h>
#include <heddle.h>
#include <string.h>

extern const char add_one[]; /* PTX: kernel add_one(u64 data, u32 n), and variables */

/* A V100 with timing off. */
heddle_gpu *new_gpu(void);
/* Loads PTX. */
heddle_module *load(heddle_gpu *gpu, const char *ptx);
/* Allocates n words. */
uint64_t words(heddle_gpu *gpu, uint32_t n);
/* Launches add_one on n words. */
heddle_err launch_add_one(heddle_gpu *gpu, heddle_kernel *kernel, uint64_t data, uint32_t n,
                          uint32_t threads, struct heddle_diag *diag);

/* Expects success, or this error with this text. */
#define GOOD(call)                                      \
    do {                                                \
        struct heddle_diag diag = {.err = HEDDLE_OK};   \
        cr_assert_eq(call, HEDDLE_OK, "%s", diag.text); \
    } while (0)
#define FAILS(error, says, call)                                                    \
    do {                                                                            \
        struct heddle_diag diag = {.err = HEDDLE_OK};                               \
        cr_expect_eq(call, error, "%s", diag.text);                                 \
        cr_expect_eq(diag.err, error);                                              \
        cr_expect(strstr(diag.text, says), "'%s' is not in '%s'", says, diag.text); \
    } while (0)

#endif
