/* report_internal.h - sums and ratios that the forms of the report share. */
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

static inline void report_sum(const struct report *r, struct gpu_kernel_record *sum) {
    *sum = (struct gpu_kernel_record){0};
    for (size_t i = 0; i < r->num_kernels; i++) {
        const struct gpu_kernel_record *k = &r->kernels[i];
        /* An untimed launch among them: instructions and cycles are not of the same ones. */
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

/* The CPI stack's parts, in the order in which they are shown; the first are the instructions
 * themselves. */
enum { CPI_PARTS = CORE_NUM_WAITS + 1 };
const char *cpi_name(unsigned part);    /* as in report.json */
const char *cpi_meaning(unsigned part); /* a few words */
uint64_t cpi_cycles(const struct gpu_kernel_record *k, unsigned part);

/* Calls `each` for the launches of every kernel name, in the order of the first: `same` holds
 * them and nothing but them, `sum` is their sum under that name. */
typedef void report_name_fn(void *user, const struct report *same,
                            const struct gpu_kernel_record *sum);
void report_each_name(const struct report *r, report_name_fn *each, void *user);

/* The same sums as a list in the order of the first launches; list->k is to be freed. */
struct report_sums {
    struct gpu_kernel_record *k;
    size_t count;
};
void report_sums(const struct report *r, struct report_sums *list);
/* A kernel's name in a table on a terminal, cut to its width. */
enum { REPORT_NAME = 28, REPORT_MOST_LINES = 24 };
void report_print_name(const char *name, FILE *out);
void report_csv_name(const char *name, FILE *f); /* in quotes */

/* Kernel sampling, r->sampling; nothing (null) without. */
void report_sample_print(const struct report *r, FILE *out);
void report_sample_write_csv(const struct report *r, FILE *f);
json_t *report_sample_object(const struct report *r);

/* The instruction mix. */
void mix_print(const struct report *r, FILE *out);
void mix_write_csv(const struct report *r, FILE *f);
json_t *mix_object(const struct gpu_kernel_record *k);
json_t *operations_object(const struct gpu_kernel_record *k);

void cpi_print(const struct report *r, FILE *out);
void cpi_write_csv(const struct report *r, FILE *f);
void cpi_write_svg(const struct report *r, FILE *f);

#endif
