/* demand.c - works out what a kernel asks of a GPU: seconds of each resource, CTAs that an SM
 * holds, waves and latencies; see demand.h. heddle_model.c calls demand_make() for source and
 * target of each kernel, and l1_term.c demand_l1_data(), on the main thread of `heddle project`.
 * Functions read the kernel's metrics and the GPU's capabilities and write only their results, *w's
 * notes and the text in *diag. */
#include "project/demand.h"

#include <math.h>

#include "common/occupancy.h"
#include "project/roofs.h"

enum {
    LANES = 32,
    /* Widest path from L2 to one SM, bytes a cycle: each SM of a GPU that few CTAs occupy gets no
     * more (gpu-benches gpu-l2-cache: V100 to H200 reach 60 to 64). */
    SM_BYTES = 64,
};
static const double L2_TURN = 1.25; /* cycles: H100, models/gpus/measured/h100-sxm/probes.csv */

/* A kernel's demand while it is worked out. */
struct working {
    const struct project_kernel *k;
    const struct capability *gpu, *source;
    const struct project_terms *terms;
    enum capability_rate unknown; /* a rate that the kernel needs; NUM_RATES: all are known */
    bool by_peak;
};

/* A rate in SI units. Notes in `w` when it is not known, or only from a peak. */
static double rate(struct working *w, enum capability_rate r) {
    enum capability_origin origin;
    double value = capability_rate(w->gpu, w->source, r, &origin);
    if (origin == ORIGIN_NONE && w->unknown == NUM_RATES) w->unknown = r;
    w->by_peak |= origin != ORIGIN_MEASURED;
    return value;
}

/* Seconds of `operations` at a rate; 0 where there are none, whatever the rate. */
static double seconds(struct working *w, double operations, enum capability_rate r) {
    return operations > 0 ? operations / rate(w, r) : 0;
}

/* Seconds of the busiest arithmetic pipe with `active` lanes (1 to 32) in the mean instruction;
 * tensor operations fill all lanes. Precisions have pipes of their own. Notes unknown rates in
 * *w. */
static double compute_seconds(struct working *w, double active) {
    static const struct {
        enum project_metric add, mul, fma;
        enum capability_rate fused, separate;
    } pipes[] = {
        {METRIC_FP16_ADD, METRIC_FP16_MUL, METRIC_FP16_FMA, RATE_FP16_FMA, RATE_FP16_ADD},
        {METRIC_FP32_ADD, METRIC_FP32_MUL, METRIC_FP32_FMA, RATE_FP32_FMA, RATE_FP32_ADD},
        {METRIC_FP64_ADD, METRIC_FP64_MUL, METRIC_FP64_FMA, RATE_FP64_FMA, RATE_FP64_ADD},
    };
    const double *of = w->k->of;
    double most = 0, lanes = active / LANES;
    for (unsigned i = 0; i < sizeof pipes / sizeof *pipes; i++)
        most = fmax(most, (seconds(w, 2 * of[pipes[i].fma], pipes[i].fused) +
                           seconds(w, of[pipes[i].add] + of[pipes[i].mul], pipes[i].separate)) /
                              lanes);
    most = fmax(most, seconds(w, of[METRIC_INTEGER], RATE_INT32) / lanes);
    most = fmax(most, seconds(w, of[METRIC_SPECIAL], RATE_SPECIAL) / lanes);
    most = fmax(most, seconds(w, of[METRIC_TENSOR_FP16], RATE_TENSOR_FP16));
    return fmax(most, seconds(w, of[METRIC_TENSOR_FP64], RATE_TENSOR_FP64));
}

/* Seconds of device memory. Known are the bandwidths of reads alone, of two reads to a write
 * (STREAM triad), and of writes alone; between them, the time of a byte is linear in the share of
 * writes. */
static double dram_seconds(struct working *w) {
    static const double triad_share = 1.0 / 3;
    double write = w->k->of[METRIC_DRAM_WRITE], all = w->k->of[METRIC_DRAM_READ] + write;
    if (all <= 0) return 0;
    double triad = 1 / rate(w, RATE_DRAM), share = write / all;
    if (w->terms->off[TERM_WRITES]) return all * triad;
    double end = 1 / rate(w, share < triad_share ? RATE_DRAM_READ : RATE_DRAM_WRITE);
    double way = share < triad_share ? (triad_share - share) / triad_share
                                     : (share - triad_share) / (1 - triad_share);
    return all * (triad + way * (end - triad));
}

/* CTAs of the kernel that an SM of `gpu` holds when it has `shared` bytes of shared memory
 * (INFINITY: the most that the GPU may have). 0: none fits. */
static double resident_with(const struct project_kernel *k, const struct capability *gpu,
                            double shared) {
    const struct capability_value *of = gpu->property;
    uint64_t bytes = (uint64_t)fmin(shared, of[GPU_SHARED_MOST].value);
    const struct config limits = {
        .sm_warps = (uint64_t)of[GPU_WARPS].value,
        .sm_ctas = (uint64_t)of[GPU_MOST_CTAS].value,
        .sm_subcores = (uint64_t)of[GPU_SUBCORES].value,
        .sm_registers = (uint64_t)of[GPU_REGISTERS].value,
        .sm_registers_per_cta = (uint64_t)of[GPU_REGISTERS].value,
        .sm_registers_per_thread = UINT64_MAX,
        .sm_register_unit = (uint64_t)of[GPU_REGISTER_UNIT].value,
        .sm_warp_unit = (uint64_t)of[GPU_WARP_UNIT].value,
        .sm_shared_bytes = bytes,
        .sm_shared_per_cta_optin = bytes,
        .sm_shared_reserved = (uint64_t)of[GPU_SHARED_RESERVED].value,
        .sm_shared_unit = (uint64_t)of[GPU_SHARED_UNIT].value,
    };
    const struct occupancy_need need = {
        .threads = (uint32_t)k->of[METRIC_CTA_THREADS],
        .registers = (uint32_t)k->of[METRIC_REGISTERS],
        .shared_bytes = (uint64_t)k->of[METRIC_CTA_SHARED],
    };
    return occupancy_ctas(&limits, &need, NULL);
}

/* CTAs of the kernel that an SM holds. The driver configures shared memory so that most CTAs fit,
 * unless the program asks for another size. It has asked when its size limited the CTAs on the
 * source, and then it does so on every GPU. */
static double resident_ctas(const struct working *w) {
    double config = w->k->of[METRIC_SHARED_CONFIG];
    double with = resident_with(w->k, w->source, config);
    bool asked = w->k->known[METRIC_SHARED_CONFIG] && with >= 1 &&
                 with < resident_with(w->k, w->source, INFINITY);
    return resident_with(w->k, w->gpu, asked ? config : INFINITY);
}

/* @return bytes of an SM's L1 on `gpu` that hold data while the kernel's CTAs are resident: the
 * unified memory without the shared memory that the driver configures. `source`: the GPU of the
 * measurements. */
double demand_l1_data(const struct project_kernel *k, const struct capability *gpu,
                      const struct capability *source) {
    /* KiB of shared memory that an SM may be configured to have (CUDA programming guide, table of
     * compute capabilities), as far as the GPU has so much. Its greatest size is one as well. */
    static const double steps[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    const struct working w = {.k = k, .gpu = gpu, .source = source};
    const struct capability_value *of = gpu->property;
    double unit = of[GPU_SHARED_UNIT].value, cta = k->of[METRIC_CTA_SHARED];
    double each = unit > 0 ? ceil((cta + of[GPU_SHARED_RESERVED].value) / unit) * unit : 0;
    double need = each > 0 ? each * resident_ctas(&w) : 0;
    need = fmax(need, capability_property(gpu, GPU_SHARED_LEAST, 0));
    double most = of[GPU_SHARED_MOST].value, shared = most;
    for (unsigned i = 0; i < sizeof steps / sizeof *steps && shared == most; i++)
        if (steps[i] * 1024 >= need) shared = fmin(most, steps[i] * 1024);
    return of[GPU_UNIFIED].value - shared;
}

/* Seconds of L1 with `active` lanes in the mean instruction, without shared memory. L1 moves its
 * bytes, and its load/store lanes take the addresses of each access. A GPU with fewer than 32 lanes
 * needs several cycles for an access; the max of its bandwidth was measured with narrow ones, so
 * its peak, if known, is taken for the bytes. Each line that an access touches takes a cycle of the
 * tags. Where accesses are not counted, those of few active lanes take as long as full ones. With
 * TERM_LANES off, only the bytes count. */
static double l1_seconds(struct working *w, double active) {
    double bytes = w->k->of[METRIC_L1_BYTES];
    const struct capability_value *of = w->gpu->property;
    if (w->terms->off[TERM_LANES]) return seconds(w, bytes, RATE_L1);
    if (!w->k->known[METRIC_L1_REQUESTS]) return seconds(w, bytes, RATE_L1) * LANES / active;
    double lsu = capability_property(w->gpu, GPU_LSU, LANES), peak = w->gpu->peak[RATE_L1].value;
    double move = lsu < LANES && w->gpu->peak[RATE_L1].known ? bytes / peak
                                                             : seconds(w, bytes, RATE_L1);
    double cycles = fmax(w->k->of[METRIC_L1_REQUESTS] * fmax(1, LANES / lsu),
                         w->k->of[METRIC_L1_LINES]);
    return fmax(move, cycles / (of[GPU_SMS].value * of[GPU_CLOCK].value * 1e6));
}

/* The load of the busiest SM over the mean load: CTAs are whole. 1 with TERM_WAVES off. */
static double imbalance(const struct working *w) {
    double each = w->k->of[METRIC_CTAS] / w->gpu->property[GPU_SMS].value;
    return w->terms->off[TERM_WAVES] || each <= 0 ? 1 : ceil(each) / each;
}

/* Sets d->latency, the mean latency of a load in cycles by the places that serve the kernel's
 * bytes, and d->latency_known: false where a level that serves bytes has no known latency, or there
 * are no bytes. */
static void set_latency(struct demand *d, const struct working *w) {
    static const enum capability_property levels[] = {GPU_L1_LATENCY, GPU_L2_LATENCY,
                                                      GPU_DRAM_LATENCY};
    struct roofline_served bytes = roofs_served(w->k);
    double sum = 0, all = 0;
    d->latency_known = true;
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        if (bytes.of[i] <= 0) continue;
        d->latency_known &= w->gpu->property[levels[i]].known;
        sum += bytes.of[i] * w->gpu->property[levels[i]].value;
        all += bytes.of[i];
    }
    d->latency_known &= all > 0;
    d->latency = d->latency_known ? sum / all : 0;
}

/* An arithmetic instruction takes its issue slot and its pipe in the same cycles: arithmetic and
 * issue are one resource, as slow as the slower of them. */
static void leave_longer(struct demand *d) {
    double *compute = &d->seconds[BOUND_COMPUTE], *issue = &d->seconds[BOUND_ISSUE];
    *(*compute < *issue ? compute : issue) = 0;
}

/* Fills *out with the kernel's demand on `gpu`; `source`: the GPU of the measurements, for rates of
 * which only the peak is known. Terms that are off in *terms are left out. The kernel has thread
 * and warp instructions. @return HEDDLE_ERR_LAUNCH: a CTA does not fit an SM; HEDDLE_ERR_CONFIG:
 * nothing is known of a rate that the kernel needs. *out is then incomplete. */
heddle_err demand_make(struct demand *out, const struct project_kernel *k,
                       const struct capability *gpu, const struct capability *source,
                       const struct project_terms *terms, struct heddle_diag *diag) {
    struct working w = {.k = k, .gpu = gpu, .source = source, .terms = terms, .unknown = NUM_RATES};
    double active = k->of[METRIC_THREAD_INST] / k->of[METRIC_WARP_INST];
    double sms = gpu->property[GPU_SMS].value, uneven = imbalance(&w);
    *out = (struct demand){.clock = gpu->property[GPU_CLOCK].value * 1e6,
                           .replace = capability_property(gpu, GPU_REPLACE, 0)};
    out->resident = resident_ctas(&w);
    if (out->resident < 1)
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                           "kernel %s (launch %llu): a CTA of %g threads with %g registers each "
                           "and %g bytes of shared memory does not fit an SM of %s",
                           k->name, (unsigned long long)k->launch, k->of[METRIC_CTA_THREADS],
                           k->of[METRIC_REGISTERS], k->of[METRIC_CTA_SHARED], gpu->name);
    out->waves = k->of[METRIC_CTAS] / (sms * out->resident);
    out->waves = terms->off[TERM_WAVES] ? out->waves : fmax(1, ceil(out->waves));
    set_latency(out, &w);
    out->shared_latency = capability_property(gpu, GPU_SHARED_LATENCY, 0);
    out->shared_seconds = k->of[METRIC_SHARED_PASSES] / (sms * out->clock) * uneven;
    out->seconds[BOUND_COMPUTE] = compute_seconds(&w, active) * uneven;
    out->seconds[BOUND_ISSUE] = seconds(&w, k->of[METRIC_WARP_INST], RATE_ISSUE) * uneven;
    out->seconds[BOUND_L1] = l1_seconds(&w, active) * uneven + out->shared_seconds;
    out->seconds[BOUND_L2] = fmax(seconds(&w, k->of[METRIC_L2_BYTES], RATE_L2),
                                  k->of[METRIC_L2_BYTES] / (sms * SM_BYTES * out->clock) * uneven);
    out->seconds[BOUND_DRAM] = dram_seconds(&w);
    if (!terms->off[TERM_ATOMICS])
        out->seconds[BOUND_ATOMICS] = k->of[METRIC_ATOMIC_TURNS] *
                                      capability_property(gpu, GPU_L2_TURN, L2_TURN) / out->clock;
    if (!terms->off[TERM_LAUNCH])
        out->dispatch = k->of[METRIC_CTAS] * capability_property(gpu, GPU_LAUNCH_CTA, 0) /
                        out->clock;
    if (!terms->off[TERM_ISSUE]) leave_longer(out);
    out->by_peak = w.by_peak;
    if (w.unknown == NUM_RATES) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "kernel %s (launch %llu): no %s_peak or %s_max of %s is known", k->name,
                       (unsigned long long)k->launch, capability_rate_key(w.unknown),
                       capability_rate_key(w.unknown), gpu->name);
}
