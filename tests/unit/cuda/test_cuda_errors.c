/* test_cuda_errors.c - names and values of cudaError_t and CUresult, compared with the toolkit's
 * headers where they are installed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cuda/protocol/cuda_error.h"
#include "cuda/protocol/cuda_result.h"

Test(cuda_errors, known) {
    cr_expect_str_eq(cuda_error_name(0), "cudaSuccess");
    cr_expect_str_eq(cuda_error_text(0), "no error");
    cr_expect_str_eq(cuda_error_name(700), "cudaErrorIllegalAddress");
    cr_expect_str_eq(cuda_error_text(2), "out of memory");
    cr_expect_str_eq(cuda_error_name(12345), "unrecognized error code");
    cr_expect(cuda_error_is_sticky(700));
    cr_expect_not(cuda_error_is_sticky(1));
    cr_expect_not(cuda_error_is_sticky(0));
}

Test(cuda_results, known) {
    cr_expect_str_eq(cuda_result_name(0), "CUDA_SUCCESS");
    cr_expect_str_eq(cuda_result_text(0), "no error");
    cr_expect_str_eq(cuda_result_name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
    cr_expect_str_eq(cuda_result_text(202), "the context is already current");
    cr_expect_null(cuda_result_name(12345));
    cr_expect_null(cuda_result_text(12345));
    cr_expect_eq(cuda_result(2), 2);
    cr_expect_str_eq(cuda_error_name(13), "cudaErrorInvalidSymbol");
    cr_expect_str_eq(cuda_result_name(cuda_result(13)), "CUDA_ERROR_NOT_FOUND");
}

#ifdef TOOLKIT
/* Checks that `name_of` has each name of the header that begins with `prefix`, for the same value.
 * @return how many names were compared */
static unsigned compare(const char *header, const char *prefix, const char *(*name_of)(int)) {
    FILE *f = fopen(header, "r");
    char line[512], name[128];
    int value;
    unsigned compared = 0;
    cr_assert(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " %100[A-Za-z0-9_] = %d", name, &value) != 2) continue;
        if (strncmp(name, prefix, strlen(prefix)) != 0) continue;
        if (strcmp(name, "cudaErrorApiFailureBase") == 0) continue; /* a base value, not an error */
        compared++;
        const char *ours = name_of(value);
        cr_expect_str_eq(ours ? ours : "none", name);
    }
    fclose(f);
    return compared;
}

Test(cuda_errors, as_in_the_toolkit) {
    cr_expect_geq(compare(TOOLKIT "/driver_types.h", "cudaError", cuda_error_name), 100u);
}
Test(cuda_results, as_in_the_toolkit) {
    cr_expect_geq(compare(TOOLKIT "/cuda.h", "CUDA_ERROR_", cuda_result_name), 90u);
}
#endif
