/* sampling.h - `heddle run --sample[=OPTIONS]` and `--compare DIR`: reads the options for the GPUs,
 * and collects the results for the report. */
#ifndef HEDDLE_CLI_SAMPLING_H
#define HEDDLE_CLI_SAMPLING_H

#include <stdbool.h>

#include "common/error.h"
#include "report/report.h"
#include "sched/gpu.h"

struct sampling;

/* `text`: any of "first=3,gap=64,tolerance=3%,warm=1", or empty. `compare`: directory of a report
 * of a run in full detail, which is loaded, or NULL. The caller frees *out with sampling_free().
 * @return an error, explained in diag. */
heddle_err sampling_create(struct sampling **out, const char *text, const char *compare,
                           struct heddle_diag *diag);
void sampling_free(struct sampling *s);
/* The options, valid as long as `s`; NULL if that is NULL. */
const struct sample_options *sampling_options(const struct sampling *s);

/* The report's part on sampling, valid until the next call or sampling_free(); NULL without
 * --sample. The kernel records of `r` must be filled in. If the comparison is impossible, diag says
 * why, and the result is without it. */
const struct report_sampling *sampling_report(struct sampling *s, struct gpu *const *gpus,
                                              unsigned devices, const struct report *r,
                                              struct heddle_diag *diag);

#endif
