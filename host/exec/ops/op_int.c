/* op_int.c - executes integer arithmetic, logic, comparison and bit operations.
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
 * Functions without the prefix exec_op_ that have the same parameters are special forms of an
 * operation: exec_special_int() chooses them when the launch is decoded. Other functions are pure.
 *
 * Signed and unsigned comparisons use the vector extension; the compiler flips sign bits where the
 * host has signed comparisons only. */
#include "exec/check/fault.h"
#include "exec/ops/specialised.h"
#include "exec/warp/operand_macros.h"

/* d = a. */
exec_code exec_op_MOV(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC1;
    reg_put(exec_dst(w, op), a, mask);
    return EX_NEXT;
}

/* d = p ? a : b. */
exec_code exec_op_SEL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    uint32_t p = w->p[op->psrc[0]];
    PUT_CHUNKS(v_select(v_mask(p, k), a->v[k], b->v[k]));
    return EX_NEXT;
}

/* ---- addition */

/* IADD3 without carries in or out; operands may have modifiers. */
static exec_code iadd3_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    PUT_CHUNKS(a->v[k] + b->v[k] + c->v[k]);
    return EX_NEXT;
}
/* IADD3 of two operands, without carries and modifiers. */
static exec_code iadd2_raw(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1);
    PUT_CHUNKS(a->v[k] + b->v[k]);
    return EX_NEXT;
}

/* A 34-bit sum of 32-bit lanes: the low word and the number of carries. A negated operand counts as
 * ~x, with 1 added later. */
struct carried {
    u32v sum, carries;
};
/* s + x, with the carry counted. (A comparison gives -1 where it is true.) */
static inline struct carried add_carry(struct carried s, u32v x) {
    u32v sum = s.sum + x;
    return (struct carried){sum, s.carries - (u32v)(sum < x)};
}
/* Chunk k of r, complemented for NEG and NOT; the caller adds 1 for NEG. */
static inline u32v operand_bits(const warp_reg *r, unsigned k, unsigned mods) {
    return mods & (MIR_SRC_NEG | MIR_SRC_NOT) ? ~r->v[k] : r->v[k];
}
/* 1 in the lanes of chunk k whose bit is set in `lanes`, else 0. (v_mask() is -1 where the bit is
 * set.) */
static inline u32v one_where(uint32_t lanes, unsigned k) {
    return -v_mask(lanes, k);
}

/* d = a + b + c, with X also + p + q; P = at least one carry, Q = at least two. -x counts as ~x +
 * 1. */
exec_code exec_op_IADD3(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    uint32_t more = 0, carry = 0, carry2 = 0;
    for (unsigned i = 0; i < 3; i++) more += (op->mods[i] & MIR_SRC_NEG) != 0;
    uint32_t p = op->flags & MIR_X ? w->p[op->psrc[0]] : 0;
    uint32_t q = op->flags & MIR_X ? w->p[op->psrc[1]] : 0;
    /* An unused carry input is PT in the table's encoding: no carry. */
    if (op->psrc[0] == MIR_PT) p = 0;
    if (op->psrc[1] == MIR_PT) q = 0;
    warp_reg r;
    EACH_CHUNK(k) {
        struct carried s = {operand_bits(a, k, op->mods[0]), v_all(0)};
        s = add_carry(s, operand_bits(b, k, op->mods[1]));
        s = add_carry(s, operand_bits(c, k, op->mods[2]));
        s = add_carry(s, v_all(more) + one_where(p, k) + one_where(q, k));
        r.v[k] = s.sum;
        carry |= v_bits((u32v)(s.carries != 0), k);
        carry2 |= v_bits((u32v)(s.carries > 1), k);
    }
    reg_put(exec_dst(w, op), &r, mask);
    exec_put_pred(w, op->pdst[0], carry, mask);
    exec_put_pred(w, op->pdst[1], carry2, mask);
    return EX_NEXT;
}

/* d = (a << sub) + b, with HI the high word of (c:a << sub) + b, with X also + p; P = carry. A
 * negated a negates the pair c:a. */
exec_code exec_op_LEA(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    unsigned shift = op->sub & 31;
    uint32_t carry = 0, p = op->flags & MIR_X && op->psrc[0] != MIR_PT ? w->p[op->psrc[0]] : 0;
    warp_reg r;
    EACH_CHUNK(k) {
        u32v x = a->v[k], hi = c->v[k];
        if (op->mods[0] & MIR_SRC_NEG) { /* the pair c:a */
            hi = ~hi - (u32v)(x == 0);
            x = -x;
        }
        struct carried s = {v_all(0), v_all(0)};
        if (op->flags & MIR_HI)
            s.sum = shift ? hi << shift | x >> (32 - shift) : hi;
        else
            s.sum = x << shift;
        s = add_carry(s, operand_bits(b, k, op->mods[1]));
        s = add_carry(s, v_all((op->mods[1] & MIR_SRC_NEG) != 0) + one_where(p, k));
        r.v[k] = s.sum;
        carry |= v_bits((u32v)(s.carries != 0), k);
    }
    reg_put(exec_dst(w, op), &r, mask);
    exec_put_pred(w, op->pdst[0], carry, mask);
    return EX_NEXT;
}

/* ---- multiplication */

/* d = low(a * b) + c; HI: high word of the product + c; WIDE: the pair d: = a * b + c:. */
exec_code exec_op_IMAD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg ta, tb, tc[2];
    const warp_reg *a = exec_src(w, op, 0, &ta), *b = exec_src(w, op, 1, &tb);
    const warp_reg *c = exec_src(w, op, 2, tc);
    bool sign = is_signed(op->type);
    if (op->flags & MIR_WIDE) {
        warp_reg64 r, d;
        reg64_get(&d, c, c + 1);
        if (sign) {
            EACH_LANE(l) r.u[l] = (uint64_t)((int64_t)a->i[l] * b->i[l]) + d.u[l];
        } else {
            EACH_LANE(l) r.u[l] = (uint64_t)a->u[l] * b->u[l] + d.u[l];
        }
        reg64_put(exec_dst(w, op), &r, mask);
    } else if (op->flags & MIR_HI) {
        if (sign) {
            PUT_LANES((uint32_t)((uint64_t)((int64_t)a->i[l] * b->i[l]) >> 32) + c->u[l]);
        } else {
            PUT_LANES((uint32_t)((uint64_t)a->u[l] * b->u[l] >> 32) + c->u[l]);
        }
    } else {
        PUT_CHUNKS(a->v[k] * b->v[k] + c->v[k]);
    }
    return EX_NEXT;
}
/* IMAD without HI, WIDE and modifiers. */
static exec_code imad_raw(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    PUT_CHUNKS(a->v[k] * b->v[k] + c->v[k]);
    return EX_NEXT;
}

/* Byte i of x, sign-extended if `sign`, else zero-extended. */
static inline int32_t byte_of(uint32_t x, unsigned i, bool sign) {
    uint32_t b = x >> (8 * i) & 0xff;
    return sign ? (int8_t)b : (int32_t)b;
}
/* Half i of x, extended likewise. */
static inline int32_t half_of(uint32_t x, unsigned i, bool sign) {
    uint32_t h = x >> (16 * i) & 0xffff;
    return sign ? (int16_t)h : (int32_t)h;
}
/* d = c + the dot product of four bytes of a and b; sub 2: of two halves of a and two bytes of b
 * (HI: the upper two). */
exec_code exec_op_IDP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    bool sa = is_signed(op->type), sb = is_signed(op->type2);
    unsigned first = op->flags & MIR_HI ? 2 : 0; /* byte of b for half 0 of a */
    warp_reg r;
    EACH_LANE(l) {
        uint32_t sum = c->u[l];
        if (op->sub == 2) {
            for (unsigned i = 0; i < 2; i++)
                sum += (uint32_t)(half_of(a->u[l], i, sa) * byte_of(b->u[l], first + i, sb));
        } else {
            for (unsigned i = 0; i < 4; i++)
                sum += (uint32_t)(byte_of(a->u[l], i, sa) * byte_of(b->u[l], i, sb));
        }
        r.u[l] = sum;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* d = |a - b| + c. */
exec_code exec_op_VABSDIFF(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    bool sign = is_signed(op->type);
    EACH_LANE(l) {
        bool less = sign ? a->i[l] < b->i[l] : a->u[l] < b->u[l];
        ta.u[l] = (less ? b->u[l] - a->u[l] : a->u[l] - b->u[l]) + c->u[l];
    }
    reg_put(exec_dst(w, op), &ta, mask);
    return EX_NEXT;
}
/* d = c + the sum of |a - b| over the four bytes. */
exec_code exec_op_VABSDIFF4(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    bool sign = is_signed(op->type);
    warp_reg r;
    EACH_LANE(l) {
        uint32_t sum = c->u[l];
        for (unsigned i = 0; i < 4; i++) {
            int32_t d = byte_of(a->u[l], i, sign) - byte_of(b->u[l], i, sign);
            sum += (uint32_t)(d < 0 ? -d : d);
        }
        r.u[l] = sum;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* ---- comparison */

/* @return the lanes, as a mask, in which a cmp b holds. `cmp` is an ordered comparison, F or T. */
static inline __attribute__((always_inline)) uint32_t
compare_row(const warp_reg *a, const warp_reg *b, unsigned cmp, bool sign) {
    uint32_t t = 0;
#define COMPARE(operator) \
    EACH_CHUNK(k)         \
    t |= v_bits(sign ? (u32v)(a->s[k] operator b->s[k]) : (u32v)(a->v[k] operator b->v[k]), k)
    switch (cmp) {
    case MIR_CMP_LT: COMPARE(<); break;
    case MIR_CMP_LE: COMPARE(<=); break;
    case MIR_CMP_GT: COMPARE(>); break;
    case MIR_CMP_GE: COMPARE(>=); break;
    case MIR_CMP_EQ: COMPARE(==); break;
    case MIR_CMP_NE: COMPARE(!=); break;
    case MIR_CMP_T: t = UINT32_MAX; break;
    default: break; /* F */
    }
#undef COMPARE
    return t;
}
/* t = a cmp b; P = t bop p, Q = !t bop p. EX compares the upper words of 64-bit values; q is the
 * comparison of the lower ones. */
exec_code exec_op_ISETP(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->cmp > MIR_CMP_GE && op->cmp != MIR_CMP_T)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "unordered integer comparison");
    SRC2;
    uint32_t t = is_signed(op->type) ? compare_row(a, b, op->cmp, true)
                                     : compare_row(a, b, op->cmp, false);
    if (op->flags & MIR_EX) { /* where the upper words are equal the lower words decide */
        uint32_t equal = compare_row(a, b, MIR_CMP_EQ, false);
        t = (t & ~equal) | (w->p[op->psrc[1]] & equal);
    }
    exec_put_compare(w, op, t, mask);
    return EX_NEXT;
}
/* d = p ? min(a, b) : max(a, b). */
exec_code exec_op_IMNMX(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    uint32_t less = compare_row(a, b, MIR_CMP_LT, is_signed(op->type));
    uint32_t take_a = ~(less ^ w->p[op->psrc[0]]); /* min takes a where less, max elsewhere */
    PUT_CHUNKS(v_select(v_mask(take_a, k), a->v[k], b->v[k]));
    return EX_NEXT;
}
/* d = |a|. */
exec_code exec_op_IABS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC1;
    PUT_CHUNKS((a->v[k] ^ (u32v)(a->s[k] >> 31)) - (u32v)(a->s[k] >> 31));
    return EX_NEXT;
}

/* ---- logic */

/* The three-input truth table `lut` over one chunk, as a sum of products. Bit 4a + 2b + c of lut is
 * the result for bits a, b, c. */
static inline u32v lut_chunk(unsigned lut, u32v a, u32v b, u32v c) {
    u32v r = v_all(0);
    for (unsigned i = 0; i < 8; i++)
        if (lut >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
/* d = sub(a, b, c), a truth table; P = d != 0. The frequent tables have their own expressions. */
exec_code exec_op_LOP3(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    warp_reg r;
    switch (op->sub) {
    case 0xc0: EACH_CHUNK(k) r.v[k] = a->v[k] & b->v[k]; break;
    case 0xfc: EACH_CHUNK(k) r.v[k] = a->v[k] | b->v[k]; break;
    case 0x3c: EACH_CHUNK(k) r.v[k] = a->v[k] ^ b->v[k]; break;
    case 0x0f: EACH_CHUNK(k) r.v[k] = ~a->v[k]; break;
    case 0x96: EACH_CHUNK(k) r.v[k] = a->v[k] ^ b->v[k] ^ c->v[k]; break;
    case 0xf8: EACH_CHUNK(k) r.v[k] = a->v[k] | (b->v[k] & c->v[k]); break;
    case 0xea: EACH_CHUNK(k) r.v[k] = (a->v[k] & b->v[k]) | c->v[k]; break;
    default: EACH_CHUNK(k) r.v[k] = lut_chunk(op->sub, a->v[k], b->v[k], c->v[k]); break;
    }
    reg_put(exec_dst(w, op), &r, mask);
    if (op->pdst[0] != P_SPARE) {
        uint32_t set = 0;
        EACH_CHUNK(k) set |= v_bits((u32v)(r.v[k] != 0), k);
        exec_put_pred(w, op->pdst[0], set, mask);
    }
    return EX_NEXT;
}

/* The same truth table over one bit a lane. */
static uint32_t lut_mask(unsigned lut, uint32_t p, uint32_t q, uint32_t r) {
    uint32_t t = 0;
    for (unsigned i = 0; i < 8; i++)
        if (lut >> i & 1) t |= (i & 4 ? p : ~p) & (i & 2 ? q : ~q) & (i & 1 ? r : ~r);
    return t;
}
/* P = sub(p, q, r), Q = imm(p, q, r), two truth tables over predicates. */
exec_code exec_op_PLOP3(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    uint32_t p = w->p[op->psrc[0]], q = w->p[op->psrc[1]], r = w->p[op->psrc[2]];
    exec_put_pred(w, op->pdst[0], lut_mask(op->sub, p, q, r), mask);
    exec_put_pred(w, op->pdst[1], lut_mask((unsigned)op->imm & 0xff, p, q, r), mask);
    return EX_NEXT;
}
/* d = predicates P0..P6 as bits 0..6 where b has ones, a elsewhere. */
exec_code exec_op_P2R(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    warp_reg r;
    EACH_CHUNK(k) {
        u32v bits = v_all(0);
        for (unsigned i = 0; i < MIR_PT; i++) bits |= v_mask(w->p[i], k) & v_all(1u << i);
        r.v[k] = v_select(b->v[k], bits, a->v[k]);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* Writes predicate i (P0..P6) from bit i of a, in lanes whose bit i of b is set. */
exec_code exec_op_R2P(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    for (unsigned i = 0; i < MIR_PT; i++) {
        uint32_t value = 0, chosen = 0;
        EACH_CHUNK(k) {
            value |= v_bits(a->v[k] << (31 - i), k);
            chosen |= v_bits(b->v[k] << (31 - i), k);
        }
        exec_put_pred(w, i, value, mask & chosen);
    }
    return EX_NEXT;
}

/* ---- shifts and bit fields */
/* Shifts a by b; 64-bit types shift the pair c:a and give its low word, with HI the high one.
 * Amounts are clamped to the width, with WRAP taken modulo it. */
exec_code exec_op_SHF(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC3;
    bool right = op->flags & MIR_RIGHT, wrap = op->flags & MIR_WRAP, hi = op->flags & MIR_HI;
    bool sign = is_signed(op->type);
    warp_reg r;
    if (op->type == MIR_U64 || op->type == MIR_S64) {
        EACH_LANE(l) {
            uint64_t x = (uint64_t)c->u[l] << 32 | a->u[l];
            uint32_t n = wrap ? b->u[l] & 63 : b->u[l] < 64 ? b->u[l] : 64;
            if (!right)
                x = n < 64 ? x << n : 0;
            else if (sign)
                x = (uint64_t)((int64_t)x >> (n < 64 ? n : 63));
            else
                x = n < 64 ? x >> n : 0;
            r.u[l] = (uint32_t)(hi ? x >> 32 : x);
        }
    } else {
        EACH_CHUNK(k) {
            u32v n = wrap ? b->v[k] & 31 : b->v[k];
            u32v inside = (u32v)(n < 32), m = n & 31;
            if (right && sign) { /* shift by 31 where n is more */
                m = v_select(inside, m, v_all(31));
                r.v[k] = (u32v)(a->s[k] >> (i32v)m);
            } else {
                r.v[k] = (right ? a->v[k] >> m : a->v[k] << m) & inside;
            }
        }
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* The selector of PTX prmt's special modes: by mode and low two bits of the selector. */
static const uint16_t prmt_modes[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, /* 1: f4e */
    {0x5670, 0x6701, 0x7012, 0x0123}, /* 2: b4e */
    {0x0000, 0x1111, 0x2222, 0x3333}, /* 3: rc8 */
    {0x3210, 0x3211, 0x3222, 0x3333}, /* 4: ecl */
    {0x0000, 0x1110, 0x2210, 0x3210}, /* 5: ecr */
    {0x1010, 0x3232, 0x1010, 0x3232}, /* 6: rc16 */
};
/* d = four bytes of c:a. Nibble i of b selects byte i of d: three bits number the byte, the fourth
 * repeats its sign. sub 1..6: PTX modes, whose selectors prmt_modes has. */
exec_code exec_op_PRMT(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub > 6) return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "mode of PRMT");
    SRC3;
    warp_reg r;
    EACH_LANE(l) {
        uint64_t bytes = (uint64_t)c->u[l] << 32 | a->u[l];
        uint32_t select = op->sub ? prmt_modes[op->sub - 1][b->u[l] & 3] : b->u[l], d = 0;
        for (unsigned i = 0; i < 4; i++) {
            uint32_t s = select >> (4 * i) & 15;
            uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xff;
            if (s & 8) byte = byte & 0x80 ? 0xff : 0; /* its sign, repeated */
            d |= byte << (8 * i);
        }
        r.u[l] = d;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* d = the low b bits of a (b clamped to 32), sign- or zero-extended. */
exec_code exec_op_SGXT(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    bool sign = is_signed(op->type);
    warp_reg r;
    EACH_LANE(l) {
        uint32_t n = b->u[l] < 32 ? b->u[l] : 32, x = n ? a->u[l] << (32 - n) : 0;
        if (n == 0)
            r.u[l] = 0;
        else
            r.u[l] = sign ? (uint32_t)((int32_t)x >> (32 - n)) : x >> (32 - n);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* d = b ones from bit a upwards; a and b clamped to 32, with WRAP modulo 32. */
exec_code exec_op_BMSK(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC2;
    bool wrap = op->flags & MIR_WRAP;
    warp_reg r;
    EACH_LANE(l) {
        uint32_t at = wrap ? a->u[l] & 31 : a->u[l], n = wrap ? b->u[l] & 31 : b->u[l];
        uint32_t ones = n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
        r.u[l] = at < 32 ? ones << at : 0;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* d = number of set bits of a. */
exec_code exec_op_POPC(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC1;
    PUT_LANES((uint32_t)__builtin_popcount(a->u[l]));
    return EX_NEXT;
}
/* d = number of the leading one of a (signed: of the leading bit that differs from the sign), sub
 * 1: 31 minus that; all ones if there is none. */
exec_code exec_op_FLO(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC1;
    bool sign = is_signed(op->type);
    warp_reg r;
    EACH_LANE(l) {
        uint32_t x = sign && a->i[l] < 0 ? ~a->u[l] : a->u[l];
        if (x == 0)
            r.u[l] = UINT32_MAX;
        else
            r.u[l] = op->sub ? (uint32_t)__builtin_clz(x) : 31 - (uint32_t)__builtin_clz(x);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* d = the bits of a in reverse order. */
exec_code exec_op_BREV(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    SRC1;
    warp_reg r;
    EACH_CHUNK(k) {
        u32v x = a->v[k];
        x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
        x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
        x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
        x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
        r.v[k] = x >> 16 | x << 16;
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* ---- special forms of frequent instructions */

/* Products of the low 32-bit halves of 64-bit lanes. */
static inline u64v v_product(u64v a, u64v b, bool sign) {
#if EXEC_VECTOR == 32
    if (sign) return (u64v)__builtin_ia32_pmuldq256((i32v)a, (i32v)b);
    return (u64v)__builtin_ia32_pmuludq256((i32v)a, (i32v)b);
#else
    if (sign) return (u64v)(((i64v)a << 32 >> 32) * ((i64v)b << 32 >> 32));
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}
/* IMAD.WIDE without modifiers: d: = a * b + c:. */
static inline __attribute__((always_inline)) exec_code
imad_wide(struct exec_warp *w, const struct exec_op *op, uint32_t mask, bool sign) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    warp_reg lo, hi;
    EACH_CHUNK(k) {
        struct pairs d = v_pairs(c[0].v[k], c[1].v[k]);
        u64v x = (u64v)a->v[k], y = (u64v)b->v[k];
        d.even += v_product(x, y, sign);
        d.odd += v_product(x >> 32, y >> 32, sign);
        lo.v[k] = v_low(d);
        hi.v[k] = v_high(d);
    }
    warp_reg *dst = exec_dst(w, op);
    reg_put(dst, &lo, mask);
    reg_put(dst + 1, &hi, mask);
    return EX_NEXT;
}
static exec_code imad_wide_s(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return imad_wide(w, op, mask, true);
}
static exec_code imad_wide_u(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return imad_wide(w, op, mask, false);
}

/* Defines a special form of ISETP without EX and modifiers; `field` (s, v) says how lanes
 * compare. */
#define ISETP_FORM(name, operator, field)                                                         \
    static exec_code isetp_##name(struct exec_warp *w, const struct exec_op *op, uint32_t mask) { \
        const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1);                  \
        uint32_t t = 0;                                                                           \
        EACH_CHUNK(k) t |= v_bits((u32v)(a->field[k] operator b->field[k]), k);                   \
        exec_put_compare(w, op, t, mask);                                                         \
        return EX_NEXT;                                                                           \
    }
ISETP_FORM(lt_s, <, s)
ISETP_FORM(le_s, <=, s)
ISETP_FORM(gt_s, >, s)
ISETP_FORM(ge_s, >=, s)
ISETP_FORM(lt_u, <, v)
ISETP_FORM(le_u, <=, v)
ISETP_FORM(gt_u, >, v)
ISETP_FORM(ge_u, >=, v)
ISETP_FORM(eq, ==, v)
ISETP_FORM(ne, !=, v)

/* @return the special form for the comparison and type of op; NULL for F and T. */
static exec_fn isetp_form(const struct exec_op *op) {
    bool sign = is_signed(op->type);
    switch (op->cmp) {
    case MIR_CMP_LT: return sign ? isetp_lt_s : isetp_lt_u;
    case MIR_CMP_LE: return sign ? isetp_le_s : isetp_le_u;
    case MIR_CMP_GT: return sign ? isetp_gt_s : isetp_gt_u;
    case MIR_CMP_GE: return sign ? isetp_ge_s : isetp_ge_u;
    case MIR_CMP_EQ: return isetp_eq;
    case MIR_CMP_NE: return isetp_ne;
    default: return NULL;
    }
}

/* LEA without HI, X, carry and modifiers. */
static exec_code lea_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1);
    PUT_CHUNKS((a->v[k] << (op->sub & 31)) + b->v[k]);
    return EX_NEXT;
}

/* PRMT in the default mode with an immediate selector, the form that compilers write. */
static exec_code prmt_fixed(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *a = exec_src_raw(w, op, 0), *c = exec_src_raw(w, op, 2);
    uint32_t select = exec_src_raw(w, op, 1)->u[0];
    warp_reg r = {.v = {{0}}};
    for (unsigned i = 0; i < 4; i++, select >>= 4) {
        const warp_reg *from = select & 4 ? c : a;
        unsigned left = 24 - 8 * (select & 3); /* brings the byte to the top */
        bool sign = select & 8;                /* repeated */
        EACH_CHUNK(k) {
            u32v byte = from->v[k] << left;
            byte = sign ? (u32v)((i32v)byte >> 31) & 0xff : byte >> 24;
            r.v[k] |= byte << 8 * i;
        }
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* Called while a launch is decoded. @return the special form of op, or NULL. */
exec_fn exec_special_int(const struct exec_op *op) {
    bool raw = !op->mods[0] && !op->mods[1] && !op->mods[2];
    bool no_carry = op->pdst[0] == P_SPARE && op->pdst[1] == P_SPARE;
    switch (op->inst->op) {
    case MIR_IADD3:
        if (op->flags & MIR_X || !no_carry) return NULL;
        return raw && !(op->has_src & 4) ? iadd2_raw : iadd3_plain;
    case MIR_LEA: return raw && no_carry && !(op->flags & (MIR_HI | MIR_X)) ? lea_plain : NULL;
    case MIR_IMAD:
        if (!raw || op->flags & MIR_HI) return NULL;
        if (op->flags & MIR_WIDE) return is_signed(op->type) ? imad_wide_s : imad_wide_u;
        return imad_raw;
    case MIR_PRMT:
        return raw && op->sub == 0 && op->inst->src[1].kind == MIR_SRC_IMM ? prmt_fixed : NULL;
    case MIR_ISETP: return raw && !(op->flags & MIR_EX) ? isetp_form(op) : NULL;
    default: return NULL;
    }
}
