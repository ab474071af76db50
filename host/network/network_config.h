/* network_config.h - the parameters of a network between nodes: read from its file, checked.
 *
 * A network's file has the form of a GPU's (common/ini_file.h): sections and lines `name = value ;
 * unit | status | source`. tables/network_parameters.def lists the parameters and their limits.
 *
 * A config is read-only once loaded; threads may share it. Errors: HEDDLE_ERR_CONFIG; the text
 * names file and line, the key and, for an unknown key, the nearest one that exists. */
#ifndef HEDDLE_NETWORK_NETWORK_CONFIG_H
#define HEDDLE_NETWORK_NETWORK_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/parameters.h"

enum network_config_id {
#define PARAM(field, key, type, unit, initial, min, max, meaning) NETWORK_ID_##field,
#include "tables/network_parameters.def"
    NETWORK_NUM_PARAMS
};

/* A network: a member for each row of the table, in the row's unit. */
struct network_config {
#define PARAM(field, key, type, unit, initial, min, max, meaning) parameter_value_##type field;
#include "tables/network_parameters.def"
    struct parameter_origin origin[NETWORK_NUM_PARAMS];
    char file[512];         /* the network's file */
    struct ini_files files; /* with its bases */
};

/* Loads a network. `network` is a file's path when it has a slash or ends in .ini, else a name
 * looked up as NAME.ini in `directory`. `sets` are num_sets texts "KEY=VALUE", applied in order;
 * their values have the origin "--set".
 * @return HEDDLE_ERR_CONFIG, with text in diag: also for a topology that has no place for the
 * nodes. On success *out is the caller's, freed with network_config_free(). */
heddle_err network_config_load(struct network_config **out, const char *network,
                               const char *directory, const char *const *sets, size_t num_sets,
                               struct heddle_diag *diag);
/* Accepts NULL. */
void network_config_free(struct network_config *config);

/* Key of a row of the table, for listings and tests; row < NETWORK_NUM_PARAMS. */
const char *network_config_key(unsigned row);

/* Prints the table as the page docs/network-parameters.md. */
void network_config_print_page(FILE *out);

#endif
