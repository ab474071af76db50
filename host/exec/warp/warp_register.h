/* warp_register.h - a register of a warp: one 32-bit word for each of 32 lanes, processed in chunks
 * of the width of the host's vector registers (compiler vector extensions; GCC splits wider vectors
 * badly, so a register is a few chunks and every operation is a loop over them that the compiler
 * unrolls).
 *
 * Names: v_... works on one chunk, reg_... on a register, reg64_... on pairs of registers. `mask`
 * is a bit per lane. Private to exec/. Pure functions but for their pointers. */
#ifndef HEDDLE_EXEC_WARP_REGISTER_H
#define HEDDLE_EXEC_WARP_REGISTER_H

#include <stdint.h>

#if defined(__AVX2__)
#define EXEC_VECTOR 32 /* bytes in a chunk */
#else
#define EXEC_VECTOR 16
#endif
enum {
    CHUNK_LANES = EXEC_VECTOR / 4,
    REG_CHUNKS = 32 / CHUNK_LANES,
};

/* A chunk, as numbers of each type. */
typedef uint32_t u32v __attribute__((vector_size(EXEC_VECTOR)));
typedef int32_t i32v __attribute__((vector_size(EXEC_VECTOR)));
typedef float f32v __attribute__((vector_size(EXEC_VECTOR)));

typedef uint64_t u64v __attribute__((vector_size(EXEC_VECTOR)));
typedef int64_t i64v __attribute__((vector_size(EXEC_VECTOR)));
typedef double f64v __attribute__((vector_size(EXEC_VECTOR)));

/* One register of a warp. */
typedef union warp_reg {
    u32v v[REG_CHUNKS];
    i32v s[REG_CHUNKS];
    f32v fv[REG_CHUNKS];
    uint32_t u[32];
    int32_t i[32];
    float f[32];
} warp_reg;

/* 64-bit values of a warp, gathered from a register pair. */
typedef union warp_reg64 {
    uint64_t u[32];
    int64_t i[32];
    double f[32];
} warp_reg64 __attribute__((aligned(64)));

/* Loops: chunks k of a register, all lanes l, the lanes l of a mask (lowest first). */
#define EACH_CHUNK(k) for (unsigned k = 0; k < REG_CHUNKS; k++)
#define EACH_LANE(l) for (unsigned l = 0; l < 32; l++)
#define EACH_SET(l, mask) \
    for (uint32_t m_ = (mask), l; m_ && (l = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

/* x in every lane. */
static inline u32v v_all(uint32_t x) {
    return (u32v){0} + x;
}

/* All ones in the lanes of chunk k whose bit is set in mask. */
static inline u32v v_mask(uint32_t mask, unsigned k) {
#if EXEC_VECTOR == 32
    const u32v bits = {1, 2, 4, 8, 16, 32, 64, 128};
#else
    const u32v bits = {1, 2, 4, 8};
#endif
    return (u32v)((v_all(mask >> (k * CHUNK_LANES)) & bits) == bits);
}

/* The sign bits of the lanes of chunk k, at their places in a mask. */
static inline uint32_t v_bits(u32v m, unsigned k) {
#if EXEC_VECTOR == 32
    return (uint32_t)__builtin_ia32_movmskps256((f32v)m) << (k * CHUNK_LANES);
#elif defined(__SSE2__)
    return (uint32_t)__builtin_ia32_movmskps((f32v)m) << (k * CHUNK_LANES);
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < CHUNK_LANES; i++) bits |= (m[i] >> 31) << i;
    return bits << (k * CHUNK_LANES);
#endif
}

/* a in the bits that are set in m, else b. */
static inline u32v v_select(u32v m, u32v a, u32v b) {
    return b ^ ((a ^ b) & m);
}

/* Writes r into d in the lanes of mask. */
static inline void reg_put(warp_reg *d, const warp_reg *r, uint32_t mask) {
    if (mask == UINT32_MAX) {
        EACH_CHUNK(k) d->v[k] = r->v[k];
    } else {
        EACH_CHUNK(k) d->v[k] = v_select(v_mask(mask, k), r->v[k], d->v[k]);
    }
}

/* A chunk in memory, at any multiple of 4 bytes. (With memcpy GCC writes halves of a vector, and
 * the processor delays a later read of the whole vector.) The functions move 32 words. */
typedef u32v u32v_anywhere __attribute__((aligned(4), may_alias));
static inline void reg_load(warp_reg *d, const void *p) {
    EACH_CHUNK(k) d->v[k] = ((const u32v_anywhere *)p)[k];
}
static inline void reg_store(void *p, const warp_reg *r) {
    EACH_CHUNK(k)((u32v_anywhere *)p)[k] = r->v[k];
}

/* A lane's 64-bit value in the register pair r[0..1]. */
static inline uint64_t reg_pair(const warp_reg *r, unsigned lane) {
    return (uint64_t)r[1].u[lane] << 32 | r[0].u[lane];
}

/* The bitwise OR of the words of the lanes of mask. */
static inline uint32_t reg_any(const warp_reg *r, uint32_t mask) {
    u32v any = v_all(0);
    uint32_t bits = 0;
    EACH_CHUNK(k) any |= r->v[k] & v_mask(mask, k);
    for (unsigned i = 0; i < CHUNK_LANES; i++) bits |= any[i];
    return bits;
}

/* Writes `value` into d in the lanes of mask. */
static inline void reg_fill(warp_reg *d, uint32_t value, uint32_t mask) {
    warp_reg r;
    EACH_CHUNK(k) r.v[k] = v_all(value);
    reg_put(d, &r, mask);
}

/* A chunk of register pairs as 64-bit values, the even lanes and the odd ones apart. */
struct pairs {
    u64v even, odd;
};
static inline struct pairs v_pairs(u32v lo, u32v hi) {
    u64v l = (u64v)lo, h = (u64v)hi, low = (u64v){0} + UINT32_MAX;
    return (struct pairs){(l & low) | h << 32, l >> 32 | (h & ~low)};
}
static inline u32v v_low(struct pairs p) {
    u64v low = (u64v){0} + UINT32_MAX;
    return (u32v)((p.even & low) | p.odd << 32);
}
static inline u32v v_high(struct pairs p) {
    u64v low = (u64v){0} + UINT32_MAX;
    return (u32v)(p.even >> 32 | (p.odd & ~low));
}

/* Register pairs to 64-bit values and back; reg64_put() writes the lanes of mask of d[0..1]. */
static inline void reg64_get(warp_reg64 *d, const warp_reg *lo, const warp_reg *hi) {
    EACH_LANE(l) d->u[l] = (uint64_t)hi->u[l] << 32 | lo->u[l];
}
static inline void reg64_put(warp_reg *d, const warp_reg64 *r, uint32_t mask) {
    warp_reg lo, hi;
    EACH_LANE(l) {
        lo.u[l] = (uint32_t)r->u[l];
        hi.u[l] = (uint32_t)(r->u[l] >> 32);
    }
    reg_put(d, &lo, mask);
    reg_put(d + 1, &hi, mask);
}

#endif
