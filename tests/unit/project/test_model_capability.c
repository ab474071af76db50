/* test_model_capability.c - what a model's file says of a GPU, against figures by hand. */
#include <criterion/criterion.h>

#include "project/model_capability.h"

static struct capability c;

static struct config *load(const char *gpu) {
    struct config *model;
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&model, gpu, GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    return model;
}

/* 80 SMs at 1,380 MHz. */
Test(model_capability, peaks) {
    struct config *v100 = load("v100");
    model_capability_add(&c, v100, "models/gpus/v100.ini");
    cr_expect_float_eq(c.peak[RATE_FP16_FMA].value, 80 * 256 * 1.38e9, 1); /* 64 lanes, halves */
    cr_expect_float_eq(c.peak[RATE_FP32_FMA].value, 80 * 128 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_FP32_ADD].value, 80 * 64 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_FP64_FMA].value, 80 * 64 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_INT32].value, 80 * 64 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_SPECIAL].value, 80 * 16 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_ISSUE].value, 80 * 4 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_L1].value, 80 * 128 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_SHARED].value, 80 * 128 * 1.38e9, 1);
    cr_expect_float_eq(c.peak[RATE_L2].value, 64 * 32 * 1.2e9, 1); /* slices at network.clock */
    cr_expect_not(c.peak[RATE_DRAM].known);
    cr_expect_not(c.peak[RATE_TENSOR_FP16].known);
    cr_expect_not(c.max[RATE_FP32_FMA].known);
    cr_expect_str_eq(c.peak[RATE_ISSUE].remark.status, "derived");
    cr_expect_str_eq(c.peak[RATE_ISSUE].remark.source,
                     "models/gpus/v100.ini: an instruction a cycle and sub-core");
    config_free(v100);
}

/* What is known stays. */
Test(model_capability, properties) {
    struct config *v100 = load("v100");
    c.property[GPU_UNIFIED] = (struct capability_value){.value = 98304, .known = true};
    model_capability_add(&c, v100, "models/gpus/v100.ini");
    cr_expect_eq(c.property[GPU_UNIFIED].value, 98304);
    cr_expect_eq(c.property[GPU_SUBCORES].value, 4);
    cr_expect_eq(c.property[GPU_LSU].value, 32);
    cr_expect_eq(c.property[GPU_REGISTER_UNIT].value, 256);
    cr_expect_eq(c.property[GPU_L2_PARTITIONS].value, 1);
    cr_expect_not(c.property[GPU_LAUNCH_GAP].known);
    cr_expect_str_eq(c.property[GPU_LSU].remark.source,
                     "models/gpus/v100.ini: 32 lanes by sm.lsu_interval");
    config_free(v100);
}
