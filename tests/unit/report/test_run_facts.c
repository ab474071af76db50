/* test_run_facts.c - what report.json says of the GPU: its parameters with their origins, and its
 * peaks, worked out by hand for a V100. */
#include <criterion/criterion.h>
#include <string.h>

#include "report/report_internal.h"

/* A GPU with changes. */
static struct config *gpu(const char *name, const char *const *sets, size_t n) {
    struct config *c = NULL;
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&c, name, GPUS, sets, n, &diag), HEDDLE_OK, "%s", diag.text);
    return c;
}

/* The object of a parameter. */
static const json_t *parameter(const json_t *list, const char *name) {
    size_t i;
    const json_t *o;
    json_array_foreach(list, i, o) {
        if (!strcmp(json_string_value(json_object_get(o, "name")), name)) return o;
    }
    cr_assert_fail("no parameter %s", name);
    return NULL;
}

Test(run_facts, parameters) {
    static const char *const sets[] = {"sm.count=40"};
    struct config *c = gpu("v100", sets, 1);
    json_t *list = report_parameters_array(c);
    const json_t *count = parameter(list, "sm.count"), *clock = parameter(list, "clock.core");
    const json_t *name = parameter(list, "gpu.name");
    cr_expect_eq(json_integer_value(json_object_get(count, "value")), 40);
    cr_expect(json_is_true(json_object_get(count, "set")));
    cr_expect_str_eq(json_string_value(json_object_get(count, "unit")), "SMs");
    cr_expect_float_eq(json_real_value(json_object_get(clock, "value")), 1380, 1e-9);
    cr_expect(json_is_false(json_object_get(clock, "set")));
    cr_expect(strstr(json_string_value(json_object_get(clock, "where")), "v100.ini:"));
    cr_expect_str_neq(json_string_value(json_object_get(clock, "status")), "");
    cr_expect_str_neq(json_string_value(json_object_get(clock, "source")), "");
    cr_expect(json_is_string(json_object_get(name, "value")));
    cr_expect_geq(json_array_size(list), 150u);
    json_decref(list);
    config_free(c);
}

static double peak(const json_t *o, const char *name) {
    const json_t *v = json_object_get(o, name);
    cr_expect(json_is_number(v), "%s", name);
    return json_number_value(v);
}

Test(run_facts, peaks_of_v100) {
    struct config *c = gpu("v100", NULL, 0);
    json_t *o = report_peaks_object(c);
    const double cycles = 80 * 1.38e9; /* of all SMs in a second */
    cr_expect_float_eq(peak(o, "core_hz"), 1.38e9, 1);
    cr_expect_float_eq(peak(o, "issue_per_s"), 4 * cycles, 1e3);
    cr_expect_float_eq(peak(o, "fp32_per_s"), 64 * 2 * cycles, 1e6);
    cr_expect_float_eq(peak(o, "fp64_per_s"), 32 * 2 * cycles, 1e6);
    cr_expect_float_eq(peak(o, "fp16_per_s"), 64 * 4 * cycles, 1e6);
    cr_expect_float_eq(peak(o, "tensor_fp16_per_s"), 512 * 2 * cycles, 1e6);
    cr_expect_float_eq(peak(o, "l1_bytes_per_s"), 128 * cycles, 1e6);
    cr_expect(json_is_null(json_object_get(o, "tensor_fp64_per_s")));
    json_decref(o);
    config_free(c);
}

Test(run_facts, matrix_units_by_capability) {
    struct config *p100 = gpu("p100", NULL, 0), *a100 = gpu("a100-40", NULL, 0);
    json_t *old = report_peaks_object(p100), *young = report_peaks_object(a100);
    cr_expect(json_is_null(json_object_get(old, "tensor_fp16_per_s")));
    cr_expect_float_eq(peak(young, "tensor_fp16_per_s") / 312e12, 1, 0.01); /* the whitepaper's */
    cr_expect_float_eq(peak(young, "tensor_tf32_per_s") / 156e12, 1, 0.01);
    cr_expect_float_eq(peak(young, "tensor_fp64_per_s") / 19.5e12, 1, 0.01);
    json_decref(old);
    json_decref(young);
    config_free(p100);
    config_free(a100);
}
