/* ieee.c - floating point that C does not offer: rounding modes, narrow formats, comparisons. See
 * ieee.h.
 *
 * The operations (ops/) and atomics (memory/perform.c) call it on their threads. All functions are
 * pure, except exec_round_begin/end(), which set the rounding mode of the calling thread.
 *
 * Conversion to a narrow format goes from the double's bits, in integers: it rounds once, in any
 * mode, with subnormals. A sum of two doubles is first rounded to odd (the last bit of the double
 * is set when the sum is not exact), after which a second rounding to far fewer bits is the right
 * one. */
#include "exec/warp/ieee.h"

#include <fenv.h>
#include <math.h>

const struct exec_format exec_f16 = {5, 10, 0x7fff, false};
const struct exec_format exec_bf16 = {8, 7, 0x7fff, false};
const struct exec_format exec_f32 = {8, 23, F32_NAN, false};
/* cvt.rna.tf32: 10 mantissa bits at the top of an f32. */
const struct exec_format exec_tf32 = {8, 10, F32_NAN >> 13, true};

#ifdef __SSE2__
/* Sets the control word of SSE only. fesetround() also sets that of the x87, which nothing here
 * uses; that takes as long as the arithmetic on a warp register. */
enum { MXCSR_DEFAULT = 0x1f80, MXCSR_ROUND = 13 };
/* Sets the calling thread's rounding mode to `round` (mir_round); exec_round_end() sets nearest. */
void exec_round_begin(unsigned round) {
    static const uint8_t mode[] = {0, 3, 1, 2}; /* nearest, zero, down, up */
    __builtin_ia32_ldmxcsr(MXCSR_DEFAULT | (unsigned)mode[round & 3] << MXCSR_ROUND);
}
void exec_round_end(void) {
    __builtin_ia32_ldmxcsr(MXCSR_DEFAULT);
}
#else
/* The same, with the C library. */
void exec_round_begin(unsigned round) {
    static const int mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(mode[round & 3]);
}
void exec_round_end(void) {
    fesetround(FE_TONEAREST);
}
#endif

/* True if a magnitude rounds up. `odd`: its last kept bit is 1; rest: the dropped bits; half: the
 * halfway point; away: ties go away from zero. */
static bool round_up(unsigned round, bool away, bool negative, bool odd, uint64_t rest,
                     uint64_t half) {
    switch (round) {
    case MIR_ROUND_NEAREST: return rest > half || (rest == half && (odd || away));
    case MIR_ROUND_ZERO: return false;
    case MIR_ROUND_DOWN: return negative && rest != 0;
    default: return !negative && rest != 0;
    }
}

/* Rounds x once to a format in mode `round` (mir_round), on its bits: drops mantissa bits, more for
 * a subnormal result, then rounds and handles overflow. @return the format's bits, right aligned
 * (tf32: as an f32); a NaN is canonical. */
uint32_t exec_narrow(double x, const struct exec_format *to, unsigned round) {
    uint64_t bits = f64_bits(x);
    bool negative = bits >> 63;
    int m = to->mantissa_bits, bias = (1 << (to->exponent_bits - 1)) - 1;
    uint32_t sign = (uint32_t)negative << (m + to->exponent_bits);
    uint32_t infinity = ((UINT32_C(1) << to->exponent_bits) - 1) << m;
    int shift_tf32 = to == &exec_tf32 ? 13 : 0;
    if (f64_is_nan(bits)) return to == &exec_tf32 ? F32_NAN : to->nan;
    uint64_t mantissa = bits & UINT64_C(0xfffffffffffff);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint32_t result;
    if (exponent == 1024) {
        result = infinity;
    } else if (exponent == -1023) { /* zero, or far below every narrow subnormal */
        result = mantissa && round_up(round, to->away, negative, false, 1, 2);
    } else {
        mantissa |= UINT64_C(1) << 52;
        /* Bits to drop: more when the result is subnormal. */
        int drop = 52 - m, field = exponent + bias;
        if (field < 1) {
            drop += 1 - field;
            field = 1;
        }
        uint64_t kept = 0, rest = 1, half = 2;
        if (drop <= 62) {
            kept = mantissa >> drop;
            rest = mantissa & ((UINT64_C(1) << drop) - 1);
            half = UINT64_C(1) << (drop - 1);
        }
        kept += round_up(round, to->away, negative, kept & 1, rest, half);
        /* kept carries its leading one into the exponent field; a subnormal has none. */
        uint64_t value = ((uint64_t)(field - 1) << m) + kept;
        if (value >= infinity) {
            bool to_infinity = round == MIR_ROUND_NEAREST || (round == MIR_ROUND_UP && !negative) ||
                               (round == MIR_ROUND_DOWN && negative);
            value = to_infinity ? infinity : infinity - 1;
        }
        result = (uint32_t)value;
    }
    return (sign | result) << shift_tf32;
}

/* Rounds a + b once to a format, even if the sum is not exact in double. Relies on the host's mode
 * being round to nearest. @return as exec_narrow(). */
uint32_t exec_narrow_sum(double a, double b, const struct exec_format *to, unsigned round) {
    double s = a + b;
    if (isfinite(s)) {
        double bb = s - a, error = (a - (s - bb)) + (b - bb); /* exact (two-sum) */
        uint64_t bits = f64_bits(s);
        if (error != 0 && !(bits & 1)) {
            /* Towards the error: away from zero when it has the sign of s. */
            bits += (error > 0) == (s > 0) ? 1 : (uint64_t)-1;
            s = f64_from(bits);
        }
        if (s == 0 && round == MIR_ROUND_DOWN && (signbit(a) || signbit(b))) s = -0.0;
    }
    return exec_narrow(s, to, round);
}

/* @return the value of a format's bits, right aligned, exactly; every NaN becomes the canonical
 * one. */
double exec_widen(uint32_t bits, const struct exec_format *from) {
    int m = from->mantissa_bits, e = from->exponent_bits;
    uint64_t sign = (uint64_t)(bits >> (m + e) & 1) << 63;
    uint64_t mantissa = bits & ((UINT32_C(1) << m) - 1);
    uint32_t field = bits >> m & ((UINT32_C(1) << e) - 1);
    if (field == (UINT32_C(1) << e) - 1) return f64_from(mantissa ? F64_NAN : sign | F64_INF);
    int bias = (1 << (e - 1)) - 1;
    if (field == 0) {
        double x = ldexp((double)mantissa, 1 - bias - m);
        return sign ? -x : x;
    }
    return f64_from(sign | (uint64_t)((int)field - bias + 1023) << 52 | mantissa << (52 - m));
}

/* Whether comparison `cmp` holds for an order: -1, 0, 1, or 2 for unordered. */
bool exec_compare_order(unsigned cmp, int order) {
    bool unordered = order == 2;
    switch (cmp) {
    case MIR_CMP_F: return false;
    case MIR_CMP_LT: return order == -1;
    case MIR_CMP_EQ: return order == 0;
    case MIR_CMP_LE: return order == -1 || order == 0;
    case MIR_CMP_GT: return order == 1;
    case MIR_CMP_NE: return order == -1 || order == 1;
    case MIR_CMP_GE: return order == 1 || order == 0;
    case MIR_CMP_NUM: return !unordered;
    case MIR_CMP_NAN: return unordered;
    case MIR_CMP_LTU: return unordered || order == -1;
    case MIR_CMP_EQU: return unordered || order == 0;
    case MIR_CMP_LEU: return unordered || order == -1 || order == 0;
    case MIR_CMP_GTU: return unordered || order == 1;
    case MIR_CMP_NEU: return order != 0;
    case MIR_CMP_GEU: return unordered || order == 1 || order == 0;
    default: return true; /* T */
    }
}
