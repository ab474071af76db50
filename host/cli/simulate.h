/* simulate.h - runs a program on several models of GPUs, each in a `heddle run` of its own. */
#ifndef HEDDLE_CLI_SIMULATE_H
#define HEDDLE_CLI_SIMULATE_H

#include <stddef.h>

#include "common/error.h"

/* Runs `program` (NULL-terminated) once on each of `count` models of models/gpus, as many at a time
 * as there are processors. The report of a run goes to OUT/MODEL, what it prints to OUT/MODEL.log.
 * Prints progress on standard error. Runs on the main thread. HEDDLE_ERR_STOPPED: a signal ended
 * the runs; HEDDLE_ERR_IO: a run failed, the text names its log. */
heddle_err simulate_on_models(const char *out, const char *const *models, size_t count,
                              char **program, struct heddle_diag *diag);

#endif
