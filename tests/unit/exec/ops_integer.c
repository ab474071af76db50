/* ops_integer.c - references and cases of the integer operations (ops.h). A function `void
 * NAME(struct ref *)` is the reference of operation NAME, for one lane: it sets the struct's
 * outputs from its inputs (ops.h). */
#include "ops.h"

static bool sign_of(const struct ref *x) {
    return x->inst->type == MIR_S32 || x->inst->type == MIR_S16 || x->inst->type == MIR_S8 ||
           x->inst->type == MIR_S64;
}
static int flag(const struct ref *x, unsigned f) {
    return (x->inst->flags & f) != 0;
}

static void mov(struct ref *x) {
    x->d[0] = (uint32_t)x->a;
}
static void sel(struct ref *x) {
    x->d[0] = (uint32_t)(x->p ? x->a : x->b);
}

/* Returns one addend of a sum with carry: the source's value, with the one that negation adds. */
static uint64_t addend(const struct ref *x, unsigned i) {
    unsigned mods = x->inst->src[i].mods;
    uint64_t v = (uint32_t)x->raw[i];
    if (mods & MIR_SRC_NEG) return (uint64_t)(uint32_t)~v + 1;
    if (mods & MIR_SRC_NOT) return (uint32_t)~v;
    return v;
}
static void iadd3(struct ref *x) {
    uint64_t sum = addend(x, 0) + addend(x, 1) + addend(x, 2);
    if (flag(x, MIR_X)) {
        sum += x->inst->psrc[0] != MIR_PT && x->p;
        sum += x->inst->psrc[1] != MIR_PT && x->q;
    }
    x->d[0] = (uint32_t)sum;
    x->P = sum >> 32 != 0;
    x->Q = sum >> 33 != 0;
}
static void lea(struct ref *x) {
    unsigned n = x->inst->sub;
    uint64_t pair = (uint64_t)(uint32_t)x->c << 32 | (uint32_t)x->a;
    uint64_t first = flag(x, MIR_HI) ? pair << n >> 32 : (uint32_t)((uint32_t)x->a << n);
    uint64_t sum = first + addend(x, 1) + (flag(x, MIR_X) && x->p);
    x->d[0] = (uint32_t)sum;
    x->P = sum >> 32 != 0;
}
static void imad(struct ref *x) {
    uint32_t a = (uint32_t)x->a, b = (uint32_t)x->b;
    uint64_t product = sign_of(x) ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    if (flag(x, MIR_WIDE)) {
        product += x->c;
        x->d[1] = (uint32_t)(product >> 32);
        x->d[0] = (uint32_t)product;
    } else if (flag(x, MIR_HI)) {
        x->d[0] = (uint32_t)(product >> 32) + (uint32_t)x->c;
    } else {
        x->d[0] = (uint32_t)product + (uint32_t)x->c;
    }
}
static void lop3(struct ref *x) {
    uint32_t d = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned at = (x->a >> i & 1) << 2 | (x->b >> i & 1) << 1 | (x->c >> i & 1);
        d |= (uint32_t)(x->inst->sub >> at & 1) << i;
    }
    x->d[0] = d;
    x->P = d != 0;
}
static void plop3(struct ref *x) {
    unsigned at = (unsigned)x->p << 2 | (unsigned)x->q << 1 | x->r;
    x->P = x->inst->sub >> at & 1;
    x->Q = x->inst->imm >> at & 1;
}
static void shf(struct ref *x) {
    uint32_t n = (uint32_t)x->b;
    if (x->inst->type == MIR_U64 || x->inst->type == MIR_S64) {
        uint64_t v = (uint64_t)(uint32_t)x->c << 32 | (uint32_t)x->a;
        n = flag(x, MIR_WRAP) ? n % 64 : n > 64 ? 64 : n;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t top = sign_of(x) ? v & (UINT64_C(1) << 63) : 0;
            v = flag(x, MIR_RIGHT) ? v >> 1 | top : v << 1;
        }
        x->d[0] = (uint32_t)(flag(x, MIR_HI) ? v >> 32 : v);
    } else {
        uint32_t v = (uint32_t)x->a;
        n = flag(x, MIR_WRAP) ? n % 32 : n > 32 ? 32 : n;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t top = sign_of(x) ? v & 0x80000000 : 0;
            v = flag(x, MIR_RIGHT) ? v >> 1 | top : v << 1;
        }
        x->d[0] = v;
    }
}
static bool less(const struct ref *x) {
    return sign_of(x) ? (int32_t)x->a < (int32_t)x->b : (uint32_t)x->a < (uint32_t)x->b;
}
static void imnmx(struct ref *x) {
    bool take_a = x->p ? less(x) : !less(x);
    x->d[0] = (uint32_t)(take_a ? x->a : x->b);
}
static void iabs(struct ref *x) {
    int64_t v = (int32_t)x->a;
    x->d[0] = (uint32_t)(v < 0 ? -v : v);
}
static void isetp(struct ref *x) {
    bool lt = less(x), eq = (uint32_t)x->a == (uint32_t)x->b, t = false;
    switch (x->inst->cmp) {
    case MIR_CMP_LT: t = lt; break;
    case MIR_CMP_LE: t = lt || eq; break;
    case MIR_CMP_GT: t = !lt && !eq; break;
    case MIR_CMP_GE: t = !lt; break;
    case MIR_CMP_EQ: t = eq; break;
    case MIR_CMP_NE: t = !eq; break;
    case MIR_CMP_T: t = true; break;
    }
    if (flag(x, MIR_EX) && eq) t = x->q;
    bool not_t = !t;
    switch (x->inst->bop) {
    case MIR_AND:
        x->P = t && x->p;
        x->Q = not_t && x->p;
        break;
    case MIR_OR:
        x->P = t || x->p;
        x->Q = not_t || x->p;
        break;
    default:
        x->P = t != x->p;
        x->Q = not_t != x->p;
        break;
    }
}
static void prmt(struct ref *x) {
    uint8_t byte[8];
    for (unsigned i = 0; i < 4; i++) {
        byte[i] = (uint8_t)(x->a >> (8 * i));
        byte[4 + i] = (uint8_t)(x->c >> (8 * i));
    }
    unsigned s = (unsigned)x->b & 3;
    uint32_t d = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = 0, mode = x->inst->sub;
        uint8_t v;
        switch (mode) {
        case 0: n = (unsigned)(x->b >> (4 * i)) & 15; break;
        case 1: n = s + i; break;                 /* forward 4 extract */
        case 2: n = (s - i) & 7; break;           /* backward */
        case 3: n = s; break;                     /* replicate 8 */
        case 4: n = i > s ? i : s; break;         /* edge clamp left */
        case 5: n = i < s ? i : s; break;         /* edge clamp right */
        case 6: n = (s & 1) * 2 + (i & 1); break; /* replicate 16 */
        }
        v = byte[n & 7];
        if (mode == 0 && n & 8) v = v & 0x80 ? 0xff : 0;
        d |= (uint32_t)v << (8 * i);
    }
    x->d[0] = d;
}
static void sgxt(struct ref *x) {
    uint32_t n = (uint32_t)x->b > 32 ? 32 : (uint32_t)x->b, d = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t from = i < n ? i : n - 1;
        bool bit = n && (i < n || sign_of(x)) && x->a >> from & 1;
        d |= (uint32_t)bit << i;
    }
    x->d[0] = d;
}
static void bmsk(struct ref *x) {
    uint64_t at = (uint32_t)x->a, n = (uint32_t)x->b;
    if (flag(x, MIR_WRAP)) {
        at %= 32;
        n %= 32;
    }
    x->d[0] = 0;
    for (uint64_t i = 0; i < 32; i++) x->d[0] |= (uint32_t)(i >= at && i < at + n) << i;
}
static int part(uint64_t v, unsigned i, unsigned bits, mir_type t) {
    uint32_t u = (uint32_t)(v >> (bits * i)) & ((1u << bits) - 1);
    bool sign = t == MIR_S8 || t == MIR_S16 || t == MIR_S32;
    return sign && u >> (bits - 1) ? (int)u - (1 << bits) : (int)u;
}
static void idp(struct ref *x) {
    int64_t sum = (uint32_t)x->c;
    if (x->inst->sub == 2) {
        for (unsigned i = 0; i < 2; i++)
            sum += (int64_t)part(x->a, i, 16, x->inst->type) *
                   part(x->b, i + (flag(x, MIR_HI) ? 2 : 0), 8, x->inst->type2);
    } else {
        for (unsigned i = 0; i < 4; i++)
            sum += (int64_t)part(x->a, i, 8, x->inst->type) * part(x->b, i, 8, x->inst->type2);
    }
    x->d[0] = (uint32_t)sum;
}
static void vabsdiff(struct ref *x) {
    int64_t a = sign_of(x) ? (int64_t)(int32_t)x->a : (int64_t)(uint32_t)x->a;
    int64_t b = sign_of(x) ? (int64_t)(int32_t)x->b : (int64_t)(uint32_t)x->b;
    x->d[0] = (uint32_t)((a > b ? a - b : b - a) + (int64_t)(uint32_t)x->c);
}
static void vabsdiff4(struct ref *x) {
    int64_t sum = (uint32_t)x->c;
    for (unsigned i = 0; i < 4; i++) {
        int d = part(x->a, i, 8, x->inst->type) - part(x->b, i, 8, x->inst->type);
        sum += d < 0 ? -d : d;
    }
    x->d[0] = (uint32_t)sum;
}
static void popc(struct ref *x) {
    x->d[0] = 0;
    for (unsigned i = 0; i < 32; i++) x->d[0] += x->a >> i & 1;
}
static void flo(struct ref *x) {
    uint32_t v = (uint32_t)x->a;
    if (sign_of(x) && v >> 31) v = ~v;
    x->d[0] = UINT32_MAX;
    for (uint32_t i = 0; i < 32; i++)
        if (v >> i & 1) x->d[0] = x->inst->sub ? 31 - i : i;
}
static void brev(struct ref *x) {
    x->d[0] = 0;
    for (unsigned i = 0; i < 32; i++) x->d[0] |= (uint32_t)(x->a >> i & 1) << (31 - i);
}
static void p2r(struct ref *x) {
    x->d[0] = (uint32_t)((x->preds & x->b) | (x->a & ~x->b));
}
static void r2p(struct ref *x) {
    for (unsigned i = 0; i < 7; i++)
        if (x->b >> i & 1)
            x->preds_out = (x->preds_out & ~(1u << i)) | (uint32_t)(x->a >> i & 1) << i;
}

#define NEG MIR_SRC_NEG
#define NOT MIR_SRC_NOT
#define ABS MIR_SRC_ABS
#define NO_P .pdst = {MIR_PT, MIR_PT}
static const struct op_case cases[] = {
    {"mov", CASE(MOV, NO_P), mov, VALUES_INT, NEG | NOT | ABS, 0, 0},
    {"sel", CASE(SEL, NO_P), sel, VALUES_INT, NEG | NOT, 0, 0},
    {"iadd3", CASE(IADD3, NO_P), iadd3, VALUES_INT, NEG | NOT, 0, 0},
    {"iadd2", CASE(IADD3, NO_P, .src = {REG(0), REG(2)}), iadd3, VALUES_INT, 0, 0, 0},
    {"iadd3 carry", CASE(IADD3), iadd3, VALUES_INT, NEG | NOT, 0, 0},
    {"iadd3.x", CASE(IADD3, .flags = MIR_X), iadd3, VALUES_INT, NEG | NOT, 0, 0},
    {"iadd3.x one carry", CASE(IADD3, .flags = MIR_X, .psrc = {1, MIR_PT, MIR_PT}), iadd3,
     VALUES_INT, NEG | NOT, 0, 0},
    {"lea", CASE(LEA, .sub = 4, .pdst = {4, MIR_PT}), lea, VALUES_INT, 0, 0, 0},
    {"lea plain", CASE(LEA, .sub = 5, NO_P), lea, VALUES_INT, 0, 0, 0},
    {"lea mods", CASE(LEA, .sub = 3, NO_P), lea, VALUES_INT, NEG, 0, 5},
    {"lea.hi.x", CASE(LEA, .sub = 2, .flags = MIR_HI | MIR_X, .pdst = {4, MIR_PT}), lea, VALUES_INT,
     0, 0, 0},
    {"lea.hi 0", CASE(LEA, .sub = 0, .flags = MIR_HI, .pdst = {4, MIR_PT}), lea, VALUES_INT, 0, 0,
     0},
    {"imad", CASE(IMAD, NO_P), imad, VALUES_INT, NEG, 0, 0},
    {"imad.hi.u32", CASE(IMAD, NO_P, .flags = MIR_HI), imad, VALUES_INT, 0, 0, 0},
    {"imad.hi.s32", CASE(IMAD, NO_P, .flags = MIR_HI, .type = MIR_S32), imad, VALUES_INT, 0, 0, 0},
    {"imad.wide.u32", CASE(IMAD, NO_P, .flags = MIR_WIDE), imad, VALUES_INT, NEG, 4, 0},
    {"imad.wide.s32", CASE(IMAD, NO_P, .flags = MIR_WIDE, .type = MIR_S32), imad, VALUES_INT, NEG,
     4, 0},
    {"lop3 and", CASE(LOP3, .sub = 0xc0, .pdst = {4, MIR_PT}), lop3, VALUES_INT, NOT, 0, 0},
    {"lop3 or", CASE(LOP3, .sub = 0xfc, .pdst = {4, MIR_PT}), lop3, VALUES_INT, NOT, 0, 0},
    {"lop3 xor", CASE(LOP3, .sub = 0x3c, NO_P), lop3, VALUES_INT, 0, 0, 0},
    {"lop3 not", CASE(LOP3, .sub = 0x0f, NO_P), lop3, VALUES_INT, 0, 0, 0},
    {"lop3 xor3", CASE(LOP3, .sub = 0x96, NO_P), lop3, VALUES_INT, 0, 0, 0},
    {"lop3 f8", CASE(LOP3, .sub = 0xf8, NO_P), lop3, VALUES_INT, 0, 0, 0},
    {"lop3 ea", CASE(LOP3, .sub = 0xea, NO_P), lop3, VALUES_INT, 0, 0, 0},
    {"lop3 any", CASE(LOP3, .sub = 0x6d, .pdst = {4, MIR_PT}), lop3, VALUES_INT, 0, 0, 0},
    {"lop3 other", CASE(LOP3, .sub = 0xb2, NO_P), lop3, VALUES_INT, NOT, 0, 0},
    {"plop3", CASE(PLOP3, .dst = MIR_RZ, .src = {{0}}, .sub = 0x6d, .imm = 0xb2), plop3, VALUES_INT,
     0, 0, 0},
    {"plop3 not",
     CASE(PLOP3, .dst = MIR_RZ, .src = {{0}}, .psrc = {9, 2, 3}, .sub = 0x80, .imm = 0xfe), plop3,
     VALUES_INT, 0, 0, 0},
#define SHF_CASE(name, t, f) \
    { "shf " name, CASE(SHF, NO_P, .type = t, .flags = f), shf, VALUES_INT, 0, 0, 0 }
    SHF_CASE("l.u32", MIR_U32, 0),
    SHF_CASE("r.u32", MIR_U32, MIR_RIGHT),
    SHF_CASE("r.s32", MIR_S32, MIR_RIGHT),
    SHF_CASE("l.wrap", MIR_U32, MIR_WRAP),
    SHF_CASE("r.wrap.s32", MIR_S32, MIR_WRAP | MIR_RIGHT),
    SHF_CASE("l.u64", MIR_U64, 0),
    SHF_CASE("l.u64.hi", MIR_U64, MIR_HI),
    SHF_CASE("r.u64", MIR_U64, MIR_RIGHT),
    SHF_CASE("r.u64.hi", MIR_U64, MIR_RIGHT | MIR_HI),
    SHF_CASE("r.s64", MIR_S64, MIR_RIGHT),
    SHF_CASE("r.s64.hi", MIR_S64, MIR_RIGHT | MIR_HI),
    SHF_CASE("r.wrap.u64", MIR_U64, MIR_RIGHT | MIR_WRAP),
    SHF_CASE("l.wrap.u64.hi", MIR_U64, MIR_WRAP | MIR_HI),
    {"imnmx.u32", CASE(IMNMX, NO_P), imnmx, VALUES_INT, 0, 0, 0},
    {"imnmx.s32", CASE(IMNMX, NO_P, .type = MIR_S32), imnmx, VALUES_INT, 0, 0, 0},
    {"iabs", CASE(IABS, NO_P, .type = MIR_S32), iabs, VALUES_INT, 0, 0, 0},
#define ISETP_CASE(name, c, t, f, b)                                                          \
    {                                                                                         \
        "isetp " name, CASE(ISETP, .dst = MIR_RZ, .cmp = c, .type = t, .flags = f, .bop = b), \
            isetp, VALUES_INT, 0, 0, 0                                                        \
    }
    ISETP_CASE("lt.s", MIR_CMP_LT, MIR_S32, 0, MIR_AND),
    ISETP_CASE("le.s", MIR_CMP_LE, MIR_S32, 0, MIR_OR),
    ISETP_CASE("gt.s", MIR_CMP_GT, MIR_S32, 0, MIR_XOR),
    ISETP_CASE("ge.s", MIR_CMP_GE, MIR_S32, 0, MIR_AND),
    ISETP_CASE("lt.u", MIR_CMP_LT, MIR_U32, 0, MIR_AND),
    ISETP_CASE("le.u", MIR_CMP_LE, MIR_U32, 0, MIR_XOR),
    ISETP_CASE("gt.u", MIR_CMP_GT, MIR_U32, 0, MIR_AND),
    ISETP_CASE("ge.u", MIR_CMP_GE, MIR_U32, 0, MIR_OR),
    ISETP_CASE("eq", MIR_CMP_EQ, MIR_U32, 0, MIR_AND),
    ISETP_CASE("ne", MIR_CMP_NE, MIR_S32, 0, MIR_AND),
    ISETP_CASE("f", MIR_CMP_F, MIR_S32, 0, MIR_OR),
    ISETP_CASE("t", MIR_CMP_T, MIR_S32, 0, MIR_AND),
    ISETP_CASE("lt.ex.s", MIR_CMP_LT, MIR_S32, MIR_EX, MIR_AND),
    ISETP_CASE("ge.ex.u", MIR_CMP_GE, MIR_U32, MIR_EX, MIR_OR),
    ISETP_CASE("eq.ex", MIR_CMP_EQ, MIR_U32, MIR_EX, MIR_AND),
    ISETP_CASE("ne.ex", MIR_CMP_NE, MIR_U32, MIR_EX, MIR_AND),
    {"isetp mods", CASE(ISETP, .dst = MIR_RZ, .cmp = MIR_CMP_LT, .type = MIR_S32), isetp,
     VALUES_INT, NEG | NOT, 0, 0},
#define PRMT_CASE(n) \
    { "prmt " #n, CASE(PRMT, NO_P, .sub = n), prmt, VALUES_INT, 0, 0, 0 }
    PRMT_CASE(0),
    PRMT_CASE(1),
    PRMT_CASE(2),
    PRMT_CASE(3),
    PRMT_CASE(4),
    PRMT_CASE(5),
    PRMT_CASE(6),
    {"sgxt.u32", CASE(SGXT, NO_P), sgxt, VALUES_INT, 0, 0, 0},
    {"sgxt.s32", CASE(SGXT, NO_P, .type = MIR_S32), sgxt, VALUES_INT, 0, 0, 0},
    {"sgxt.s32 small", CASE(SGXT, NO_P, .type = MIR_S32), sgxt, VALUES_SMALL, NOT, 0, 0},
    {"bmsk", CASE(BMSK, NO_P), bmsk, VALUES_SMALL, 0, 0, 0},
    {"bmsk large", CASE(BMSK, NO_P), bmsk, VALUES_INT, 0, 0, 0},
    {"bmsk.wrap", CASE(BMSK, NO_P, .flags = MIR_WRAP), bmsk, VALUES_SMALL, 0, 0, 0},
    {"idp4.u.u", CASE(IDP, NO_P, .type = MIR_U8, .type2 = MIR_U8), idp, VALUES_INT, 0, 0, 0},
    {"idp4.s.u", CASE(IDP, NO_P, .type = MIR_S8, .type2 = MIR_U8), idp, VALUES_INT, 0, 0, 0},
    {"idp2.s.s", CASE(IDP, NO_P, .sub = 2, .type = MIR_S16, .type2 = MIR_S8), idp, VALUES_INT, 0, 0,
     0},
    {"idp2.hi.u.s", CASE(IDP, NO_P, .sub = 2, .flags = MIR_HI, .type = MIR_U16, .type2 = MIR_S8),
     idp, VALUES_INT, 0, 0, 0},
    {"vabsdiff.u32", CASE(VABSDIFF, NO_P), vabsdiff, VALUES_INT, 0, 0, 0},
    {"vabsdiff.s32", CASE(VABSDIFF, NO_P, .type = MIR_S32), vabsdiff, VALUES_INT, 0, 0, 0},
    {"vabsdiff4.u8", CASE(VABSDIFF4, NO_P, .type = MIR_U8), vabsdiff4, VALUES_INT, 0, 0, 0},
    {"vabsdiff4.s8", CASE(VABSDIFF4, NO_P, .type = MIR_S8), vabsdiff4, VALUES_INT, 0, 0, 0},
    {"popc", CASE(POPC, NO_P), popc, VALUES_INT, NOT, 0, 0},
    {"flo.u32", CASE(FLO, NO_P), flo, VALUES_INT, NOT, 0, 0},
    {"flo.s32", CASE(FLO, NO_P, .type = MIR_S32), flo, VALUES_INT, 0, 0, 0},
    {"flo.u32.sh", CASE(FLO, NO_P, .sub = 1), flo, VALUES_INT, 0, 0, 0},
    {"flo.s32.sh", CASE(FLO, NO_P, .sub = 1, .type = MIR_S32), flo, VALUES_INT, 0, 0, 0},
    {"brev", CASE(BREV, NO_P), brev, VALUES_INT, 0, 0, 0},
    {"p2r", CASE(P2R, NO_P), p2r, VALUES_INT, 0, 0, 0},
    {"r2p", CASE(R2P, NO_P, .dst = MIR_RZ), r2p, VALUES_INT, 0, 0, 0},
};
const struct op_case_list integer_cases = {cases, sizeof cases / sizeof *cases};
