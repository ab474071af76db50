/* l2_slices.h - which slice of L2 has a line: rule 9 of docs/timing-model.md, "Slice and set". */
#ifndef HEDDLE_TIMING_L2_SLICES_H
#define HEDDLE_TIMING_L2_SLICES_H

#include <stdbool.h>
#include <stdint.h>

/* How a GPU's lines lie in its slices. */
struct l2_layout {
    uint32_t slices;     /* l2.slices */
    uint32_t interleave; /* l2.interleave, in lines */
    bool hash;           /* l2.hash is not linear */
};

/* `line`: 128-byte line of device memory. */
static inline uint32_t l2_slice_of(uint32_t line, const struct l2_layout *layout) {
    const uint32_t slices = layout->slices;
    line /= layout->interleave;
    if (!layout->hash) return line % slices;
    const unsigned twos = (unsigned)__builtin_ctz(slices), bits = twos < 4 ? 4 : twos;
    uint32_t low = 0;
    for (uint64_t left = line; left; left >>= bits) low ^= (uint32_t)left;
    return (line >> twos) % (slices >> twos) << twos | (low & ((UINT32_C(1) << twos) - 1));
}

#endif
