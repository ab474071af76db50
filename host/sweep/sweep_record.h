/* sweep_record.h - the record of a finished point, point.json in its directory, and how it is
 * recognised.
 *
 * The record is written last and atomically (written to another name, synced, renamed): a point
 * is done when the file exists. It holds the point's inputs - program, arguments, options, the
 * value of every parameter, Heddle itself - so that a resumed sweep never accepts a point of
 * another one. */
#ifndef HEDDLE_SWEEP_SWEEP_RECORD_H
#define HEDDLE_SWEEP_SWEEP_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/config.h"
#include "common/error.h"

enum sweep_column {
#define COLUMN(id, name, unit, source, member, meaning) SWEEP_##id,
#include "sweep/sweep_columns.def"
    SWEEP_NUM_COLUMNS
};
struct sweep_column_row {
    const char *name, *unit, *meaning;
};
extern const struct sweep_column_row sweep_columns[SWEEP_NUM_COLUMNS];

/* @return SWEEP_NUM_COLUMNS when there is none of that name. */
unsigned sweep_find_column(const char *name);

struct sweep_result {
    enum sweep_state { SWEEP_WAITING, SWEEP_DONE, SWEEP_FAILED } state;
    int status; /* exit status of a failed point */
    uint64_t value[SWEEP_NUM_COLUMNS];
};

/* Inputs that all points of a sweep share; texts are borrowed. */
struct sweep_inputs {
    const char *version, *program;
    const char *const *arguments; /* the program's own, NULL at the end */
    const char *const *options;   /* those of `heddle run`, NULL at the end */
    char program_sum[20], simulator_sum[20];
};

/* Computes checksums of the files that results depend on. `simulator`: files of Heddle, NULL at
 * the end; a missing one counts as empty. @return false: `program` cannot be read. */
bool sweep_inputs_sum(struct sweep_inputs *in, const char *program, const char *const *simulator);

/* The inputs of one point; the caller's (json_decref()). */
json_t *sweep_inputs_of_point(const struct sweep_inputs *in, const struct config *config);

/* The first member in which two of them differ; NULL: none. */
const char *sweep_inputs_difference(const json_t *a, const json_t *b);

/* Looks for a finished point. @return HEDDLE_ERR_ARGUMENT when `directory` holds one that was made
 * from something else, and what; SWEEP_WAITING in *out: none. */
heddle_err sweep_record_read(const char *directory, const json_t *inputs, struct sweep_result *out,
                             struct heddle_diag *diag);

/* Reads the report that `heddle run` left in `directory`, and writes the record. */
heddle_err sweep_record_make(const char *directory, json_t *inputs, struct sweep_result *out,
                             struct heddle_diag *diag);

#endif
