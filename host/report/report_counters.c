/* report_counters.c - the figures of a launch that profilers show, from its record and the GPU's
 * parameters: occupancy, coalescing, throughputs, pipes; and instructions.csv. The table
 * kernel_record.def names these functions. All are pure but the last one; functions that return
 * json_t return a new object that the caller owns. */
#include <stdlib.h>
#include <string.h>

#include "common/occupancy.h"
#include "report/report_internal.h"

/* Whether the core counted the launch. */
static bool is_counted(const struct gpu_kernel_record *k) {
    return k->sub_core_cycles != 0;
}

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

/* Sets a member to a number, or to null if it is undefined. */
static void put(json_t *o, const char *name, double x) {
    json_object_set_new(o, name, report_number(x));
}

/* ---- occupancy */

double theoretical_occupancy(const struct report *r, const struct gpu_kernel_record *k) {
    enum { WARP = 32 };
    const uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
    const uint64_t warps = (threads + WARP - 1) / WARP * k->resident_ctas;
    return warps ? ratio((double)warps, (double)r->config->sm_warps) : NAN;
}

double achieved_occupancy(const struct report *r, const struct gpu_kernel_record *k) {
    return ratio((double)k->warp_cycles, (double)k->sm_cycles * (double)r->config->sm_warps);
}

json_t *occupancy_object(const struct report *r, const struct gpu_kernel_record *k) {
    json_t *o = json_object();
    put(o, "theoretical", theoretical_occupancy(r, k));
    put(o, "achieved", achieved_occupancy(r, k));
    json_object_set_new(o, "limiter",
                        k->resident_ctas
                            ? json_string(occupancy_limit_name((occupancy_limit)k->occupancy_limit))
                            : json_null());
    return o;
}

/* ---- throughputs */

double bytes_per_s(const struct report *r, const struct gpu_kernel_record *k, uint64_t bytes) {
    return ratio((double)bytes, (double)k->counted_cycles / (r->config->clock_core_mhz * 1e6));
}

double l1_throughput(const struct report *r, const struct gpu_kernel_record *k) {
    return ratio(bytes_per_s(r, k, SECTOR_BYTES * k->l1_accesses), report_peak_l1(r->config));
}

double l2_throughput(const struct report *r, const struct gpu_kernel_record *k) {
    return ratio(bytes_per_s(r, k, SECTOR_BYTES * k->l2_accesses), report_peak_l2(r->config));
}

double dram_throughput(const struct report *r, const struct gpu_kernel_record *k) {
    return ratio(bytes_per_s(r, k, k->dram_read_bytes + k->dram_write_bytes),
                 report_peak_dram(r->config));
}

json_t *throughput_object(const struct report *r, const struct gpu_kernel_record *k) {
    if (!is_counted(k)) return json_null();
    json_t *o = json_object();
    put(o, "l1", l1_throughput(r, k));
    put(o, "l2", l2_throughput(r, k));
    put(o, "dram", dram_throughput(r, k));
    return o;
}

/* ---- accesses */

static const char *const kinds[EXEC_ACCESS_KINDS] = {
#define ACCESS(id, name, meaning) name,
#include "tables/access_kinds.def"
};

double sectors_per_request(const struct gpu_kernel_record *k, enum exec_access_kind kind) {
    return ratio((double)k->access_sectors[kind], (double)k->access_requests[kind]);
}

json_t *sectors_per_request_object(const struct gpu_kernel_record *k) {
    if (!is_counted(k)) return json_null();
    json_t *o = json_object();
    for (unsigned i = 0; i < EXEC_ACCESS_KINDS; i++)
        put(o, kinds[i], sectors_per_request(k, (enum exec_access_kind)i));
    return o;
}

json_t *accesses_object(const struct gpu_kernel_record *k) {
    if (!is_counted(k)) return json_null();
    json_t *o = json_object();
    for (unsigned i = 0; i < EXEC_ACCESS_KINDS; i++) {
        json_t *kind = json_object();
        json_object_set_new(kind, "requests", report_integer(k->access_requests[i]));
        json_object_set_new(kind, "sectors", report_integer(k->access_sectors[i]));
        json_object_set_new(kind, "excess_sectors", report_integer(k->access_excess[i]));
        json_object_set_new(o, kinds[i], kind);
    }
    return o;
}

/* ---- instructions */

double branch_efficiency(const struct gpu_kernel_record *k) {
    const uint64_t divided = k->divergent_branches < k->branches ? k->divergent_branches
                                                                 : k->branches;
    return ratio((double)(k->branches - divided), (double)k->branches);
}

double pipe_utilization(const struct gpu_kernel_record *k, mir_pipe pipe) {
    return ratio((double)k->pipe_cycles[pipe], (double)k->sub_core_cycles);
}

double stage_utilization(const struct report *r, const struct gpu_kernel_record *k) {
    return ratio((double)k->stage_cycles * (double)r->config->sm_subcores,
                 (double)k->sub_core_cycles);
}

static const struct {
    const char *name;
    mir_pipe pipe;
} pipes[] = {{"int", MIR_PIPE_INT},       {"fma", MIR_PIPE_FP32},  {"fp64", MIR_PIPE_FP64},
             {"fp16", MIR_PIPE_FP16},     {"sfu", MIR_PIPE_SFU},   {"tensor", MIR_PIPE_TENSOR},
             {"branch", MIR_PIPE_BRANCH}, {"sreg", MIR_PIPE_SREG}, {"mio", MIR_PIPE_MIO}};
enum { PIPES = sizeof pipes / sizeof *pipes };

const char *pipe_name(mir_pipe pipe) {
    unsigned i = 0;
    while (i + 1 < PIPES && pipes[i].pipe != pipe) i++;
    return pipes[i].name;
}

json_t *pipes_object(const struct report *r, const struct gpu_kernel_record *k) {
    if (!is_counted(k)) return json_null();
    json_t *o = json_object();
    for (unsigned i = 0; i < PIPES; i++) put(o, pipes[i].name, pipe_utilization(k, pipes[i].pipe));
    put(o, "memory_stage", stage_utilization(r, k));
    return o;
}

/* ---- terminal: a line for each kernel; columns without a value are left out */

enum counter_column { OCCUPANCY, LOAD, STORE, CONFLICTS, OF_L1, OF_L2, OF_DRAM, LANES, COLUMNS };

/* The values of a line; NAN: none. */
static void columns(const struct report *r, const struct gpu_kernel_record *k,
                    double out[COLUMNS]) {
    out[OCCUPANCY] = 100 * achieved_occupancy(r, k);
    out[LOAD] = sectors_per_request(k, EXEC_ACCESS_GLOBAL_LOAD);
    out[STORE] = sectors_per_request(k, EXEC_ACCESS_GLOBAL_STORE);
    out[CONFLICTS] = 100 * ratio((double)k->conflict_passes, (double)k->shared_passes);
    out[OF_L1] = 100 * l1_throughput(r, k);
    out[OF_L2] = 100 * l2_throughput(r, k);
    out[OF_DRAM] = 100 * dram_throughput(r, k);
    out[LANES] = hit_rate(mir_all_kinds(k->thread_inst), k->warp_inst);
}

void counters_print(const struct report *r, FILE *out) {
    static const char *const heads[COLUMNS] = {"occupancy %", "sectors/load", "sectors/store",
                                               "conflicts %", "L1 %",         "L2 %",
                                               "DRAM %",      "lanes"};
    struct report_sums list;
    bool some[COLUMNS] = {false}, any = false;
    double value[COLUMNS];
    report_sums(r, &list);
    size_t shown = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!is_counted(&list.of[i].k)) continue;
        columns(r, &list.of[i].k, value);
        for (unsigned c = 0; c < COLUMNS; c++) some[c] |= isfinite(value[c]) && value[c] != 0;
        any = true;
    }
    if (any) {
        report_print_name("Use of the hardware", out);
        for (unsigned c = 0; c < COLUMNS; c++)
            if (some[c]) fprintf(out, "  %s", heads[c]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < list.count && shown < REPORT_MOST_LINES; i++) {
        if (!is_counted(&list.of[i].k)) continue;
        shown++;
        report_print_name(list.of[i].k.name, out);
        columns(r, &list.of[i].k, value);
        for (unsigned c = 0; c < COLUMNS; c++) {
            const int width = (int)strlen(heads[c]);
            if (!some[c]) continue;
            if (isfinite(value[c]))
                fprintf(out, "  %*.1f", width, value[c]);
            else
                fprintf(out, "  %*s", width, "-");
        }
        fputc('\n', out);
    }
    free(list.of);
}
