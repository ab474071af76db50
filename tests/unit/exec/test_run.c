/* Whole kernels in function only: values, counts, what a launch refuses. */
#include <criterion/criterion.h>

#include "assemble.h"

static void vector_add(struct kernel *k) {
    emit_global_index(k, 0, 1);
    EMIT(k, ISETP, .pdst = {0, MIR_PT}, .type = MIR_U32, .cmp = MIR_CMP_GE,
         .src = {REG(0), PARAM(24)});
    EMIT(k, EXIT, .guard = 0);
    emit_element(k, 2, 0, 0);
    emit_element(k, 4, 8, 0);
    emit_element(k, 6, 16, 0);
    LOAD(k, 8, 2);
    LOAD(k, 9, 4);
    EMIT(k, FADD, .dst = 8, .src = {REG(8), REG(9)});
    STORE(k, 6, 8);
    EMIT(k, EXIT);
}

Test(run, vector_add) {
    enum { N = 1000 };
    struct machine m;
    struct kernel k = {0};
    machine_init(&m, 1 << 20);
    float *a = machine_alloc(&m, N * 4), *b = machine_alloc(&m, N * 4),
          *c = machine_alloc(&m, N * 4);
    for (int i = 0; i < N; i++) {
        a[i] = 0.5f * (float)i;
        b[i] = 1000.0f - (float)i;
    }
    machine_param_pointer(&m, 0, a);
    machine_param_pointer(&m, 8, b);
    machine_param_pointer(&m, 16, c);
    machine_param_word(&m, 24, N);
    vector_add(&k);
    struct exec_counts counts;
    struct heddle_diag diag = {0};
    cr_assert_eq(kernel_run(&k, &m, 8, 128, &counts, NULL, &diag), HEDDLE_OK, "%s", diag.text);
    for (int i = 0; i < N; i++) cr_assert_eq(c[i], a[i] + b[i], "element %d: %g", i, (double)c[i]);
    /* 32 warps of 13 instructions; 24 lanes of the last one leave after the first five. */
    cr_assert_eq(counts.warp_inst, 32 * 13);
    cr_assert_eq(counts.ptx_warp_inst, 32 * 13);
    cr_assert_eq(counts.thread_inst, 1024 * 4 + 24 + 1000 * 8);
    machine_fini(&m);
}
