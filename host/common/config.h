/* config.h - the parameters of a simulated GPU: read from its file, overridden by --set, checked.
 *
 * A GPU's file has sections and lines `name = value ; unit | status | source`. Status is one of
 * vendor, measured, fitted, derived, guessed. `base = NAME` before the first section takes over
 * another file first. tables/gpu_params.def lists the parameters and their limits. A value is in
 * the parameter's unit, or followed by another unit of the same kind: 1.2GHz (tables/units.def).
 *
 * A config is read-only once loaded; threads may share it. Errors: HEDDLE_ERR_CONFIG; the text
 * names the file, the line, the key and, for an unknown key, the nearest one that exists. */
#ifndef HEDDLE_COMMON_CONFIG_H
#define HEDDLE_COMMON_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/parameters.h"

enum config_id {
#define PARAM(field, key, type, unit, initial, min, max, meaning) CONFIG_ID_##field,
#include "tables/gpu_params.def"
    CONFIG_NUM_PARAMS
};

/* A GPU: a member for each row of the table, in the row's unit. */
struct config {
#define PARAM(field, key, type, unit, initial, min, max, meaning) parameter_value_##type field;
#include "tables/gpu_params.def"
    struct parameter_origin origin[CONFIG_NUM_PARAMS];
    char file[512];         /* the GPU's file */
    struct ini_files files; /* that the values come from: also its bases, and the memory's preset */
};

/* The table, for listings. */
extern const struct parameter_row config_rows[CONFIG_NUM_PARAMS];

/* Loads a GPU. `gpu` is a file's path when it has a slash or ends in .ini, else a name looked up as
 * NAME.ini in `directory`; memory presets lie in `directory`/../memory. `sets` are num_sets texts
 * "KEY=VALUE", applied in order.
 * On success *out is the caller's, freed with config_free(). */
heddle_err config_load(struct config **out, const char *gpu, const char *directory,
                       const char *const *sets, size_t num_sets, struct heddle_diag *diag);
void config_free(struct config *config);

/* Sets *out to the value of the parameter with this key, for code that composes keys (pipes).
 * @return HEDDLE_ERR_CONFIG when there is no such key or it is TEXT. */
heddle_err config_number(const struct config *config, const char *key, double *out);

/* Prints every parameter with value, unit, status, source and where it was set. */
void config_print(const struct config *config, FILE *out);
/* Prints the table as the page docs/gpu-parameters.md. */
void config_print_page(FILE *out);

#endif
