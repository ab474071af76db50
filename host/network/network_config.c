/* network_config.c - reads the parameters of a network from its file, checks them alone and against
 * each other, and prints the table as a page; contracts in network_config.h.
 *
 * Every error text begins with `where`: FILE:LINE or "--set" of the value that is wrong, or the
 * file where a value is missing. */
#include "network/network_config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/ini_file.h"
#include "common/memory.h"
#include "common/units.h"

typedef enum value_type { VALUE_UINT, VALUE_REAL, VALUE_TEXT } value_type;

/* A row of the table. */
struct row {
    const char *key, *unit, *initial, *meaning;
    value_type type;
    double min, max;
    size_t offset; /* of the value in struct network_config */
};

static const struct row rows[NETWORK_NUM_PARAMS] = {
#define PARAM(field, key, type, unit, initial, min, max, meaning) \
    {key, unit, initial, meaning, VALUE_##type, min, max, offsetof(struct network_config, field)},
#include "tables/network_parameters.def"
};

const char *network_config_key(unsigned row) {
    return rows[row].key;
}

/* The place of a parameter's value. */
static const void *value_of(const struct network_config *c, unsigned row) {
    return (const char *)c + rows[row].offset;
}

/* ---- one value */

/* Stores a number into its place, which is whole for UINT. */
static heddle_err set_number(struct network_config *c, const struct row *row, const char *text,
                             const char *where, struct heddle_diag *diag) {
    char *end = NULL;
    errno = 0;
    double number = strtod(text, &end);
    if (end == text || errno || !isfinite(number))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s is not a number", where, row->key,
                           text);
    while (isspace((unsigned char)*end)) end++;
    if (*end && !units_convert(&number, end, row->unit)) {
        char known[100];
        units_list(row->unit, known, sizeof known);
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s = %s: '%s' is no unit of it, there are: %s", where, row->key,
                           text, end, known);
    }
    if (number < row->min || number > row->max)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s = %s is out of range: %.15g to %.15g %s", where, row->key, text,
                           row->min, row->max, row->unit);
    void *place = (char *)c + row->offset;
    if (row->type == VALUE_REAL) {
        *(double *)place = number;
        return HEDDLE_OK;
    }
    if (number != floor(number))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %s must be a whole number", where,
                           row->key, text);
    *(uint64_t *)place = (uint64_t)number; /* all limits are below 2^53 */
    return HEDDLE_OK;
}

/* Sets parameter `key` from text and records `where` as its origin, without a remark. *index: its
 * row. */
static heddle_err set_value(struct network_config *c, const char *key, const char *text,
                            const char *where, unsigned *index, struct heddle_diag *diag) {
    unsigned i = 0;
    while (i < NETWORK_NUM_PARAMS && strcmp(rows[i].key, key)) i++;
    if (i == NETWORK_NUM_PARAMS)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: unknown key '%s', did you mean '%s'?",
                           where, key, ini_nearest(key, network_config_key, NETWORK_NUM_PARAMS));
    const struct row *row = &rows[i];
    if (!*text) return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s has no value", where, key);
    if (row->type == VALUE_TEXT) {
        size_t n = strlen(text);
        if (n > (size_t)row->max)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%s: %s = '%s': a text of %g to %g characters is expected", where,
                               key, text, row->min, row->max);
        memcpy((char *)c + row->offset, text, n + 1);
    } else {
        heddle_err e = set_number(c, row, text, where, diag);
        if (e) return e;
    }
    struct network_origin *o = &c->origin[i];
    memset(o, 0, sizeof *o);
    snprintf(o->where, sizeof o->where, "%s", where);
    *index = i;
    return HEDDLE_OK;
}

/* ini_take_fn: sets a value of the struct network_config `user`. A value without a remark is an
 * error: without a source, nobody can tell a measured figure from a guessed one. */
static heddle_err take_line(void *user, const struct ini_line *line, struct heddle_diag *diag) {
    struct network_config *c = user;
    unsigned i;
    heddle_err e = set_value(c, line->key, line->value, line->where, &i, diag);
    if (e) return e;
    if (!line->remark)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s has no remark '; unit | status | source'", line->where,
                           line->key);
    struct ini_remark remark = {0};
    e = ini_read_remark(line, rows[i].unit, &remark, diag);
    snprintf(c->origin[i].status, sizeof c->origin[i].status, "%s", remark.status);
    snprintf(c->origin[i].source, sizeof c->origin[i].source, "%s", remark.source);
    return e;
}

/* Sets the values of `sets`, in order, up to the first error. */
static heddle_err apply_sets(struct network_config *c, const char *const *sets, size_t num_sets,
                             struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    for (size_t i = 0; e == HEDDLE_OK && i < num_sets; i++) {
        char copy[512];
        unsigned row;
        snprintf(copy, sizeof copy, "%s", sets[i]);
        char *value = strchr(copy, '=');
        if (!value)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "--set %s: KEY=VALUE expected", sets[i]);
        *value++ = '\0';
        e = set_value(c, ini_trim(copy), ini_trim(value), "--set", &row, diag);
    }
    return e;
}

/* ---- checks that involve several values */

#define WHERE(c, field) ((c)->origin[NETWORK_ID_##field].where)
#define NUMBER(x) ((unsigned long long)(x))

/* Checks that a TEXT value is one of a list of names; the error quotes the list. */
static heddle_err check_name(const struct network_config *c, enum network_config_id id,
                             const char *const *names, struct heddle_diag *diag) {
    const char *value = value_of(c, id);
    char list[100] = "";
    for (size_t used = 0; *names; names++) {
        if (!strcmp(*names, value)) return HEDDLE_OK;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *names);
    }
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = '%s' is none of %s", c->origin[id].where,
                       rows[id].key, value, list);
}

/* Checks that the classes of LogGP are in ascending order and complete. */
static heddle_err check_classes(const struct network_config *c, struct heddle_diag *diag) {
    const enum network_config_id first[] = {NETWORK_ID_loggp_from_1, NETWORK_ID_loggp_from_2,
                                            NETWORK_ID_loggp_from_3};
    uint64_t before = 0;
    bool absent = false;
    for (unsigned i = 0; i < 3; i++) {
        const struct row *from = &rows[first[i]];
        const uint64_t bytes = *(const uint64_t *)value_of(c, first[i]);
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
            const struct row *row = &rows[first[i] + k];
            if (*(const double *)value_of(c, first[i] + k) <= 0)
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
    if (ports <= most) return HEDDLE_OK;
    return heddle_fail(
        diag, HEDDLE_ERR_CONFIG,
        "%s: %s = %llu makes a %s of %g ports of switches: at most %.15g are possible",
        c->origin[id].where, rows[id].key, NUMBER(*(const uint64_t *)value_of(c, id)), c->topology,
        ports, most);
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
    for (unsigned i = 0; i < NETWORK_NUM_PARAMS; i++)
        if (!*c->origin[i].where)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: '%s' is missing (%s, in %s)", c->file,
                               rows[i].key, rows[i].meaning, rows[i].unit);
    heddle_err e = check_name(c, NETWORK_ID_model, models, diag);
    if (!e) e = check_name(c, NETWORK_ID_topology, topologies, diag);
    if (!e) e = check_name(c, NETWORK_ID_forwarding, ways, diag);
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
    const struct ini_kind kind = {"network", directory};
    struct network_config *c = heddle_alloc(sizeof *c, "a network's parameters");
    heddle_err e = HEDDLE_OK;
    unsigned row;
    *out = NULL;
    ini_path(c->file, sizeof c->file, network, &kind);
    for (unsigned i = 0; e == HEDDLE_OK && i < NETWORK_NUM_PARAMS; i++)
        if (*rows[i].initial) e = set_value(c, rows[i].key, rows[i].initial, "default", &row, diag);
    if (e == HEDDLE_OK) e = ini_read(network, &kind, take_line, c, diag);
    if (e == HEDDLE_OK) e = apply_sets(c, sets, num_sets, diag);
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
            "them.\n\n"
            "| key | unit | default | from | to | meaning |\n|---|---|---|---|---|---|\n");
    for (const struct row *row = rows; row < rows + NETWORK_NUM_PARAMS; row++) {
        char limits[64] = "- | -"; /* the table's limits of a text are for its length */
        if (row->type != VALUE_TEXT)
            snprintf(limits, sizeof limits, "%.15g | %.15g", row->min, row->max);
        fprintf(out, "| `%s` | %s | %s | %s | %s |\n", row->key, row->unit,
                *row->initial ? row->initial : "-", limits, row->meaning);
    }
}
