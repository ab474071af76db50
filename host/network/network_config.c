/* network_config.c - reads the parameters of a network from its file, checks them alone and against
 * each other, and prints the table as a page; contracts in network_config.h. */
#include "network/network_config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/ini_file.h"
#include "common/memory.h"

static const struct parameter_row rows[NETWORK_NUM_PARAMS] = {
#define PARAM(field, key, type, unit, initial, min, max, meaning) \
    {key,                                                         \
     unit,                                                        \
     meaning,                                                     \
     initial,                                                     \
     PARAMETER_##type,                                            \
     min,                                                         \
     max,                                                         \
     offsetof(struct network_config, field)},
#include "tables/network_parameters.def"
};

const char *network_config_key(unsigned row) {
    return rows[row].key;
}

/* The table with the values of *c, which is only written while it is loaded. */
static struct parameters parameters_of(const struct network_config *c) {
    struct network_config *values = (struct network_config *)(uintptr_t)c;
    return (struct parameters){.row = rows,
                               .count = NETWORK_NUM_PARAMS,
                               .values = values,
                               .origin = values->origin,
                               .needs_remarks = true};
}

/* ---- checks that involve several values */

#define WHERE(c, field) ((c)->origin[NETWORK_ID_##field].where)
#define NUMBER(x) ((unsigned long long)(x))

/* Checks that the classes of LogGP are in ascending order and complete. */
static heddle_err check_classes(const struct network_config *c, struct heddle_diag *diag) {
    const enum network_config_id first[] = {NETWORK_ID_loggp_from_1, NETWORK_ID_loggp_from_2,
                                            NETWORK_ID_loggp_from_3};
    const struct parameters p = parameters_of(c);
    uint64_t before = 0;
    bool absent = false;
    for (unsigned i = 0; i < 3; i++) {
        const struct parameter_row *from = &rows[first[i]];
        const uint64_t bytes = *(const uint64_t *)parameters_value(&p, first[i]);
        if (bytes == 0) {
            absent = true;
            continue;
        }
        if (bytes <= before || absent)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%s: %s = %llu must be more than that of the class before, "
                               "which must exist",
                               c->origin[first[i]].where, from->key, NUMBER(bytes));
        for (unsigned k = 1; k <= 2; k++) { /* its latency and gap, the rows behind */
            const struct parameter_row *row = &rows[first[i] + k];
            if (*(const double *)parameters_value(&p, first[i] + k) <= 0)
                return heddle_fail(
                    diag, HEDDLE_ERR_CONFIG, "%s: %s = %llu needs a %s above 0 (in %s)",
                    c->origin[first[i]].where, from->key, NUMBER(bytes), row->key, row->unit);
        }
        before = bytes;
    }
    return HEDDLE_OK;
}

/* Checks the number of a topology's ports, which decides its memory. */
static heddle_err check_size(const struct network_config *c, enum network_config_id id,
                             double ports, struct heddle_diag *diag) {
    static const double most = 1 << 26;
    const struct parameters p = parameters_of(c);
    if (ports <= most) return HEDDLE_OK;
    return heddle_fail(
        diag, HEDDLE_ERR_CONFIG,
        "%s: %s = %llu makes a %s of %g ports of switches: at most %.15g are possible",
        c->origin[id].where, rows[id].key, NUMBER(*(const uint64_t *)parameters_value(&p, id)),
        c->topology, ports, most);
}

/* Checks that the topology has as many places as the network has nodes, and its links. */
static heddle_err check_places(const struct network_config *c, struct heddle_diag *diag) {
    if (!strcmp(c->topology, "star") && c->star_ports < c->nodes)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: star.ports = %llu are too few for %llu nodes: raise it, or choose "
                           "a fat_tree",
                           WHERE(c, star_ports), NUMBER(c->star_ports), NUMBER(c->nodes));
    if (!strcmp(c->topology, "fat_tree")) {
        if (c->tree_arity < 2 || c->tree_levels < 1)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%s: a fat_tree needs fat_tree.arity of 2 or more and "
                               "fat_tree.levels of 1 or more",
                               WHERE(c, topology));
        uint64_t room = 1;
        for (uint64_t i = 0; i < c->tree_levels && room < c->nodes; i++) room *= c->tree_arity;
        if (room < c->nodes)
            return heddle_fail(
                diag, HEDDLE_ERR_CONFIG,
                "%s: fat_tree.arity = %llu with %llu levels has room for %llu nodes, "
                "not for %llu: raise fat_tree.arity or fat_tree.levels",
                WHERE(c, tree_arity), NUMBER(c->tree_arity), NUMBER(c->tree_levels), NUMBER(room),
                NUMBER(c->nodes));
        return check_size(
            c, NETWORK_ID_tree_levels,
            2 * (double)c->tree_levels * pow((double)c->tree_arity, (double)c->tree_levels), diag);
    }
    if (!strcmp(c->topology, "dragonfly")) {
        uint64_t room = c->fly_groups * c->fly_routers * c->fly_hosts;
        if (room < c->nodes)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%s: dragonfly.groups * routers * hosts = %llu is less than %llu "
                               "nodes: raise one of them",
                               WHERE(c, fly_groups), NUMBER(room), NUMBER(c->nodes));
        uint64_t links = c->fly_routers * c->fly_globals;
        if (links + 1 < c->fly_groups)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%s: dragonfly.groups = %llu: a group has %llu links to others, "
                               "fewer than there are other groups: raise dragonfly.global_links or "
                               "dragonfly.routers",
                               WHERE(c, fly_groups), NUMBER(c->fly_groups), NUMBER(links));
        return check_size(c, NETWORK_ID_fly_groups,
                          (double)c->fly_groups * (double)c->fly_routers *
                              (double)(c->fly_hosts + c->fly_routers + c->fly_globals),
                          diag);
    }
    return HEDDLE_OK;
}

/* Checks that nothing is missing, that names are known, and values against each other. */
static heddle_err check(const struct network_config *c, struct heddle_diag *diag) {
    static const char *const models[] = {"loggp", "packets", NULL},
                             *const topologies[] = {"star", "fat_tree", "dragonfly", NULL},
                             *const ways[] = {"cut_through", "store_and_forward", NULL};
    const struct parameters p = parameters_of(c);
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < NETWORK_NUM_PARAMS && !e; i++)
        e = parameters_check_there(&p, i, c->file, diag);
    if (!e) e = parameters_check_name(&p, NETWORK_ID_model, models, diag);
    if (!e) e = parameters_check_name(&p, NETWORK_ID_topology, topologies, diag);
    if (!e) e = parameters_check_name(&p, NETWORK_ID_forwarding, ways, diag);
    if (!e) e = check_classes(c, diag);
    if (!e && c->buffer < c->mtu + c->header)
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG,
                        "%s: packet.buffer = %llu has no room for a packet of packet.mtu + "
                        "packet.header (%llu bytes): raise it, or lower packet.mtu",
                        WHERE(c, buffer), NUMBER(c->buffer), NUMBER(c->mtu + c->header));
    return e ? e : check_places(c, diag);
}

/* ---- all of a network */

heddle_err network_config_load(struct network_config **out, const char *network,
                               const char *directory, const char *const *sets, size_t num_sets,
                               struct heddle_diag *diag) {
    struct network_config *c = heddle_alloc(sizeof *c, "a network's parameters");
    const struct ini_kind kind = {"network", directory, &c->files};
    struct parameters p = parameters_of(c);
    *out = NULL;
    ini_path(c->file, sizeof c->file, network, &kind);
    heddle_err e = parameters_set_defaults(&p, diag);
    if (e == HEDDLE_OK) e = ini_read(network, &kind, parameters_take_line, &p, diag);
    if (e == HEDDLE_OK) e = parameters_apply(&p, sets, num_sets, diag);
    if (e == HEDDLE_OK) e = check(c, diag);
    if (e)
        network_config_free(c);
    else
        *out = c;
    return e;
}

void network_config_free(struct network_config *config) {
    free(config);
}

void network_config_print_page(FILE *out) {
    fprintf(out,
            "# Parameters of a network\n\n"
            "Made from `host/tables/network_parameters.def`; a test fails when page and table "
            "differ.\n"
            "A network is a file of them (`models/networks/`); every value in it has a unit, a "
            "status and a source.\n"
            "A value may name another unit of the same kind (`link.latency = 0.1us`, "
            "`host/tables/units.def`).\n"
            "Of the two models, `loggp` reads the rows `loggp.*`, `packets` the rows below "
            "them.\n\n");
    parameters_print_table(rows, NETWORK_NUM_PARAMS, out);
}
