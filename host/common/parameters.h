/* parameters.h - a table of parameters, and values of them that come from files and --set.
 *
 * GPUs, networks and nodes are such tables (tables/gpu_params.def, network_parameters.def,
 * node_parameters.def), whose values lie in a struct with a member for each row. Their files have
 * the form of common/ini_file.h. A value is in its row's unit, or followed by another unit of the
 * same kind: 1.2GHz (tables/units.def).
 *
 * Errors are HEDDLE_ERR_CONFIG, and their text begins with where the wrong value stands: FILE:LINE,
 * "default" or "--set". A loader reads and checks on one thread; the values are constant then. */
#ifndef HEDDLE_COMMON_PARAMETERS_H
#define HEDDLE_COMMON_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/ini_file.h"

typedef enum parameter_type { PARAMETER_UINT, PARAMETER_REAL, PARAMETER_TEXT } parameter_type;

/* The C types of the members. */
typedef uint64_t parameter_value_UINT;
typedef double parameter_value_REAL;
typedef char parameter_value_TEXT[128];

/* A row of the table. */
struct parameter_row {
    const char *key, *unit, *meaning;
    const char *initial; /* the default, "": none */
    parameter_type type;
    double min, max; /* inclusive limits, of a text those of its length */
    size_t offset;   /* of the value in its struct */
};

/* Where a value came from. */
struct parameter_origin {
    char where[192];  /* "FILE:LINE", "default" or "--set"; empty: there is no value */
    char status[16];  /* vendor, measured, ...; empty without a remark */
    char source[160]; /* empty without a remark */
};

/* A table and the values of it. All pointers are borrowed. */
struct parameters {
    const struct parameter_row *row;
    unsigned count;
    void *values;                    /* the struct with the members */
    struct parameter_origin *origin; /* `count` of them */
    const char *built_for;           /* says why a row has one possible value; NULL: none has */
    bool needs_remarks;              /* a line of a file without a remark is an error */
    const char *option;              /* of parameters_apply(), NULL: --set */
};

/* The place of a value. */
const void *parameters_value(const struct parameters *p, unsigned row);
/* The row of a key, -1: unknown. */
int parameters_find(const struct parameters *p, const char *key);

/* Sets a value from text, with `where` as its origin and without a remark. On an error the
 * parameter keeps its value. */
heddle_err parameters_set(const struct parameters *p, const char *key, const char *text,
                          const char *where, struct heddle_diag *diag);
/* Sets all values that have a default. */
heddle_err parameters_set_defaults(const struct parameters *p, struct heddle_diag *diag);
/* ini_take_fn, with a struct parameters as `user`: sets the value, status and source of a line. */
heddle_err parameters_take_line(void *user, const struct ini_line *line, struct heddle_diag *diag);
/* Sets the values of texts KEY=VALUE, in order, up to the first error. */
heddle_err parameters_apply(const struct parameters *p, const char *const *sets, size_t num_sets,
                            struct heddle_diag *diag);

/* Checks that a row has a value; `file`: where it should stand. */
heddle_err parameters_check_there(const struct parameters *p, unsigned row, const char *file,
                                  struct heddle_diag *diag);
/* Checks that a TEXT value is one of the names, which NULL ends. */
heddle_err parameters_check_name(const struct parameters *p, unsigned row, const char *const *names,
                                 struct heddle_diag *diag);

/* Prints the table for a page: key, unit, default, limits, meaning. */
void parameters_print_table(const struct parameter_row *row, unsigned count, FILE *out);

#endif
