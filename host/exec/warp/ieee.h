/* ieee.h - floating point that C does not offer: NaNs as the GPU makes them, flushing of
 * subnormals, comparison predicates, rounding modes, and the narrow formats.
 *
 * A NaN result is canonical: 0x7fffffff (f32), 0xfff8000000000000 (f64), 0x7fff (f16, bf16), so
 * that results do not depend on the order of operands that a host compiler chooses. Private to
 * exec/; pure functions but for exec_round_begin/end, which set the calling thread's rounding
 * mode. */
#ifndef HEDDLE_EXEC_IEEE_H
#define HEDDLE_EXEC_IEEE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "exec/warp/warp_register.h"
#include "mir/mir.h"

#define F32_NAN UINT32_C(0x7fffffff)
#define F32_INF UINT32_C(0x7f800000)
#define F32_SIGN UINT32_C(0x80000000)
#define F64_NAN UINT64_C(0xfff8000000000000)
#define F64_INF UINT64_C(0x7ff0000000000000)
#define F64_SIGN UINT64_C(0x8000000000000000)

static inline float f32_from(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint32_t f32_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline double f64_from(uint64_t u) {
    double f;
    memcpy(&f, &u, 8);
    return f;
}
static inline uint64_t f64_bits(double f) {
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
static inline bool f32_is_nan(uint32_t u) {
    return (u & ~F32_SIGN) > F32_INF;
}
static inline bool f64_is_nan(uint64_t u) {
    return (u & ~F64_SIGN) > F64_INF;
}
/* Subnormals become zeros of their sign. */
static inline uint32_t f32_flush(uint32_t u) {
    return u & F32_INF ? u : u & F32_SIGN;
}
static inline uint32_t f32_canonical(uint32_t u) {
    return f32_is_nan(u) ? F32_NAN : u;
}
static inline uint64_t f64_canonical(uint64_t u) {
    return f64_is_nan(u) ? F64_NAN : u;
}

/* ---- chunks: the same for each lane of a vector of f32 */
static inline u32v v_flush(u32v u) {
    u32v keep = (u32v)((u & F32_INF) != 0);
    return u & (keep | F32_SIGN);
}
static inline u32v v_canonical(u32v u) {
    u32v nan = (u32v)((f32v)u != (f32v)u);
    return v_select(nan, v_all(F32_NAN), u);
}
/* Clamps to [0, 1]; NaN and -0 become +0. */
static inline u32v v_saturate(u32v u) {
    f32v x = (f32v)u, one = (f32v){0} + 1.0f;
    u = v_select((u32v)(x > one), (u32v)one, u);
    return u & (u32v)(x > 0.0f);
}

/* ---- rounding modes: begin, call a function that is not inlined, end (round to
 * nearest again). They set the mode of the calling thread. */
void exec_round_begin(unsigned round); /* mir_round */
void exec_round_end(void);

/* ---- narrow formats */
/* A narrow floating-point format. */
struct exec_format {
    int exponent_bits, mantissa_bits; /* as stored */
    uint32_t nan;                     /* bits of the canonical NaN */
    bool away;                        /* nearest: ties away from zero, not to even */
};
extern const struct exec_format exec_f16, exec_bf16, exec_tf32, exec_f32;

/* @return the bits of x rounded once to the format, right aligned (tf32: as an f32). `round`:
 * mir_round. */
uint32_t exec_narrow(double x, const struct exec_format *to, unsigned round);
/* The same for a + b, rounded once even if the sum is not exact in double. */
uint32_t exec_narrow_sum(double a, double b, const struct exec_format *to, unsigned round);
/* @return the value of a format's bits, right aligned, exactly. */
double exec_widen(uint32_t bits, const struct exec_format *from);

/* @return whether a cmp b (mir_cmp) holds, where `order` is -1, 0, 1 (a below, equal to, above b)
 * or 2 (unordered). */
bool exec_compare_order(unsigned cmp, int order);

#endif
