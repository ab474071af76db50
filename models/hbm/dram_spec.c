/* dram_spec.c - the device of a memory model: turns the parameters dram.* and hbm.* into counts and
 * clocks. gpu_build.c (server's thread) and `heddle dram` (main thread) create a spec. Pure
 * functions; errors are HEDDLE_ERR_CONFIG, with a text in diag that names the parameter. */
#include "models/hbm/dram_spec.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/config.h"
#include "common/cycles.h"

/* Converts ns to clocks, rounded up, unless the excess is below a thousandth of a clock, as in
 * figures such as 1/0.877. */
static uint32_t clocks(double ns, double mhz) {
    return (uint32_t)ceil(ns * mhz / 1000 - 1e-3);
}

static bool is_power(uint64_t n) {
    return n && (n & (n - 1)) == 0;
}

/* *out: the mapping of dram_maps.def that the parameter dram.mapping names. The error lists those
 * that exist. */
static heddle_err find_map(const struct config *c, enum dram_map_id *out,
                           struct heddle_diag *diag) {
    static const char *const name[] = {
#define MAP(id, name, order, hash, text) name,
#include "models/hbm/dram_maps.def"
    };
    for (unsigned i = 0; i < DRAM_NUM_MAPS; i++)
        if (!strcmp(c->dram_mapping, name[i])) {
            *out = (enum dram_map_id)i;
            return HEDDLE_OK;
        }
    static const char known[] = ""
#define MAP(id, name, order, hash, text) ", " name
#include "models/hbm/dram_maps.def"
        ;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: dram.mapping = '%s' is none of %s",
                       c->origin[CONFIG_ID_dram_mapping].where, c->dram_mapping, known + 2);
}

/* Checks that numbers of banks, groups and the like are powers of two and not too many, and that
 * the channels make whole stacks. */
static heddle_err check_shape(const struct config *c, struct heddle_diag *diag) {
    static const enum config_id powers[] = {CONFIG_ID_hbm_stack_ids, CONFIG_ID_hbm_bank_groups,
                                            CONFIG_ID_hbm_banks, CONFIG_ID_hbm_row_bytes,
                                            CONFIG_ID_hbm_atom};
    for (unsigned i = 0; i < sizeof powers / sizeof *powers; i++) {
        const struct parameter_row *row = &config_rows[powers[i]];
        uint64_t value = *(const uint64_t *)((const char *)c + row->offset);
        if (!is_power(value))
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s = %llu is not a power of two",
                               c->origin[powers[i]].where, row->key, (unsigned long long)value);
    }
    uint64_t banks = c->hbm_stack_ids * c->hbm_bank_groups * c->hbm_banks;
    if (banks > DRAM_MAX_BANKS)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "hbm.stack_ids * hbm.bank_groups * hbm.banks is %llu, more than %d",
                           (unsigned long long)banks, DRAM_MAX_BANKS);
    if (c->dram_channels % c->hbm_channels)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: dram.channels = %llu is no multiple of hbm.channels (%llu)",
                           c->origin[CONFIG_ID_dram_channels].where,
                           (unsigned long long)c->dram_channels,
                           (unsigned long long)c->hbm_channels);
    return HEDDLE_OK;
}

/* Fills *s from the parameters dram.* and hbm.*, times in clocks of the device, rounded up. @return
 * HEDDLE_ERR_CONFIG: an unknown mapping, an impossible shape, or refreshes that leave no time. */
heddle_err dram_spec_create(struct dram_spec *s, const struct config *c, struct heddle_diag *diag) {
    double mhz = c->hbm_clock;
    memset(s, 0, sizeof *s);
    heddle_err e = find_map(c, &s->map, diag);
    if (!e) e = check_shape(c, diag);
    if (e) return e;
    s->khz = (uint64_t)llround(mhz * 1000);
    s->channels = (uint32_t)c->dram_channels;
    s->pcs = (uint32_t)c->hbm_pseudo_channels;
    s->sids = (uint32_t)c->hbm_stack_ids;
    s->groups = (uint32_t)c->hbm_bank_groups;
    s->banks = (uint32_t)c->hbm_banks;
    s->pc_banks = s->sids * s->groups * s->banks;
    s->rows = (uint32_t)c->hbm_rows;
    s->atom = (uint32_t)c->hbm_atom;
    s->columns = (uint32_t)(c->hbm_row_bytes / c->hbm_atom);
    s->refresh = !strcmp(c->dram_refresh, "none")       ? DRAM_REFRESH_NONE
                 : !strcmp(c->dram_refresh, "all_bank") ? DRAM_REFRESH_ALL_BANK
                                                        : DRAM_REFRESH_PER_BANK;
    s->postpone = (uint32_t)c->dram_postpone;
    s->read_queue = (uint32_t)c->dram_read_queue;
    s->write_queue = (uint32_t)c->dram_write_queue;
    s->write_high = (uint32_t)c->dram_write_high;
    s->write_low = (uint32_t)c->dram_write_low;
    s->age_cap = clocks(c->dram_age_cap, mhz);
    s->row_idle = clocks(c->dram_row_idle, mhz);
#define NS(field, key, name, text) s->field = clocks(c->hbm_##field, mhz);
#define CK(field, key, name, text) s->field = (uint32_t)c->hbm_##field;
#include "tables/dram_timings.def"
    for (uint32_t bank = 0; bank < s->pc_banks; bank++) {
        s->group_of[bank] = (uint8_t)(bank / s->banks);
        s->sid_of[bank] = (uint8_t)(bank / (s->groups * s->banks));
    }
    s->refi_pb = s->refi / (s->groups * s->banks);
    if (s->refresh != DRAM_REFRESH_NONE &&
        (s->refi <= s->rfc || s->refi_pb <= s->rfcpb / (s->groups * s->banks) + s->rrefd))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: hbm.trefi leaves no time between refreshes",
                           c->origin[CONFIG_ID_hbm_refi].where);
    return HEDDLE_OK;
}

/* *path_ps: the latency latency_ps less tRCD, tCL and tBL, that is, the way to the device and back.
 * @return HEDDLE_ERR_CONFIG: the device alone takes longer. */
heddle_err dram_spec_path(const struct dram_spec *s, uint64_t latency_ps, uint64_t *path_ps,
                          struct heddle_diag *diag) {
    uint64_t unloaded = clock_ps(s->rcdrd + s->cl + s->bl, s->khz);
    if (latency_ps < unloaded)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "dram.latency is %llu ps, but hbm.trcdrd, hbm.tcl and hbm.tbl alone are "
                           "%llu ps",
                           (unsigned long long)latency_ps, (unsigned long long)unloaded);
    *path_ps = latency_ps - unloaded;
    return HEDDLE_OK;
}

/* @return the command's name, "ACT"; static text. */
const char *dram_command_name(enum dram_command_kind kind) {
    static const char *const name[] = {
#define COMMAND(id, text) #id,
#include "models/hbm/dram_commands.def"
    };
    return name[kind];
}
