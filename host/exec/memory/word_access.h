/* word_access.h - 32-bit words of memory to the lanes of a warp register and back, by byte offset
 * from a base.
 *
 * Most accesses touch consecutive words or one word, by the whole warp or by halves of it (tiles of
 * 16). So the code tests the whole warp first, then each chunk of lanes. Private to exec/. The
 * caller has checked bounds and alignment of the lanes of mask; offsets of other lanes are not
 * used. Functions touch their register and memory only. */
#ifndef HEDDLE_EXEC_WORD_ACCESS_H
#define HEDDLE_EXEC_WORD_ACCESS_H

#include <string.h>

#include "exec/warp/warp_register.h"

#if EXEC_VECTOR == 32
static const u32v words_consecutive = {0, 4, 8, 12, 16, 20, 24, 28};
#else
static const u32v words_consecutive = {0, 4, 8, 12};
#endif

/* True if no lane of the chunk has its sign bit set. */
static inline bool v_none(u32v m) {
    return v_bits(m, 0) == 0;
}

/* The bits of chunk k in a mask, from bit 0 on. */
static inline uint32_t chunk_lanes(uint32_t mask, unsigned k) {
    return mask >> (k * CHUNK_LANES) & (uint32_t)((UINT64_C(1) << CHUNK_LANES) - 1);
}
#define WHOLE_CHUNK chunk_lanes(UINT32_MAX, 0)

static inline uint32_t word_at(const uint8_t *base, uint32_t offset) {
    uint32_t x;
    memcpy(&x, base + offset, 4);
    return x;
}

/* True if all lanes have the same offset, or consecutive words: the frequent cases of a whole
 * warp. */
static inline bool words_same(const warp_reg *offset) {
    u32v odd = v_all(0);
    EACH_CHUNK(k) odd |= offset->v[k] ^ offset->u[0];
    return v_none((u32v)(odd != 0));
}
static inline bool words_side_by_side(const warp_reg *offset) {
    u32v odd = v_all(0);
    EACH_CHUNK(k) odd |= offset->v[k] ^ (words_consecutive + (EXEC_VECTOR * k + offset->u[0]));
    return v_none((u32v)(odd != 0));
}

/* r = the words at base + offset, in the lanes of mask; other lanes of r do not change. */
static inline void words_load(warp_reg *r, const uint8_t *base, const warp_reg *offset,
                              uint32_t mask) {
    if (mask == UINT32_MAX && words_same(offset)) {
        u32v x = v_all(word_at(base, offset->u[0]));
        EACH_CHUNK(k) r->v[k] = x;
        return;
    }
    if (mask == UINT32_MAX && words_side_by_side(offset)) {
        reg_load(r, base + offset->u[0]);
        return;
    }
    EACH_CHUNK(k) {
        uint32_t lanes = chunk_lanes(mask, k);
        unsigned first = k * CHUNK_LANES;
        if (lanes != WHOLE_CHUNK) {
            for (; lanes; lanes &= lanes - 1) {
                unsigned l = first + (unsigned)__builtin_ctz(lanes);
                r->u[l] = word_at(base, offset->u[l]);
            }
            continue;
        }
        u32v apart = offset->v[k] - offset->u[first];
        if (v_none((u32v)(apart != words_consecutive))) {
            r->v[k] = *(const u32v_anywhere *)(const void *)(base + offset->u[first]);
        } else if (v_none((u32v)(apart != 0))) {
            r->v[k] = v_all(word_at(base, offset->u[first]));
        } else {
            u32v x = v_all(0);
            for (unsigned i = 0; i < CHUNK_LANES; i++) x[i] = word_at(base, offset->u[first + i]);
            r->v[k] = x;
        }
    }
}

/* Stores the lanes of mask; of lanes with the same offset the highest wins. */
static inline void words_store(uint8_t *base, const warp_reg *offset, const warp_reg *r,
                               uint32_t mask) {
    if (mask == UINT32_MAX && words_side_by_side(offset)) {
        reg_store(base + offset->u[0], r);
        return;
    }
    EACH_CHUNK(k) {
        uint32_t lanes = chunk_lanes(mask, k);
        unsigned first = k * CHUNK_LANES;
        u32v apart = offset->v[k] - offset->u[first];
        if (lanes == WHOLE_CHUNK && v_none((u32v)(apart != words_consecutive))) {
            memcpy(base + offset->u[first], &r->v[k], EXEC_VECTOR);
            continue;
        }
        for (; lanes; lanes &= lanes - 1) {
            unsigned l = first + (unsigned)__builtin_ctz(lanes);
            memcpy(base + offset->u[l], &r->u[l], 4);
        }
    }
}

#endif
