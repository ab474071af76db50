/* sweep_record.h - what a finished point leaves in its directory, point.json, and how it is known
 * again.
 *
 * The file comes into being whole (written beside, synced, renamed) and last: a point is done when
 * it is there. It says what the point was made from - program, arguments, options, the value of
 * every parameter, Heddle itself - so that a sweep that goes on never takes a point of another
 * one. */
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

/* What points of one sweep have in common; texts are borrowed. */
struct sweep_inputs {
    const char *version, *program;
    const char *const *arguments; /* the program's own, NULL at the end */
    const char *const *options;   /* those of `heddle run`, NULL at the end */
    char program_sum[20], simulator_sum[20];
};

/* Sums of the files that results depend on; `simulator`: files, NULL at the end; one that is not
 * there counts as empty. @return false: `program` cannot be read. */
bool sweep_inputs_sum(struct sweep_inputs *in, const char *program, const char *const *simulator);

/* Of one point; the caller's, json_decref(). */
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
