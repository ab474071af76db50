/* op_half.c - executes half precision and bfloat16, one or two to a register.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They compute all 32 lanes from
 * the warp's registers and predicates, write the row's destinations in the lanes of `mask`, touch
 * nothing else and return EX_NEXT. Comments use the table's names: a, b, c are the sources after
 * their modifiers (a: is a register pair), d is the result, p, q are predicates read, P, Q
 * predicates written. For a form of the instruction that does not exist they raise
 * HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise() fills in the CTA's fault, sets the warp's status and
 * returns EX_FAULT. So they do for a type that is no half format, and arithmetic for a rounding
 * mode other than nearest.
 *
 * Each half is widened to double, where products are exact and sums are rounded to odd, and
 * narrowed once. The single-half types read and write the low half; the upper half becomes zero.
 * Helpers of one half are pure functions of its 16 bits and the format. */
#include <math.h>

#include "exec/check/fault.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

/* @return the format of each half of a value of `type`, or NULL: not a half type. */
static const struct exec_format *format_of(unsigned type) {
    switch (type) {
    case MIR_F16:
    case MIR_F16X2: return &exec_f16;
    case MIR_BF16:
    case MIR_BF16X2: return &exec_bf16;
    default: return NULL;
    }
}
/* Halves in a register of `type`. */
static unsigned halves_of(unsigned type) {
    return type == MIR_F16X2 || type == MIR_BF16X2 ? 2 : 1;
}
/* h, a subnormal replaced by the zero of its sign. */
static uint32_t half_flush(uint32_t h, const struct exec_format *f) {
    uint32_t exponent = ((UINT32_C(1) << f->exponent_bits) - 1) << f->mantissa_bits;
    return h & exponent ? h : h & 0x8000;
}
/* h clamped to [0, 1]; NaN becomes 0. */
static uint32_t half_saturate(uint32_t h, const struct exec_format *f) {
    double x = exec_widen(h, f);
    if (!(x > 0)) return 0; /* NaN too */
    return x > 1 ? exec_narrow(1.0, f, MIR_ROUND_NEAREST) : h;
}

/* Executes HADD2, HMUL2 and HFMA2: which one op->inst->op says. */
static exec_code arithmetic(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const struct exec_format *f = format_of(op->type);
    if (!f || op->round != MIR_ROUND_NEAREST)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED,
                          f ? "rounding mode of half precision" : "type of half precision");
    SRC3;
    bool ftz = op->flags & MIR_FTZ;
    warp_reg r;
    EACH_LANE(l) {
        uint32_t d = 0;
        for (unsigned i = 0; i < halves_of(op->type); i++) {
            uint32_t in[3] = {a->u[l] >> (16 * i) & 0xffff, b->u[l] >> (16 * i) & 0xffff,
                              c->u[l] >> (16 * i) & 0xffff};
            double x[3];
            for (unsigned j = 0; j < 3; j++)
                x[j] = exec_widen(ftz ? half_flush(in[j], f) : in[j], f);
            uint32_t h;
            switch (op->inst->op) {
            case MIR_HADD2: h = exec_narrow_sum(x[0], x[1], f, MIR_ROUND_NEAREST); break;
            case MIR_HMUL2: h = exec_narrow(x[0] * x[1], f, MIR_ROUND_NEAREST); break;
            default: h = exec_narrow_sum(x[0] * x[1], x[2], f, MIR_ROUND_NEAREST); break;
            }
            if (ftz) h = half_flush(h, f);
            if (op->flags & MIR_SAT) h = half_saturate(h, f);
            d |= h << (16 * i);
        }
        r.u[l] = d;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* d = a + b per half. */
exec_code exec_op_HADD2(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return arithmetic(w, op, mask);
}
/* d = a * b per half. */
exec_code exec_op_HMUL2(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return arithmetic(w, op, mask);
}
/* d = a * b + c per half, rounded once. */
exec_code exec_op_HFMA2(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return arithmetic(w, op, mask);
}

/* x compared with y: -1, 0, 1, or 2 when one is NaN. */
static int order_of(double x, double y) {
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

/* d = p ? min(a, b) : max(a, b) per half. A NaN loses to a number; sub 1: it wins. */
exec_code exec_op_HMNMX2(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const struct exec_format *f = format_of(op->type);
    if (!f) return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "type of half precision");
    SRC2;
    uint32_t p = w->p[op->psrc[0]];
    warp_reg r;
    EACH_LANE(l) {
        uint32_t d = 0;
        for (unsigned i = 0; i < halves_of(op->type); i++) {
            uint32_t h[2] = {a->u[l] >> (16 * i) & 0xffff, b->u[l] >> (16 * i) & 0xffff}, m;
            if (op->flags & MIR_FTZ)
                for (unsigned j = 0; j < 2; j++) h[j] = half_flush(h[j], f);
            double x = exec_widen(h[0], f), y = exec_widen(h[1], f);
            int order = order_of(x, y);
            if (order == 0 && (h[0] ^ h[1]) & 0x8000) order = h[0] & 0x8000 ? -1 : 1; /* -0 < +0 */
            if (order != 2)
                m = (order < 0) == (p >> l & 1) ? h[0] : h[1];
            else if (op->sub == 1 || (isnan(x) && isnan(y)))
                m = f->nan;
            else
                m = isnan(x) ? h[1] : h[0];
            d |= m << (16 * i);
        }
        r.u[l] = d;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* P = (a cmp b) bop p of the low halves, Q = the same of the high halves. */
exec_code exec_op_HSETP2(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const struct exec_format *f = format_of(op->type);
    if (!f) return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "type of half precision");
    SRC2;
    uint32_t p = w->p[op->psrc[0]], t[2] = {0, 0};
    EACH_LANE(l) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t x = a->u[l] >> (16 * i) & 0xffff, y = b->u[l] >> (16 * i) & 0xffff;
            if (op->flags & MIR_FTZ) {
                x = half_flush(x, f);
                y = half_flush(y, f);
            }
            bool yes = exec_compare_order(op->cmp, order_of(exec_widen(x, f), exec_widen(y, f)));
            t[i] |= (uint32_t)yes << l;
        }
    }
    exec_put_pred(w, op->pdst[0], exec_bool(op->bop, t[0], p), mask);
    exec_put_pred(w, op->pdst[1], exec_bool(op->bop, t[1], p), mask);
    return EX_NEXT;
}
