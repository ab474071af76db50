/* report_peaks.c - what the simulated GPU can do at most in a second, from its parameters: the
 * roofs of a roofline, and the peaks of a launch's throughputs. report_counters.c and
 * report_json.c call it. All functions are pure; report_peaks_object() returns a new object that
 * the caller owns. */
#include "report/report_internal.h"

enum { LANES = 32 };

/* In a second, of `each` in a cycle of the core. */
static double at_core_clock(const struct config *c, double each) {
    return each * c->clock_core_mhz * 1e6;
}

/* A warp instruction of the sub-cores' pipe each `interval` cycles, with `each` operations a
 * lane. */
static double at_pipes(const struct config *c, uint64_t interval, double each) {
    return at_core_clock(c,
                         (double)(c->sm_count * c->sm_subcores) * LANES * each / (double)interval);
}

double report_peak_l1(const struct config *c) {
    return at_core_clock(c, (double)(c->sm_count * c->l1_line_bytes));
}

double report_peak_l2(const struct config *c) {
    return (double)(c->l2_slices * c->l2_slice_bytes) * c->network_clock_mhz * 1e6;
}

/* The pins transfer a bit each at both edges of the command clock, as CUDA's properties have it. */
double report_peak_dram(const struct config *c) {
    return 2 * c->clock_memory_mhz * 1e6 * (double)c->dram_bus_bits / 8;
}

/* Floating-point operations of a matrix instruction in each lane (tables/mir_kinds.def). */
static double each_lane(mir_kind kind) {
    static const double weight[] = {
#define KIND(id, mix, operation, weight) weight,
#include "tables/mir_kinds.def"
    };
    return weight[kind];
}

/* The matrix instructions that GPUs of the compute capability have; NAN: none. */
static double tensor_fp16(const struct config *c) {
    if (c->gpu_major < 7) return NAN;
    if (c->gpu_major == 7 && c->gpu_minor < 5)
        return at_pipes(c, c->pipe_hmma884_interval, each_lane(MIR_KIND_TENSOR_884));
    return fmax(at_pipes(c, c->pipe_mma128_interval, each_lane(MIR_KIND_TENSOR_FP16)),
                at_pipes(c, c->pipe_mma256_interval, each_lane(MIR_KIND_TENSOR_DEEP)));
}
static double tensor_tf32(const struct config *c) {
    if (c->gpu_major < 8) return NAN;
    return fmax(at_pipes(c, c->pipe_mma128_interval, each_lane(MIR_KIND_TENSOR_TF32)),
                at_pipes(c, c->pipe_mma256_interval, each_lane(MIR_KIND_TENSOR_TF32_DEEP)));
}
static double tensor_fp64(const struct config *c) {
    return c->gpu_major < 8 ? NAN
                            : at_pipes(c, c->pipe_dmma_interval, each_lane(MIR_KIND_TENSOR_FP64));
}

json_t *report_peaks_object(const struct config *c) {
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"core_hz", at_core_clock(c, 1)},
        {"issue_per_s", at_core_clock(c, (double)(c->sm_count * c->sm_subcores))},
        {"fp16_per_s", at_pipes(c, c->pipe_fp16_interval, 4)}, /* two values a lane */
        {"fp32_per_s", at_pipes(c, c->pipe_fp32_interval, 2)},
        {"fp64_per_s", at_pipes(c, c->pipe_fp64_interval, 2)},
        {"tensor_fp16_per_s", tensor_fp16(c)},
        {"tensor_tf32_per_s", tensor_tf32(c)},
        {"tensor_fp64_per_s", tensor_fp64(c)},
        {"integer_per_s", at_pipes(c, c->pipe_int_interval, 1)},
        {"special_per_s", at_pipes(c, c->pipe_sfu_interval, 1)},
        {"l1_bytes_per_s", report_peak_l1(c)},
        {"l2_bytes_per_s", report_peak_l2(c)},
        {"dram_bytes_per_s", report_peak_dram(c)},
        {"link_bytes_per_s", c->link_bandwidth * 1e9},
    };
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_object_set_new(o, rows[i].name, report_number(rows[i].value));
    return o;
}
