/* ops_matrix.c - references and cases of the matrix products (ops.h): element by element from PTX's
 * definition of the fragments ("Matrix Fragments for mma.m16n8k8" and others). A function `void
 * NAME(struct ref *)` is the reference of operation NAME, for one lane: it sets the struct's
 * outputs from its inputs (ops.h). */
#include <math.h>

#include "ops.h"

static uint32_t bits_of(double d) {
    float f = (float)d;
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7fffffff : u;
}
static double single(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return (double)f;
}
static double half(uint32_t h, bool bf) {
    unsigned e = bf ? h >> 7 & 255 : h >> 10 & 31, m = bf ? h & 127 : h & 1023;
    unsigned top = bf ? 255 : 31, width = bf ? 7 : 10, bias = bf ? 127 : 15;
    double d = e == top ? (m ? (double)NAN : (double)INFINITY)
               : e == 0 ? ldexp(m, (int)(1 - bias - width))
                        : ldexp(m + (double)(1u << width), (int)(e - bias - width));
    return h & 0x8000 ? -d : d;
}
static uint32_t to_half(double d) {
    if (d != d) return 0x7fff;
    uint32_t sign = signbit(d) ? 0x8000 : 0;
    d = fabs(d);
    if (d >= 65520.0) return sign | 0x7c00;
    int e = 0;
    if (d > 0) frexp(d, &e);
    if (e < -13) e = -13;
    return sign | (uint32_t)(nearbyint(ldexp(d, 11 - e)) + ldexp(e + 13, 10));
}

/* Register `word` of source i of the instruction in a lane. */
static uint32_t source(const struct ref *x, unsigned i, unsigned word, unsigned lane) {
    return x->reg[x->inst->src[i].reg + word][lane];
}
static bool is_deep(const struct ref *x) {
    return x->inst->op == MIR_HMMA256 || x->inst->op == MIR_IMMA256;
}

/* Returns word k / `per` of a line of A (rows 0 to 7 of each step in the first register of a pair,
 * where there are 16) or B, in which element k along k lies, `per` in a word. */
static uint32_t word_of(const struct ref *x, bool of_a, unsigned line, unsigned k, unsigned per,
                        unsigned rows) {
    unsigned step = k / (4 * per), in = k / per % 4;
    unsigned word = of_a ? rows / 8 * step + line / 8 : step;
    return source(x, of_a ? 0 : 1, word, 4 * (line % 8) + in);
}

/* Row and column of result i of the lane: two for each 8 rows. */
static unsigned row_of(const struct ref *x, unsigned i) {
    return x->lane / 4 + i / 2 * 8;
}
static unsigned column_of(const struct ref *x, unsigned i) {
    return 2 * (x->lane % 4) + i % 2;
}

static double element(const struct ref *x, bool of_a, unsigned line, unsigned k) {
    unsigned type = x->inst->type2, per = type == MIR_TF32 ? 1 : 2;
    uint32_t w = word_of(x, of_a, line, k, per, 16);
    if (type == MIR_TF32) return single(w & 0xffffe000);
    return half(w >> 16 * (k % 2) & 0xffff, type == MIR_BF16);
}
static void hmma(struct ref *x) {
    unsigned k = (x->inst->type2 == MIR_TF32 ? 4 : 8) * (is_deep(x) ? 2 : 1);
    bool halves = x->inst->type == MIR_F16;
    if (halves) x->d[0] = x->d[1] = 0;
    for (unsigned i = 0; i < 4; i++) {
        double sum = halves ? half(source(x, 2, i / 2, x->lane) >> i % 2 * 16 & 0xffff, false)
                            : single(source(x, 2, i, x->lane));
        for (unsigned e = 0; e < k; e++)
            sum += element(x, true, row_of(x, i), e) * element(x, false, column_of(x, i), e);
        if (halves)
            x->d[i / 2] |= to_half(sum) << i % 2 * 16;
        else
            x->d[i] = bits_of(sum);
    }
}

static int part(uint64_t w, unsigned i, unsigned bits, bool sign) {
    int v = (int)(w >> bits * i & ((1u << bits) - 1));
    return sign && v >> (bits - 1) ? v - (1 << bits) : v;
}
static void imma(struct ref *x) {
    unsigned bits = x->inst->width, per = 32 / bits, rows = x->inst->sub & MIR_MMA_8_ROWS ? 8 : 16;
    for (unsigned i = 0; i < rows / 4; i++) {
        int64_t sum = (int32_t)source(x, 2, i, x->lane);
        for (unsigned e = 0; e < 4 * per * (is_deep(x) ? 2 : 1); e++) {
            uint32_t a = word_of(x, true, row_of(x, i), e, per, rows);
            uint32_t b = word_of(x, false, column_of(x, i), e, per, rows);
            int p = part(a, e % per, bits, x->inst->type == MIR_S8);
            int q = part(b, e % per, bits, x->inst->type2 == MIR_S8);
            sum += bits > 1 ? p * q : x->inst->sub & MIR_MMA_XOR ? p ^ q : p & q;
        }
        if (x->inst->flags & MIR_SAT && sum > INT32_MAX) sum = INT32_MAX;
        if (x->inst->flags & MIR_SAT && sum < INT32_MIN) sum = INT32_MIN;
        x->d[i] = (uint32_t)sum;
    }
}

static double real(const struct ref *x, unsigned i, unsigned word, unsigned lane) {
    uint64_t u = source(x, i, word, lane) | (uint64_t)source(x, i, word + 1, lane) << 32;
    double d;
    memcpy(&d, &u, 8);
    return d;
}
static void dmma(struct ref *x) {
    for (unsigned j = 0; j < 2; j++) {
        double sum = real(x, 2, 2 * j, x->lane);
        for (unsigned e = 0; e < 4; e++)
            sum = fma(real(x, 0, 0, x->lane / 4 * 4 + e), real(x, 1, 0, column_of(x, j) * 4 + e),
                      sum);
        uint64_t u;
        memcpy(&u, &sum, 8);
        if (sum != sum) u = UINT64_C(0xfff8000000000000);
        x->d[2 * j] = (uint32_t)u;
        x->d[2 * j + 1] = (uint32_t)(u >> 32);
    }
}

/* Returns element `e` of row or column `line` of A or B, from the lane of the quad pair that holds
 * it (PTX, m8n8k4). */
static double quad(const struct ref *x, unsigned line, unsigned e, bool of_a, bool by_column) {
    unsigned q = x->lane / 4 % 4, upper = line >= 4 ? 16 : 0, in = line % 4;
    bool lane_is_line = of_a ? !by_column : by_column;
    const struct ref *from = &x->all[4 * q + upper + (lane_is_line ? in : e)];
    unsigned i = lane_is_line ? e : in;
    return half((uint32_t)((of_a ? from->a : from->b) >> 16 * i & 0xffff), false);
}
static void quads(struct ref *x) {
    unsigned step = x->inst->sub >> MIR_884_STEP, l = x->lane;
    bool halves = x->inst->op == MIR_HMMA884H;
    if (halves) x->d[0] = x->d[1] = 0;
    for (unsigned j = 0; j < (halves ? 4 : 2); j++) {
        unsigned i = (halves ? 4 : 2) * step + j, row, col;
        row = halves ? l % 4 : (l & 1) + (i & 2);
        col = halves ? i : (i & 4) + (l & 2) + (i & 1);
        if (l >= 16) row += 4;
        double sum = halves ? half(source(x, 2, j / 2, l) >> j % 2 * 16 & 0xffff, false)
                            : single(source(x, 2, j, l));
        for (unsigned e = 0; e < 4; e++)
            sum += quad(x, row, e, true, x->inst->sub & MIR_884_A_COLUMNS) *
                   quad(x, col, e, false, x->inst->sub & MIR_884_B_COLUMNS);
        if (halves)
            x->d[j / 2] |= to_half(sum) << j % 2 * 16;
        else
            x->d[j] = bits_of(sum);
    }
}

/* A from R0 on, B from R4 on, C from R12 on. */
#define PRODUCT(op, ...) \
    CASE(op, .pdst = {MIR_PT, MIR_PT}, .src = {REG(0), REG(4), REG(12)}, __VA_ARGS__)
#define HMMA_CASE(op, acc, t, v)                                                                 \
    {                                                                                            \
#op " " #acc " " #t, PRODUCT(op, .type = MIR_##acc, .type2 = MIR_##t), hmma, VALUES_##v, \
            0, 0, 7                                                                              \
    }
#define QUAD_CASE(op, s)                                                                           \
    {                                                                                              \
#op " " #s, PRODUCT(op, .src = {REG(0), REG(2), REG(12)}, .sub = s), quads, VALUES_F16, 0, \
            3, 7                                                                                   \
    }
#define IMMA_CASE(op, n, a, b, s, f)                                                            \
    {                                                                                           \
#op " " #n #a #b " " #s,                                                                \
            PRODUCT(op, .type = MIR_##a, .type2 = MIR_##b, .width = n, .sub = s, .flags = (f)), \
            imma, VALUES_INT, 0, 0, 7                                                           \
    }
static const struct op_case cases[] = {
    HMMA_CASE(HMMA128, F32, F16, F16),
    HMMA_CASE(HMMA128, F16, F16, F16),
    HMMA_CASE(HMMA128, F32, BF16, BF16),
    HMMA_CASE(HMMA128, F32, TF32, F32),
    HMMA_CASE(HMMA256, F32, F16, F16),
    HMMA_CASE(HMMA256, F16, F16, F16),
    HMMA_CASE(HMMA256, F32, BF16, BF16),
    HMMA_CASE(HMMA256, F32, TF32, F32),
    QUAD_CASE(HMMA884, 0x00),
    QUAD_CASE(HMMA884, 0x12),
    QUAD_CASE(HMMA884, 0x24),
    QUAD_CASE(HMMA884, 0x36),
    QUAD_CASE(HMMA884H, 0x04),
    QUAD_CASE(HMMA884H, 0x12),
    IMMA_CASE(IMMA128, 8, U8, U8, 0, 0),
    IMMA_CASE(IMMA128, 8, S8, U8, MIR_MMA_8_ROWS, 0),
    IMMA_CASE(IMMA128, 8, S8, S8, 0, MIR_SAT),
    IMMA_CASE(IMMA128, 4, U8, S8, MIR_MMA_8_ROWS, 0),
    IMMA_CASE(IMMA128, 1, U8, U8, MIR_MMA_XOR, 0),
    IMMA_CASE(IMMA128, 1, U8, U8, MIR_MMA_AND | MIR_MMA_8_ROWS, 0),
    IMMA_CASE(IMMA256, 8, S8, U8, 0, 0),
    IMMA_CASE(IMMA256, 4, S8, S8, 0, MIR_SAT),
    IMMA_CASE(IMMA256, 1, U8, U8, MIR_MMA_AND, 0),
    {"DMMA", PRODUCT(DMMA, .type = MIR_F64), dmma, VALUES_F64, 0, 7, 7},
};
const struct op_case_list matrix_cases = {cases, sizeof cases / sizeof *cases};
