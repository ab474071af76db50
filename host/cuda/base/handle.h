/* handle.h - handles of streams, events, pools and graphs: numbers that look like addresses, where
 * nothing is mapped. Handle i is HANDLE_FIRST + i * HANDLE_STEP. */
#ifndef HEDDLE_CUDA_BASE_HANDLE_H
#define HEDDLE_CUDA_BASE_HANDLE_H

#include <stddef.h>
#include <stdint.h>

enum { HANDLE_LEGACY = 1, HANDLE_PER_THREAD = 2, HANDLE_FIRST = 4096, HANDLE_STEP = 16 };

static inline uint64_t handle_of(size_t index) {
    return HANDLE_FIRST + index * HANDLE_STEP;
}
/* @return the index, or `count`: no such handle. */
static inline size_t handle_index(uint64_t handle, size_t count) {
    if (handle < HANDLE_FIRST || (handle - HANDLE_FIRST) % HANDLE_STEP) return count;
    uint64_t i = (handle - HANDLE_FIRST) / HANDLE_STEP;
    return i < count ? (size_t)i : count;
}

#endif
