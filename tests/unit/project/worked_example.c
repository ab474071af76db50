/* worked_example.c - see worked_example.h */
#include "worked_example.h"

struct project_kernel *example_kernel(struct project_kernels *list) {
    struct project_kernel *k = project_kernels_add(list, "example", 0);
    for (int m = 0; m < NUM_PROJECT_METRICS; m++) project_set(k, (enum project_metric)m, 0);
    project_set(k, METRIC_TIME, 4000);
    project_set(k, METRIC_WARP_INST, 1e9);
    project_set(k, METRIC_THREAD_INST, 24e9);
    project_set(k, METRIC_FP32_FMA, 3e9);
    project_set(k, METRIC_FP32_ADD, 1e9);
    project_set(k, METRIC_FP32_MUL, 1e9);
    project_set(k, METRIC_L1_BYTES, 4e9);
    project_set(k, METRIC_SHARED_BYTES, 2e9);
    project_set(k, METRIC_SHARED_PASSES, 2e9 / 64);
    project_set(k, METRIC_L2_BYTES, 2e9);
    project_set(k, METRIC_DRAM_READ, 0.6e9);
    project_set(k, METRIC_DRAM_WRITE, 0.4e9);
    return k;
}

static void rate(struct capability *gpu, enum capability_rate r, double value) {
    gpu->max[r].value = value;
    gpu->max[r].known = true;
}

static void make(struct capability *gpu, double fused, double l1, double l2, double dram) {
    *gpu = (struct capability){0};
    rate(gpu, RATE_FP32_FMA, fused);
    rate(gpu, RATE_FP32_ADD, fused / 2);
    rate(gpu, RATE_ISSUE, fused / 64);
    rate(gpu, RATE_L1, l1);
    rate(gpu, RATE_SHARED, l1);
    rate(gpu, RATE_L2, l2);
    rate(gpu, RATE_DRAM, dram);
    rate(gpu, RATE_DRAM_WRITE, 1.1 * dram);
}

void example_source(struct capability *gpu) {
    make(gpu, 10e12, 10000e9, 2000e9, 800e9);
}
void example_target(struct capability *gpu) {
    make(gpu, 20e12, 20000e9, 5000e9, 2000e9);
}
