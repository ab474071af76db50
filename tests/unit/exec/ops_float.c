/* ops_float.c - references of single and double precision: the C library under fesetround, on
 * volatile values, and PTX's rules for NaN, subnormals, minimum and maximum. A function `void
 * NAME(struct ref *)` is the reference of operation NAME, for one lane: it sets the struct's
 * outputs from its inputs (ops.h). */
#include <fenv.h>
#include <math.h>

#include "ops.h"
#include "tests/support/float_bits.h"

static int flag(const struct ref *x, unsigned f) {
    return (x->inst->flags & f) != 0;
}
static void set_round(const struct ref *x) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(modes[x->inst->round]);
}
static void reset_round(void) {
    fesetround(FE_TONEAREST);
}

static float flush(const struct ref *x, float f) {
    if (flag(x, MIR_FTZ) && fpclassify(f) == FP_SUBNORMAL) return copysignf(0, f);
    return f;
}
static void result32(struct ref *x, float f) {
    f = flush(x, f);
    if (flag(x, MIR_SAT)) f = isnan(f) || f <= 0 ? 0.0f : f > 1 ? 1.0f : f;
    x->d[0] = isnan(f) ? 0x7fffffff : bits32(f);
}
static void arithmetic(struct ref *x) {
    volatile float a = flush(x, f32(x->a)), b = flush(x, f32(x->b)), c = flush(x, f32(x->c)), r = 0;
    set_round(x);
    switch (x->inst->op) {
    case MIR_FADD: r = a + b; break;
    case MIR_FMUL: r = a * b; break;
    case MIR_FFMA: r = fmaf(a, b, c); break;
    case MIR_FDIVS: r = a / b; break;
    default: r = x->inst->sub ? 1.0f / a : sqrtf(a); break;
    }
    reset_round();
    result32(x, r);
}

static int order(double a, double b) {
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}
static bool compare(unsigned cmp, int o) {
    bool u = o == 2;
    switch (cmp) {
    case MIR_CMP_LT: return o == -1;
    case MIR_CMP_EQ: return o == 0;
    case MIR_CMP_LE: return o == -1 || o == 0;
    case MIR_CMP_GT: return o == 1;
    case MIR_CMP_NE: return o == 1 || o == -1;
    case MIR_CMP_GE: return o == 0 || o == 1;
    case MIR_CMP_NUM: return !u;
    case MIR_CMP_NAN: return u;
    case MIR_CMP_LTU: return u || o == -1;
    case MIR_CMP_EQU: return u || o == 0;
    case MIR_CMP_LEU: return o != 1;
    case MIR_CMP_GTU: return u || o == 1;
    case MIR_CMP_NEU: return o != 0;
    case MIR_CMP_GEU: return o != -1;
    case MIR_CMP_T: return true;
    default: return false;
    }
}
static bool combine(const struct ref *x, bool t) {
    return x->inst->bop == MIR_AND ? t && x->p : x->inst->bop == MIR_OR ? t || x->p : t != x->p;
}
static void fsetp(struct ref *x) {
    bool t = compare(x->inst->cmp, order((double)flush(x, f32(x->a)), (double)flush(x, f32(x->b))));
    x->P = combine(x, t);
    x->Q = combine(x, !t);
}
static void fset(struct ref *x) {
    bool t = combine(
        x, compare(x->inst->cmp, order((double)flush(x, f32(x->a)), (double)flush(x, f32(x->b)))));
    x->d[0] = !t ? 0 : x->inst->type == MIR_F32 ? 0x3f800000 : UINT32_MAX;
}
static void dsetp(struct ref *x) {
    bool t = compare(x->inst->cmp, order(f64(x->a), f64(x->b)));
    x->P = combine(x, t);
    x->Q = combine(x, !t);
}
static void fmnmx(struct ref *x) {
    float a = flush(x, f32(x->a)), b = flush(x, f32(x->b)), r;
    bool na = isnan(a), nb = isnan(b);
    if ((na && nb) || (x->inst->sub == 1 && (na || nb))) {
        x->d[0] = 0x7fffffff;
        return;
    }
    if (na)
        r = b;
    else if (nb)
        r = a;
    else if (a == b)
        r = (signbit(a) != 0) == x->p ? a : b;
    else
        r = (a < b) == x->p ? a : b;
    x->d[0] = bits32(r);
}
static void dsetp_least(struct ref *x) {
    double a = f64(x->a), b = f64(x->b);
    bool least = x->inst->sub == MIR_DSETP_MIN, first;
    if (isnan(a) || isnan(b))
        first = !isnan(a);
    else if (a == b)
        first = signbit(a) != signbit(b) ? (signbit(a) != 0) == least : !least;
    else
        first = (a < b) == least;
    x->P = combine(x, first);
    x->Q = combine(x, isnan(a) && isnan(b));
}
static void fsel(struct ref *x) {
    float f = f32(x->p ? x->a : x->b);
    x->d[0] = bits32(flush(x, f));
}
/* Where FCHK allows the fast path, the lowering's sequence must give the right quotient. The
 * reference allows it where operands and quotient are normal and the remainder is exact. */
static void fchk(struct ref *x) {
    float a = f32(x->a), b = f32(x->b);
    int ea, eb;
    bool usable = isnormal(a) && isnormal(b) && isfinite(a) && isfinite(b);
    frexpf(a, &ea); /* a = m 2^ea, m in [1/2, 1) */
    frexpf(b, &eb);
    x->P = !usable || eb < 2 - 126 || eb > 252 - 126 || ea < 50 - 126 || ea - eb < -124 ||
           ea - eb > 125;
}

static void result64(struct ref *x, double f) {
    uint64_t u = isnan(f) ? UINT64_C(0xfff8000000000000) : bits64(f);
    x->d[0] = (uint32_t)u;
    x->d[1] = (uint32_t)(u >> 32);
}
static void arithmetic64(struct ref *x) {
    volatile double a = f64(x->a), b = f64(x->b), c = f64(x->c), r = 0;
    set_round(x);
    switch (x->inst->op) {
    case MIR_DADD: r = a + b; break;
    case MIR_DMUL: r = a * b; break;
    case MIR_DFMA: r = fma(a, b, c); break;
    case MIR_DDIVS: r = a / b; break;
    default: r = x->inst->sub ? 1.0 / a : sqrt(a); break;
    }
    reset_round();
    result64(x, r);
}

/* PTX's bounds: relative 2^-22 or so, absolute for lg2 near one and for sin and cos. */
static void mufu(struct ref *x) {
    float in = flush(x, f32(x->a));
    double a = (double)in, r;
    double relative = ldexp(1, -22), absolute = 0;
    switch (x->inst->sub) {
    case MIR_MUFU_RCP: r = 1 / a; break;
    case MIR_MUFU_RSQ: r = 1 / sqrt(a); break;
    case MIR_MUFU_SQRT: r = sqrt(a); break;
    case MIR_MUFU_LG2:
        r = log2(a);
        absolute = ldexp(1, -22);
        break;
    case MIR_MUFU_EX2: r = exp2(a); break;
    case MIR_MUFU_TANH:
        r = tanh(a);
        relative = ldexp(1, -11);
        break;
    case MIR_MUFU_SIN:
        r = sin(a);
        relative = 0;
        absolute = ldexp(1, -20);
        break;
    default:
        r = cos(a);
        relative = 0;
        absolute = ldexp(1, -20);
        break;
    }
    if (x->inst->sub == MIR_MUFU_RSQ && a == 0) r = copysign(INFINITY, a);
    if ((x->inst->sub == MIR_MUFU_SIN || x->inst->sub == MIR_MUFU_COS) && fabs(a) > 1e9) {
        x->skip = true; /* PTX states no bound */
        return;
    }
    if (isnan(r)) {
        x->d[0] = 0x7fffffff;
        return;
    }
    float nearest = flush(x, (float)r);
    if (isinf(nearest) || nearest == 0) {
        x->d[0] = bits32(nearest);
        return;
    }
    double size = fabs(r) < 0x1p-126 ? 0x1p-126 : fabs(r);
    x->near = (double)nearest;
    x->within = size * relative + absolute + 1e-60;
    /* at the limit of subnormals either result is right */
    if (flag(x, MIR_FTZ) && fabs(r) < 0x1.00001p-126) x->skip = true;
}
static void mufu64(struct ref *x) {
    double a = f64(x->a << 32), r;
    if (fpclassify(a) == FP_SUBNORMAL) a = copysign(0, a);
    r = x->inst->sub == MIR_MUFU_RCP64H ? 1 / a : a == 0 ? copysign(INFINITY, a) : 1 / sqrt(a);
    if (fpclassify(r) == FP_SUBNORMAL) r = copysign(0, r);
    uint64_t u = isnan(r) ? UINT64_C(0xfff8000000000000) : bits64(r);
    x->d[0] = (uint32_t)(u >> 32);
}

#define NO_P .pdst = {MIR_PT, MIR_PT}
#define FM (MIR_SRC_NEG | MIR_SRC_ABS)
#define ARITHMETIC(o, n, fl, rnd)                                                        \
    {                                                                                    \
#o " " n, CASE(o, NO_P, .type = MIR_F32, .flags = fl, .round = rnd), arithmetic, \
            VALUES_F32, FM, 0, 0                                                         \
    }
#define ALL_FORMS(o)                                                                   \
    ARITHMETIC(o, "rn", 0, MIR_ROUND_NEAREST), ARITHMETIC(o, "rz", 0, MIR_ROUND_ZERO), \
        ARITHMETIC(o, "rm", 0, MIR_ROUND_DOWN), ARITHMETIC(o, "rp", 0, MIR_ROUND_UP),  \
        ARITHMETIC(o, "rn.ftz", MIR_FTZ, MIR_ROUND_NEAREST),                           \
        ARITHMETIC(o, "rn.sat", MIR_SAT, MIR_ROUND_NEAREST),                           \
        ARITHMETIC(o, "rp.ftz.sat", MIR_FTZ | MIR_SAT, MIR_ROUND_UP)
#define PLAIN(o) \
    { #o " no modifiers", CASE(o, NO_P, .type = MIR_F32), arithmetic, VALUES_F32, 0, 0, 0 }
#define SETP(o, ref, c, fl, b, values, w)                                                          \
    {                                                                                              \
#o " " #c, CASE(o, .dst = MIR_RZ, .cmp = MIR_CMP_##c, .flags = fl, .bop = b), ref, values, \
            FM, w, 0                                                                               \
    }
#define SETP_PLAIN(c)                                                                            \
    {                                                                                            \
        "FSETP plain " #c, CASE(FSETP, .dst = MIR_RZ, .cmp = MIR_CMP_##c), fsetp, VALUES_F32, 0, \
            0, 0                                                                                 \
    }
#define ALL_COMPARISONS(M, o, ref, fl, b, values, w)                        \
    M(o, ref, LT, fl, b, values, w), M(o, ref, EQ, fl, b, values, w),       \
        M(o, ref, LE, fl, b, values, w), M(o, ref, GT, fl, b, values, w),   \
        M(o, ref, NE, fl, b, values, w), M(o, ref, GE, fl, b, values, w),   \
        M(o, ref, NUM, fl, b, values, w), M(o, ref, NAN, fl, b, values, w), \
        M(o, ref, LTU, fl, b, values, w), M(o, ref, EQU, fl, b, values, w), \
        M(o, ref, LEU, fl, b, values, w), M(o, ref, GTU, fl, b, values, w), \
        M(o, ref, NEU, fl, b, values, w), M(o, ref, GEU, fl, b, values, w)
#define MUFU_CASE(f)                                                                               \
    {"MUFU " #f, CASE(MUFU, NO_P, .sub = MIR_MUFU_##f), mufu, VALUES_F32, FM, 0, 0}, {             \
        "MUFU ftz " #f, CASE(MUFU, NO_P, .flags = MIR_FTZ, .sub = MIR_MUFU_##f), mufu, VALUES_F32, \
            0, 0, 0                                                                                \
    }

static const struct op_case cases[] = {
    ALL_FORMS(FADD),
    PLAIN(FADD),
    ALL_FORMS(FMUL),
    PLAIN(FMUL),
    ALL_FORMS(FFMA),
    PLAIN(FFMA),
    ALL_FORMS(FDIVS),
    ALL_FORMS(FSQRTS),
    {"FSQRTS rcp", CASE(FSQRTS, NO_P, .sub = 1), arithmetic, VALUES_F32, FM, 0, 0},
    {"FSQRTS rcp rz ftz", CASE(FSQRTS, NO_P, .sub = 1, .round = MIR_ROUND_ZERO, .flags = MIR_FTZ),
     arithmetic, VALUES_F32, FM, 0, 0},
    {"FMNMX", CASE(FMNMX, NO_P), fmnmx, VALUES_F32, FM, 0, 0},
    {"FMNMX ftz", CASE(FMNMX, NO_P, .flags = MIR_FTZ), fmnmx, VALUES_F32, FM, 0, 0},
    {"FMNMX nan", CASE(FMNMX, NO_P, .sub = 1), fmnmx, VALUES_F32, FM, 0, 0},
    {"FSEL", CASE(FSEL, NO_P), fsel, VALUES_F32, FM, 0, 0},
    {"FSEL ftz", CASE(FSEL, NO_P, .flags = MIR_FTZ), fsel, VALUES_F32, FM, 0, 0},
    ALL_COMPARISONS(SETP, FSETP, fsetp, 0, MIR_AND, VALUES_F32, 0),
    ALL_COMPARISONS(SETP, FSETP, fsetp, MIR_FTZ, MIR_XOR, VALUES_F32, 0),
    SETP_PLAIN(LT),
    SETP_PLAIN(LE),
    SETP_PLAIN(GT),
    SETP_PLAIN(GE),
    SETP_PLAIN(EQ),
    SETP_PLAIN(NEU),
    {"FSET f32", CASE(FSET, NO_P, .type = MIR_F32, .cmp = MIR_CMP_LE), fset, VALUES_F32, FM, 0, 0},
    {"FSET u32 ftz",
     CASE(FSET, NO_P, .type = MIR_U32, .flags = MIR_FTZ, .cmp = MIR_CMP_GTU, .bop = MIR_OR), fset,
     VALUES_F32, FM, 0, 0},
    {"FCHK", CASE(FCHK, .dst = MIR_RZ, .pdst = {4, MIR_PT}), fchk, VALUES_F32, FM, 0, 0},
    MUFU_CASE(RCP),
    MUFU_CASE(RSQ),
    MUFU_CASE(SQRT),
    MUFU_CASE(LG2),
    MUFU_CASE(EX2),
    MUFU_CASE(SIN),
    MUFU_CASE(COS),
    MUFU_CASE(TANH),
    {"MUFU RCP64H", CASE(MUFU, NO_P, .sub = MIR_MUFU_RCP64H), mufu64, VALUES_F32, FM, 0, 0},
    {"MUFU RSQ64H", CASE(MUFU, NO_P, .sub = MIR_MUFU_RSQ64H), mufu64, VALUES_F32, FM, 0, 0},
};
const struct op_case_list float_cases = {cases, sizeof cases / sizeof *cases};

#define ARITHMETIC64(o, n, rnd) \
    { #o " " n, CASE(o, NO_P, .type = MIR_F64, .round = rnd), arithmetic64, VALUES_F64, FM, 7, 0 }
#define ALL_FORMS64(o)                                                               \
    ARITHMETIC64(o, "rn", MIR_ROUND_NEAREST), ARITHMETIC64(o, "rz", MIR_ROUND_ZERO), \
        ARITHMETIC64(o, "rm", MIR_ROUND_DOWN), ARITHMETIC64(o, "rp", MIR_ROUND_UP)
static const struct op_case cases64[] = {
    ALL_FORMS64(DADD),
    ALL_FORMS64(DMUL),
    ALL_FORMS64(DFMA),
    ALL_FORMS64(DDIVS),
    ALL_FORMS64(DSQRTS),
    {"DSQRTS rcp", CASE(DSQRTS, NO_P, .sub = 1, .round = MIR_ROUND_UP), arithmetic64, VALUES_F64,
     FM, 7, 0},
    ALL_COMPARISONS(SETP, DSETP, dsetp, 0, MIR_AND, VALUES_F64, 7),
    {"DSETP or", CASE(DSETP, .dst = MIR_RZ, .cmp = MIR_CMP_LT, .bop = MIR_OR), dsetp, VALUES_F64,
     FM, 7, 0},
    {"DSETP min", CASE(DSETP, .dst = MIR_RZ, .sub = MIR_DSETP_MIN), dsetp_least, VALUES_F64, FM, 7,
     0},
    {"DSETP max", CASE(DSETP, .dst = MIR_RZ, .sub = MIR_DSETP_MAX), dsetp_least, VALUES_F64, FM, 7,
     0},
};
const struct op_case_list double_cases = {cases64, sizeof cases64 / sizeof *cases64};
