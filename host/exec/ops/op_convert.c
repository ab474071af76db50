/* op_convert.c - executes conversions between number formats.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They compute all 32 lanes from
 * the warp's registers and predicates, write the row's destinations in the lanes of `mask`, touch
 * nothing else and return EX_NEXT. Comments use the table's names: a, b, c are the sources after
 * their modifiers (a: is a register pair), d is the result, p, q are predicates read, P, Q
 * predicates written. For a form of the instruction that does not exist they raise
 * HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise() fills in the CTA's fault, sets the warp's status and
 * returns EX_FAULT.
 *
 * A floating-point source is first widened to double, which is exact for all formats, so rounding
 * to an integer, saturation and narrowing need one routine each. op->type2 is the type of the
 * source, op->type that of the result. FTZ flushes subnormal f32 inputs and results. */
#include <math.h>

#include "exec/check/fault.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

/* Lane l of a float operand (a pair for f64) as a double; `ftz` flushes an f32. */
static double source(const warp_reg *a, unsigned l, unsigned type, bool ftz) {
    switch (type) {
    case MIR_F64: return f64_from((uint64_t)a[1].u[l] << 32 | a[0].u[l]);
    case MIR_F16: return exec_widen(a->u[l] & 0xffff, &exec_f16);
    case MIR_BF16: return exec_widen(a->u[l] & 0xffff, &exec_bf16);
    default: return (double)f32_from(ftz ? f32_flush(a->u[l]) : a->u[l]);
    }
}
static bool is_float(unsigned t) {
    return t == MIR_F16 || t == MIR_BF16 || t == MIR_F32 || t == MIR_F64;
}

/* x rounded once to float type `type`, as its bits. `sat` clamps to [0, 1] first (NaN: 0), `ftz`
 * flushes an f32 result. */
static uint64_t narrow(double x, unsigned type, unsigned round, bool ftz, bool sat) {
    if (sat) x = x > 1 ? 1 : x > 0 ? x : 0; /* NaN: 0 */
    switch (type) {
    case MIR_F64: return f64_canonical(f64_bits(x));
    case MIR_F16: return exec_narrow(x, &exec_f16, round);
    case MIR_BF16: return exec_narrow(x, &exec_bf16, round);
    case MIR_TF32: return exec_narrow(x, &exec_tf32, round);
    default: {
        uint32_t u = round == MIR_ROUND_NEAREST ? f32_canonical(f32_bits((float)x))
                                                : exec_narrow(x, &exec_f32, round);
        return ftz ? f32_flush(u) : u;
    }
    }
}

/* Writes the destination of op in the lanes of mask: a pair if `wide`, else the low words of r. */
static void put_value(struct exec_warp *w, const struct exec_op *op, const warp_reg64 *r, bool wide,
                      uint32_t mask) {
    if (wide) {
        reg64_put(exec_dst(w, op), r, mask);
    } else {
        warp_reg d;
        EACH_LANE(l) d.u[l] = (uint32_t)r->u[l];
        reg_put(exec_dst(w, op), &d, mask);
    }
}

/* d = a converted from float type2 to float type. */
exec_code exec_op_F2F(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (!is_float(op->type2) || !(is_float(op->type) || op->type == MIR_TF32))
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "types of F2F");
    warp_reg t[2];
    const warp_reg *a = exec_src(w, op, 0, t);
    warp_reg64 r;
    EACH_LANE(l) {
        double x = source(a, l, op->type2, op->flags & MIR_FTZ);
        r.u[l] = narrow(x, op->type, op->round, op->flags & MIR_FTZ, op->flags & MIR_SAT);
    }
    put_value(w, op, &r, op->type == MIR_F64, mask);
    return EX_NEXT;
}

/* x rounded to an integral value. Relies on the host's mode being round to nearest even. */
static double integral(double x, unsigned round) {
    switch (round) {
    case MIR_ROUND_NEAREST: return __builtin_rint(x);
    case MIR_ROUND_ZERO: return __builtin_trunc(x);
    case MIR_ROUND_DOWN: return __builtin_floor(x);
    default: return __builtin_ceil(x);
    }
}

/* d = a rounded to an integral value of the same float type. */
exec_code exec_op_FRND(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (!is_float(op->type))
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "type of FRND");
    warp_reg t[2];
    const warp_reg *a = exec_src(w, op, 0, t);
    warp_reg64 r;
    EACH_LANE(l) {
        double x = integral(source(a, l, op->type, op->flags & MIR_FTZ), op->round);
        r.u[l] = narrow(x, op->type, MIR_ROUND_NEAREST, op->flags & MIR_FTZ, op->flags & MIR_SAT);
    }
    put_value(w, op, &r, op->type == MIR_F64, mask);
    return EX_NEXT;
}

/* Bits of an integer type; 0 for any other type. */
static unsigned int_bits(unsigned type) {
    switch (type) {
    case MIR_U8:
    case MIR_S8: return 8;
    case MIR_U16:
    case MIR_S16: return 16;
    case MIR_U32:
    case MIR_S32: return 32;
    case MIR_U64:
    case MIR_S64: return 64;
    default: return 0;
    }
}

/* An integral x, no NaN, clamped to the integers of `bits` bits; `sign`: signed ones. */
static uint64_t saturate_integer(double x, unsigned bits, bool sign) {
    double limit = ldexp(1.0, (int)(sign ? bits - 1 : bits)); /* the smallest one too large */
    if (sign) {
        if (x >= limit) return (UINT64_C(1) << (bits - 1)) - 1;
        if (x < -limit) x = -limit;
        return (uint64_t)(int64_t)x;
    }
    if (x >= limit) return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return x > 0 ? (uint64_t)x : 0;
}

/* d = a converted from float type2 to integer type, clamped to its range. */
exec_code exec_op_F2I(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    unsigned bits = int_bits(op->type);
    if (!is_float(op->type2) || !bits)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "types of F2I");
    bool sign = is_signed(op->type);
    /* PTX, cvt: NaN becomes 0, or the middle of the range for f64 sources and 64-bit results. */
    bool middle = op->type2 == MIR_F64 || bits == 64;
    uint64_t nan = middle ? UINT64_C(1) << (bits - 1) : 0;
    if (middle && sign) nan = -nan;
    warp_reg t[2];
    const warp_reg *a = exec_src(w, op, 0, t);
    warp_reg64 r;
    EACH_LANE(l) {
        double x = source(a, l, op->type2, op->flags & MIR_FTZ);
        r.u[l] = isnan(x) ? nan : saturate_integer(integral(x, op->round), bits, sign);
    }
    put_value(w, op, &r, bits == 64, mask);
    return EX_NEXT;
}

/* The low `bits` bits of x, sign- or zero-extended. */
static int64_t extend(uint64_t x, unsigned bits, bool sign) {
    unsigned drop = 64 - bits;
    return sign ? (int64_t)(x << drop) >> drop : (int64_t)(x << drop >> drop);
}

/* The integer's magnitude as a double, rounded to odd if it needs more than 53 bits. */
static double sticky_double(uint64_t x) {
    if (x < UINT64_C(1) << 53) return (double)x;
    return (double)(x >> 11 | ((x & 0x7ff) != 0)) * 2048.0;
}

/* Replaces every lane's integer by a double, in the host's current rounding mode. Opaque, so that
 * no conversion moves across the change of mode. */
static __attribute__((noinline, noclone, noipa)) void to_double(warp_reg64 *r, bool sign) {
    if (sign) {
        EACH_LANE(l) r->f[l] = (double)r->i[l];
    } else {
        EACH_LANE(l) r->f[l] = (double)r->u[l];
    }
}

/* d = a converted from integer type2 to float type. For f64 sets the thread's rounding mode and
 * restores it. */
exec_code exec_op_I2F(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    unsigned bits = int_bits(op->type2);
    if (!bits || !is_float(op->type))
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "types of I2F");
    bool sign = is_signed(op->type2);
    warp_reg t[2];
    const warp_reg *a = exec_src(w, op, 0, t);
    warp_reg64 r;
    EACH_LANE(l) {
        uint64_t x = bits == 64 ? (uint64_t)a[1].u[l] << 32 | a[0].u[l] : a->u[l];
        r.i[l] = extend(x, bits, sign);
    }
    if (op->type == MIR_F64) {
        exec_round_begin(op->round);
        to_double(&r, sign);
        exec_round_end();
    } else {
        EACH_LANE(l) {
            bool negative = sign && r.i[l] < 0;
            double x = sticky_double(negative ? -r.u[l] : r.u[l]);
            r.u[l] = narrow(negative ? -x : x, op->type, op->round, false, op->flags & MIR_SAT);
        }
    }
    put_value(w, op, &r, op->type == MIR_F64, mask);
    return EX_NEXT;
}

/* d = a converted from integer type2 to integer type, both of at most 32 bits; SAT clamps to the
 * range of type. */
exec_code exec_op_I2I(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    unsigned from = int_bits(op->type2), to = int_bits(op->type);
    if (!from || !to || from > 32 || to > 32)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "types of I2I");
    SRC1;
    bool to_sign = is_signed(op->type);
    int64_t low = to_sign ? -(INT64_C(1) << (to - 1)) : 0;
    int64_t high = to_sign ? (INT64_C(1) << (to - 1)) - 1 : (INT64_C(1) << to) - 1;
    warp_reg r;
    EACH_LANE(l) {
        int64_t x = extend(a->u[l], from, is_signed(op->type2));
        if (op->flags & MIR_SAT) x = x < low ? low : x > high ? high : x;
        r.u[l] = (uint32_t)extend((uint64_t)x, to, to_sign);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
