/* dram_map.h - where an address lies: pseudo-channel, bank, row and column.
 *
 * Every bit of bank number and column is the parity of some bits of the address (a matrix over two
 * elements, made once from models/hbm/dram_maps.def); the row is the bits above. Read-only once
 * made; no call fails. */
#ifndef HEDDLE_MODELS_HBM_DRAM_MAP_H
#define HEDDLE_MODELS_HBM_DRAM_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hbm/dram_spec.h"

enum { DRAM_LINE = 128, DRAM_MAX_PLACE_BITS = 16 };

struct dram_map {
    uint32_t units, unit_bits; /* pseudo-channels, and the width of their hash */
    bool hash_units;
    uint64_t unit_poly;
    uint32_t slices;     /* 0: lines choose their pseudo-channel themselves */
    uint32_t line_atoms; /* bursts of a line */
    uint32_t bank_bits, column_bits, row_shift, rows;
    uint64_t bank_mask[DRAM_MAX_PLACE_BITS], column_mask[DRAM_MAX_PLACE_BITS];
};

struct dram_place {
    uint32_t unit; /* channel * pcs + pc */
    uint32_t bank; /* of the pseudo-channel */
    uint32_t row, column;
};

/* `slices` > 0: slice s of so many owns a share of the pseudo-channels, or several slices share
 * one. @return HEDDLE_ERR_CONFIG when they do not divide. */
heddle_err dram_map_create(struct dram_map *out, const struct dram_spec *spec, uint32_t slices,
                           struct heddle_diag *diag);
/* Place of the first burst of a 128-byte line; the others follow it in its row (every order begins
 * with the line's columns). `slice` counts only with slices. */
struct dram_place dram_map_line(const struct dram_map *map, uint64_t line, uint32_t slice);

#endif
