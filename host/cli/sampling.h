/* sampling.h - `heddle run --sample[=OPTIONS]` and `--compare DIR`: from the command line to the
 * GPUs, and from those to the report. */
#ifndef HEDDLE_CLI_SAMPLING_H
#define HEDDLE_CLI_SAMPLING_H

#include <stdbool.h>

#include "common/error.h"
#include "report/report.h"
#include "sched/gpu.h"

struct sampling;

/* `text`: "first=3,gap=64,tolerance=3%,warm=1", any of them, or empty. `compare`: the directory of
 * a report in full detail, or NULL. Refused with an explanation in diag. */
heddle_err sampling_create(struct sampling **out, const char *text, const char *compare,
                           struct heddle_diag *diag);
void sampling_free(struct sampling *s);
const struct sample_options *sampling_options(const struct sampling *s);

/* What the report says of it, valid as long as `s`; the records of `r` are there already. When it
 * cannot be compared, diag says why and the rest is there. */
const struct report_sampling *sampling_report(struct sampling *s, struct gpu *const *gpus,
                                              unsigned devices, const struct report *r,
                                              struct heddle_diag *diag);

#endif
