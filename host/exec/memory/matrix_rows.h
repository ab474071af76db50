/* matrix_rows.h - LDSM, which loads 8 x 8 matrices of halves: what its lanes read, and what they
 * get of it. Private to exec/.
 *
 * Lane 8 * i + j names row j of matrix i, 16 bytes. The access loads it into four words of that
 * lane, like any other load of 16 bytes; then the words change places. Lanes behind the last matrix
 * name the rows of the first ones again. Functions touch their arguments only. */
#ifndef HEDDLE_EXEC_MATRIX_ROWS_H
#define HEDDLE_EXEC_MATRIX_ROWS_H

#include <string.h>

#include "exec/warp/exec_state.h"

/* @return the operation is LDSM. */
static inline bool rows_of_matrices(const struct exec_op *op) {
    return op->inst->op == MIR_LDSM;
}

/* Makes the lanes' addresses those of the rows that they read. */
static inline void rows_repeat(const struct exec_op *op, uint64_t *address) {
    const unsigned rows = 8 * (op->sub & MIR_LDSM_MATRICES);
    for (unsigned l = rows; l < MIR_WARP_SIZE; l++) address[l] = address[l % rows];
}

/* Word r[i] of a lane becomes its part of matrix i: of row l / 4 columns 2 * (l % 4) and the next;
 * transposed, these rows of column l / 4. Before, r[0..4) of a lane are the row that it named. */
static inline void rows_deal(const struct exec_op *op, warp_reg *r) {
    warp_reg row[4];
    memcpy(row, r, sizeof row);
    for (unsigned i = 0; i < (op->sub & MIR_LDSM_MATRICES); i++) EACH_LANE(l) {
            const unsigned g = l / 4, t = l % 4, first = 8 * i;
            if (!(op->sub & MIR_LDSM_TRANSPOSED)) {
                r[i].u[l] = row[t].u[first + g];
                continue;
            }
            const uint32_t low = row[g / 2].u[first + 2 * t] >> 16 * (g % 2);
            const uint32_t high = row[g / 2].u[first + 2 * t + 1] >> 16 * (g % 2);
            r[i].u[l] = (low & 0xffff) | high << 16;
        }
}

#endif
