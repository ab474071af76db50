/* op_float.c - executes single precision: add, multiply, fused multiply-add, min/max, comparison,
 * and the exact slow paths of division and square root.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They compute all 32 lanes from
 * the warp's registers and predicates, write the row's destinations in the lanes of `mask`, touch
 * nothing else and return EX_NEXT. Comments use the table's names: a, b, c are the sources after
 * their modifiers (a: is a register pair), d is the result, p, q are predicates read, P, Q
 * predicates written. For a form of the instruction that does not exist they raise
 * HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise() fills in the CTA's fault, sets the warp's status and
 * returns EX_FAULT. FDIVS and FSQRTS also count and record their slow path (exec_slow_done()) and
 * return EX_DONE.
 *
 * Functions without the prefix exec_op_ that have the same parameters are special forms of an
 * operation: exec_special_float() chooses them when program.c decodes a launch
 * (exec_launch_prepare()), on the thread that begins it; it reads the operation alone. A NaN result
 * is canonical (ieee.h). FTZ flushes subnormal inputs and results; SAT clamps results to [0, 1].
 *
 * Round to nearest is the fast path. For the other modes the host's rounding mode is set around one
 * function over all lanes; those functions are opaque to the optimiser, so that no arithmetic moves
 * across the change of mode. */
#include <math.h>
#include <string.h>

#include "exec/check/fault.h"
#include "exec/ops/slow_path.h"
#include "exec/ops/specialised.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

/* a * b + c, rounded once, over one chunk. */
static inline f32v v_fma(f32v a, f32v b, f32v c) {
#if EXEC_VECTOR == 32 && defined(__FMA__)
    return __builtin_ia32_vfmaddps256(a, b, c);
#else
    f32v r;
    for (unsigned i = 0; i < CHUNK_LANES; i++) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return r;
#endif
}

/* One arithmetic function over all 32 lanes, in the host's current rounding mode. It writes *r
 * only. */
typedef void (*reg_fn)(warp_reg *r, const warp_reg *a, const warp_reg *b, const warp_reg *c);
#define OPAQUE static __attribute__((noinline, noclone, noipa))

OPAQUE void add_lanes(warp_reg *r, const warp_reg *a, const warp_reg *b, const warp_reg *c) {
    (void)c;
    EACH_CHUNK(k) r->fv[k] = a->fv[k] + b->fv[k];
}
OPAQUE void mul_lanes(warp_reg *r, const warp_reg *a, const warp_reg *b, const warp_reg *c) {
    (void)c;
    EACH_CHUNK(k) r->fv[k] = a->fv[k] * b->fv[k];
}
OPAQUE void fma_lanes(warp_reg *r, const warp_reg *a, const warp_reg *b, const warp_reg *c) {
    EACH_CHUNK(k) r->fv[k] = v_fma(a->fv[k], b->fv[k], c->fv[k]);
}
OPAQUE void div_lanes(warp_reg *r, const warp_reg *a, const warp_reg *b, const warp_reg *c) {
    (void)c;
    EACH_CHUNK(k) r->fv[k] = a->fv[k] / b->fv[k];
}
OPAQUE void sqrt_lanes(warp_reg *r, const warp_reg *a, const warp_reg *b, const warp_reg *c) {
    (void)b;
    (void)c;
    EACH_LANE(l) r->f[l] = __builtin_sqrtf(a->f[l]);
}

/* @return tmp, filled with r after its subnormals became zeros. */
static const warp_reg *flushed(const warp_reg *r, warp_reg *tmp) {
    EACH_CHUNK(k) tmp->v[k] = v_flush(r->v[k]);
    return tmp;
}

/* Sources with their modifiers, flushed if the operation has FTZ. s[i] points into a register or
 * into one of the copies; NULL beyond the last source. */
struct operands {
    const warp_reg *s[3];
    warp_reg modified[3], flushed[3];
};
/* Fills *o with the first `sources` operands of op. */
static void get_operands(struct operands *o, struct exec_warp *w, const struct exec_op *op,
                         unsigned sources) {
    memset(o->s, 0, sizeof o->s);
    for (unsigned i = 0; i < sources; i++) {
        o->s[i] = exec_src(w, op, i, &o->modified[i]);
        if (op->flags & MIR_FTZ) o->s[i] = flushed(o->s[i], &o->flushed[i]);
    }
}

/* r = fn(s) in the rounding mode of op, with canonical NaNs, flushed for FTZ; SAT is left to
 * put_saturated(). Sets the thread's rounding mode and restores it. */
static void compute(warp_reg *r, const struct exec_op *op, reg_fn fn, const warp_reg *const s[3]) {
    if (op->round != MIR_ROUND_NEAREST) exec_round_begin(op->round);
    fn(r, s[0], s[1], s[2]);
    if (op->round != MIR_ROUND_NEAREST) exec_round_end();
    EACH_CHUNK(k) {
        u32v x = v_canonical(r->v[k]);
        r->v[k] = op->flags & MIR_FTZ ? v_flush(x) : x;
    }
}
/* Clamps r for SAT and writes the destination of op in the lanes of mask. */
static void put_saturated(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                          warp_reg *r) {
    if (op->flags & MIR_SAT) EACH_CHUNK(k) r->v[k] = v_saturate(r->v[k]);
    reg_put(exec_dst(w, op), r, mask);
}

/* Executes an operation that is one fn of its `sources` operands. */
static exec_code arithmetic(struct exec_warp *w, const struct exec_op *op, uint32_t mask, reg_fn fn,
                            unsigned sources) {
    struct operands o;
    warp_reg r;
    get_operands(&o, w, op, sources);
    compute(&r, op, fn, o.s);
    put_saturated(w, op, mask, &r);
    return EX_NEXT;
}

/* d = a + b. */
exec_code exec_op_FADD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return arithmetic(w, op, mask, add_lanes, 2);
}
/* d = a * b. */
exec_code exec_op_FMUL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return arithmetic(w, op, mask, mul_lanes, 2);
}
/* d = a * b + c, rounded once. */
exec_code exec_op_FFMA(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return arithmetic(w, op, mask, fma_lanes, 3);
}
/* d = a / b, correctly rounded. Adds the instructions of the lanes' slow paths to the CTA's counts
 * and writes the record. */
exec_code exec_op_FDIVS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_slow_lanes lanes = {0};
    struct operands o;
    warp_reg r;
    if (op->sub) return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "variant of FDIVS");
    get_operands(&o, w, op, 2);
    compute(&r, op, div_lanes, o.s);
    exec_slow_div32(&lanes, mask, o.s[0], o.s[1], &r);
    put_saturated(w, op, mask, &r);
    return exec_slow_done(w, op, mask, MIR_SLOW_DIV32, &lanes);
}
/* d = sqrt(a), sub 1: d = 1 / a, correctly rounded. Counts and records as FDIVS does. */
exec_code exec_op_FSQRTS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_slow_lanes lanes = {0};
    struct operands o;
    warp_reg r, one;
    if (op->sub > 1)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "variant of FSQRTS");
    get_operands(&o, w, op, 1);
    if (op->sub == 0) {
        compute(&r, op, sqrt_lanes, o.s);
        exec_slow_sqrt32(&lanes, mask, o.s[0]);
    } else { /* 1 / a: the division with a one in front */
        EACH_LANE(l) one.f[l] = 1.0f;
        compute(&r, op, div_lanes, (const warp_reg *const[3]){&one, o.s[0], NULL});
        exec_slow_rcp32(&lanes, mask, o.s[0]);
    }
    put_saturated(w, op, mask, &r);
    return exec_slow_done(w, op, mask, op->sub ? MIR_SLOW_RCP32 : MIR_SLOW_SQRT32, &lanes);
}

/* The fast path of division is a reciprocal, two Newton steps and an exact remainder by FFMA. It
 * is exact unless a step overflows, underflows or loses bits to subnormals: b and a/b must be
 * normal with a margin, and a so large that the remainder (2^-48 a) is exact. */
static bool division_is_slow(uint32_t a, uint32_t b) {
    int ea = a >> 23 & 0xff, eb = b >> 23 & 0xff;
    if (eb < 2 || eb > 252 || ea < 50 || ea == 255) return true;
    return ea - eb < -124 || ea - eb > 125;
}
/* P = a / b needs the slow path of division. */
exec_code exec_op_FCHK(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    uint32_t slow = 0;
    EACH_LANE(l) slow |= (uint32_t)division_is_slow(a->u[l], b->u[l]) << l;
    exec_put_pred(w, op->pdst[0], slow, mask);
    return EX_NEXT;
}

/* ---- selection and comparison */

/* Maps floats to signed integers of the same order, with -0 below +0. */
static inline i32v ordered(u32v u) {
    return (i32v)(u ^ ((u32v)((i32v)u >> 31) >> 1));
}

/* d = p ? min(a, b) : max(a, b). A NaN loses to a number; sub 1: it wins. */
exec_code exec_op_FMNMX(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    uint32_t p = w->p[op->psrc[0]];
    warp_reg r;
    EACH_CHUNK(k) {
        u32v x = a->v[k], y = b->v[k];
        if (op->flags & MIR_FTZ) {
            x = v_flush(x);
            y = v_flush(y);
        }
        u32v less = (u32v)(ordered(x) < ordered(y));
        u32v m = v_select(less ^ ~v_mask(p, k), x, y);
        u32v nan_x = (u32v)((f32v)x != (f32v)x), nan_y = (u32v)((f32v)y != (f32v)y);
        if (op->sub == 1) { /* either NaN wins */
            m = v_select(nan_x | nan_y, v_all(F32_NAN), m);
        } else { /* the number wins */
            m = v_select(nan_x, y, v_select(nan_y, x, m));
            m = v_canonical(m);
        }
        r.v[k] = m;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* d = p ? a : b, flushed for FTZ. */
exec_code exec_op_FSEL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    uint32_t p = w->p[op->psrc[0]];
    warp_reg r;
    EACH_CHUNK(k) {
        r.v[k] = v_select(v_mask(p, k), a->v[k], b->v[k]);
        if (op->flags & MIR_FTZ) r.v[k] = v_flush(r.v[k]);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* @return the lanes, as a mask, in which a cmp b holds; `ftz` flushes both first. */
static uint32_t compare_rows(const warp_reg *a, const warp_reg *b, unsigned cmp, bool ftz) {
    uint32_t lt = 0, eq = 0, gt = 0, t;
    EACH_CHUNK(k) {
        u32v x = a->v[k], y = b->v[k];
        if (ftz) {
            x = v_flush(x);
            y = v_flush(y);
        }
        lt |= v_bits((u32v)((f32v)x < (f32v)y), k);
        eq |= v_bits((u32v)((f32v)x == (f32v)y), k);
        gt |= v_bits((u32v)((f32v)x > (f32v)y), k);
    }
    uint32_t unordered = ~(lt | eq | gt);
    t = 0;
    if (exec_compare_order(cmp, -1)) t |= lt;
    if (exec_compare_order(cmp, 0)) t |= eq;
    if (exec_compare_order(cmp, 1)) t |= gt;
    if (exec_compare_order(cmp, 2)) t |= unordered;
    return t;
}

/* t = a cmp b; P = t bop p, Q = !t bop p. */
exec_code exec_op_FSETP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    exec_put_compare(w, op, compare_rows(a, b, op->cmp, op->flags & MIR_FTZ), mask);
    return EX_NEXT;
}

/* d = (a cmp b) bop p ? yes : 0, where yes is 1.0 for type F32, else all ones. */
exec_code exec_op_FSET(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    uint32_t t = compare_rows(a, b, op->cmp, op->flags & MIR_FTZ);
    t = exec_bool(op->bop, t, w->p[op->psrc[0]]);
    uint32_t yes = op->type == MIR_F32 ? f32_bits(1.0f) : UINT32_MAX;
    PUT_CHUNKS(v_mask(t, k) & yes);
    return EX_NEXT;
}

/* ---- special forms: round to nearest, no FTZ, no SAT; _mods: with modifiers on operands */

static exec_code fadd_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1);
    PUT_CHUNKS(v_canonical((u32v)(a->fv[k] + b->fv[k])));
    return EX_NEXT;
}
static exec_code fmul_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1);
    PUT_CHUNKS(v_canonical((u32v)(a->fv[k] * b->fv[k])));
    return EX_NEXT;
}
static exec_code ffma_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    PUT_CHUNKS(v_canonical((u32v)v_fma(a->fv[k], b->fv[k], c->fv[k])));
    return EX_NEXT;
}
static exec_code ffma_mods(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    PUT_CHUNKS(v_canonical((u32v)v_fma(a->fv[k], b->fv[k], c->fv[k])));
    return EX_NEXT;
}
static exec_code fadd_mods(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    PUT_CHUNKS(v_canonical((u32v)(a->fv[k] + b->fv[k])));
    return EX_NEXT;
}

/* Defines a special form of FSETP for one comparison. */
#define FSETP_FORM(name, operator)                                                                \
    static exec_code fsetp_##name(struct exec_warp *w, const struct exec_op *op, uint32_t mask) { \
        const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1);                  \
        uint32_t t = 0;                                                                           \
        EACH_CHUNK(k) t |= v_bits((u32v)(a->fv[k] operator b->fv[k]), k);                         \
        exec_put_compare(w, op, t, mask);                                                         \
        return EX_NEXT;                                                                           \
    }
FSETP_FORM(lt, <)
FSETP_FORM(le, <=)
FSETP_FORM(gt, >)
FSETP_FORM(ge, >=)
FSETP_FORM(eq, ==)
FSETP_FORM(neu, !=)

/* @return the special form for the comparison of op, or NULL. */
static exec_fn fsetp_form(const struct exec_op *op) {
    switch (op->cmp) {
    case MIR_CMP_LT: return fsetp_lt;
    case MIR_CMP_LE: return fsetp_le;
    case MIR_CMP_GT: return fsetp_gt;
    case MIR_CMP_GE: return fsetp_ge;
    case MIR_CMP_EQ: return fsetp_eq;
    case MIR_CMP_NEU: return fsetp_neu;
    default: return NULL;
    }
}

/* Called while a launch is decoded. @return the special form of op, or NULL. */
exec_fn exec_special_float(const struct exec_op *op) {
    bool raw = !op->mods[0] && !op->mods[1] && !op->mods[2];
    if (op->round != MIR_ROUND_NEAREST || op->flags & (MIR_FTZ | MIR_SAT)) return NULL;
    switch (op->inst->op) {
    case MIR_FADD: return raw ? fadd_plain : fadd_mods;
    case MIR_FMUL: return raw ? fmul_plain : NULL;
    case MIR_FFMA: return raw ? ffma_plain : ffma_mods;
    case MIR_FSETP: return raw ? fsetp_form(op) : NULL;
    default: return NULL;
    }
}
