/* roofs.c - makes a kernel's rooflines on a GPU from its metrics and the GPU's capabilities, and
 * counts its operations; see roofs.h. The models (heddle_model.c, paper_model.c), demand.c,
 * roofline_plot.c and cmd_project.c call it on the main thread of `heddle project`. Functions write
 * only their results and the text in *diag.
 *
 * Where the paper is silent: a kernel with several precisions has the harmonic mean of their
 * ceilings, weighted by FLOP, because their times add up; a kernel without floating-point
 * operations has the instruction roofline (Ding, Awan, Williams 2022), in thread instructions. */
#include "project/roofs.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { LANES = 32, SHARED_BYTES_PER_CYCLE = 128 };
/* The paper takes STREAM's bandwidth of writes for a kernel that only writes (its section 5.2). A
 * write that misses L2 reads nothing, so reads are next to none then. */
static const double only_writes = 0.05;
/* Roofs so close are one. Data that no cache keeps pass all levels, whose roofs are then equal. */
static const double same_roof = 1.01;

/* Where a precision's operations stand among the metrics, and their rates. */
static const struct {
    enum project_metric add, mul, fma;
    enum capability_rate fused, separate;
} precisions[] = {
    {METRIC_FP16_ADD, METRIC_FP16_MUL, METRIC_FP16_FMA, RATE_FP16_FMA, RATE_FP16_ADD},
    {METRIC_FP32_ADD, METRIC_FP32_MUL, METRIC_FP32_FMA, RATE_FP32_FMA, RATE_FP32_ADD},
    {METRIC_FP64_ADD, METRIC_FP64_MUL, METRIC_FP64_FMA, RATE_FP64_FMA, RATE_FP64_ADD},
};
/* The same of tensor cores. */
static const struct {
    enum project_metric flop;
    enum capability_rate rate;
} tensors[] = {
    {METRIC_TENSOR_FP16, RATE_TENSOR_FP16},
    {METRIC_TENSOR_FP64, RATE_TENSOR_FP64},
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The kernel's instructions in a precision, an index of precisions[]. */
static struct roofline_mix mix_of(const struct project_kernel *k, size_t precision) {
    return (struct roofline_mix){.add = k->of[precisions[precision].add],
                                 .mul = k->of[precisions[precision].mul],
                                 .fma = k->of[precisions[precision].fma]};
}

/* @return FLOP of the kernel, tensor cores included; a fused multiply-add counts as two. */
double roofs_flop(const struct project_kernel *k) {
    double sum = 0;
    for (size_t p = 0; p < COUNT(precisions); p++) {
        struct roofline_mix m = mix_of(k, p);
        sum += m.add + m.mul + 2 * m.fma;
    }
    for (size_t t = 0; t < COUNT(tensors); t++) sum += k->of[tensors[t].flop];
    return sum;
}

/* @return whether the source GPU has tensor cores whose FLOP the profile does not count. */
bool roofs_tensor_unknown(const struct project_kernel *k, const struct capability *source) {
    for (size_t t = 0; t < COUNT(tensors); t++) {
        enum capability_rate r = tensors[t].rate;
        bool has = source->max[r].value > 0 || source->peak[r].value > 0;
        if (has && !k->known[tensors[t].flop]) return true;
    }
    return false;
}

/* @return the factor by which uncounted tensor FLOP lower the confidence; below 1, *why is the
 * reason (static text), else *why is unchanged. */
double roofs_tensor_doubt(const struct project_kernel *k, const struct capability *source,
                          const char **why) {
    if (!roofs_tensor_unknown(k, source)) return 1;
    bool flop = roofs_flop(k) > 0;
    *why = flop ? "the profile does not count tensor operations"
                : "the profile counts no FLOP, and tensor operations not at all";
    return flop ? 0.95 : 0.5;
}

/* @return what the rooflines count: FLOP, or instructions of a kernel without any. */
enum project_operations roofs_operations(const struct project_kernel *k) {
    return roofs_flop(k) > 0 ? OPERATIONS_FLOP : OPERATIONS_INSTRUCTIONS;
}

/* @return the kernel's FLOP, or its thread instructions where there are none. */
double roofs_count(const struct project_kernel *k) {
    double flop = roofs_flop(k);
    return flop > 0 ? flop : k->of[METRIC_THREAD_INST];
}

/* @return bytes by the place that serves them: of a level, what passes it and does not go on to the
 * next one, at least 0. */
struct roofline_served roofs_served(const struct project_kernel *k) {
    double dram = k->of[METRIC_DRAM_READ] + k->of[METRIC_DRAM_WRITE];
    return (struct roofline_served){
        .of = {[ROOFLINE_L1] = fmax(0, k->of[METRIC_L1_BYTES] - k->of[METRIC_L2_BYTES]),
               [ROOFLINE_L2] = fmax(0, k->of[METRIC_L2_BYTES] - dram),
               [ROOFLINE_DRAM] = dram},
        .shared = k->of[METRIC_SHARED_BYTES],
    };
}

/* The rates of a kernel on a GPU, and the first one that is not known. */
struct rates {
    const struct capability *gpu, *source;
    enum capability_rate unknown; /* NUM_RATES: none */
};

/* A rate of r->gpu that the kernel needs, SI units. Notes the first one that is not known in
 * r->unknown; it is 0. */
static double rate(struct rates *r, enum capability_rate which) {
    enum capability_origin origin;
    double value = capability_rate(r->gpu, r->source, which, &origin);
    if (value <= 0 && r->unknown == NUM_RATES) r->unknown = which;
    return value;
}

/* Operations/s under the compute ceilings (2) and (3), instructions/s of a kernel without FLOP. All
 * lanes of a warp take part in a matrix instruction. Notes unknown rates in *r. */
static double ceiling(const struct project_kernel *k, struct rates *r) {
    double warps = k->of[METRIC_WARP_INST];
    double active = warps > 0 ? k->of[METRIC_THREAD_INST] / warps : LANES;
    double flop = roofs_flop(k), time = 0;
    if (flop == 0) return active * rate(r, RATE_ISSUE);
    for (size_t p = 0; p < COUNT(precisions); p++) {
        struct roofline_mix m = mix_of(k, p);
        double own = m.add + m.mul + 2 * m.fma;
        if (own == 0) continue;
        double fused = rate(r, precisions[p].fused), separate = rate(r, precisions[p].separate);
        time += own / roofline_lane_ceiling(active, roofline_mix_performance(&m, fused, separate));
    }
    for (size_t t = 0; t < COUNT(tensors); t++)
        if (k->of[tensors[t].flop] > 0) time += k->of[tensors[t].flop] / rate(r, tensors[t].rate);
    return flop / time;
}

/* @return operations/s of `gpu` with all lanes, by the rate of the precision or tensor cores that
 * perform most of the kernel's FLOP; of a kernel without FLOP, instructions/s. 0: not known. */
double roofs_plain_performance(const struct project_kernel *k, const struct capability *gpu,
                               const struct capability *source) {
    struct rates r = {.gpu = gpu, .source = source, .unknown = NUM_RATES};
    enum capability_rate most = RATE_ISSUE;
    double most_flop = 0;
    for (size_t p = 0; p < COUNT(precisions); p++) {
        struct roofline_mix m = mix_of(k, p);
        double own = m.add + m.mul + 2 * m.fma;
        if (own > most_flop) most = precisions[p].fused;
        most_flop = fmax(most_flop, own);
    }
    for (size_t t = 0; t < COUNT(tensors); t++) {
        if (k->of[tensors[t].flop] > most_flop) most = tensors[t].rate;
        most_flop = fmax(most_flop, k->of[tensors[t].flop]);
    }
    return most_flop > 0 ? rate(&r, most) : LANES * rate(&r, RATE_ISSUE);
}

/* Device memory's bytes/s: that of writes where the kernel next to only writes. */
static double dram_rate(const struct project_kernel *k, struct rates *r) {
    double read = k->of[METRIC_DRAM_READ], all = read + k->of[METRIC_DRAM_WRITE];
    return rate(r, all > 0 && read <= only_writes * all ? RATE_DRAM_WRITE : RATE_DRAM);
}

/* (4) and (5): seconds of the bytes at each level. Shared memory without a count of its passes
 * counts as free of conflicts. Notes unknown rates in *r. */
static struct roofline_times times_of(const struct project_kernel *k,
                                      const struct roofline_served *bytes, struct rates *r) {
    struct roofline_times t = {
        .of = {[ROOFLINE_L1] = roofline_level_time(bytes->of[ROOFLINE_L1], rate(r, RATE_L1)),
               [ROOFLINE_L2] = roofline_level_time(bytes->of[ROOFLINE_L2], rate(r, RATE_L2)),
               [ROOFLINE_DRAM] = roofline_level_time(bytes->of[ROOFLINE_DRAM], dram_rate(k, r))}};
    double passes = fmax(k->of[METRIC_SHARED_PASSES], bytes->shared / SHARED_BYTES_PER_CYCLE);
    if (bytes->shared > 0)
        t.shared = roofline_shared_time(bytes->shared, bytes->shared / passes,
                                        rate(r, RATE_SHARED));
    return t;
}

/* Fills *out with the kernel's roofs on `gpu`: ceilings, intensities, and the lowest roof as the
 * bound. `source`: the GPU of the measurements, for rates of which only the peak is known. @return
 * HEDDLE_ERR_CONFIG: nothing is known of a rate that the kernel needs; *out is then incomplete. */
heddle_err roofs_make(struct project_roofs *out, const struct project_kernel *k,
                      const struct capability *gpu, const struct capability *source,
                      struct heddle_diag *diag) {
    static const enum project_bound bounds[] = {BOUND_L1, BOUND_L2, BOUND_DRAM};
    struct rates rates = {.gpu = gpu, .source = source, .unknown = NUM_RATES};
    struct roofline_served bytes = roofs_served(k);
    struct roofline_times t = times_of(k, &bytes, &rates);
    double passing[ROOFLINE_LEVELS], behind = 0, operations = roofs_count(k);
    *out = (struct project_roofs){.performance = ceiling(k, &rates), .bound = BOUND_COMPUTE};
    double lowest = out->performance;
    if (rates.unknown != NUM_RATES)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "kernel %s (launch %llu): no %s_peak or %s_max of %s is known", k->name,
                           (unsigned long long)k->launch, capability_rate_key(rates.unknown),
                           capability_rate_key(rates.unknown), *gpu->name ? gpu->name : "the GPU");
    /* Summed up from the last level, so that no rounding is left where no byte passes. */
    for (int i = ROOFLINE_LEVELS - 1; i >= 0; i--) {
        behind += bytes.of[i];
        passing[i] = behind + (i == ROOFLINE_L1 ? bytes.shared : 0);
    }
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        out->bandwidth[i] = roofline_bandwidth_ceiling((enum roofline_level)i, &bytes, &t);
        out->intensity[i] = roofline_intensity(operations, passing[i]);
        out->roof[i] = passing[i] > 0
                           ? roofline_at(out->intensity[i], out->bandwidth[i], out->performance)
                           : out->performance;
        lowest = fmin(lowest, out->roof[i]);
    }
    for (int i = 0; i < ROOFLINE_LEVELS; i++)
        if (out->roof[i] < out->performance && out->roof[i] <= same_roof * lowest)
            out->bound = bounds[i];
    if (out->bound == BOUND_L1 && t.shared > t.of[ROOFLINE_L1] && t.shared > t.of[ROOFLINE_L2] &&
        t.shared > t.of[ROOFLINE_DRAM])
        out->bound = BOUND_SHARED;
    return HEDDLE_OK;
}
