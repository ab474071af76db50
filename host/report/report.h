/* report.h - the report of a run: a table on the terminal, report.json, kernels.csv,
 * statistics.csv, the CPI stack as cpi_stack.csv and cpi_stack.svg, instruction_mix.csv, and
 * sampling.csv if the run was sampled.
 *
 * The input is plain data, borrowed for the call. Undefined ratios (no accesses, timing off) are
 * null in JSON and a dash in tables. Threads: any, one at a time per directory. */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/config.h"
#include "common/error.h"
#include "report/report_sample.h"
#include "sched/gpu.h"

enum statistic_id {
#define STATISTIC(id, name, unit, scope, meaning) STATISTIC_##id,
#include "tables/statistics.def"
    NUM_STATISTICS
};
struct statistic_row {
    const char *name, *unit, *scope, *meaning;
};
extern const struct statistic_row statistic_rows[NUM_STATISTICS];

struct report_call {
    const char *name;
    uint64_t count;
    bool scheduler, sm, refused;
};

struct report {
    const char *version, *program, *timing; /* timing: "rtl" or "none" */
    const struct config *config;
    unsigned sm_groups, threads;
    double wall_s, startup_s, simulate_s;
    int exit_status;
    const char *ended; /* "exit", or how the program died */
    const struct gpu_kernel_record *kernels;
    size_t num_kernels;
    const struct report_call *calls;
    size_t num_calls;
    uint64_t statistics[NUM_STATISTICS];
    const char *const *notes; /* one line each */
    size_t num_notes;
    const struct report_sampling *sampling; /* NULL: all kernels were timed, or none */
};

/* Makes the directory if needed and tests that it is writable, before hours of simulation. *made
 * (may be NULL): the directory is new. @return HEDDLE_ERR_IO. */
heddle_err report_prepare(const char *directory, bool *made, struct heddle_diag *diag);
/* Writes the files of the report into the directory, which is made if needed. @return
 * HEDDLE_ERR_IO. */
heddle_err report_write(const struct report *r, const char *directory, struct heddle_diag *diag);
/* Prints the table. `directory`: where the files are; NULL: none were written. */
void report_print(const struct report *r, const char *directory, FILE *out);
/* docs/statistics.md */
void report_print_page(FILE *out);

/* Peak memory of this process in bytes. */
uint64_t report_peak_rss(void);

#endif
