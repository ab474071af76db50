/* l2_slices.h - which slice of L2 has a line: rule 9 of docs/timing-model.md, "Slice and set". */
#ifndef HEDDLE_TIMING_L2_SLICES_H
#define HEDDLE_TIMING_L2_SLICES_H

#include <stdint.h>

/* `line`: 128-byte line of device memory. `slices`, `hash`: l2.slices, l2.slice_hash. */
static inline uint32_t l2_slice_of(uint32_t line, uint32_t slices, uint32_t hash) {
    if (!hash) return line % slices;
    const unsigned twos = (unsigned)__builtin_ctz(slices), bits = twos < 4 ? 4 : twos;
    uint32_t low = 0;
    for (uint64_t left = line; left; left >>= bits) low ^= (uint32_t)left;
    return (line >> twos) % (slices >> twos) << twos | (low & ((UINT32_C(1) << twos) - 1));
}

#endif
