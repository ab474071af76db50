/* block_prefetch.c - see block_prefetch.h. */
#include "sched/block_prefetch.h"

/* `size` blocks from `first` on. */
static uint32_t subtree(unsigned first, unsigned size) {
    return (uint32_t)(((UINT64_C(1) << size) - 1) << first);
}

/* What other faults of the piece bring does not count here, but only that they are there: the
 * driver looks at the tree as it was before. */
uint32_t block_prefetch(uint32_t there, uint32_t faulted, unsigned threshold) {
    const uint32_t counted = there | faulted;
    uint32_t wanted = counted;
    for (uint32_t left = threshold ? faulted : 0; left; left &= left - 1) {
        const unsigned block = (unsigned)__builtin_ctz(left);
        for (unsigned size = PREFETCH_BLOCKS; size > 1; size /= 2) {
            const uint32_t tree = subtree(block / size * size, size);
            if ((unsigned)__builtin_popcount(counted & tree) * 100 <= size * threshold) continue;
            wanted |= tree;
            break;
        }
    }
    return wanted;
}
