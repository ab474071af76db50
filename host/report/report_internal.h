/* report_internal.h - sums, ratios and functions shared by the files of host/report. */
#ifndef HEDDLE_REPORT_REPORT_INTERNAL_H
#define HEDDLE_REPORT_REPORT_INTERNAL_H

#include <jansson.h>
#include <math.h>

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

/* Sums the launches of a report, each member as tables/kernel_record.def says. One untimed launch
 * makes the sum untimed: its instructions are counted and its cycles are not, so there is no
 * IPC. */
static inline void report_sum(const struct report *r, struct gpu_kernel_record *sum) {
    *sum = (struct gpu_kernel_record){0};
    for (size_t i = 0; i < r->num_kernels; i++) {
        const struct gpu_kernel_record *k = &r->kernels[i];
#define SUM_ADD(member) sum->member += k->member;
#define SUM_OR(member) sum->member |= k->member;
#define SUM_EACH(member)                                              \
    for (size_t n = 0; n < sizeof k->member / sizeof *k->member; n++) \
        sum->member[n] += k->member[n];
#define SUM_SPAN(member) sum->member += k->end_ps - k->start_ps;
#define SUM_NONE(member)
#define MEMBER(type, member, array, how, name, form, csv, unit, meaning) SUM_##how(member)
#define DERIVED(name, form, value, csv, unit, meaning)
#include "tables/kernel_record.def"
#undef SUM_ADD
#undef SUM_OR
#undef SUM_EACH
#undef SUM_SPAN
#undef SUM_NONE
    }
}

/* The parts of the CPI stack in the order of output: part 0 is the cycles that issue an
 * instruction, the others are waits. */
enum { CPI_PARTS = CORE_NUM_WAITS + 1 };
const char *cpi_name(unsigned part);    /* name in report.json */
const char *cpi_meaning(unsigned part); /* a few words */
uint64_t cpi_cycles(const struct gpu_kernel_record *k, unsigned part);

/* Calls `each` once for every kernel name, in the order of their first launches. `same` is a report
 * with only the launches of that name, `sum` their sum; both are valid during the call. */
typedef void report_name_fn(void *user, const struct report *same,
                            const struct gpu_kernel_record *sum);
void report_each_name(const struct report *r, report_name_fn *each, void *user);

/* The same sums as a list. The caller frees list->k. */
struct report_sums {
    struct gpu_kernel_record *k;
    size_t count;
};
void report_sums(const struct report *r, struct report_sums *list);
/* Prints a kernel's name in a table, padded or cut to REPORT_NAME characters. */
enum { REPORT_NAME = 28, REPORT_MOST_LINES = 24 };
void report_print_name(const char *name, FILE *out);
void report_csv_name(const char *name, FILE *f); /* writes it in quotes, for CSV */

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

/* The CPI stack (report_cpi.c). */
void cpi_print(const struct report *r, FILE *out);
void cpi_write_csv(const struct report *r, FILE *f);
void cpi_write_svg(const struct report *r, FILE *f);

#endif
