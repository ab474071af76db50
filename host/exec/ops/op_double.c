/* op_double.c - executes double precision. Operands are register pairs, gathered into 64-bit lanes.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They compute all 32 lanes from
 * the warp's registers and predicates, write the row's destinations in the lanes of `mask`, touch
 * nothing else and return EX_NEXT. Comments use the table's names: a, b, c are the sources after
 * their modifiers (a: is a register pair), d is the result, p, q are predicates read, P, Q
 * predicates written. For a form of the instruction that does not exist they raise
 * HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise() fills in the CTA's fault, sets the warp's status and
 * returns EX_FAULT. DDIVS and DSQRTS also count and record their slow path (exec_slow_done()) and
 * return EX_DONE. A NaN result is canonical (ieee.h).
 *
 * Functions d..._nearest are special forms of an operation: exec_special_double() chooses them when
 * program.c decodes a launch (exec_launch_prepare()), on the thread that begins it; it reads the
 * operation alone. */
#include <math.h>

#include "exec/check/fault.h"
#include "exec/ops/slow_path.h"
#include "exec/ops/specialised.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

/* One arithmetic function over all 32 lanes, in the host's current rounding mode. It writes *r
 * only. */
typedef void (*reg64_fn)(warp_reg64 *r, const warp_reg64 *a, const warp_reg64 *b,
                         const warp_reg64 *c);
/* Opaque to the optimiser, so that no arithmetic moves across a change of the rounding mode. */
#define OPAQUE static __attribute__((noinline, noclone, noipa))

OPAQUE void add_lanes(warp_reg64 *r, const warp_reg64 *a, const warp_reg64 *b,
                      const warp_reg64 *c) {
    (void)c;
    EACH_LANE(l) r->f[l] = a->f[l] + b->f[l];
}
OPAQUE void mul_lanes(warp_reg64 *r, const warp_reg64 *a, const warp_reg64 *b,
                      const warp_reg64 *c) {
    (void)c;
    EACH_LANE(l) r->f[l] = a->f[l] * b->f[l];
}
OPAQUE void fma_lanes(warp_reg64 *r, const warp_reg64 *a, const warp_reg64 *b,
                      const warp_reg64 *c) {
    EACH_LANE(l) r->f[l] = __builtin_fma(a->f[l], b->f[l], c->f[l]);
}
OPAQUE void div_lanes(warp_reg64 *r, const warp_reg64 *a, const warp_reg64 *b,
                      const warp_reg64 *c) {
    (void)c;
    EACH_LANE(l) r->f[l] = a->f[l] / b->f[l];
}
OPAQUE void sqrt_lanes(warp_reg64 *r, const warp_reg64 *a, const warp_reg64 *b,
                       const warp_reg64 *c) {
    (void)b;
    (void)c;
    EACH_LANE(l) r->f[l] = __builtin_sqrt(a->f[l]);
}

/* r = fn(a, b, c) in the rounding mode of op, with canonical NaNs. Sets the thread's rounding mode
 * and restores it. Operands that fn does not use may be NULL. */
static void compute(warp_reg64 *r, const struct exec_op *op, reg64_fn fn, const warp_reg64 *a,
                    const warp_reg64 *b, const warp_reg64 *c) {
    if (op->round != MIR_ROUND_NEAREST) exec_round_begin(op->round);
    fn(r, a, b, c);
    if (op->round != MIR_ROUND_NEAREST) exec_round_end();
    EACH_LANE(l) r->u[l] = r->f[l] != r->f[l] ? F64_NAN : r->u[l];
}
/* Computes and writes the destination pair in the lanes of mask. */
static exec_code finish(struct exec_warp *w, const struct exec_op *op, uint32_t mask, reg64_fn fn,
                        const warp_reg64 *a, const warp_reg64 *b, const warp_reg64 *c) {
    warp_reg64 r;
    compute(&r, op, fn, a, b, c);
    reg64_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* d: = a: + b:. */
exec_code exec_op_DADD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2_PAIR;
    return finish(w, op, mask, add_lanes, &a, &b, NULL);
}
/* d: = a: * b:. */
exec_code exec_op_DMUL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2_PAIR;
    return finish(w, op, mask, mul_lanes, &a, &b, NULL);
}
/* d: = a: * b: + c:, rounded once. */
exec_code exec_op_DFMA(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3_PAIR;
    return finish(w, op, mask, fma_lanes, &a, &b, &c);
}
/* d: = a: / b:, correctly rounded. Adds the instructions of the lanes' slow paths to the CTA's
 * counts and writes the record. */
exec_code exec_op_DDIVS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_slow_lanes lanes = {0};
    warp_reg64 r;
    SRC2_PAIR;
    if (op->sub) return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "variant of DDIVS");
    compute(&r, op, div_lanes, &a, &b, NULL);
    reg64_put(exec_dst(w, op), &r, mask);
    exec_slow_div64(&lanes, mask, &a, &b, &r);
    return exec_slow_done(w, op, mask, MIR_SLOW_DIV64, &lanes);
}
/* d: = sqrt(a:), sub 1: d: = 1 / a:, correctly rounded. Counts and records as DDIVS does. */
exec_code exec_op_DSQRTS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_slow_lanes lanes = {0};
    warp_reg64 r, one;
    SRC1_PAIR;
    if (op->sub > 1)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "variant of DSQRTS");
    if (op->sub == 0) {
        compute(&r, op, sqrt_lanes, &a, NULL, NULL);
        exec_slow_sqrt64(&lanes, mask, &a);
    } else {
        EACH_LANE(l) one.f[l] = 1.0;
        compute(&r, op, div_lanes, &one, &a, NULL);
        exec_slow_rcp64(&lanes, mask, &a);
    }
    reg64_put(exec_dst(w, op), &r, mask);
    return exec_slow_done(w, op, mask, op->sub ? MIR_SLOW_RCP64 : MIR_SLOW_SQRT64, &lanes);
}

/* A mask of the warp's lanes from a comparison of chunk k, whose even and odd lanes were compared
 * apart. */
static inline uint32_t pair_bits(u64v even, u64v odd, unsigned k) {
    return v_bits(v_low((struct pairs){even, odd}), k);
}
/* Maps doubles to signed integers of the same order, with -0 below +0. */
static int64_t ordered(uint64_t u) {
    return (int64_t)(u ^ (uint64_t)((int64_t)u >> 63) >> 1);
}
/* t: a: is the least, or the greatest, of a: and b:; a NaN loses to a number. u: both are NaN.
 * P = t bop p, Q = u bop p. */
static exec_code choose_least(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2_PAIR;
    uint32_t first = 0, neither = 0;
    EACH_LANE(l) {
        const bool na = f64_is_nan(a.u[l]), nb = f64_is_nan(b.u[l]);
        const bool less = ordered(a.u[l]) < ordered(b.u[l]);
        first |= (uint32_t)(!na && (nb || less == (op->sub == MIR_DSETP_MIN))) << l;
        neither |= (uint32_t)(na && nb) << l;
    }
    const uint32_t p = w->p[op->psrc[0]];
    exec_put_pred(w, op->pdst[0], exec_bool(op->bop, first, p), mask);
    if (op->pdst[1] != P_SPARE) exec_put_pred(w, op->pdst[1], exec_bool(op->bop, neither, p), mask);
    return EX_NEXT;
}

/* t = a: cmp b:; P = t bop p, Q = !t bop p. sub: see choose_least(). */
exec_code exec_op_DSETP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub) return choose_least(w, op, mask);
    warp_reg ta[2], tb[2];
    const warp_reg *a = exec_src(w, op, 0, ta), *b = exec_src(w, op, 1, tb);
    uint32_t lt = 0, eq = 0, gt = 0, t = 0;
    EACH_CHUNK(k) {
        struct pairs x = v_pairs(a[0].v[k], a[1].v[k]), y = v_pairs(b[0].v[k], b[1].v[k]);
        f64v xe = (f64v)x.even, xo = (f64v)x.odd, ye = (f64v)y.even, yo = (f64v)y.odd;
        lt |= pair_bits((u64v)(xe < ye), (u64v)(xo < yo), k);
        eq |= pair_bits((u64v)(xe == ye), (u64v)(xo == yo), k);
        gt |= pair_bits((u64v)(xe > ye), (u64v)(xo > yo), k);
    }
    if (exec_compare_order(op->cmp, -1)) t |= lt;
    if (exec_compare_order(op->cmp, 0)) t |= eq;
    if (exec_compare_order(op->cmp, 1)) t |= gt;
    if (exec_compare_order(op->cmp, 2)) t |= ~(lt | eq | gt);
    exec_put_compare(w, op, t, mask);
    return EX_NEXT;
}

/* ---- special forms: round to nearest, a chunk at a time */

/* a * b + c, rounded once, over one chunk. */
static inline f64v v_fma64(f64v a, f64v b, f64v c) {
#if EXEC_VECTOR == 32 && defined(__FMA__)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
    f64v r;
    for (unsigned i = 0; i < EXEC_VECTOR / 8; i++) r[i] = __builtin_fma(a[i], b[i], c[i]);
    return r;
#endif
}
/* x with every NaN replaced by the canonical one. */
static inline u64v v_canonical64(f64v x) {
    u64v nan = (u64v)(x != x);
    return ((u64v)x & ~nan) | (nan & F64_NAN);
}

/* Defines a special form: `expression` over the 64-bit lanes a, b, c of the first `operands`
 * sources. */
#define DOUBLE_FORM(name, operands, expression)                                              \
    static exec_code name(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {    \
        warp_reg t[3][2], r[2];                                                              \
        const warp_reg *s[3];                                                                \
        for (unsigned i = 0; i < 3; i++) s[i] = exec_src(w, op, i < operands ? i : 0, t[i]); \
        EACH_CHUNK(k) {                                                                      \
            struct pairs x = v_pairs(s[0][0].v[k], s[0][1].v[k]), d;                         \
            struct pairs y = v_pairs(s[1][0].v[k], s[1][1].v[k]);                            \
            struct pairs z = v_pairs(s[2][0].v[k], s[2][1].v[k]);                            \
            f64v a = (f64v)x.even, b = (f64v)y.even, c = (f64v)z.even;                       \
            d.even = v_canonical64(expression);                                              \
            a = (f64v)x.odd, b = (f64v)y.odd, c = (f64v)z.odd;                               \
            d.odd = v_canonical64(expression);                                               \
            (void)c;                                                                         \
            r[0].v[k] = v_low(d);                                                            \
            r[1].v[k] = v_high(d);                                                           \
        }                                                                                    \
        warp_reg *dst = exec_dst(w, op);                                                     \
        reg_put(dst, &r[0], mask);                                                           \
        reg_put(dst + 1, &r[1], mask);                                                       \
        return EX_NEXT;                                                                      \
    }
DOUBLE_FORM(dadd_nearest, 2, a + b)
DOUBLE_FORM(dmul_nearest, 2, a *b)
DOUBLE_FORM(dfma_nearest, 3, v_fma64(a, b, c))

/* Called while a launch is decoded. @return the special form of op, or NULL. */
exec_fn exec_special_double(const struct exec_op *op) {
    if (op->round != MIR_ROUND_NEAREST) return NULL;
    switch (op->inst->op) {
    case MIR_DADD: return dadd_nearest;
    case MIR_DMUL: return dmul_nearest;
    case MIR_DFMA: return dfma_nearest;
    default: return NULL;
    }
}
