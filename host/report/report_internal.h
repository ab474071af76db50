/* report_internal.h - sums, ratios and functions shared by the files of host/report. */
#ifndef HEDDLE_REPORT_REPORT_INTERNAL_H
#define HEDDLE_REPORT_REPORT_INTERNAL_H

#include <jansson.h>
#include <math.h>

#include "common/packed_lines.h"
#include "common/wall_time.h"
#include "report/report.h"

/* Hits per access; NAN when there was none. */
static inline double hit_rate(uint64_t hits, uint64_t accesses) {
    return accesses ? (double)hits / (double)accesses : NAN;
}

/* Warp instructions per cycle of the execution, launch overhead left out; NAN with timing off. */
static inline double kernel_ipc(const struct gpu_kernel_record *k) {
    uint64_t cycles = k->untimed ? 0 : k->cycles - k->launch_cycles;
    return cycles ? (double)k->warp_inst / (double)cycles : NAN;
}

/* Bytes per second of device memory during the execution; NAN with timing off. */
static inline double kernel_bandwidth(const struct gpu_kernel_record *k, double core_mhz) {
    double seconds = (double)k->counted_cycles / (core_mhz * 1e6);
    return seconds > 0 ? (double)(k->dram_read_bytes + k->dram_write_bytes) / seconds : NAN;
}

/* The sum of the launches of a kernel that have the same shape, resources and way of timing.
 * sum.end_ps is the time spent in them; sum.launch and members that are not summed are those of the
 * first. */
struct report_group {
    struct gpu_kernel_record sum; /* owns its name and special operations */
    uint64_t launches;
    char *csv_name; /* in quotes, for CSV */
};
/* A compressed file of the report. */
struct report_packed {
    struct packed_writer *writer; /* NULL: there is none, or it has ended */
    uint64_t rows;                /* without the head */
    uint32_t sum;                 /* CRC-32C of the text */
    bool ended;                   /* it is there */
};
/* The first and the last REPORT_KEPT elements of a GPU's launches or copies. */
struct report_kept {
    char *of; /* the first ones, then a ring of the last ones */
    size_t capacity;
    uint64_t count; /* of all */
};
struct report_launches {
    struct report head; /* configuration and timing, for values that are derived from them */
    struct report_group *group; /* in the order of their first launches */
    size_t num_groups, cap_groups;
    uint32_t *slot;                             /* a hash table: index of a group + 1, or 0 */
    size_t num_slots, recent;                   /* recent: the group that was used last */
    struct report_kept *kernels_of, *copies_of; /* by device */
    size_t num_devices, cap_kernels_of, cap_copies_of;
    uint64_t count, num_all_copies;
    struct report_packed kernels_file, copies_file;
    /* set by report_launches_list(): those kept, device after device */
    struct gpu_kernel_record *kernels;
    struct gpu_copy_record *copies;
    size_t num_kernels, num_copies;
};
/* @return whether every launch is in l->kernels. */
static inline bool report_has_all(const struct report_launches *l) {
    return l->num_kernels == l->count;
}

#define SUM_ADD(member) sum->member += k->member;
#define SUM_OR(member) sum->member |= k->member;
#define SUM_EACH(member)                                              \
    for (size_t n = 0; n < sizeof k->member / sizeof *k->member; n++) \
        sum->member[n] += k->member[n];
#define SUM_NONE(member)
#define MEMBER(type, member, array, how, name, form, csv, unit, meaning) SUM_##how(member)
#define DERIVED(name, form, value, csv, unit, meaning)
/* Adds a launch to a sum, each member as tables/kernel_record.def says. One untimed launch makes
 * the sum untimed: its instructions are counted and its cycles are not, so there is no IPC. */
static inline void report_add(struct gpu_kernel_record *sum, const struct gpu_kernel_record *k) {
#define SUM_SPAN(member) sum->member += k->end_ps - k->start_ps;
#include "tables/kernel_record.def"
#undef SUM_SPAN
}
#define MEMBER(type, member, array, how, name, form, csv, unit, meaning) SUM_##how(member)
#define DERIVED(name, form, value, csv, unit, meaning)
/* Adds a sum to a sum. */
static inline void report_merge(struct gpu_kernel_record *sum, const struct gpu_kernel_record *k) {
#define SUM_SPAN(member) sum->member += k->member;
#include "tables/kernel_record.def"
#undef SUM_SPAN
}
#undef SUM_ADD
#undef SUM_OR
#undef SUM_EACH
#undef SUM_NONE

/* Adds the instructions of a launch or sum that have most of a count to those of a sum of the same
 * code. */
static inline void report_add_spots(struct gpu_kernel_record *sum,
                                    const struct gpu_kernel_record *k) {
    if (sum->code != k->code) return;
    for (unsigned s = 0; s < CODE_SPOTS; s++) {
        if (sum->spot[s] == k->spot[s]) {
            sum->spot_most[s] += k->spot_most[s];
        } else if (k->spot_most[s] > sum->spot_most[s]) {
            sum->spot[s] = k->spot[s];
            sum->spot_most[s] = k->spot_most[s];
        }
    }
}

/* Wall time of the run up to now. */
static inline double report_wall_s(const struct report *r) {
    return r->begin > 0 ? wall_seconds() - r->begin : r->wall_s;
}

/* Sums all launches of a report. */
static inline void report_sum(const struct report *r, struct gpu_kernel_record *sum) {
    *sum = (struct gpu_kernel_record){0};
    for (size_t i = 0; i < r->launches->num_groups; i++)
        report_merge(sum, &r->launches->group[i].sum);
}

/* Warp instructions that this run simulated per second of its wall time; without a wall time: NAN.
 * Those before the checkpoint that it was resumed from are not its own. */
static inline double report_rate(const struct gpu_kernel_record *sum, double wall_s) {
    return wall_s > 0 ? (double)(sum->warp_inst - sum->replayed_warp_inst) / wall_s : NAN;
}
static inline double report_ptx_rate(const struct gpu_kernel_record *sum, double wall_s) {
    return wall_s > 0 ? (double)(sum->ptx_warp_inst - sum->replayed_ptx_warp_inst) / wall_s : NAN;
}

/* Writes kernels.csv's head into out[size]; a line for a launch, with its name in quotes, and
 * without a newline. @return its length. `out` has room for REPORT_ROW bytes and the name. */
enum { REPORT_ROW = 2000 };
size_t report_csv_head(char *out, size_t size);
size_t report_csv_row(const struct report *r, const struct gpu_kernel_record *k,
                      const char *csv_name, char *out);
/* Writes a name in quotes; `out` has room for twice its length and 3. */
void report_csv_quote(const char *name, char *out);
/* New JSON values; JSON has no NAN or infinity: null stands for them. */
static inline json_t *report_number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}
static inline json_t *report_integer(uint64_t x) {
    return json_integer((json_int_t)x);
}
/* A launch as a new JSON object (report_object.c). */
json_t *report_kernel_object(const struct report *r, const struct gpu_kernel_record *k);
/* The name of a kind of copy. */
const char *report_copy_kind(gpu_copy_kind kind);

/* The parts of the CPI stack in the order of output: part 0 is the cycles that issue an
 * instruction, the others are waits. */
enum { CPI_PARTS = CORE_NUM_WAITS + 1 };
const char *cpi_name(unsigned part);    /* name in report.json */
const char *cpi_meaning(unsigned part); /* a few words */
const char *cpi_colour(unsigned part);  /* "#rrggbb" (tables/cpi_colours.def) */
uint64_t cpi_cycles(const struct gpu_kernel_record *k, unsigned part);

/* The launches of a kernel name, summed; k->name is theirs, k->grid and block those of the first.
 * */
struct report_name {
    struct gpu_kernel_record k;
    uint64_t launches;
    bool grids, blocks; /* they have several */
};
struct report_sums {
    struct report_name *of;
    size_t count;
};
/* Fills *list, in the order of the first launches. The caller frees list->of. */
void report_sums(const struct report *r, struct report_sums *list);
/* The same with a sum for each kernel name and GPU. */
void report_gpu_sums(const struct report *r, struct report_sums *list);
/* The same with a sum for each configuration: kernel, GPU, grid and block. */
void report_configurations(const struct report *r, struct report_sums *list);
/* A sum's name; behind it grid and block, where the list has the kernel in several configurations,
 * and the GPU, where the run has several: "axpy 640 x 256 GPU 1". The caller frees it. */
char *report_configuration_name(const struct report *r, const struct report_sums *list, size_t i);
/* Writes a grid or block, "4x2". */
void report_shape(char *out, size_t size, const uint32_t v[3]);
/* Prints a kernel's name in a table, padded or cut to REPORT_NAME characters. */
enum { REPORT_NAME = 28, REPORT_MOST_LINES = 24 };
void report_print_name(const char *name, FILE *out);
void report_csv_name(const char *name, FILE *f); /* writes it in quotes, for CSV */

/* Launches that were stopped before their end, behind the table. */
void stopped_print(const struct report *r, FILE *out);
/* Kernels that were given up (r->interrupted). */
void interrupted_print(const struct report *r, FILE *out);
json_t *interrupted_array(const struct report *r);

/* Kernel sampling (r->sampling); nothing, or null, without it. */
void report_sample_print(const struct report *r, FILE *out);
void report_sample_write_csv(const struct report *r, FILE *f);
json_t *report_sample_object(const struct report *r);

/* The instruction mix (report_mix.c). */
void mix_print(const struct report *r, FILE *out);
void mix_write_csv(const struct report *r, FILE *f);
json_t *mix_object(const struct gpu_kernel_record *k);
json_t *operations_object(const struct gpu_kernel_record *k);

/* What profilers count (report_counters.c). Ratios are NAN, objects null, where nothing was
 * counted. */
enum { SECTOR_BYTES = 32 };
double theoretical_occupancy(const struct report *r, const struct gpu_kernel_record *k);
double achieved_occupancy(const struct report *r, const struct gpu_kernel_record *k);
double bytes_per_s(const struct report *r, const struct gpu_kernel_record *k, uint64_t bytes);
double l1_throughput(const struct report *r, const struct gpu_kernel_record *k);
double l2_throughput(const struct report *r, const struct gpu_kernel_record *k);
double dram_throughput(const struct report *r, const struct gpu_kernel_record *k);
double sectors_per_request(const struct gpu_kernel_record *k, enum exec_access_kind kind);
double branch_efficiency(const struct gpu_kernel_record *k);
const char *pipe_name(mir_pipe pipe); /* as in report.json */
double pipe_utilization(const struct gpu_kernel_record *k, mir_pipe pipe);
double stage_utilization(const struct report *r, const struct gpu_kernel_record *k);
json_t *occupancy_object(const struct report *r, const struct gpu_kernel_record *k);
json_t *throughput_object(const struct report *r, const struct gpu_kernel_record *k);
json_t *sectors_per_request_object(const struct gpu_kernel_record *k);
json_t *accesses_object(const struct gpu_kernel_record *k);
json_t *pipes_object(const struct report *r, const struct gpu_kernel_record *k);
/* Energy in nJ and average power in W; NAN: not known (report_power.c). */
double power_energy(const struct report *r, const struct gpu_kernel_record *k);
double power_average(const struct report *r, const struct gpu_kernel_record *k);
json_t *power_object(const struct report *r, const struct gpu_kernel_record *k);
json_t *power_run_object(const struct report *r); /* of all launches, or why there is none */
/* Prints a line for the run, and with r->power_table a table of the kernels. */
void power_print(const struct report *r, FILE *out);
/* Prints a table of them, a line for each kernel. */
void counters_print(const struct report *r, FILE *out);

/* The kernels whose instructions were counted, in the order of instructions.csv (report_code.c). */
struct report_counted {
    const struct code_profile **of;
    uint32_t *device;
    size_t count;
};
void report_counted_list(const struct report *r, struct report_counted *list);
void report_counted_free(struct report_counted *list);
/* The number of a launch's kernel among them; null: its instructions were not counted. */
json_t *report_code_number(const struct report_counted *list, const struct gpu_kernel_record *k);
/* Of instructions.csv. */
struct report_instructions {
    struct report_packed file; /* rows, and CRC-32C of the text; not compressed */
    bool issues;               /* the cores told of each issue: what follows from time is counted */
};
/* Writes instructions.csv: a row for each instruction of each kernel. */
void report_instructions_write(const struct report_counted *list, FILE *f,
                               struct report_instructions *out);
/* Writes code.txt.zst. @return HEDDLE_ERR_IO, with text in diag. */
heddle_err report_code_write(const struct report *r, const struct report_counted *list,
                             const char *directory, struct report_packed *out,
                             struct heddle_diag *diag);
/* What report_write() has written before report.json. */
struct report_written {
    struct report_counted counted;
    struct report_instructions instructions;
    struct report_packed code;
};

/* Bytes per second at most (report_peaks.c), and all peaks of the GPU as an object; null: it has no
 * such unit. */
double report_peak_l1(const struct config *c);
double report_peak_l2(const struct config *c);
double report_peak_dram(const struct config *c);
json_t *report_peaks_object(const struct config *c);
/* The GPU's parameters, an object each (report_parameters.c). */
json_t *report_parameters_array(const struct config *c);

/* The CPI stack (report_cpi.c). */
void cpi_print(const struct report *r, FILE *out);
void cpi_write_csv(const struct report *r, FILE *f);
void cpi_write_svg(const struct report *r, FILE *f);

#endif
