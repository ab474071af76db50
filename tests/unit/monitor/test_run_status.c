/* test_run_status.c - the object of status.json: before a kernel, with one, and with names that are
 * no text. */
#include <criterion/criterion.h>
#include <string.h>

#include "monitor/run_status.h"

Test(run_status, before_the_first_kernel) {
    const struct run_status s = {.wall_s = 1.26, .launches_ended = 0};
    json_t *o = run_status_object(&s, "running");
    cr_assert_str_eq(json_string_value(json_object_get(o, "state")), "running");
    cr_assert_float_eq(json_real_value(json_object_get(o, "wall_s")), 1.3, 1e-9);
    cr_assert(json_is_null(json_object_get(o, "kernel")));
    json_decref(o);
}

Test(run_status, a_kernel) {
    struct run_status s = {.launches_ended = 7};
    char name[] = "gemm";
    run_status_take(&s,
                    &(struct gpu_progress){.kernel = name,
                                           .device = 1,
                                           .launch = 7,
                                           .ctas_done = 3,
                                           .ctas = 10,
                                           .cycles = 1000,
                                           .warp_inst = 2000,
                                           .wall_s = 2},
                    -1);
    memset(name, 'x', 4); /* it was copied */
    json_t *o = run_status_object(&s, "paused"), *k = json_object_get(o, "kernel");
    cr_assert_str_eq(json_string_value(json_object_get(k, "name")), "gemm");
    cr_assert_eq(json_integer_value(json_object_get(k, "device")), 1);
    cr_assert_eq(json_integer_value(json_object_get(k, "ctas")), 10);
    cr_assert(json_is_null(json_object_get(k, "left_s")), "it is unknown");
    json_decref(o);
}

Test(run_status, a_name_that_is_no_text) {
    struct run_status s = {.launches_ended = 0};
    run_status_take(&s, &(struct gpu_progress){.kernel = "a\xff"}, 3);
    json_t *o = run_status_object(&s, "running");
    cr_assert(json_is_null(json_object_get(json_object_get(o, "kernel"), "name")));
    json_decref(o);
}
