/* node_config.c - reads the parameters of a node from its file, and prints the table as a page;
 * contracts in node_config.h. */
#include "node/node_config.h"

#include <stdlib.h>

#include "common/ini_file.h"
#include "common/memory.h"
#include "include/device/heddle_shmem_abi.h"

static const struct parameter_row rows[NODE_NUM_PARAMS] = {
#define PARAM(field, key, type, unit, initial, min, max, meaning) \
    {key, unit, meaning, initial, PARAMETER_##type, min, max, offsetof(struct node_config, field)},
#include "tables/node_parameters.def"
};

/* A thread on the CPU reads an entry of a queue in loads of cpu.load. */
static heddle_err check_load(const struct node_config *c, struct heddle_diag *diag) {
    const uint64_t entry = sizeof(struct heddle_shmem_entry);
    if (entry % c->cpu_load == 0) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "%s: cpu.load = %llu does not divide the %llu bytes of a queue's entry",
                       c->origin[NODE_ID_cpu_load].where, (unsigned long long)c->cpu_load,
                       (unsigned long long)entry);
}

heddle_err node_config_load(struct node_config **out, const char *node, const char *directory,
                            const char *const *sets, size_t num_sets, struct heddle_diag *diag) {
    struct node_config *c = heddle_alloc(sizeof *c, "a node's parameters");
    const struct ini_kind kind = {"node", directory, &c->files};
    struct parameters p = {.row = rows,
                           .count = NODE_NUM_PARAMS,
                           .values = c,
                           .origin = c->origin,
                           .needs_remarks = true,
                           .option = "--set-node"};
    *out = NULL;
    ini_path(c->file, sizeof c->file, node, &kind);
    heddle_err e = parameters_set_defaults(&p, diag);
    if (!e) e = ini_read(node, &kind, parameters_take_line, &p, diag);
    if (!e) e = parameters_apply(&p, sets, num_sets, diag);
    for (unsigned i = 0; i < NODE_NUM_PARAMS && !e; i++)
        e = parameters_check_there(&p, i, c->file, diag);
    if (!e) e = check_load(c, diag);
    if (e)
        node_config_free(c);
    else
        *out = c;
    return e;
}

void node_config_free(struct node_config *config) {
    free(config);
}

void node_config_print_page(FILE *out) {
    fprintf(out, "# Parameters of a node\n\n"
                 "Made from `host/tables/node_parameters.def`; a test fails when page and table "
                 "differ.\n"
                 "A node is a file of them (`models/nodes/`): what there is besides its GPU. Every "
                 "value in it has a unit, a status and a source.\n\n");
    parameters_print_table(rows, NODE_NUM_PARAMS, out);
}
