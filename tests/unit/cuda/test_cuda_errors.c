/* test_cuda_errors.c - names and values of cudaError_t, against the toolkit's header if there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cuda/cuda_error.h"

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

#ifdef TOOLKIT
Test(cuda_errors, as_in_the_toolkit) {
    FILE *f = fopen(TOOLKIT "/driver_types.h", "r");
    char line[512], name[128];
    int value;
    unsigned compared = 0;
    cr_assert(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " cudaError%100[A-Za-z0-9] = %d", name, &value) != 2) continue;
        char whole[160];
        snprintf(whole, sizeof whole, "cudaError%s", name);
        if (strcmp(whole, "cudaErrorApiFailureBase") == 0) continue; /* no error, a base */
        compared++;
        cr_expect_str_eq(cuda_error_name(value), whole);
    }
    fclose(f);
    cr_expect_geq(compared, 100u);
}
#endif
