/* run_inputs.h - what a run is made from, for its report, and what of that has changed since.
 *
 * The object `inputs`: program, program_file, program_sha256, arguments, options, environment, gpu,
 * files (each with file and sha256), parameters (those that differ from the GPU's file: value,
 * gpu_file), heddle (version, revision, crc32c, core, core_crc32c). Files of Heddle's own are named
 * as in its installation ("share/heddle/gpus/v100.ini", "lib/libheddle_swemu.so"), so that another
 * installation finds its own. `host`: date, name, system, processor, processors, directory. */
#ifndef HEDDLE_CLI_RUN_INPUTS_H
#define HEDDLE_CLI_RUN_INPUTS_H

#include "cli/run_setup.h"

/* A text of the report that may be any bytes: a string, or {"base64": ...} where it is no UTF-8. */
json_t *run_inputs_text(const char *bytes);
/* The bytes of such a text, which the caller frees with g_free(); NULL: it is none. */
gchar *run_inputs_bytes(const json_t *text);

/* Fills r->inputs and r->host of a run that is set up; `path`: the program's file. A file that
 * cannot be read has no sum (null). @return HEDDLE_ERR_CONFIG, with text in diag. */
heddle_err run_inputs_make(struct run *r, const char *path, struct heddle_diag *diag);

/* The inputs of a report that have changed: an array of {what, before, after}. `program`: what
 * would run now. The caller frees it with json_decref(). */
json_t *run_inputs_changed(const json_t *inputs, const char *program,
                           const struct cli_paths *paths);

#endif
