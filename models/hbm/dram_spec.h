/* dram_spec.h - parameters of a memory device and its controller, for models and checker.
 *
 * All times are clocks of the device's command clock (`khz`); the names are those of
 * tables/dram_timings.def. Made once from the parameters `dram.*` and `hbm.*`, then read-only. */
#ifndef HEDDLE_MODELS_HBM_DRAM_SPEC_H
#define HEDDLE_MODELS_HBM_DRAM_SPEC_H

#include <stdint.h>

#include "common/error.h"

struct config;

enum { DRAM_MAX_BANKS = 64 }; /* of a pseudo-channel: a mask of them is one word */

/* The ways of laying out addresses: models/hbm/dram_maps.def. */
enum dram_map_id {
#define MAP(id, name, order, hash, text) DRAM_MAP_##id,
#include "models/hbm/dram_maps.def"
    DRAM_NUM_MAPS
};

/* The commands: models/hbm/dram_commands.def. */
enum dram_command_kind {
#define COMMAND(id, text) DRAM_##id,
#include "models/hbm/dram_commands.def"
    DRAM_NUM_COMMANDS
};

enum dram_refresh { DRAM_REFRESH_NONE, DRAM_REFRESH_ALL_BANK, DRAM_REFRESH_PER_BANK };

/* A device and its controller. */
struct dram_spec {
    uint64_t khz;                 /* command clock */
    uint32_t channels, pcs;       /* channels; pseudo-channels of one */
    uint32_t sids, groups, banks; /* stack IDs of a pseudo-channel, bank groups, banks of a group */
    uint32_t rows, columns;       /* columns: bursts in a row */
    uint32_t atom;                /* bytes of a burst */
    uint32_t pc_banks;            /* banks of a pseudo-channel: sids * groups * banks */
    enum dram_map_id map;
    enum dram_refresh refresh;
    uint32_t postpone;                                       /* refreshes that may be owed */
    uint32_t read_queue, write_queue, write_high, write_low; /* requests of a pseudo-channel */
    uint32_t age_cap, row_idle; /* clocks: longest wait behind row hits; unused row until closed */
    uint32_t refi_pb;           /* mean time between per-bank refreshes of a stack ID */
    /* For each bank of a pseudo-channel: its stack ID, and its group, numbered across stack IDs. */
    uint8_t sid_of[DRAM_MAX_BANKS], group_of[DRAM_MAX_BANKS];
#define NS(field, key, name, text) uint32_t field;
#define CK(field, key, name, text) uint32_t field;
#include "tables/dram_timings.def"
};

/* Banks of a pseudo-channel are numbered by (stack ID, group, bank), the bank fastest. */
static inline uint32_t dram_bank_sid(const struct dram_spec *s, uint32_t bank) {
    return s->sid_of[bank];
}
static inline uint32_t dram_bank_group(const struct dram_spec *s, uint32_t bank) {
    return s->group_of[bank];
}

/* One command on a command bus. `bank`, `row` and `column` are 0 where they do not apply; an
 * all-bank refresh has the first bank of its stack ID. */
struct dram_command {
    uint64_t at; /* clock; of ACT: its last one */
    uint32_t channel, pc, bank, row, column;
    enum dram_command_kind kind;
};
typedef void (*dram_command_fn)(void *user, const struct dram_command *command);

/* @return HEDDLE_ERR_CONFIG: an impossible device; diag names the parameter. */
heddle_err dram_spec_create(struct dram_spec *out, const struct config *config,
                            struct heddle_diag *diag);
/* Sets *path_ps to the part of a latency beyond a single read of a closed bank, that is, the way to
 * the device and back. @return HEDDLE_ERR_CONFIG: the device alone takes longer. */
heddle_err dram_spec_path(const struct dram_spec *spec, uint64_t latency_ps, uint64_t *path_ps,
                          struct heddle_diag *diag);
const char *dram_command_name(enum dram_command_kind kind);

#endif
