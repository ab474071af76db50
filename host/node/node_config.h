/* node_config.h - the parameters of a node besides its GPU: read from its file, checked.
 *
 * A node's file has the form of a GPU's (common/parameters.h); tables/node_parameters.def lists the
 * parameters and their limits. A config is read-only once loaded; threads may share it. */
#ifndef HEDDLE_NODE_NODE_CONFIG_H
#define HEDDLE_NODE_NODE_CONFIG_H

#include "common/parameters.h"

enum node_config_id {
#define PARAM(field, key, type, unit, initial, min, max, meaning) NODE_ID_##field,
#include "tables/node_parameters.def"
    NODE_NUM_PARAMS
};

/* A node: a member for each row of the table, in the row's unit. */
struct node_config {
#define PARAM(field, key, type, unit, initial, min, max, meaning) parameter_value_##type field;
#include "tables/node_parameters.def"
    struct parameter_origin origin[NODE_NUM_PARAMS];
    char file[512];         /* the node's file */
    struct ini_files files; /* with its bases */
};

/* Loads a node. `node` is a file's path when it has a slash or ends in .ini, else a name looked up
 * as NAME.ini in `directory`. `sets` are num_sets texts "KEY=VALUE".
 * @return HEDDLE_ERR_CONFIG, with text in diag. On success *out is the caller's, freed with
 * node_config_free(). */
heddle_err node_config_load(struct node_config **out, const char *node, const char *directory,
                            const char *const *sets, size_t num_sets, struct heddle_diag *diag);
void node_config_free(struct node_config *config); /* accepts NULL */

/* Prints the table as the page docs/node-parameters.md. */
void node_config_print_page(FILE *out);

#endif
