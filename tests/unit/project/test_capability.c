/* test_capability.c - the GPUs' files: their figures are plausible; what a wrong line says. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "project/capability.h"
#include "project/capability_page.h"

static const char *const gpus[] = {"v100",      "v100-pcie", "a100-40", "a100-40-pcie", "a100-80",
                                   "h100-pcie", "h100-sxm",  "h200",    "t4",           "rtx3090",
                                   "rtx4090",   "l40s",      "b200"};
enum { NUM_GPUS = sizeof gpus / sizeof *gpus };

static struct capability *load(const char *gpu) {
    struct capability *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(capability_load(&c, gpu, CAPABILITIES, &diag), HEDDLE_OK, "%s", diag.text);
    return c;
}

Test(capability, every_gpu_loads_by_name) {
    for (int i = 0; i < NUM_GPUS; i++) {
        struct capability *c = load(gpus[i]);
        cr_assert_str_eq(c->name, gpus[i]);
        cr_assert(*c->title);
        capability_free(c);
    }
}

Test(capability, a_model_has_the_gpu_that_it_simulates) {
    struct capability *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(capability_load_model(&c, "v100", CAPABILITIES, &diag), HEDDLE_OK);
    cr_assert_str_eq(c->name, "v100-pcie");
    capability_free(c);
    cr_assert_eq(capability_load_model(&c, "p100", CAPABILITIES, &diag), HEDDLE_ERR_CONFIG);
    cr_assert_null(c);
    cr_assert_str_eq(diag.text, "no file of " CAPABILITIES " has 'model = p100': say with --from "
                                "on which GPU the run was");
}

Test(capability, no_program_is_faster_than_the_hardware) {
    for (int i = 0; i < NUM_GPUS; i++) {
        struct capability *c = load(gpus[i]);
        for (int r = 0; r < NUM_RATES; r++)
            if (c->max[r].known && c->peak[r].known)
                cr_assert_leq(c->max[r].value, 1.02 * c->peak[r].value, "%s: %s", c->name,
                              capability_rate_key((enum capability_rate)r));
        capability_free(c);
    }
}

/* The rates without which no kernel can be projected. */
Test(capability, every_gpu_has_the_rates_of_the_rooflines) {
    static const enum capability_rate needed[] = {
        RATE_FP16_FMA, RATE_FP16_ADD, RATE_FP32_FMA, RATE_FP32_ADD,  RATE_FP64_FMA,
        RATE_FP64_ADD, RATE_INT32,    RATE_SPECIAL,  RATE_ISSUE,     RATE_L1,
        RATE_SHARED,   RATE_L2,       RATE_DRAM,     RATE_DRAM_READ, RATE_DRAM_WRITE};
    struct capability *v100 = load("v100");
    for (int i = 0; i < NUM_GPUS; i++) {
        struct capability *c = load(gpus[i]);
        for (unsigned k = 0; k < sizeof needed / sizeof *needed; k++) {
            enum capability_origin origin;
            cr_assert_gt(capability_rate(c, v100, needed[k], &origin), 0, "%s: %s", c->name,
                         capability_rate_key(needed[k]));
        }
        capability_free(c);
    }
    capability_free(v100);
}

static void in_order(const struct capability *c, const char *what, double high, double low) {
    cr_assert_gt(high, low, "%s: %s: %g is not more than %g", c->name, what, high, low);
}

Test(capability, nearer_memory_is_faster) {
    for (int i = 0; i < NUM_GPUS; i++) {
        struct capability *c = load(gpus[i]);
        enum capability_origin o;
        double l1 = capability_rate(c, c, RATE_L1, &o), l2 = capability_rate(c, c, RATE_L2, &o);
        double dram = capability_rate(c, c, RATE_DRAM_READ, &o);
        double l1_latency = capability_property(c, GPU_L1_LATENCY, 0);
        double l2_latency = capability_property(c, GPU_L2_LATENCY, l1_latency + 1);
        in_order(c, "L1 and L2", l1, l2);
        in_order(c, "L2 and device memory", l2, dram);
        in_order(c, "capacity", capability_property(c, GPU_DRAM_SIZE, 0),
                 capability_property(c, GPU_L2_SIZE, 0));
        in_order(c, "L2's and L1's latency", l2_latency, l1_latency);
        in_order(c, "device memory's and L2's latency",
                 capability_property(c, GPU_DRAM_LATENCY, l2_latency + 1), l2_latency);
        in_order(c, "L2's far and near latency",
                 capability_property(c, GPU_L2_FAR_LATENCY, l2_latency + 1), l2_latency);
        in_order(c, "unified and shared memory", c->property[GPU_UNIFIED].value,
                 c->property[GPU_SHARED_MOST].value);
        capability_free(c);
    }
}

/* Peaks are lanes x clock: a typing error shows as a number of lanes that no GPU has. */
Test(capability, peaks_are_whole_lanes) {
    for (int i = 0; i < NUM_GPUS; i++) {
        struct capability *c = load(gpus[i]);
        double cycles = c->property[GPU_SMS].value * c->property[GPU_CLOCK].value * 1e6;
        static const struct {
            enum capability_rate rate;
            double operations; /* of a lane in a cycle */
        } row[] = {{RATE_FP16_FMA, 2}, {RATE_FP16_ADD, 1}, {RATE_FP32_FMA, 2}, {RATE_FP32_ADD, 1},
                   {RATE_FP64_FMA, 2}, {RATE_FP64_ADD, 1}, {RATE_INT32, 1},    {RATE_SPECIAL, 1},
                   {RATE_ISSUE, 1},    {RATE_L1, 1},       {RATE_SHARED, 1}};
        for (unsigned k = 0; k < sizeof row / sizeof *row; k++) {
            double lanes = c->peak[row[k].rate].value / cycles / row[k].operations;
            double power = exp2(round(log2(lanes)));
            cr_assert_leq(fabs(lanes / power - 1), 0.002, "%s: %s is of %g lanes", c->name,
                          capability_rate_key(row[k].rate), lanes);
        }
        capability_free(c);
    }
}

/* capability.h keeps 159 characters of a source. */
Test(capability, no_source_is_cut_off) {
    for (int i = 0; i < NUM_GPUS; i++) {
        struct capability *c = load(gpus[i]);
        for (int r = 0; r < NUM_RATES; r++) {
            cr_assert_lt(strlen(c->peak[r].remark.source), sizeof c->peak[r].remark.source - 1);
            cr_assert_lt(strlen(c->max[r].remark.source), sizeof c->max[r].remark.source - 1);
        }
        for (int p = 0; p < NUM_GPU_PROPERTIES; p++)
            cr_assert_lt(strlen(c->property[p].remark.source),
                         sizeof c->property[p].remark.source - 1);
        capability_free(c);
    }
}

/* Table 1 of Van Lanker et al. 2024, as far as nothing higher was measured. */
Test(capability, the_published_figures) {
    struct capability *v100 = load("v100-pcie"), *a100 = load("a100-40"), *h100 = load("h100-pcie");
    cr_expect_float_eq(v100->max[RATE_L1].value, 13963e9, 1);
    cr_expect_float_eq(v100->max[RATE_L2].value, 2460e9, 1);
    cr_expect_float_eq(v100->max[RATE_DRAM].value, 846e9, 1);
    cr_expect_float_eq(a100->max[RATE_L2].value, 4710e9, 1);
    cr_expect_float_eq(a100->max[RATE_DRAM].value, 1375e9, 1);
    cr_expect_float_eq(h100->max[RATE_FP64_FMA].value, 24979e9, 1);
    cr_expect_float_eq(h100->max[RATE_L1].value, 25330e9, 1);
    cr_expect_float_eq(h100->max[RATE_L2].value, 7758e9, 1);
    cr_expect_float_eq(h100->max[RATE_DRAM].value, 1907e9, 1);
    capability_free(v100);
    capability_free(a100);
    capability_free(h100);
}

/* Loads a file with these lines behind a whole one's. */
static void fails(const char *lines, const char *says) {
    char path[] = "/tmp/heddle-capability-XXXXXX.ini";
    int fd = mkstemps(path, 4);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "base = v100\n%s\n", lines);
    fclose(f);
    struct capability *c;
    struct heddle_diag diag = {0};
    cr_expect_eq(capability_load(&c, path, CAPABILITIES, &diag), HEDDLE_ERR_CONFIG);
    unlink(path);
    cr_expect_null(c);
    cr_expect(strstr(diag.text, says), "%s", diag.text);
}

Test(capability, wrong_lines_have_messages) {
    fails("[l2]\nsiez = 1 ; bytes | vendor | x",
          "ini:3: unknown key 'l2.siez', did you mean 'l2.size'?");
    fails("[sm]\ncount = many ; SMs | vendor | x", "ini:3: sm.count = many is not a number");
    fails("[sm]\ncount = 0 ; SMs | vendor | x", "sm.count = 0 is out of range: 1 to 1024 SMs");
    fails("[sm]\ncount = 80", "sm.count has no remark '; unit | status | source'");
    fails("[sm]\ncount = 80 ; cores | vendor | x", "sm.count is in SMs, not in 'cores'");
    fails("[sm]\ncount = 80 ; SMs | rumour | x", "status 'rumour' is none of vendor, measured");
}

Test(capability, unknown_gpu_names_the_known_ones) {
    struct capability *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(capability_load(&c, "v1000", CAPABILITIES, &diag), HEDDLE_ERR_CONFIG);
    cr_assert(strstr(diag.text, "GPU 'v1000': cannot open"));
    cr_assert(strstr(diag.text, "a100-40, a100-40-pcie, a100-80, b200, h100-pcie, h100-sxm, h200, "
                                "l40s, rtx3090, rtx4090, t4, v100, v100-pcie"),
              "%s", diag.text);
}

Test(capability, page_needs_files) {
    struct heddle_diag diag = {0};
    cr_assert_eq(capability_print_page(stdout, CAPABILITIES "/none", &diag), HEDDLE_ERR_CONFIG);
    cr_assert(strstr(diag.text, "none: No such file or directory"), "%s", diag.text);
}

/* What capability_write() prints is read as the same GPU. */
Test(capability, written_and_read) {
    static char path[] = "/tmp/heddle-capability-XXXXXX.ini";
    struct capability *c = load("a100-80"), *again;
    struct heddle_diag diag = {0};
    int fd = mkstemps(path, 4);
    FILE *f = fdopen(fd, "w");
    cr_assert_not_null(f);
    capability_write(c, f);
    fclose(f);
    cr_assert_eq(capability_load(&again, path, CAPABILITIES, &diag), HEDDLE_OK, "%s", diag.text);
    unlink(path);
    cr_expect_str_eq(again->title, c->title);
    cr_expect_str_eq(again->model, c->model);
    cr_expect_arr_eq(again->property, c->property, sizeof c->property);
    for (int r = 0; r < NUM_RATES; r++) { /* the numbers of rates pass through their unit */
        const struct capability_value *const pairs[][2] = {{&c->peak[r], &again->peak[r]},
                                                           {&c->max[r], &again->max[r]}};
        for (int i = 0; i < 2; i++) {
            const struct capability_value *was = pairs[i][0], *is = pairs[i][1];
            cr_expect_eq(is->known, was->known);
            cr_expect_float_eq(is->value, was->value, 1e-9 * was->value);
            cr_expect_str_eq(is->remark.status, was->remark.status);
            cr_expect_str_eq(is->remark.source, was->remark.source);
        }
    }
    capability_free(c);
    capability_free(again);
}
