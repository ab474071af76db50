/* measure.h - `heddle project --measure`: microbenchmarks on a model, or on the GPU of this
 * machine, and a file like those of models/capabilities from their figures. */
#ifndef HEDDLE_CLI_MEASURE_H
#define HEDDLE_CLI_MEASURE_H

#include "cli/project_input.h"

/* Runs micro_capability, or the program and arguments of `arguments` (NULL-terminated, may be
 * empty), and writes FILE (o->out, default GPU-measured.ini). What the program prints goes to
 * FILE.log, the report of a simulation to FILE.run. Prints on standard output what was written.
 * Runs on the main thread. HEDDLE_ERR_ARGUMENT: options that do not go together, a GPU that is not
 * the one that --gpu names, or a program that is not there; HEDDLE_ERR_CONFIG: errors of the GPU's
 * files and of the program's lines; HEDDLE_ERR_IO: the program failed, or the file cannot be
 * written; HEDDLE_ERR_STOPPED: a signal ended the program. */
heddle_err measure_gpu(const struct project_options *o, char **arguments, struct heddle_diag *diag);

#endif
