/* sweep_record.h - the record of a finished point: point.json in its directory.
 *
 * The record is written last and atomically (written under another name, synced, renamed), so a
 * point is done when the file exists. It carries a checksum (common/sealed_text.h). It contains the
 * point's inputs - program, arguments, options, the value of every parameter, checksums of the
 * program and of Heddle - so that a resumed sweep never accepts a point of another one. */
#ifndef HEDDLE_SWEEP_SWEEP_RECORD_H
#define HEDDLE_SWEEP_SWEEP_RECORD_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/config.h"
#include "common/error.h"
#include "sweep/sweep_columns.h"
#include "sweep/sweep_more.h"

/* The result of a point. */
struct sweep_result {
    enum sweep_state { SWEEP_WAITING, SWEEP_DONE, SWEEP_FAILED } state;
    int status; /* exit status of a failed point */
    uint64_t value[SWEEP_NUM_COLUMNS];
    double more[SWEEP_MOST_MORE]; /* of the columns that were named; NAN: unknown */
};
/* The value of a column by its number (sweep_more_find()); NAN: unknown. */
static inline double sweep_result_value(const struct sweep_result *r, unsigned column) {
    if (r->state != SWEEP_DONE) return NAN;
    return column < SWEEP_NUM_COLUMNS ? (double)r->value[column]
                                      : r->more[column - SWEEP_NUM_COLUMNS];
}

/* The inputs that all points of a sweep share; texts are borrowed. */
struct sweep_inputs {
    const char *version, *program;
    const char *const *arguments; /* of the program, NULL at the end */
    const char *const *options;   /* of `heddle run`, NULL at the end */
    char program_sum[20], simulator_sum[20];
};

/* Sets the checksums of the files that results depend on. `simulator`: files of Heddle, NULL at the
 * end; a missing one counts as empty. @return false: `program` cannot be read, errno says why. */
bool sweep_inputs_sum(struct sweep_inputs *in, const char *program, const char *const *simulator);

/* The value of a GPU's parameter as new JSON: a text, a real or an integer. */
json_t *sweep_parameter(const struct config *config, unsigned row);

/* The inputs of one point as JSON; the caller frees them with json_decref(). */
json_t *sweep_inputs_of_point(const struct sweep_inputs *in, const struct config *config);

/* Name of the first member in which two such inputs differ; NULL: they are equal. */
const char *sweep_inputs_difference(const json_t *a, const json_t *b);

/* Reads the record in `directory`, if there is one; else *out is SWEEP_WAITING. The values of
 * `more` come from the point's report.
 * @return HEDDLE_ERR_ARGUMENT: the record was made from other inputs, diag says which;
 * HEDDLE_ERR_IO: it is damaged. */
heddle_err sweep_record_read(const char *directory, const json_t *inputs,
                             const struct sweep_more *more, struct sweep_result *out,
                             struct heddle_diag *diag);

/* Reads report.json, which `heddle run` left in `directory`, into *out and writes the record.
 * @return HEDDLE_ERR_IO, explained in diag. */
heddle_err sweep_record_make(const char *directory, json_t *inputs, const struct sweep_more *more,
                             struct sweep_result *out, struct heddle_diag *diag);

#endif
