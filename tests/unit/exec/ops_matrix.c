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

/* Returns element `i` along k of a fragment's line: it lies in lane 4 * line + i / per, part i %
 * per of the register. */
static double element(const struct ref *x, unsigned line, unsigned i, bool of_a) {
    unsigned type = x->inst->type2, per = type == MIR_TF32 ? 1 : 2;
    const struct ref *from = &x->all[4 * line + i / per];
    uint32_t w = (uint32_t)(of_a ? from->a : from->b);
    if (type == MIR_TF32) return single(w & 0xffffe000);
    return half(w >> 16 * (i % 2) & 0xffff, type == MIR_BF16);
}
static void hmma(struct ref *x) {
    unsigned k = x->inst->type2 == MIR_TF32 ? 4 : 8;
    uint32_t out[2];
    for (unsigned j = 0; j < 2; j++) {
        bool halves = x->inst->type == MIR_F16;
        double sum = halves ? half(x->c >> 16 * j & 0xffff, false)
                            : single((uint32_t)(x->c >> 32 * j));
        for (unsigned i = 0; i < k; i++)
            sum += element(x, x->lane / 4, i, true) * element(x, 2 * (x->lane % 4) + j, i, false);
        out[j] = halves ? to_half(sum) : bits_of(sum);
    }
    if (x->inst->type == MIR_F16) {
        x->d[0] = out[0] | out[1] << 16;
    } else {
        x->d[0] = out[0];
        x->d[1] = out[1];
    }
}

static int part(uint64_t w, unsigned i, unsigned bits, bool sign) {
    int v = (int)(w >> bits * i & ((1u << bits) - 1));
    return sign && v >> (bits - 1) ? v - (1 << bits) : v;
}
static void imma(struct ref *x) {
    unsigned bits = x->inst->width, per = 32 / bits;
    for (unsigned j = 0; j < 2; j++) {
        int64_t sum = (int32_t)(uint32_t)(x->c >> 32 * j);
        for (unsigned i = 0; i < 4 * per; i++) {
            uint64_t a = x->all[x->lane / 4 * 4 + i / per].a;
            uint64_t b = x->all[(2 * (x->lane % 4) + j) * 4 + i / per].b;
            int p = part(a, i % per, bits, x->inst->type == MIR_S8);
            int q = part(b, i % per, bits, x->inst->type2 == MIR_S8);
            sum += bits > 1 ? p * q : x->inst->sub == 1 ? p ^ q : p & q;
        }
        if (x->inst->flags & MIR_SAT && sum > INT32_MAX) sum = INT32_MAX;
        if (x->inst->flags & MIR_SAT && sum < INT32_MIN) sum = INT32_MIN;
        x->d[j] = (uint32_t)sum;
    }
}

static double real(uint64_t u) {
    double d;
    memcpy(&d, &u, 8);
    return d;
}
static void dmma(struct ref *x) {
    double sum = real(x->c);
    for (unsigned i = 0; i < 4; i++)
        sum = fma(real(x->all[x->lane / 4 * 4 + i].a),
                  real(x->all[(2 * (x->lane % 4) + x->inst->sub) * 4 + i].b), sum);
    uint64_t u;
    memcpy(&u, &sum, 8);
    if (sum != sum) u = UINT64_C(0xfff8000000000000);
    x->d[0] = (uint32_t)u;
    x->d[1] = (uint32_t)(u >> 32);
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
    unsigned step = x->inst->sub >> 4, l = x->lane;
    uint32_t out[2];
    for (unsigned j = 0; j < 2; j++) {
        unsigned i = 2 * step + j, row, col;
        bool halves = x->inst->type == MIR_F16;
        row = halves ? l % 4 : (l & 1) + (i & 2);
        col = halves ? i : (i & 4) + (l & 2) + (i & 1);
        if (l >= 16) row += 4;
        double sum = halves ? half(x->c >> 16 * j & 0xffff, false)
                            : single((uint32_t)(x->c >> 32 * j));
        for (unsigned e = 0; e < 4; e++)
            sum += quad(x, row, e, true, x->inst->sub & 2) *
                   quad(x, col, e, false, x->inst->sub & 4);
        out[j] = halves ? to_half(sum) : bits_of(sum);
    }
    if (x->inst->type == MIR_F16) {
        x->d[0] = out[0] | out[1] << 16;
    } else {
        x->d[0] = out[0];
        x->d[1] = out[1];
    }
}

#define NO_P .pdst = {MIR_PT, MIR_PT}
#define HMMA_CASE(acc, t, v, w)                                                           \
    {                                                                                     \
        "HMMA " #acc " " #t, CASE(HMMA, NO_P, .type = MIR_##acc, .type2 = MIR_##t), hmma, \
            VALUES_##v, 0, w, 7                                                           \
    }
#define QUAD_CASE(acc, s, w)                                                              \
    {                                                                                     \
        "HMMA quad " #acc " " #s,                                                         \
            CASE(HMMA, NO_P, .type = MIR_##acc, .type2 = MIR_F16, .sub = 1 | (s)), quads, \
            VALUES_F16, 0, 3 | (w), 7                                                     \
    }
#define IMMA_CASE(n, a, b, s, f)                                                      \
    {                                                                                 \
        "IMMA " #n #a #b,                                                             \
            CASE(IMMA, NO_P, .type = MIR_##a, .type2 = MIR_##b, .width = n, .sub = s, \
                 .flags = (f)),                                                       \
            imma, VALUES_INT, 0, 4, 7                                                 \
    }
static const struct op_case cases[] = {
    HMMA_CASE(F32, F16, F16, 4),
    HMMA_CASE(F16, F16, F16, 0),
    HMMA_CASE(F32, BF16, BF16, 4),
    HMMA_CASE(F32, TF32, F32, 4),
    QUAD_CASE(F32, 0x00, 4),
    QUAD_CASE(F32, 0x12, 4),
    QUAD_CASE(F32, 0x24, 4),
    QUAD_CASE(F32, 0x36, 4),
    QUAD_CASE(F16, 0x04, 0),
    QUAD_CASE(F16, 0x32, 0),
    IMMA_CASE(8, U8, U8, 0, 0),
    IMMA_CASE(8, S8, U8, 0, 0),
    IMMA_CASE(8, S8, S8, 0, MIR_SAT),
    IMMA_CASE(4, U8, S8, 0, 0),
    IMMA_CASE(4, S8, S8, 0, MIR_SAT),
    IMMA_CASE(1, U8, U8, 1, 0),
    IMMA_CASE(1, U8, U8, 2, 0),
    {"DMMA 0", CASE(DMMA, NO_P, .sub = 0), dmma, VALUES_F64, 0, 7, 7},
    {"DMMA 1", CASE(DMMA, NO_P, .sub = 1), dmma, VALUES_F64, 0, 7, 7},
};
const struct op_case_list matrix_cases = {cases, sizeof cases / sizeof *cases};
