/* op_matrix.c - executes matrix products of a warp.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They read registers of all 32
 * lanes, write the result in the lanes of `mask`, touch nothing else unless their comment says so,
 * and return EX_NEXT. Static functions write only through their pointers, except put(): r is the
 * result of all lanes, c the accumulators.
 *
 * A tile is eight rows of A or eight columns of B along one step of k, in one word (or pair) a
 * lane, elements low to high: A has row l / 4, B column l / 4, each word the next few places along
 * k, lane l % 4 after lane. A product of 16 rows has two tiles of A for each step, the upper rows
 * first. Results and C: row l / 4, columns 2 * (l % 4) and the next one, in a pair (or as two
 * halves of a word), and behind them those of row l / 4 + 8. Lanes outside the mask contribute
 * their registers; the front end makes sure that this is correct.
 *
 * Sums are formed in double, where products of halves are exact, and rounded once. DMMA differs: a
 * chain of fused multiply-adds, each rounded in the mode of op. */
#include "exec/check/fault.h"
#include "exec/warp/exec_state.h"
#include "exec/warp/ieee.h"

/* ---- f16, bf16, tf32 */

/* An f16 as a float, exactly: scaled by a power of two, which makes subnormals normal. */
static float widen_f16(uint32_t h) {
    uint32_t sign = (h & 0x8000) << 16;
    float f = f32_from((h & 0x7fff) << 13) * 0x1p112f;
    uint32_t u = f32_bits(f);
    if ((h & 0x7c00) == 0x7c00) u |= F32_INF;
    return f32_from(u | sign);
}

/* Elements in a word. */
static unsigned elements(unsigned type) {
    return type == MIR_TF32 ? 1 : 2;
}

/* The elements of n words of `type` as doubles, in x. TF32 ignores the low 13 bits. */
static void widen_words(unsigned type, const uint32_t *word, unsigned n, double *x) {
    for (unsigned i = 0; i < n; i++) {
        uint32_t w = word[i];
        if (type == MIR_TF32) {
            x[i] = (double)f32_from(w & 0xffffe000);
        } else {
            bool bf = type == MIR_BF16;
            x[2 * i] = (double)(bf ? f32_from(w << 16) : widen_f16(w & 0xffff));
            x[2 * i + 1] = (double)(bf ? f32_from(w & 0xffff0000) : widen_f16(w >> 16));
        }
    }
}

/* x as an f16; SAT makes an infinite result the largest finite one. */
static uint32_t to_half(const struct exec_op *op, double x) {
    uint32_t h = exec_narrow(x, &exec_f16, MIR_ROUND_NEAREST);
    if (op->flags & MIR_SAT && (h & 0x7fff) == 0x7c00) h = (h & 0x8000) | 0x7bff;
    return h;
}
/* x rounded to f32; a NaN is canonical. */
static uint32_t to_single(double x) {
    return f32_canonical(f32_bits((float)x));
}

/* Reads two accumulators of lane l from c: halves of a word for type F16, else a pair of floats. */
static void accumulators(unsigned type, const warp_reg *c, unsigned l, double *out) {
    if (type == MIR_F16) {
        widen_words(MIR_F16, &c->u[l], 1, out);
    } else {
        out[0] = (double)c[0].f[l];
        out[1] = (double)c[1].f[l];
    }
}
/* Rounds x[0..1] and writes them to lane l of r, in the same form. */
static void put_accumulators(const struct exec_op *op, unsigned type, warp_reg *r, unsigned l,
                             const double *x) {
    if (type == MIR_F16) {
        r[0].u[l] = to_half(op, x[0]) | to_half(op, x[1]) << 16;
    } else {
        r[0].u[l] = to_single(x[0]);
        r[1].u[l] = to_single(x[1]);
    }
}

/* Writes r to the destination of op in the lanes of mask. */
static exec_code put(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                     const warp_reg *r) {
    warp_reg *d = exec_dst(w, op);
    for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &r[i], mask);
    return EX_NEXT;
}

/* Adds the products of one tile of A and one of B, both widened, k places long, to the two sums of
 * each lane. */
static void add_tile(const double *x, const double *y, unsigned k, double sum[][2]) {
    EACH_LANE(l) {
        for (unsigned j = 0; j < 2; j++) {
            const double *p = x + l / 4 * k, *q = y + (2 * (l % 4) + j) * k;
            for (unsigned i = 0; i < k; i++) sum[l][j] += p[i] * q[i];
        }
    }
}

/* HMMA along `steps` steps of k (8 places each, TF32: 4), 16 rows. */
static exec_code product(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         unsigned steps) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    const unsigned k = 4 * elements(op->type2), words = op->type == MIR_F16 ? 1 : 2;
    double x[8 * 8], y[2][8 * 8], sum[32][2];
    warp_reg r[4];
    for (unsigned s = 0; s < steps; s++) widen_words(op->type2, b[s].u, 32, y[s]);
    for (unsigned tile = 0; tile < 2; tile++) {
        EACH_LANE(l) accumulators(op->type, c + tile * words, l, sum[l]);
        for (unsigned s = 0; s < steps; s++) {
            widen_words(op->type2, a[2 * s + tile].u, 32, x);
            add_tile(x, y[s], k, sum);
        }
        EACH_LANE(l) put_accumulators(op, op->type, r + tile * words, l, sum[l]);
    }
    return put(w, op, mask, r);
}

/* d = A(a) * B(b) + c of halves or TF32. */
exec_code exec_op_HMMA128(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return product(w, op, mask, 1);
}
exec_code exec_op_HMMA256(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return product(w, op, mask, 2);
}

/* ---- Volta's form: the lanes 4q..4q+3 and 16+4q..16+4q+3, a quad pair, multiply 8 x 4 by 4 x 8
 * among themselves. A step computes a quarter of the eight results of each lane, with
 * half-precision sums one half. */

/* Element `e` along k of line `line` (row of A, column of B) of quad pair q. `across`: a lane's
 * four elements run along k; otherwise along the lines. */
static double quad_element(const double *x, unsigned q, unsigned line, unsigned e, bool across) {
    unsigned in = line % 4, upper = line / 4;
    unsigned lane = 4 * q + 16 * upper + (across ? in : e);
    return x[4 * lane + (across ? e : in)];
}
/* Row and column of result i (0..7) of lane l in its quad pair's 8 x 8 results. */
static void quad_place(unsigned type, unsigned l, unsigned i, unsigned *r, unsigned *c) {
    if (type == MIR_F16) {
        *r = l % 4;
        *c = i;
    } else {
        *r = (l & 1) + (i & 2);
        *c = (i & 4) + (l & 2) + (i & 1);
    }
    if (l >= 16) *r += 4;
}
/* One step, with sums of `type` in a pair of registers. */
static exec_code quad_step(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                           unsigned type) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    const unsigned words = type == MIR_F16 ? 2 : 1; /* each of two results */
    const bool a_across = !(op->sub & MIR_884_A_COLUMNS), b_across = op->sub & MIR_884_B_COLUMNS;
    double x[4 * 32], y[4 * 32];
    warp_reg r[2];
    EACH_LANE(l) {
        uint32_t u[2] = {a[0].u[l], a[1].u[l]}, v[2] = {b[0].u[l], b[1].u[l]};
        widen_words(MIR_F16, u, 2, x + 4 * l);
        widen_words(MIR_F16, v, 2, y + 4 * l);
    }
    EACH_LANE(l) {
        for (unsigned i = 0; i < words; i++) {
            double sum[2];
            accumulators(type, c + i, l, sum);
            for (unsigned j = 0; j < 2; j++) {
                unsigned m, n, at = 2 * (words * (op->sub >> MIR_884_STEP) + i) + j;
                quad_place(type, l, at, &m, &n);
                for (unsigned e = 0; e < 4; e++)
                    sum[j] += quad_element(x, l / 4 % 4, m, e, a_across) *
                              quad_element(y, l / 4 % 4, n, e, b_across);
            }
            put_accumulators(op, type, r + i, l, sum);
        }
    }
    return put(w, op, mask, r);
}
/* d: = A(a:) * B(b:) + c: of halves, in each quad pair. */
exec_code exec_op_HMMA884(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return quad_step(w, op, mask, MIR_F32);
}
exec_code exec_op_HMMA884H(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return quad_step(w, op, mask, MIR_F16);
}

/* ---- integers and bits */

/* Unpacks the 32 words of a into elements of `bits` bits, lane after lane. */
static void unpack(const warp_reg *a, unsigned bits, bool is_signed, int16_t *x) {
    unsigned n = 32 / bits;
    EACH_LANE(l) {
        for (unsigned i = 0; i < n; i++) {
            uint32_t low = a->u[l] << (32 - bits - bits * i);
            x[l * n + i] = (int16_t)(is_signed ? (int32_t)low >> (32 - bits)
                                               : (int32_t)(low >> (32 - bits)));
        }
    }
}
/* The low 32 bits of sum; SAT clamps it to the range of s32. */
static uint32_t clamp(const struct exec_op *op, int64_t sum) {
    if (op->flags & MIR_SAT && sum > INT32_MAX) return INT32_MAX;
    if (op->flags & MIR_SAT && sum < INT32_MIN) return (uint32_t)INT32_MIN;
    return (uint32_t)sum;
}
/* Adds the products of one tile of A and one of B, of 8-bit or 4-bit elements, signed as the types
 * say, to the two sums of each lane. */
static void add_integers(const struct exec_op *op, const warp_reg *a, const warp_reg *b,
                         int64_t sum[][2]) {
    unsigned k = 128u / op->width;
    int16_t x[8 * 32], y[8 * 32];
    unpack(a, op->width, op->type == MIR_S8, x);
    unpack(b, op->width, op->type2 == MIR_S8, y);
    EACH_LANE(l) {
        for (unsigned j = 0; j < 2; j++) {
            const int16_t *p = x + l / 4 * k, *q = y + (2 * (l % 4) + j) * k;
            int32_t part = 0;
            for (unsigned i = 0; i < k; i++) part += p[i] * q[i];
            sum[l][j] += part;
        }
    }
}
/* The same of single bits: counts the ones of a ^ b or a & b. */
static void add_bits(const struct exec_op *op, const warp_reg *a, const warp_reg *b,
                     int64_t sum[][2]) {
    EACH_LANE(l) {
        for (unsigned j = 0; j < 2; j++) {
            const uint32_t *p = a->u + l / 4 * 4, *q = b->u + (2 * (l % 4) + j) * 4;
            for (unsigned i = 0; i < 4; i++)
                sum[l][j] += __builtin_popcount(op->sub & MIR_MMA_XOR ? p[i] ^ q[i] : p[i] & q[i]);
        }
    }
}
/* IMMA along `steps` steps of k. Another width of elements than 8, 4 and 1 raises
 * HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise() fills in the CTA's fault, sets the warp's status and
 * returns EX_FAULT. */
static exec_code integer_product(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                                 unsigned steps) {
    const warp_reg *a = exec_src_raw(w, op, 0), *b = exec_src_raw(w, op, 1),
                   *c = exec_src_raw(w, op, 2);
    const unsigned tiles = op->sub & MIR_MMA_8_ROWS ? 1 : 2;
    warp_reg r[4];
    if (op->width != 1 && op->width != 4 && op->width != 8)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "element width of IMMA");
    for (unsigned tile = 0; tile < tiles; tile++) {
        int64_t sum[32][2];
        EACH_LANE(l) for (unsigned j = 0; j < 2; j++) sum[l][j] = c[2 * tile + j].i[l];
        for (unsigned s = 0; s < steps; s++) {
            const warp_reg *part = a + tiles * s + tile;
            if (op->width == 1)
                add_bits(op, part, b + s, sum);
            else
                add_integers(op, part, b + s, sum);
        }
        EACH_LANE(l) for (unsigned j = 0; j < 2; j++) r[2 * tile + j].u[l] = clamp(op, sum[l][j]);
    }
    return put(w, op, mask, r);
}
/* d = A(a) * B(b) + c of integers, 8 or 4 bits wide, or of single bits. */
exec_code exec_op_IMMA128(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return integer_product(w, op, mask, 1);
}
exec_code exec_op_IMMA256(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return integer_product(w, op, mask, 2);
}

/* ---- doubles: a chain of fused multiply-adds along k */

/* Column `column` of the lane's two, in the host's current rounding mode. */
static __attribute__((noinline)) void double_product(const warp_reg64 *a, const warp_reg64 *b,
                                                     const warp_reg64 *c, unsigned column,
                                                     warp_reg64 *r) {
    EACH_LANE(l) {
        const double *p = a->f + l / 4 * 4, *q = b->f + (2 * (l % 4) + column) * 4;
        double sum = c->f[l];
        for (unsigned i = 0; i < 4; i++) sum = __builtin_fma(p[i], q[i], sum);
        r->f[l] = sum;
    }
}
/* d:: = A(a:) * B(b:) + c:: of doubles along k = 4. Sets the thread's rounding mode and restores
 * it. */
exec_code exec_op_DMMA(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *in[3] = {exec_src_raw(w, op, 0), exec_src_raw(w, op, 1),
                             exec_src_raw(w, op, 2)};
    warp_reg64 a, b, c[2], r[2];
    reg64_get(&a, in[0], in[0] + 1);
    reg64_get(&b, in[1], in[1] + 1);
    for (unsigned j = 0; j < 2; j++) reg64_get(&c[j], in[2] + 2 * j, in[2] + 2 * j + 1);
    exec_round_begin(op->round);
    for (unsigned j = 0; j < 2; j++) double_product(&a, &b, &c[j], j, &r[j]);
    exec_round_end();
    for (unsigned j = 0; j < 2; j++) {
        EACH_LANE(l) r[j].u[l] = f64_canonical(r[j].u[l]);
        reg64_put(exec_dst(w, op) + 2 * j, &r[j], mask);
    }
    return EX_NEXT;
}
