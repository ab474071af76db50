/* report_sample.h - the report's part on kernel sampling, and its error against a run in full
 * detail.
 *
 * Launches are summed by the kernel's name in the report. Cycles include launch overhead. A sum
 * that contains estimates has a 95 % confidence interval; it assumes that launches of a stratum
 * differ at random. */
#ifndef HEDDLE_REPORT_REPORT_SAMPLE_H
#define HEDDLE_REPORT_REPORT_SAMPLE_H

#include "common/error.h"
#include "sched/gpu.h"

struct report;

/* A stratum of a device; gpu_sampled() gives the result. */
struct report_stratum {
    uint32_t device, number;
    struct sample_result result;
};

/* The launches of the report of a run in full detail (--compare). */
struct report_full;
/* Loads DIRECTORY/report.json. The caller frees *out with report_full_free().
 * @return HEDDLE_ERR_ARGUMENT, explained in diag: no such file, not a report, or it has launches
 * that were not timed. */
heddle_err report_full_load(struct report_full **out, const char *directory,
                            struct heddle_diag *diag);
void report_full_free(struct report_full *f);
/* Checks that both reports have the same launches on the same GPU. @return HEDDLE_ERR_ARGUMENT:
 * diag says what differs. */
heddle_err report_full_check(const struct report_full *f, const struct report *r,
                             struct heddle_diag *diag);

/* Input of the report on sampling; all borrowed. */
struct report_sampling {
    struct sample_options options;
    const struct report_stratum *strata;
    size_t num_strata;
    const struct report_full *full; /* passed report_full_check(); NULL: no comparison */
};

/* A row of the table: the launches of a kernel name, or all launches. */
struct sample_row {
    const char *name;
    uint64_t launches, timed, cycles,
        estimated_cycles; /* estimated: the part of cycles that is an estimate */
    double half_width;    /* of the 95 % interval, cycles */
    uint64_t full_cycles; /* in full detail; 0: unknown */
};
/* The rows in the order of the kernels' first launches, then a row with the sum of all; *count
 * includes it. The caller frees them. */
struct sample_row *report_sample_rows(const struct report *r, size_t *count);

#endif
