/* carveout.h - how a launch divides an SM's unified memory into shared memory and L1.
 *
 * Pure functions, any thread. Sizes are bytes. docs/timing-model.md, rule 18. */
#ifndef HEDDLE_COMMON_CARVEOUT_H
#define HEDDLE_COMMON_CARVEOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/config.h"
#include "common/occupancy.h"

enum { CARVEOUT_MOST_SIZES = 16 }; /* with sm.shared */

/* The sizes that shared memory may have, ascending; count 0: it is a memory of its own. */
struct carveout_sizes {
    uint32_t count, bytes[CARVEOUT_MOST_SIZES];
};

/* Reads the text of sm.shared_sizes: KiB with slashes between, or "none". @return false: it is
 * neither, or does not ascend; *out is then undefined. */
bool carveout_read_sizes(const char *text, struct carveout_sizes *out);

/* cudaFuncCache */
typedef enum carveout_cache {
    CARVEOUT_NO_PREFERENCE,
    CARVEOUT_PREFER_SHARED,
    CARVEOUT_PREFER_L1,
    CARVEOUT_PREFER_EQUAL,
} carveout_cache;

/* What the program prefers. */
struct carveout_wish {
    int percent;          /* cudaFuncAttributePreferredSharedMemoryCarveout, -1: none */
    carveout_cache cache; /* no effect beside a percentage */
    uint32_t ctas;        /* that an SM must hold all the same, of a cooperative launch; else 0 */
};

/* What a launch wants of an SM. */
struct carveout_choice {
    uint32_t bytes; /* of shared memory */
    bool exact;     /* an SM with more will not do: the program has set cudaFuncCache */
};

/* The choice of a launch whose CTAs need *need, of which at least one fits on an SM. A wish never
 * makes it smaller than one CTA, or wish.ctas. */
struct carveout_choice carveout_choose(const struct config *c, const struct occupancy_need *need,
                                       const struct carveout_wish *wish);

/* Lines of L1 beside `shared_bytes` of shared memory; 0: as many as L1 has at most, whatever shared
 * memory takes. */
uint32_t carveout_l1_lines(const struct config *c, uint32_t shared_bytes);

#endif
