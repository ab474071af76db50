/* dram_map.h - the place of an address: pseudo-channel, bank, row and column.
 *
 * Every bit of bank number and column is the parity of some bits of the address (a matrix over
 * GF(2), made once from models/hbm/dram_maps.def); the row is the bits above. Read-only once made,
 * for any thread; only creation fails. */
#ifndef HEDDLE_MODELS_HBM_DRAM_MAP_H
#define HEDDLE_MODELS_HBM_DRAM_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hbm/dram_spec.h"

enum { DRAM_LINE = 128, DRAM_MAX_PLACE_BITS = 16 };

/* A mapping. */
struct dram_map {
    uint32_t units, unit_bits; /* pseudo-channels, and the width of their hash */
    bool hash_units;           /* the number of the pseudo-channel is hashed */
    uint64_t unit_poly;        /* by the remainder of this polynomial; 0: by folding */
    uint32_t slices;           /* L2 slices; 0: the line number chooses the pseudo-channel */
    uint32_t line_atoms;       /* bursts of a line */
    uint32_t bank_bits, column_bits, row_shift, rows;
    /* Bit i is the parity of these bits of the burst's number in its pseudo-channel. */
    uint64_t bank_mask[DRAM_MAX_PLACE_BITS], column_mask[DRAM_MAX_PLACE_BITS];
};

/* The place of a burst. */
struct dram_place {
    uint32_t unit; /* channel * pcs + pc */
    uint32_t bank; /* of the pseudo-channel */
    uint32_t row, column;
};

/* `slices` > 0 is the number of L2 slices: each owns one pseudo-channel or two, or several slices
 * share one. @return HEDDLE_ERR_CONFIG when the numbers do not allow that. */
heddle_err dram_map_create(struct dram_map *out, const struct dram_spec *spec, uint32_t slices,
                           struct heddle_diag *diag);
/* Place of the first burst of a 128-byte line; the others follow it in its row (every order begins
 * with the line's columns). `slice` is used only by a map with slices. */
struct dram_place dram_map_line(const struct dram_map *map, uint64_t line, uint32_t slice);

#endif
