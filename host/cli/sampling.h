/* sampling.h - `heddle run --sample[=OPTIONS]` and `--compare DIR`: passes the options to the
 * GPUs and the results to the report. */
#ifndef HEDDLE_CLI_SAMPLING_H
#define HEDDLE_CLI_SAMPLING_H

#include <stdbool.h>

#include "common/error.h"
#include "report/report.h"
#include "sched/gpu.h"

struct sampling;

/* `text`: any of "first=3,gap=64,tolerance=3%,warm=1", or empty. `compare`: the directory of a
 * report in full detail, or NULL. *out is the caller's. @return an error, explained in diag. */
heddle_err sampling_create(struct sampling **out, const char *text, const char *compare,
                           struct heddle_diag *diag);
void sampling_free(struct sampling *s);
const struct sample_options *sampling_options(const struct sampling *s);

/* The report's part on sampling, valid as long as `s`. The kernel records of `r` are already
 * filled in. If the comparison is impossible, diag says why and everything else is returned. */
const struct report_sampling *sampling_report(struct sampling *s, struct gpu *const *gpus,
                                              unsigned devices, const struct report *r,
                                              struct heddle_diag *diag);

#endif
